#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kalaba/error.hpp"

namespace kalaba {

/// Serializes numbers and lists to bytes that the same build can read.
class StateWriter {
 public:
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const std::vector<Value>& values) {
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads the output of a StateWriter, in the same order. Throws Error(file_error) if bytes are missing.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Value>
  requires std::is_trivially_copyable_v<Value> Value get() {
    Value value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  template <class Value>
  std::vector<Value> get_all() {
    const auto size = get<std::size_t>();
    require(size <= bytes_.size() / sizeof(Value), "a list that is all there");
    std::vector<Value> values(size);
    if (size > 0) std::memcpy(values.data(), take(size * sizeof(Value)).data(), size * sizeof(Value));
    return values;
  }
  std::string get_text() {
    const auto size = get<std::size_t>();
    return std::string(take(size));
  }
  bool is_at_end() const { return bytes_.empty(); }

  void require(bool good, const char* what) const {
    if (!good) throw Error(ExitCode::file_error, std::string("the saved state is damaged: expected ") + what);
  }

 private:
  std::string_view take(std::size_t size) {
    require(size <= bytes_.size(), "more bytes");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace kalaba
