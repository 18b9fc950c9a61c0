#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kalaba {

/// A TOML float that reads back as the same double.
std::string toml_number(double value);

/// A TOML basic string that reads back as the same bytes (which must be UTF-8).
std::string toml_string(std::string_view text);

/// The text, or of one that is longer the first `longest` bytes, up to the end of a character, and "...".
std::string shortened(std::string_view text, std::size_t longest);

/// "; … write 0.5", where a number in the text begins or ends with its point, as .5 and 5. do; else "".
std::string bare_point_hint(std::string_view text);

/// A word of a key: as it is, or in quotes where TOML needs them.
std::string toml_key(std::string_view word);

/// The line of the first key of more than 16 words, if there is one. The TOML library frees nested tables by recursion,
/// so that a key of a hundred thousand words would overflow the stack.
std::optional<long> line_of_deep_key(std::string_view text);

}  // namespace kalaba
