#pragma once

#include <map>
#include <span>
#include <string>

namespace kalaba {

/// Numbers that a program gives beside a scenario's text, by the name that { array = "NAME" } has them by: one a
/// member.
using GivenArrays = std::map<std::string, std::span<const double>>;

}  // namespace kalaba
