#pragma once

#include <string>

namespace kalaba::cuda {

/// A library opened at run time. It stays open as long as the process lives, because the last destructors may call its
/// functions.
class SharedLibrary {
 public:
  /// Opens a name through the loader's search path, or a path directly. Never throws; see `problem`.
  explicit SharedLibrary(const std::string& name);

  const std::string& name() const { return name_; }
  /// The loader's message if the library could not be opened; else empty.
  const std::string& problem() const { return problem_; }
  /// Returns true if the problem is that the library does not exist, and false if it exists but cannot be used.
  bool absent() const { return absent_; }
  /// Name of the first function that `find` did not find; else empty.
  const std::string& missing() const { return missing_; }

  /// Assigns the function of that name to a pointer of its type.
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
