#pragma once

// What a C++ user includes for the systems of the catalogue: ensembles, runs and their results. A system made of a
// model of one's own is kalaba/make_system.hpp, which needs Eigen, Boost and xsimd.

#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"
#include "kalaba/system.hpp"
