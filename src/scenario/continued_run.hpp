#pragma once

#include <string>
#include <vector>

#include "kalaba/event.hpp"
#include "kalaba/system.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Continues the discrete variables of members whose initial values are final states of an earlier run: they start with
/// their final values in its file. Returns remarks on those that do not: the file does not contain them, or a clock
/// with a delay had computed them and not yet set them. Throws Error.
std::vector<std::string> continue_discrete(const SystemInfo& system, const std::vector<Clock>& clocks,
                                           std::vector<SampledVariable>& variables);

}  // namespace kalaba
