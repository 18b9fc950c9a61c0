#pragma once

#include <string>

#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Says that equal steps are too long for the friction of a member: at rest it slows the rates down faster than the
/// integrator follows stably. Looks at some of the members where they start; empty where their steps are short enough.
std::string friction_step_note(const System& system, const Options& options, const MemberSource& source);

}  // namespace kalaba
