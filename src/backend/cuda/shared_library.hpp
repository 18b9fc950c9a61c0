#pragma once

#include <string>

namespace kalaba::cuda {

/// A library opened while the program runs. It stays open as long as the process lives: its functions are called from
/// destructors that may be the last thing to run.
class SharedLibrary {
 public:
  /// Looks for a name where the loader looks, or for a path just there. Never throws; see `problem`.
  explicit SharedLibrary(const std::string& name);

  const std::string& name() const { return name_; }
  /// The loader's own words where the library could not be opened; else empty.
  const std::string& problem() const { return problem_; }
  /// Whether the problem is that there is no such library, rather than one that cannot be used.
  bool absent() const { return absent_; }
  /// The first function that `find` did not find; else empty.
  const std::string& missing() const { return missing_; }

  /// Puts the function of that name into a pointer of its type.
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name);

  std::string name_;
  void* handle_ = nullptr;
  std::string problem_;
  std::string missing_;
  bool absent_ = false;
};

}  // namespace kalaba::cuda
