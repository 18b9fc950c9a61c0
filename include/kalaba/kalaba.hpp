#pragma once

// Systems of the catalogue, systems from model structs (make_system), ensembles, runs and their results.

#include "kalaba/ensemble.hpp"
#include "kalaba/make_system.hpp"
#include "kalaba/run.hpp"
#include "kalaba/system.hpp"
