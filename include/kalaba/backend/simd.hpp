#pragma once

// Includes xsimd without the warnings of g++ 12 about its own SIMD headers, which appear wherever these are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop
