#pragma once

#include <string>
#include <string_view>

namespace kalaba {

/// A TOML float that reads back as the same double.
std::string toml_number(double value);

/// A TOML basic string that reads back as the same bytes (which must be UTF-8).
std::string toml_string(std::string_view text);

/// The most dots of any one key of a TOML text, read or not yet checked, and the line it is on.
struct DeepestKey {
  long dots = 0;
  long line = 1;
};
DeepestKey deepest_key(std::string_view text);

}  // namespace kalaba
