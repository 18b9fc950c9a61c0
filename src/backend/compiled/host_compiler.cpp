#include "backend/compiled/host_compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "backend/cache/fingerprint.hpp"
#include "backend/compiled/process.hpp"
#include "backend/interruption.hpp"
#include "backend/pack_mathematics.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr double most_seconds = 10;  // to print the version

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Returns the CPU as -march=native identifies it.
std::string processor() {
  Fingerprint features;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {  // of the first core
    const bool counts = line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features") ||
                        line.starts_with("CPU ");
    if (counts) features.add(line);
  }
  return features.hex();
}

/// Returns the path of a command's file with its size and time, which package updates change.
std::string file_identity(const std::string& command) {
  std::vector<std::string> folders = {""};
  const char* const path = std::getenv("PATH");
  std::istringstream list(command.find('/') == std::string::npos && path != nullptr ? path : "");
  for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder + "/");
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path file = fs::canonical(folder + command, error);
    if (error || !fs::is_regular_file(file, error)) continue;
    const std::uintmax_t size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    return file.string() + " " + std::to_string(size) + " " + std::to_string(time);
  }
  return command;
}

/// Returns the first number with a point in the first line of a version text: "12.2.0".
std::string number_in(std::string_view line) {
  constexpr std::string_view digits = "0123456789";
  std::string number;
  for (std::size_t at = line.find_first_of(digits); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_not_of("0123456789.", at), line.size());
    number = line.substr(at, end - at);
    if (number.find('.') != std::string::npos) break;
    at = line.find_first_of(digits, end);
  }
  return number;
}

/// Returns true for `python -m ziglang c++` and the like, which run clang under another name.
bool is_zig(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    const std::string name = fs::path(word).filename();
    return name == "zig" || name == "ziglang";
  });
}

/// The flags of the library: a product and a sum are contracted only where the code calls fma. Loops have constant
/// extents, so -O3 takes longer and gains nothing, except for packs in flight. $KALABA_CXXFLAGS takes precedence.
std::vector<std::string> compiler_flags(const std::vector<std::string>& words) {
  std::string architecture = model_architecture();
  if (is_zig(words)) std::ranges::replace(architecture, '-', '_');  // zig writes x86-64-v3 in this way
  std::vector<std::string> flags = {"-std=c++20", "-O2",     "-march=" + architecture, "-ffp-contract=off", "-DNDEBUG",
                                    "-fPIC",      "-shared", "-fvisibility=hidden",    "-fno-exceptions",   "-fno-rtti",
                                    "-w"};
  const char* const requested = std::getenv("KALABA_CXXFLAGS");
  if (requested != nullptr) std::ranges::copy(split(requested), std::back_inserter(flags));
  return flags;
}

/// Returns the compiler's name for messages.
std::string name_of(const std::vector<std::string>& words, const std::string& output) {
  const std::string number = number_in(output.substr(0, output.find('\n')));
  const std::string program = fs::path(words.back()).filename();
  if (is_zig(words)) return "clang++ " + number + " of zig";
  if (output.find("clang") != std::string::npos) return "clang++ " + number;
  return (program.find("++") != std::string::npos ? "g++" : program) + " " + number;
}

/// Returns the compiler's version output. It is read once in this process as long as the compiler's files are the same:
/// a process for every run would take milliseconds.
ProcessResult version_of(const std::vector<std::string>& command, const std::string& files) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, ProcessResult>;
  const std::lock_guard lock(mutex);
  if (const auto found = known->find(files); found != known->end()) return found->second;
  std::vector<std::string> words = command;
  words.emplace_back("--version");
  ProcessResult requested = run_process(words, most_seconds);
  if (requested.interrupted) throw_interrupted();
  if (requested.succeeded) known->emplace(files, requested);
  return requested;
}

/// Returns the compiler if the command is a C++ compiler, with its name and version; else the problem.
FoundCompiler try_compiler(const std::vector<std::string>& command) {
  FoundCompiler found;
  found.compiler.words = command;
  if (found.compiler.words.empty()) return {{}, "is empty"};
  std::string files;
  for (const std::string& word : command) files += file_identity(word) + '\n';
  const ProcessResult requested = version_of(command, files);
  if (!requested.succeeded) return {{}, requested.failure};
  found.compiler.name = name_of(found.compiler.words, requested.output);
  found.compiler.flags = compiler_flags(found.compiler.words);
  found.compiler.is_gcc = requested.output.find("Free Software Foundation") != std::string::npos;
  Fingerprint identity;
  identity.add(files);
  identity.add(requested.output);
  identity.add(processor());
  found.compiler.identity = identity.hex();
  return found;
}

struct SpareSlot {
  std::mutex mutex;
  SpareCompiler compiler;
};

SpareSlot& spare_slot() {
  static SpareSlot slot;
  return slot;
}

SpareCompiler spare_compiler() {
  const std::lock_guard lock(spare_slot().mutex);
  return spare_slot().compiler;
}

}  // namespace

void set_spare_compiler(SpareCompiler spare) {
  const std::lock_guard lock(spare_slot().mutex);
  spare_slot().compiler = std::move(spare);
}

FoundCompiler find_compiler() {
  if (const char* const requested = std::getenv("KALABA_CXX"); requested != nullptr && *requested != '\0') {
    FoundCompiler found = try_compiler(split(requested));
    if (!found.problem.empty()) found.problem = std::string("KALABA_CXX = ") + requested + " " + found.problem;
    return found;
  }
  const SpareCompiler spare = spare_compiler();
  const std::vector<std::string> commands[] = {{KALABA_BUILT_WITH}, {"clang++"}, {"g++"}, spare.words};
  for (const std::vector<std::string>& command : commands) {
    FoundCompiler found = try_compiler(command);
    if (found.problem.empty()) return found;
  }
  return {{}, "no C++ compiler found (KALABA_CXX, clang++, g++)" + (spare.advice.empty() ? "" : "; " + spare.advice)};
}

}  // namespace kalaba
