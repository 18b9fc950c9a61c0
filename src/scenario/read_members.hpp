#pragma once

#include <optional>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/sampling/correlated.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Every parameter, and (but for a swarm's agents) the coordinates and rates that the document gives, in the system's
/// order, with the number of members they and ensemble.members come to.
struct Members {
  std::vector<SampledVariable> variables;
  long count = 1;
  int drawn = 0;  ///< of the variables
  SamplingDesign design = SamplingDesign::independent;
  std::vector<std::string> grid = {};  ///< names of the axes, the last one fastest
  std::vector<CorrelatedNormal> correlated = {};
};
Members read_members(Document& document, const System& system);

}  // namespace kalaba
