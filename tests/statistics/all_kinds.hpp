#pragma once

#include <cmath>

#include "kalaba/statistics.hpp"
#include "output_data/fake_run.hpp"

namespace kalaba {

/// Selects every statistic of a fake run of the fields q, residual and energy: correlated with its first parameter,
/// which is drawn, grouped by its second, which has three values, and with gradients of the energy along both.
inline void ask_for_everything(FakeRun& run) {
  run.parameter = [](std::size_t parameter, long member) {
    const auto number = static_cast<double>(member);
    return parameter == 0 ? 1e6 + std::fmod(0.7548776662466927 * number, 1) : static_cast<double>(member % 3) - 1;
  };
  run.system.sensitivities = {{"parameters.m", "kg", 0, ""}, {"parameters.time", "s", 0, ""}};
  run.fields.add(Field::energy_sensitivity);
  run.statistics = {.kinds = {all_statistics.begin(), all_statistics.end()},
                    .bins = 7,
                    .histograms = {{"energy", 4.8, 5.1}},
                    .inputs = {"parameters.m"},
                    .group_by = "parameters.time",
                    .groups = {-1, 0, 1}};
}

/// Members fail after the first times: every fifth member, and complete leaves of the summation tree.
inline Status fails_later(long member, double time) {
  return time > 0.25 && (member % 5 == 2 || (member > 5000 && member < 9500)) ? Status::not_converged : Status::ok;
}

inline EnsembleStatistics statistics_of(const FakeRun& run) {
  StatisticsSink sink;
  sink.finish(run.feed(sink));
  return sink.result();
}

}  // namespace kalaba
