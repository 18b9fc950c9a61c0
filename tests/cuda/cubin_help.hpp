#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/compiler.hpp"

namespace kalaba::cuda {

using Bytes = std::vector<char>;

/// Small program that compiles.
inline Source kernel() {
  return {"twice.cu",
          "extern \"C\" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }",
          {"--gpu-architecture=sm_90"}};
}

inline Bytes read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline bool is_elf(const Bytes& cubin) { return cubin.size() > 4 && std::string_view(cubin.data(), 4) == "\177ELF"; }

/// Temporary folder, removed at the end of the test.
class CubinFolder {
 public:
  CubinFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kalaba_cubins_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder for the test");
    path_ = pattern;
  }
  ~CubinFolder() { std::filesystem::remove_all(path_); }
  CubinFolder(const CubinFolder&) = delete;
  CubinFolder& operator=(const CubinFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kalaba::cuda
