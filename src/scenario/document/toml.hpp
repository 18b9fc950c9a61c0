#pragma once

// toml++ 3.3 asserts (and under NDEBUG declares to the compiler as assumptions) conditions that malformed texts such as
// "[,a]" or "x = [1, }" violate, before its own checks report them. Without both, it reports the error with line and
// column.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
