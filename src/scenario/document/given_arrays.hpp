#pragma once

#include <map>
#include <span>
#include <string>

namespace kalaba {

/// Numbers that a program passes together with a scenario's text, one per member, by the name NAME in { array = "NAME"
/// }.
using GivenArrays = std::map<std::string, std::span<const double>>;

}  // namespace kalaba
