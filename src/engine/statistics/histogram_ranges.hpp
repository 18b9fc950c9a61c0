#pragma once

#include "kalaba/run.hpp"

namespace kalaba {

/// Returns ranges for histograms of the coordinates (of all components if no coordinates are saved): the range of a few
/// hundred evenly chosen members, extended by a tenth on either side. The ranges depend only on the ensemble and the
/// options, so that every shard and a resumed run have equal ranges.
std::vector<HistogramRange> histogram_ranges(const System& system, const MemberSource& source, Options options);

}  // namespace kalaba
