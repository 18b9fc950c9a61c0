#pragma once

// toml++ 3.3 asserts, and under NDEBUG has the compiler assume, what malformed texts such as "[,a]" or "x = [1, }"
// break, ahead of its own checks that report them. With neither, they are reported with line and column.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
