#pragma once

#include <string>

#include "backend/cache/work_folder.hpp"

namespace kalaba {

/// Text of the first header that a model includes (model_headers).
std::string model_headers_text();

/// A work folder with the embedded headers and a model's text, model.cpp.
class SourceFolder {
 public:
  explicit SourceFolder(const std::string& model);

  bool is_written() const { return written_; }
  void keep() { folder_.keep(); }
  /// The path of a file in it.
  std::string operator/(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  bool write(const std::string& name, const std::string& text) const;

  WorkFolder folder_;
  bool written_ = false;
};

}  // namespace kalaba
