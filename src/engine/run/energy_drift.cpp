#include "engine/run/energy_drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba {
namespace {

const std::vector<double>& energies(const Observation& observed) {
  return observed.values[static_cast<std::size_t>(Field::energy)];
}

}  // namespace

void EnergyDrift::begin(const Observation& start, long members) {
  const std::vector<double>& energy = energies(start);
  first_.assign(energy.begin(), energy.begin() + std::min(members, static_cast<long>(energy.size())));
  worst_.assign(first_.size(), 0);
}

void EnergyDrift::take(const Observation& observed) {
  const std::vector<double>& energy = energies(observed);
  if (energy.empty()) return;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (observed.status[i] != Status::ok) continue;
    const double drift = std::abs(energy[i] - first_[i]);
    worst_[i] = std::max(worst_[i], std::isnan(drift) ? std::numeric_limits<double>::infinity() : drift);
  }
}

void EnergyDrift::add_to(Summary& summary, const Block& block) const {
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (is_failure(block.status[i])) continue;
    const auto take = [&](Drift& worst) {
      if (worst.member >= 0 && !(worst_[i] > worst.energy)) return;
      worst = {worst_[i], first_[i], block.first + static_cast<long>(i)};
    };
    take(summary.drift);
    if (block.singular_passages[i] > 0) take(summary.passage_drift);
  }
}

void EnergyDrift::save(StateWriter& state) const {
  state.put(first_);
  state.put(worst_);
}

void EnergyDrift::restore(StateReader& state) {
  first_ = state.get_all<double>();
  worst_ = state.get_all<double>();
  state.require(first_.size() == worst_.size(), "two numbers a member");
}

}  // namespace kalaba
