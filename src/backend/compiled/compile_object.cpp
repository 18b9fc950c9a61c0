#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "backend/compiled/object.hpp"
#include "backend/compiled/process.hpp"
#include "backend/compiled/sources.hpp"
#include "backend/interruption.hpp"

namespace kalaba {
namespace {

std::vector<char> read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Returns the most informative line of a compiler's output: the first with an error, or else the last.
std::string telling_line(const std::string& output) {
  constexpr std::size_t longest = 200;
  std::size_t at = output.find("error");
  if (at == std::string::npos) at = output.find_last_not_of('\n');
  if (at == std::string::npos) return "";
  const std::size_t begin = output.rfind('\n', at) + 1;  // 0 where there is none
  std::string line = output.substr(begin, output.find('\n', at) - begin).substr(0, longest);
  for (char& each : line) {
    if (static_cast<unsigned char>(each) < ' ') each = ' ';
  }
  return line.empty() ? "" : ": " + line;
}

}  // namespace

CompiledObject compile_object(const HostCompiler& compiler, const std::string& source, double most_seconds,
                              const PrecompiledHeaders* headers) {
  SourceFolder folder(source);
  if (!folder.is_written()) return {{}, "the temporary folder cannot be written (TMPDIR names another)"};
  std::vector<std::string> words = compiler.words;
  words.insert(words.end(), compiler.flags.begin(), compiler.flags.end());
  for (const std::string& word : {"-I" + (folder / ""), folder / "model.cpp", std::string("-o"), folder / "model.so"}) {
    words.push_back(word);
  }
  const std::string link = folder / (std::string(model_headers) + ".gch");
  std::error_code error;
  const bool precompiled = headers != nullptr && !headers->path().empty();
  if (precompiled) std::filesystem::create_symlink(headers->path(), link, error);
  ProcessResult result = run_process(words, most_seconds);
  if (result.interrupted) throw_interrupted();
  if (precompiled && !result.succeeded) {  // the precompiled headers may be the cause
    std::filesystem::remove(link, error);
    result = run_process(words, most_seconds);
    if (result.interrupted) throw_interrupted();
    if (result.succeeded) headers->remove();
  }
  if (result.succeeded) return {read_bytes(folder / "model.so"), ""};
  folder.keep();
  return {
      {},
      compiler.name + " " + result.failure + telling_line(result.output) + " (kept: " + (folder / "model.cpp") + ")"};
}

}  // namespace kalaba
