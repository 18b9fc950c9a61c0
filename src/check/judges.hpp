#pragma once

#include "check/default_run.hpp"
#include "check/verdict.hpp"

// Each judge compares a run with one known fact, and returns no verdict if the system does not state it.

namespace kalaba::check {

Verdict judge_status(const DefaultRun& run);

/// Judges the figures within the default span, or those beyond it; one verdict each.
Verdicts judge_figures(const DefaultRun& run, bool beyond_default_end);

/// Returns one verdict for each invariant.
Verdicts judge_invariants(const DefaultRun& run);

/// Judges the conservation of energy, if the system conserves it.
Verdicts judge_energy(const DefaultRun& run);

/// Judges the violation, if the run projects on the constraints, and the residual.
Verdicts judge_constraints(const DefaultRun& run);

/// Compares with the exact solution at every saved time. If the error exceeds the tolerance, it must decrease below it,
/// at fourth order, as the step is halved: then the error is RK4's and not the model's.
Verdicts judge_closed_form(const DefaultRun& run);

/// Compares the final state with the reference backend's.
Verdict judge_agreement(const DefaultRun& run, const DefaultRun& reference);

/// Compares the final state of the run in single precision with that in double precision. Not for a run through
/// singular positions: steps of the default size come closer to them than single precision can resolve.
Verdict judge_single(const DefaultRun& single, const DefaultRun& run);

}  // namespace kalaba::check
