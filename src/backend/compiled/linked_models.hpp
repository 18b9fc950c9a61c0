#pragma once

#include <optional>
#include <string>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/options.hpp"

namespace kalaba {

/// Returns the functions of a model whose compiled_source() is linked into this program; nothing if it is not. `key` is
/// the fingerprint of the model's source.
std::optional<MemberFunctions> linked_model(const std::string& key, Precision precision);

}  // namespace kalaba

/// Called by a linked source before main: `entry` fills a MemberFunctions, from the PackMathematics of its precision.
extern "C" int kalaba_link_model(const char* key, void (*entry)(void* functions, const void* mathematics));
