#include "module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "block.hpp"
#include "failure.hpp"

namespace kalaba::emulated {

namespace {

/// Bytes of a shared library in memory: the driver's call does not say.
std::size_t size_of_library(const char* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, image + header.e_shoff + std::size_t{i} * header.e_shentsize, sizeof section);
    if (section.sh_type != SHT_NOBITS) size = std::max<std::size_t>(size, section.sh_offset + section.sh_size);
  }
  return size;
}

bool is_library(const char* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return false;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN;  // not a real cubin, which is ET_EXEC
}

/// Loads the image from a temporary file with a unique name: dlopen would return the library already loaded under a
/// name.
void* load(const char* image) {
  std::string name = (std::filesystem::temp_directory_path() / "kalaba_emulated_module_XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) throw Failure{CUDA_ERROR_INVALID_IMAGE, "cannot write " + name};
  close(descriptor);
  std::ofstream(name, std::ios::binary).write(image, static_cast<std::streamsize>(size_of_library(image)));
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string words = library == nullptr ? dlerror() : "";
  unlink(name.c_str());
  if (library == nullptr) throw Failure{CUDA_ERROR_INVALID_IMAGE, words};
  return library;
}

}  // namespace

Module::Module(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (!is_library(bytes)) throw Failure{CUDA_ERROR_INVALID_IMAGE, "the image is not one that the emulated NVRTC made"};
  library_ = load(bytes);
  auto* services = static_cast<const Services**>(dlsym(library_, kalaba_emulated::services_symbol));
  if (services == nullptr) {
    dlclose(library_);
    throw Failure{CUDA_ERROR_INVALID_IMAGE, "the image was not made by the emulated NVRTC"};
  }
  *services = &BlockRunner::services();
}

Module::~Module() { dlclose(library_); }

std::shared_ptr<Function> Module::function(const std::string& name) {
  const auto known = functions_.find(name);
  if (known != functions_.end()) return known->second;
  const void* symbol = dlsym(library_, (kalaba_emulated::kernel_prefix + name).c_str());
  if (symbol == nullptr) throw Failure{CUDA_ERROR_NOT_FOUND, "no extern \"C\" __global__ function " + name};
  auto made = std::make_shared<Function>(Function{name, static_cast<const Kernel*>(symbol)});
  functions_[name] = made;
  return made;
}

std::pair<void*, std::size_t> Module::variable(const std::string& name) {
  void* address = dlsym(library_, name.c_str());
  Dl_info info;
  void* entry = nullptr;
  if (address == nullptr || dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) {
    throw Failure{CUDA_ERROR_NOT_FOUND, "no variable " + name};
  }
  variables_[name] = address;
  return {address, static_cast<const ElfW(Sym)*>(entry)->st_size};
}

}  // namespace kalaba::emulated
