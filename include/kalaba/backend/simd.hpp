#pragma once

// xsimd, without the warnings that g++ 12 gives of its own SIMD headers wherever those are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop
