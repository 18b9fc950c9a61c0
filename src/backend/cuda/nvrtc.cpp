#include "backend/cuda/nvrtc.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "backend/cache/fingerprint.hpp"
#include "backend/cuda/library_places.hpp"
#include "backend/cuda/shared_library.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int oldest_major = 12;  // first version that supports C++20

const ToolkitLibrary nvrtc_library = {{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, "cuda_nvrtc"};

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

/// Returns the reason why these functions cannot be used, or an empty string and the version, "13.0".
std::string find(SharedLibrary& library, Nvrtc& functions, std::string& version) {
  if (!library.problem().empty()) return library.problem();
  find_all(library, functions);
  if (!library.missing().empty()) return library.name() + " has no " + library.missing();
  int major = 0;
  int minor = 0;
  if (functions.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return library.name() + " does not report its version";
  version = std::to_string(major) + "." + std::to_string(minor);
  return major < oldest_major ? library.name() + " is of CUDA " + version : "";
}

/// Returns the build id among the notes of an ELF segment, in hexadecimal digits; empty if there is none.
std::string id_among_notes(ElfW(Addr) begin, std::size_t size) {
  const auto padded = [](std::size_t length) { return (length + 3) / 4 * 4; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(begin + at);
    const auto* const name = reinterpret_cast<const char*>(&note + 1);
    at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (note.n_type != NT_GNU_BUILD_ID || at > size ||
        std::string_view(name, note.n_namesz) != std::string_view("GNU", 4))
      continue;
    std::string id;
    for (const char byte : std::string_view(name + padded(note.n_namesz), note.n_descsz)) {
      id += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
      id += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
    }
    return id;
  }
  return {};
}

fs::path file_of(const Nvrtc& functions) {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<void*>(functions.nvrtcVersion), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? fs::path(info.dli_fname) : file;
}

/// Returns the linker's build id of a loaded library, in hexadecimal digits; empty if it has none.
std::string build_id(const void* address_in_it) {
  struct Search {
    ElfW(Addr) address;
    std::string id;
  } search = {reinterpret_cast<ElfW(Addr)>(address_in_it), ""};
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* data) {
        auto& requested = *static_cast<Search*>(data);
        const std::span headers(library->dlpi_phdr, library->dlpi_phnum);
        const auto holds = [&](const ElfW(Phdr) & header) {
          const ElfW(Addr) begin = library->dlpi_addr + header.p_vaddr;
          return header.p_type == PT_LOAD && requested.address >= begin && requested.address - begin < header.p_memsz;
        };
        if (std::ranges::none_of(headers, holds)) return 0;
        for (const ElfW(Phdr) & header : headers) {
          if (header.p_type == PT_NOTE)
            requested.id += id_among_notes(library->dlpi_addr + header.p_vaddr, header.p_memsz);
        }
        return 1;
      },
      &search);
  return search.id;
}

/// Returns a text that differs between builds of NVRTC and is the same on every machine. The version does not identify
/// the build; the linker's build id does. For a library without one (the wheels of CUDA 12) the file's content is
/// hashed.
std::string identity(const fs::path& file, const std::string& version, const void* address_in_it) {
  if (const std::string id = build_id(address_in_it); !id.empty()) return version + " " + id;
  std::ifstream stream(file, std::ios::binary);
  Fingerprint content;
  std::vector<char> part(1 << 20);
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())), stream.gcount() > 0) {
    content.add({part.data(), static_cast<std::size_t>(stream.gcount())});
  }
  return version + " " + content.hex();
}

/// NVRTC opens its second library by name alone; if its folder is not in the loader's search path, it must be open
/// before.
void open_builtins(const fs::path& file, const std::string& version) {
  // If the file does not exist, the loader may find another; if it does not, NVRTC's log reports it.
  [[maybe_unused]] const SharedLibrary builtins(file.parent_path() / ("libnvrtc-builtins.so." + version));
}

LoadedNvrtc from(SharedLibrary& library) {
  LoadedNvrtc loaded;
  std::string version;
  loaded.problem = find(library, loaded.functions, version);
  if (!loaded.problem.empty()) return loaded;
  const fs::path file = file_of(loaded.functions);
  open_builtins(file, version);
  loaded.file = file.string();
  loaded.version = "NVRTC " + version;
  loaded.identity = identity(file, loaded.version, reinterpret_cast<void*>(loaded.functions.nvrtcVersion));
  return loaded;
}

/// Message for a machine without a usable NVRTC; `unusable` is the reason why an existing one cannot be used, or empty.
std::string no_compiler(const std::string& unusable) {
  return "there is no " + std::string(unusable.empty() ? "" : "usable ") +
         "CUDA compiler here: searched for libnvrtc " + searched_places() +
         (unusable.empty() ? "" : " (" + unusable + ")") + "; install it with `pip install \"kalaba[cuda]\"`, or " +
         "the CUDA toolkit, " + std::to_string(oldest_major) + ".0 or later, and set CUDA_HOME to where it is";
}

LoadedNvrtc load_nvrtc() {
  std::string unusable;
  for (const auto& name : library_candidates(nvrtc_library)) {
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
