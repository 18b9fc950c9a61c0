#include "backend/compiled/precompiled_headers.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "backend/cache/fingerprint.hpp"
#include "backend/cache/kept_file.hpp"
#include "backend/cache/key_lock.hpp"
#include "backend/compiled/process.hpp"
#include "backend/compiled/sources.hpp"
#include "backend/embedded/embedded_headers.hpp"
#include "backend/interruption.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

std::string key_of_headers(const HostCompiler& compiler) {
  Fingerprint key;
  key.add("headers 1");
  key.add(compiler.identity);
  for (const std::string& flag : compiler.flags) key.add(flag);
  key.add(embedded_headers_fingerprint());
  return key.hex();
}

bool has_models(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".so") return true;
  }
  return false;
}

}  // namespace

PrecompiledHeaders::PrecompiledHeaders(const HostCompiler& compiler, const std::string& folder, double most_seconds)
    : compiler_(compiler), folder_(compiler.is_gcc ? folder : ""), most_seconds_(most_seconds) {
  if (folder_.empty()) return;
  key_ = key_of_headers(compiler);
  const std::string path = fs::path(folder_) / (key_ + ".gch");
  if (use_kept(path)) path_ = path;
}

PrecompiledHeaders::~PrecompiledHeaders() {
  if (!made_.valid()) return;
  if (interruption_is_requested()) stop_.request_stop();
  made_.wait();
}

void PrecompiledHeaders::make_where_worth_it() {
  if (folder_.empty() || !path_.empty() || !has_models(folder_)) return;
  made_ = std::async([this] {  // deferred if no thread can be started
    const Interruptible stopped_by_destructor([this] { return stop_.stop_requested(); });
    const KeyLock lock(folder_, key_, 0);
    if (!lock.is_held()) return;  // another process compiles them
    const SourceFolder sources("");
    if (!sources.is_written()) return;
    static std::atomic<unsigned> counter{0};
    const std::string number = std::to_string(::getpid()) + "-" + std::to_string(counter++);
    const std::string temporary = fs::path(folder_) / (key_ + "." + number + ".tmp");
    std::vector<std::string> words = compiler_.words;
    words.insert(words.end(), compiler_.flags.begin(), compiler_.flags.end());
    for (const std::string& word : {"-I" + (sources / ""), std::string("-x"), std::string("c++-header"),
                                    sources / model_headers, std::string("-o"), temporary}) {
      words.push_back(word);
    }
    std::error_code error;
    if (run_process(words, most_seconds_).succeeded) {
      fs::permissions(temporary, fs::perms::owner_read | fs::perms::owner_write, error);
      fs::rename(temporary, fs::path(folder_) / (key_ + ".gch"), error);
    }
    fs::remove(temporary, error);
  });
}

void PrecompiledHeaders::remove() const {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace kalaba
