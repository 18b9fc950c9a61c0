#pragma once

#include <string>

#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Returns a note if equal steps are too long for the friction of a member: at rest the friction slows the rates down
/// faster than the stability limit of the integrator allows. Tests some of the members at their start; empty if the
/// steps are short enough.
std::string friction_step_note(const System& system, const Options& options, const MemberSource& source);

}  // namespace kalaba
