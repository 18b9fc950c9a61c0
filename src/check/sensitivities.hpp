#pragma once

#include "check/default_run.hpp"
#include "check/verdict.hpp"

namespace kalaba::check {

/// Method to compute a system's sensitivities in this check. Each method requires another compilation, so that a system
/// has only one; the catalogue as a whole uses every pseudo-inverse and every integrator.
struct SensitiveWay {
  PseudoInverse pseudo_inverse;
  Integrator integrator;
};
SensitiveWay sensitive_way(const SystemInfo& info);

/// Compares derivatives of the first steps of the default run along some of its parameters and starts with the
/// reference's finite differences. Only for the system's own pseudo-inverse and integrator; empty if the backend has no
/// sensitivities. The verdict is not_run if the model cannot be compiled for them.
Verdicts judge_sensitivities(const DefaultRun& run);

}  // namespace kalaba::check
