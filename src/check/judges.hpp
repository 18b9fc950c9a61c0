#pragma once

#include "check/default_run.hpp"
#include "check/verdict.hpp"

// Each judge compares a run with one thing that is known of it, and says nothing where the system states nothing.

namespace kalaba::check {

Verdict judge_status(const DefaultRun& run);

/// The figures within the default span, or those beyond it; one verdict each.
Verdicts judge_figures(const DefaultRun& run, bool beyond_default_end);

/// One verdict an invariant that is one.
Verdicts judge_invariants(const DefaultRun& run);

/// That energy is kept, where the system conserves it.
Verdicts judge_energy(const DefaultRun& run);

/// Violation, where the run projects on the constraints, and residual.
Verdicts judge_constraints(const DefaultRun& run);

/// The exact solution at every saved time. A run that is further away than the tolerance must come within it, at
/// fourth order, as its step is halved: then the distance was RK4's and not the model's.
Verdicts judge_closed_form(const DefaultRun& run);

/// The final state against the reference backend's.
Verdict judge_agreement(const DefaultRun& run, const DefaultRun& reference);

/// The final state of the same run in single precision: how far it is from that in double. Not of a run through
/// singular positions, which steps of the default size come nearer to than single precision can tell.
Verdict judge_single(const DefaultRun& single, const DefaultRun& run);

}  // namespace kalaba::check
