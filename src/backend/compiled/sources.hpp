#pragma once

#include <string>

namespace kalaba {

/// Text of the first header that a model includes (model_headers).
std::string model_headers_text();

/// A private folder under the system's temporary one with the embedded headers and a model's text, model.cpp. It goes
/// with its owner, unless it is to be kept.
class SourceFolder {
 public:
  explicit SourceFolder(const std::string& model);
  ~SourceFolder();
  SourceFolder(const SourceFolder&) = delete;
  SourceFolder& operator=(const SourceFolder&) = delete;

  bool is_written() const { return written_; }
  void keep() { keeps_ = true; }
  /// The path of a file in it.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  bool write(const std::string& name, const std::string& text) const;

  std::string path_;
  bool written_ = false;
  bool keeps_ = false;
};

}  // namespace kalaba
