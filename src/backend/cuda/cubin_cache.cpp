#include "backend/cuda/cubin_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "backend/cuda/cubin_file.hpp"
#include "backend/cuda/embedded_headers.hpp"
#include "backend/cuda/fingerprint.hpp"

namespace kalaba::cuda {
namespace {

constexpr std::string_view key_format = "1";  // changes with what goes into a key

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string cubin_key(const Source& source) {
  Fingerprint key;
  key.add(key_format);
  key.add(compiler_identity());
  key.add(embedded_headers_fingerprint());
  key.add(source.name);
  key.add(source.text);
  for (const auto& option : source.options) key.add(option);
  return key.hex();
}

std::string cubin_folder() {
  if (std::string ours = environment("KALABA_CACHE_DIR"); !ours.empty()) return ours;
  // The XDG specification has a relative path ignored.
  const std::filesystem::path everyones = environment("XDG_CACHE_HOME");
  if (everyones.is_absolute()) return everyones / "kalaba";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/kalaba";
}

CubinCache::CubinCache(std::string folder, Compiler compiler, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), compiler_(std::move(compiler)), most_bytes_(most_bytes) {}

std::vector<char> CubinCache::cached_or_compiled(const Source& source) {
  const std::string key = cubin_key(source);
  // Held while compiling, so that who asks for the same source meanwhile waits for it.
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, read_or_compile(key, source)).first->second;
}

std::vector<char> CubinCache::read_or_compile(const std::string& key, const Source& source) const {
  if (folder_.empty()) return compiler_(source);
  const std::string path = std::filesystem::path(folder_) / (key + ".cubin");
  if (auto cubin = read_cubin_file(path, key)) return *std::move(cubin);
  std::vector<char> cubin = compiler_(source);
  // What cannot be kept is compiled again the next time; the run does not need it.
  if (write_cubin_file(path, key, cubin)) remove_oldest_cubins(folder_, most_bytes_);
  return cubin;
}

std::vector<char> cached_or_compiled(const Source& source) {
  static CubinCache cache(cubin_folder());
  return cache.cached_or_compiled(source);
}

}  // namespace kalaba::cuda
