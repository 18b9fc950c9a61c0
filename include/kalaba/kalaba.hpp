#pragma once

// Everything a C++ user includes: models, systems, ensembles, runs and their results.

#include "kalaba/ensemble.hpp"
#include "kalaba/make_system.hpp"
#include "kalaba/run.hpp"
