#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kalaba {

/// Temporary folder, removed at the end of the test.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::path(testing::TempDir()) / "scenario_XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw std::runtime_error("cannot make " + path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream file(path(name), std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path(name));
    return path(name);
  }
  /// Message without the folder's name.
  std::string shorten(std::string message) const {
    for (auto at = message.find(path_ + "/"); at != std::string::npos; at = message.find(path_ + "/")) {
      message.erase(at, path_.size() + 1);
    }
    return message;
  }

 private:
  std::string path_;
};

}  // namespace kalaba
