#pragma once

#include <future>
#include <stop_token>
#include <string>

#include "backend/compiled/host_compiler.hpp"

namespace kalaba {

/// First header that a model includes: all code that does not depend on the model.
constexpr const char* model_headers = "model_headers.hpp";

/// Headers that every model includes, compiled once for a compiler and its flags and stored with the models: they take
/// half of a model's compilation time. Only g++ supports them; it compiles the text instead if they do not match. About
/// 50 MB.
class PrecompiledHeaders {
 public:
  /// `folder` is the cache's; empty if none can be used.
  PrecompiledHeaders(const HostCompiler& compiler, const std::string& folder, double most_seconds);
  ~PrecompiledHeaders();
  PrecompiledHeaders(const PrecompiledHeaders&) = delete;
  PrecompiledHeaders& operator=(const PrecompiledHeaders&) = delete;

  /// Path of the precompiled file; empty if it does not exist yet.
  const std::string& path() const { return path_; }
  /// Starts to compile the headers in the background if models were kept before and the file does not exist. The
  /// compilation of a model does not wait for them.
  void make_where_worth_it();
  /// Removes the file after a compilation with it has failed, so that it is not used again.
  void remove() const;

 private:
  const HostCompiler& compiler_;
  std::string folder_;
  std::string key_;
  std::string path_;
  double most_seconds_;
  std::stop_source stop_;
  std::future<void> made_;
};

}  // namespace kalaba
