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

/// Derivatives of the first steps of the default run along some of its parameters and starts, against the reference's,
/// which are differences. Of the system's own way alone; nothing where the backend has no sensitivities, or the model
/// cannot be compiled for them.
Verdicts judge_sensitivities(const DefaultRun& run);

}  // namespace kalaba::check
