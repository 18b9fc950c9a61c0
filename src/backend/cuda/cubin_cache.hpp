#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/compiler.hpp"

namespace kalaba::cuda {

/// Fingerprint of all inputs of a cubin: the source, the options, the embedded headers, the compiler (its identity,
/// compiler.hpp) and the format of the cache. 32 hexadecimal digits.
std::string cubin_key(const Source& source, const std::string& compiler);

/// Returns the folder of cubins that were compiled on another machine and copied here ($KALABA_CUBINS); empty if there
/// is none. Their keys do not include the compiler, so that they are found with any compiler, or with none.
std::string carried_cubins();

/// Compiled programs, kept in a folder between runs and in memory within one. Any number of threads and processes may
/// use one folder. A folder that cannot be read or written, that others may write to, or that contains damaged files
/// costs a compilation and is never an error. If the folder's kept files take more than 512 MiB, the least recently
/// used ones are removed.
class CubinCache {
 public:
  using Compiler = std::function<std::vector<char>(const Source&)>;

  /// An empty `folder` keeps nothing between runs. `identity` is that of the compiler and part of the keys.
  CubinCache(std::string folder, std::string identity, Compiler compiler = compile,
             std::uintmax_t most_bytes = 512UL << 20);

  /// Returns the cubin of a source, compiled at most once per cache. Throws as the compiler does.
  std::vector<char> cached_or_compiled(const Source& source);

 private:
  std::vector<char> read_or_compile(const std::string& key, const Source& source) const;

  std::string folder_;
  std::string identity_;
  Compiler compiler_;
  std::uintmax_t most_bytes_;
  std::mutex mutex_;
  std::map<std::string, std::vector<char>> known_;
};

/// Returns the cubin of a source from the process-wide cache in `carried_cubins()` if set, else in `cache_folder()`. A
/// missing program is compiled and added. Throws Error(no_backend) if a compiler is required and there is none; and
/// Error(internal_error) with the compiler's log if the source does not compile.
std::vector<char> cached_or_compiled(const Source& source);

}  // namespace kalaba::cuda
