#pragma once

#include "check/default_run.hpp"
#include "check/verdict.hpp"

namespace kalaba::check {

/// How a system's sensitivities are computed here. A program more is compiled for each, so that a system has one; the
/// catalogue has every pseudo-inverse and every integrator.
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
