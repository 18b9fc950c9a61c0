#include "backend/cuda/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "backend/cuda/shared_library.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int oldest_major = 12;  // reads C++20

std::vector<std::string> folders() {
  std::vector<std::string> all = {"/usr/local/cuda/lib64"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string folder = std::string(value) + "/lib64";
    if (std::find(all.begin(), all.end(), folder) == all.end()) all.push_back(folder);
  }
  return all;
}

std::vector<std::string> nvrtc_candidates() {
  const std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> all = names;
  for (const auto& folder : folders()) {
    for (const auto& name : names) all.push_back(folder + "/" + name);
  }
  return all;
}

void find_all(SharedLibrary& library, Nvrtc& functions) {
  library.find("nvrtcVersion", functions.nvrtcVersion);
  library.find("nvrtcGetErrorString", functions.nvrtcGetErrorString);
  library.find("nvrtcCreateProgram", functions.nvrtcCreateProgram);
  library.find("nvrtcDestroyProgram", functions.nvrtcDestroyProgram);
  library.find("nvrtcCompileProgram", functions.nvrtcCompileProgram);
  library.find("nvrtcGetCUBINSize", functions.nvrtcGetCUBINSize);
  library.find("nvrtcGetCUBIN", functions.nvrtcGetCUBIN);
  library.find("nvrtcGetProgramLogSize", functions.nvrtcGetProgramLogSize);
  library.find("nvrtcGetProgramLog", functions.nvrtcGetProgramLog);
}

/// Why these functions cannot be used, or nothing and the version, "13.0".
std::string find(SharedLibrary& library, Nvrtc& functions, std::string& version) {
  if (!library.problem().empty()) return library.problem();
  find_all(library, functions);
  if (!library.missing().empty()) return library.name() + " has no " + library.missing();
  int major = 0;
  int minor = 0;
  if (functions.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return library.name() + " does not tell its version";
  version = std::to_string(major) + "." + std::to_string(minor);
  return major < oldest_major ? library.name() + " is of CUDA " + version : "";
}

fs::path file_of(const Nvrtc& functions) {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<void*>(functions.nvrtcVersion), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? fs::path(info.dli_fname) : file;
}

/// The version leaves out the build; name, size and time of the file tell builds apart.
std::string identity(const fs::path& file, const std::string& version) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  const auto written = fs::last_write_time(file, error).time_since_epoch().count();
  return version + " " + file.filename().string() + " " + std::to_string(size) + " " + std::to_string(written);
}

/// NVRTC opens its second library by name alone; one in a folder that the loader does not know must be open before.
void open_builtins(const fs::path& file, const std::string& version) {
  // Where it is not there the loader may know another; where not, NVRTC's log will say so.
  [[maybe_unused]] const SharedLibrary builtins(file.parent_path() / ("libnvrtc-builtins.so." + version));
}

LoadedNvrtc from(SharedLibrary& library) {
  LoadedNvrtc loaded;
  std::string version;
  loaded.problem = find(library, loaded.functions, version);
  if (!loaded.problem.empty()) return loaded;
  const fs::path file = file_of(loaded.functions);
  open_builtins(file, version);
  loaded.version = "NVRTC " + version;
  loaded.identity = identity(file, loaded.version);
  return loaded;
}

/// What to tell where no candidate can be used; `unusable` says why one that is there cannot, and may be empty.
std::string no_compiler(const std::string& unusable) {
  std::string places;
  for (const auto& folder : folders()) places += (places.empty() ? "" : ", ") + folder;
  return "there is no " + std::string(unusable.empty() ? "" : "usable ") +
         "CUDA compiler here: looked for libnvrtc where the loader looks and in " + places +
         (unusable.empty() ? "" : " (" + unusable + ")") + "; install the CUDA toolkit, " +
         std::to_string(oldest_major) + ".0 or later, or set CUDA_HOME to where it is";
}

LoadedNvrtc load_nvrtc() {
  std::string unusable;
  for (const auto& name : nvrtc_candidates()) {
    SharedLibrary library(name);
    LoadedNvrtc loaded = from(library);
    if (loaded.problem.empty()) return loaded;
    if (!library.absent() && unusable.empty()) unusable = loaded.problem;
  }
  LoadedNvrtc none;
  none.problem = no_compiler(unusable);
  return none;
}

}  // namespace

const LoadedNvrtc& loaded_nvrtc() {
  static const LoadedNvrtc once = load_nvrtc();
  return once;
}

}  // namespace kalaba::cuda
