#include "backend/compiled/compiled_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/cache/fingerprint.hpp"
#include "backend/cache/kept_file.hpp"
#include "backend/cache/key_lock.hpp"
#include "backend/compiled/host_compiler.hpp"
#include "backend/compiled/linked_models.hpp"
#include "backend/compiled/model_source.hpp"
#include "backend/compiled/object.hpp"
#include "backend/compiled/process.hpp"
#include "backend/cpu_runner.hpp"
#include "backend/device_code.hpp"
#include "backend/embedded/embedded_headers.hpp"
#include "backend/interruption.hpp"

namespace kalaba {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double most_seconds = 120;  // for one compilation
constexpr std::uintmax_t most_bytes = 512UL << 20;

/// Fingerprint of all inputs of an object.
std::string key_of(const HostCompiler& compiler, const ModelSource& source) {
  Fingerprint key;
  key.add("object 2");  // changes with the inputs of a key
  key.add(compiler.identity);
  for (const std::string& flag : compiler.flags) key.add(flag);
  key.add(kalaba::key_of(source));
  return key.hex();
}

enum class Optimization { little, full };

/// Returns the compiler's flags with the level of optimisation of this source. In g++, passes that compare each store
/// and load with those before it take a time that grows with the square of a function's length, and so do some that -O2
/// adds. The members of a long model step as fast without them. clang steps such members faster with -O2.
std::vector<std::string> flags_for(const HostCompiler& compiler, const ModelSource& source, Optimization amount) {
  std::vector<std::string> flags = compiler.flags;
  const auto level = std::ranges::find(flags, "-O2");  // the library's: words of $KALABA_CXXFLAGS follow it
  if (level == flags.end()) return flags;
  if (amount == Optimization::little) {
    *level = "-O1";
    flags.insert(level + 1, "-DKALABA_CALLS");
    return flags;
  }
  if (source.unrolls) *level = "-O3";
  if (source.is_long && compiler.is_gcc) {
    *level = "-O1";
    const char* const bounds[] = {"-fno-tree-dse", "--param=sccvn-max-alias-queries-per-access=50"};
    flags.insert(level + 1, std::begin(bounds), std::end(bounds));
  }
  return flags;
}

/// A model that this process has loaded or is loading.
struct LoadedModel {
  std::timed_mutex mutex;  // held while compiling, so that concurrent requests for the same model wait
  std::optional<MemberFunctions> functions;
  CompileReport report;
};

LoadedModel& loaded_model(const std::string& key) {
  struct Models {
    std::mutex mutex;
    std::map<std::string, LoadedModel> by_key;
  };
  static auto* const models = new Models;  // runners may outlive static objects
  const std::lock_guard lock(models->mutex);
  return models->by_key[key];
}

std::optional<MemberFunctions> from_cache(const std::string& path, const std::string& key, Precision precision) {
  const auto bytes = read_kept_file(path, key);
  if (!bytes) return std::nullopt;
  const LoadedObject loaded = load_object(*bytes, precision);
  if (!loaded.problem.empty()) return std::nullopt;
  return loaded.functions;
}

std::optional<MemberFunctions> compiled(const HostCompiler& compiler, const std::string& source,
                                        const std::string& folder, const std::string& key, Precision precision,
                                        CompileReport& report) {
  const bool is_trusted = !folder.empty() && fault_of_folder(folder).empty();
  PrecompiledHeaders headers(compiler, is_trusted ? folder : "", most_seconds);
  headers.make_where_worth_it();
  const CompiledObject object = compile_object(compiler, source, most_seconds, &headers);
  report.problem = object.problem;
  if (!report.problem.empty()) return std::nullopt;
  const LoadedObject loaded = load_object(object.bytes, precision);
  if (!loaded.problem.empty()) {
    report.problem = "what " + compiler.name + " wrote " + loaded.problem;
    return std::nullopt;
  }
  if (folder.empty()) {
    report.note = "there is no folder for a cache: KALABA_CACHE_DIR names one";
    return loaded.functions;
  }
  report.note = fault_of_folder(folder);
  if (!report.note.empty()) return loaded.functions;
  const std::string path = std::filesystem::path(folder) / (key + ".so");
  if (write_kept_file(path, key, object.bytes)) {
    report.path = path;
    remove_oldest_kept(folder, most_bytes);
  } else {
    report.note = folder + " cannot be written";
  }
  return loaded.functions;
}

/// Replaces the home folder in a path by ~.
std::string with_tilde(const std::string& folder) {
  const char* const home = std::getenv("HOME");
  const std::string start = home != nullptr ? home : "";
  return start.size() > 1 && folder.starts_with(start + "/") ? "~" + folder.substr(start.size()) : folder;
}

}  // namespace

std::string CompileReport::text(const std::string& system) const {
  if (!problem.empty()) return system + ": not compiled: " + problem;
  if (linked) return system + ": compiled with the program";
  const std::string folder = with_tilde(std::filesystem::path(path).parent_path());
  if (cached) return system + ": compiled before by " + compiler + " (kept in " + folder + ")";
  return system + ": compiled by " + compiler + " in " + seconds_text(seconds) +
         (is_quick ? ", with few optimisations, as the run is short" : "") +
         (note.empty() ? " (kept in " + folder + ")" : " (not kept: " + note + ")");
}

Options as_compiled(const System& system, Options options) {
  if (system.info.constraints.size() <= 1) options.method.pseudo_inverse = PseudoInverse::svd;
  return options;
}

namespace {

/// Adds the estimated time of a run to that of earlier runs of the object in this process, and returns the sum.
double seconds_of_runs(const std::string& key, double seconds) {
  static std::mutex mutex;
  static auto* const sums = new std::map<std::string, double>;
  const std::lock_guard lock(mutex);
  return (*sums)[key] += seconds;
}

/// Sets the flags of the compiler and returns the key of the object. Few optimisations serve short runs, unless the
/// optimised object exists. They do not shorten the compilation of a long source; and $KALABA_CXXFLAGS may state a
/// level.
std::string choose_flags(HostCompiler& compiler, const ModelSource& source, double seconds, const std::string& folder,
                         CompileReport& report) {
  constexpr double short_seconds = 0.3;
  const HostCompiler with_any = compiler;
  compiler.flags = flags_for(with_any, source, Optimization::full);
  const std::string key = key_of(compiler, source);
  const bool is_stated =
      std::ranges::count_if(with_any.flags, [](const std::string& word) { return word.starts_with("-O"); }) > 1;
  if (source.is_long || is_stated || seconds_of_runs(key, seconds) >= short_seconds) return key;
  std::error_code error;
  if (!folder.empty() && std::filesystem::exists(std::filesystem::path(folder) / (key + ".so"), error)) return key;
  report.is_quick = true;
  compiler.flags = flags_for(with_any, source, Optimization::little);
  return key_of(compiler, source);
}

/// Returns nothing if it fails; report.problem is then the reason.
std::optional<MemberFunctions> compile_functions(const ModelSource& source, Precision precision,
                                                 const CompileBounds& bounds, CompileReport& report) {
  const auto begin = Clock::now();
  report = {};
  if (const auto functions = linked_model(kalaba::key_of(source), precision)) {
    report.linked = true;
    return functions;
  }
  FoundCompiler found = find_compiler();
  report.problem = found.problem;
  if (!report.problem.empty()) return std::nullopt;
  if (source.operations > bounds.most_operations) {  // also if it is in the cache, on which results do not depend
    report.problem = "it takes " + std::to_string(source.operations) +
                     " operations a stage, whose compilation takes minutes; solver.compile = \"always\" compiles it";
    return std::nullopt;
  }
  report.compiler = found.compiler.name;
  const std::string folder = cache_folder();
  const std::string key = choose_flags(found.compiler, source, bounds.seconds, folder, report);
  LoadedModel& model = loaded_model(key);
  std::unique_lock lock(model.mutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20))) {
    if (interruption_is_requested()) throw_interrupted();
  }
  if (model.functions) {
    report = model.report;
    return model.functions;
  }
  const std::string path = folder.empty() ? "" : (std::filesystem::path(folder) / (key + ".so")).string();
  if (!folder.empty()) model.functions = from_cache(path, key, precision);
  std::optional<KeyLock> lock_of_key;  // one of the processes that need the same object compiles it, the others read it
  if (!model.functions) {
    lock_of_key.emplace(folder, key, 2 * most_seconds);
    if (lock_of_key->is_held()) model.functions = from_cache(path, key, precision);
  }
  report.cached = model.functions.has_value();
  if (model.functions) report.path = path;
  if (!model.functions) model.functions = compiled(found.compiler, source.text, folder, key, precision, report);
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  model.report = report;
  return model.functions;
}

}  // namespace

std::unique_ptr<Runner> compile_runner(const System& system, const Options& options, CompileReport& report,
                                       const CompileBounds& bounds) {
  return compile_runner(system.device_code, as_compiled(system, options), report, bounds);
}

std::unique_ptr<Runner> compile_runner(const DeviceCode& model, const Options& options, CompileReport& report,
                                       const CompileBounds& bounds) {
  if (needs_slopes(options) && !model.emit) {
    report = {};
    report.problem = "it needs derivatives of its formulas, which are not available";
    return nullptr;
  }
  const auto functions = compile_functions(model_source(model, options), options.precision, bounds, report);
  return functions ? make_cpu_runner(*functions, options) : nullptr;
}

CountingRunner compile_counting_runner(const System& system, const Options& options) {
  if (needs_slopes(options) && !system.device_code.emit) return {};
  CompileReport report;
  const ModelSource source = model_source(system.device_code, as_compiled(system, options), true);
  const auto functions = compile_functions(source, Precision::double_precision, {}, report);
  if (!functions) return {};
  return {make_cpu_runner(*functions, options), functions->operations};
}

}  // namespace kalaba
