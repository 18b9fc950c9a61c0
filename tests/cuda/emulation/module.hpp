#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kernel_interface.hpp"

namespace kalaba::emulated {

/// Function of a module; a CUfunction points to it.
struct Function {
  std::string name;
  const kalaba_emulated::Kernel* kernel;
  unsigned long most_shared_memory = kalaba_emulated::default_shared_memory;  ///< dynamic, bytes

  int most_threads() const {
    return kernel->most_threads > 0 ? kernel->most_threads : kalaba_emulated::most_threads_a_block;
  }
};

/// Shared library that the emulated NVRTC has compiled.
class Module {
 public:
  /// Throws Failure if the image is not such a library.
  explicit Module(const void* image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Throws Failure if there is no such kernel.
  std::shared_ptr<Function> function(const std::string& name);
  /// Address and size in bytes of a variable; throws Failure if there is none.
  std::pair<void*, std::size_t> variable(const std::string& name);
  // Functions and variables requested so far.
  const std::map<std::string, std::shared_ptr<Function>>& functions() const { return functions_; }
  const std::map<std::string, void*>& variables() const { return variables_; }

 private:
  void* library_;
  std::map<std::string, std::shared_ptr<Function>> functions_;
  std::map<std::string, void*> variables_;
};

}  // namespace kalaba::emulated
