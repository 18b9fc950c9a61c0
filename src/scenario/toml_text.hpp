#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kalaba {

/// A TOML float that reads back as the same double.
std::string toml_number(double value);

/// A TOML basic string that reads back as the same bytes (which must be UTF-8).
std::string toml_string(std::string_view text);

/// The line of the first key of more than 16 words, if there is one. The TOML library frees nested tables by recursion,
/// so that a key of a hundred thousand words would overflow the stack.
std::optional<long> line_of_deep_key(std::string_view text);

}  // namespace kalaba
