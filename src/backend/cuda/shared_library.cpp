#include "backend/cuda/shared_library.hpp"

#include <dlfcn.h>

namespace kalaba::cuda {

SharedLibrary::SharedLibrary(const std::string& name)
    : name_(name), handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* const words = ::dlerror();
  problem_ = words != nullptr ? words : name + ": cannot be opened";
  // The loader reports this for the library itself and for its dependencies; only the former means that it is absent.
  absent_ = problem_.starts_with(name + ": cannot open shared object file");
}

void* SharedLibrary::address_of(const char* name) {
  void* const address = handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
  if (address == nullptr && missing_.empty()) missing_ = name;
  return address;
}

}  // namespace kalaba::cuda
