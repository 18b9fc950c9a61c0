#include "backend/cuda/cubin_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "backend/cache/fingerprint.hpp"
#include "backend/cache/kept_file.hpp"
#include "backend/cache/key_lock.hpp"
#include "backend/embedded/embedded_headers.hpp"

namespace kalaba::cuda {
namespace {

constexpr std::string_view key_format = "1";  // changes with the inputs of a key

}  // namespace

std::string cubin_key(const Source& source, const std::string& compiler) {
  Fingerprint key;
  key.add(key_format);
  key.add(compiler);
  key.add(embedded_headers_fingerprint());
  key.add(source.name);
  key.add(source.text);
  for (const auto& option : source.options) key.add(option);
  return key.hex();
}

std::string carried_cubins() {
  const char* const folder = std::getenv("KALABA_CUBINS");
  return folder != nullptr ? folder : "";
}

CubinCache::CubinCache(std::string folder, std::string identity, Compiler compiler, std::uintmax_t most_bytes)
    : folder_(std::move(folder)),
      identity_(std::move(identity)),
      compiler_(std::move(compiler)),
      most_bytes_(most_bytes) {}

std::vector<char> CubinCache::cached_or_compiled(const Source& source) {
  const std::string key = cubin_key(source, identity_);
  // Held while compiling, so that concurrent requests for the same source wait.
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, read_or_compile(key, source)).first->second;
}

std::vector<char> CubinCache::read_or_compile(const std::string& key, const Source& source) const {
  if (folder_.empty()) return compiler_(source);
  const std::string path = std::filesystem::path(folder_) / (key + ".cubin");
  if (auto cubin = read_kept_file(path, key)) return *std::move(cubin);
  constexpr double most_seconds = 240;  // to wait for another process that compiles it
  const KeyLock lock(folder_, key, most_seconds);
  if (lock.is_held()) {
    if (auto cubin = read_kept_file(path, key)) return *std::move(cubin);
  }
  std::vector<char> cubin = compiler_(source);
  // A cubin that cannot be kept is compiled again the next time; this run does not need the file.
  if (write_kept_file(path, key, cubin)) remove_oldest_kept(folder_, most_bytes_);
  return cubin;
}

std::vector<char> cached_or_compiled(const Source& source) {
  static CubinCache cache =
      carried_cubins().empty() ? CubinCache(cache_folder(), compiler_identity()) : CubinCache(carried_cubins(), "");
  return cache.cached_or_compiled(source);
}

}  // namespace kalaba::cuda
