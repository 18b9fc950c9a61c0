#pragma once

#include "kalaba/run.hpp"

namespace kalaba {

/// Ranges for histograms of the coordinates (of all components where no coordinates are asked for): what a few hundred
/// members, evenly chosen, go through, and a tenth of it on either side. They depend on the ensemble and the options
/// alone, so that every shard and a resumed run have the same.
std::vector<HistogramRange> histogram_ranges(const System& system, const MemberSource& source, Options options);

}  // namespace kalaba
