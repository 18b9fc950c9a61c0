#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "backend/compiled/object.hpp"
#include "backend/pack_mathematics.hpp"
#include "backend/write_all.hpp"

namespace kalaba {
namespace {

/// Returns true if the bytes are a complete 64-bit shared object: the loader maps the extents that the segments state.
bool is_shared_object(const std::vector<char>& bytes) {
  Elf64_Ehdr header = {};
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool good = std::string_view(bytes.data(), SELFMAG) == ELFMAG && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                    header.e_type == ET_DYN && header.e_phentsize == sizeof(Elf64_Phdr);
  const std::size_t size = bytes.size();
  if (!good || header.e_phoff > size || header.e_phnum > (size - header.e_phoff) / sizeof(Elf64_Phdr)) return false;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment = {};
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return false;
  }
  return header.e_phnum > 0;
}

/// Returns a path of the descriptor that was not used before: the loader identifies files by name, and numbers of
/// descriptors are reused. The folders "." in the path encode a counter in binary.
std::string path_of(int descriptor) {
  static std::atomic<unsigned> counter{0};
  std::string path = "/proc/self/fd";
  for (unsigned rest = counter++; rest > 0; rest /= 2) path += rest % 2 == 1 ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

/// Opens bytes as a library. They are in memory, so that the checked bytes are the ones that run, even if the file
/// changes.
void* open_library(const std::vector<char>& bytes) {
  const int descriptor = ::memfd_create("kalaba-model", MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* library = nullptr;
  if (write_all(descriptor, {bytes.data(), bytes.size()})) {
    library = ::dlopen(path_of(descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ::close(descriptor);
  return library;
}

template <class T>
bool ask(void* library, MemberFunctions& functions, const PackMathematics<T>& mathematics) {
  using Entry = void (*)(MemberFunctions*, const PackMathematics<T>*);
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, "kalaba_model"));
  if (entry != nullptr) entry(&functions, &mathematics);
  return entry != nullptr;
}

}  // namespace

LoadedObject load_object(const std::vector<char>& bytes, Precision precision) {
  LoadedObject loaded = {};
  void* const library = is_shared_object(bytes) ? open_library(bytes) : nullptr;
  if (library == nullptr) {
    const char* const words = is_shared_object(bytes) ? ::dlerror() : "it is no shared object";
    loaded.problem = std::string("cannot be loaded: ") + (words != nullptr ? words : "no memory for it");
    return loaded;
  }
  const PackLevel& level = pack_level();
  const bool found = precision == Precision::single_precision
                         ? ask(library, loaded.functions, *level.single_mathematics)
                         : ask(library, loaded.functions, *level.double_mathematics);
  if (!found) loaded.problem = "cannot be loaded: it has no kalaba_model";
  return loaded;
}

}  // namespace kalaba
