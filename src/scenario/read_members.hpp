#pragma once

#include <optional>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/sampling/correlated.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Members of an ensemble: every parameter, and (except for the agents of a swarm) the coordinates and rates that the
/// document gives, in the system's order; and the number of members, from them and from ensemble.members.
struct Members {
  std::vector<SampledVariable> variables;
  long count = 1;
  int drawn = 0;  ///< number of variables that are drawn
  SamplingDesign design = SamplingDesign::independent;
  std::vector<std::string> grid = {};  ///< names of the axes, the last one fastest
  std::vector<CorrelatedNormal> correlated = {};
};
Members read_members(Document& document, const System& system);

}  // namespace kalaba
