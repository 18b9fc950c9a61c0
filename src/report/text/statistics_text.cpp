#include "report/text/statistics_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kalaba/statistics.hpp"
#include "report/text/text.hpp"

namespace kalaba {

std::string statistics_text(const SystemInfo& system, const Options& options, long members) {
  const std::size_t times = saved_times(options).size();
  const StatisticsPlan plan = plan_statistics(system, options, members, times);
  std::vector<std::string_view> names;
  for (const Statistic kind : options.statistics.kinds) names.push_back(statistic_name(kind));
  const std::string what =
      fmt::format("{} of {} number{} at {} time{}", fmt::join(names, ", "), plan.components,
                  plan.components == 1 ? "" : "s", grouped(static_cast<long>(times)), times == 1 ? "" : "s");
  if (plan.kept == 0) return what;
  if (plan.rank_error == 0) return what + "; quantiles are exact";
  return what + fmt::format("; quantiles are within {:.2g} % in rank", 100 * plan.rank_error);
}

}  // namespace kalaba
