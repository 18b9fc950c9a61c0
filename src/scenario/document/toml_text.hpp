#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kalaba {

/// A TOML float that reads back as the same double.
std::string toml_number(double value);

/// A TOML basic string that reads back as the same bytes (which must be UTF-8).
std::string toml_string(std::string_view text);

/// The text; if it is longer than `longest` bytes, its first `longest` bytes without a partial character, and "...".
std::string shortened(std::string_view text, std::size_t longest);

/// "; … write 0.5" if a number in the text begins or ends with its decimal point, such as .5 and 5.; else "".
std::string bare_point_hint(std::string_view text);

/// A word of a key, in quotes if TOML requires them.
std::string toml_key(std::string_view word);

/// Line of the first key of more than 16 words, if there is one. The TOML library frees nested tables recursively: a
/// key of a hundred thousand words would overflow the stack.
std::optional<long> line_of_deep_key(std::string_view text);

}  // namespace kalaba
