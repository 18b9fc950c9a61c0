#include "formula/mechanics/vanishing_entries.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formula/graph/program.hpp"
#include "formula/mechanics/constrained_states.hpp"

namespace kalaba::formula {
namespace {

constexpr int sampled_states = 8;
constexpr std::size_t least_states_sampled = 4;
constexpr double vanishing = 1e-6;   // of the size beside the constraints
constexpr double beside_per = 1e-3;  // relative distance of the states beside them
constexpr double of_slope = 16;      // of c, of the slope

/// An entry of A, and its largest size beside the constraints.
struct Vanishing {
  std::size_t entry;
  double beside;
};

std::vector<double> values_at(const Program& program, const ConstrainedStates::Numbers& state) {
  Inputs inputs;
  inputs.parameters = state.p.data();
  inputs.coordinates = state.q.data();
  inputs.rates = state.w.data();
  inputs.time = &state.t;
  return program(inputs);
}

/// Removes the entries that do not vanish at this state.
void keep_vanishing(const Program& program, const ConstrainedStates::State& state, std::vector<Vanishing>& entries) {
  const std::vector<double> at = values_at(program, state.at);
  const std::vector<double> beside = values_at(program, state.beside);
  std::erase_if(entries, [&](Vanishing& each) {
    const double size = std::abs(beside[each.entry]);
    each.beside = std::max(each.beside, size);
    return !(size > 0 && std::abs(at[each.entry]) <= vanishing * size);
  });
}

}  // namespace

void round_vanishing_entries(Graph& graph, const SystemInfo& info, Terms& terms) {
  if (terms.A.rows < 2) return;
  const Program program(graph, terms.A.entries);
  std::vector<Vanishing> entries;
  for (std::size_t i = 0; i < terms.A.entries.size(); ++i) {
    if (!graph.constant(terms.A.entries[i])) entries.push_back({i, 0});
  }
  for (const int count : {1, sampled_states}) {  // most models have no such entries, which one state shows
    const auto states = states_on_constraints(graph, terms, info, count);
    if (count == sampled_states && states.size() < least_states_sampled) return;
    for (const auto& each : states) keep_vanishing(program, each, entries);
    if (entries.empty()) return;
  }
  for (const Vanishing& each : entries) {
    const double slope = each.beside / beside_per;
    if (!std::isfinite(slope)) continue;
    const Id c = graph.number(std::exp2(std::ceil(std::log2(of_slope * slope))));
    Id& entry = terms.A.entries[each.entry];
    entry = graph.subtract(graph.add(entry, c), c);
  }
}

}  // namespace kalaba::formula
