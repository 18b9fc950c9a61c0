#include "report/data/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "text/nan.hpp"

namespace kalaba {
namespace {

constexpr double least_effect = 1e-6;  // relative to the output's largest: smaller ones are rounding or negligible

bool is_output(Field field) {
  return field == Field::q || field == Field::w || field == Field::energy || field == Field::invariants;
}

/// Magnitude of the terms of outputs: differences that are small relative to it are rounding.
double size_of(const std::vector<std::vector<double>>& columns) {
  double size = 0;
  for (const std::vector<double>& column : columns) {
    for (const double value : column) {
      if (std::isfinite(value)) size = std::max(size, std::abs(value));
    }
  }
  return size;
}

/// Outputs: values at the last saved time, and numbers of events.
std::vector<MemberColumn> outputs_of(const MemberSample& members) {
  const std::vector<Column>& all = members.contents().columns;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_output(all[i].field)) chosen.push_back(i);
  }
  const long last = static_cast<long>(members.contents().times.size()) - 1;
  std::vector<MemberColumn> outputs;
  const double scale = chosen.empty() ? 0 : size_of(members.values(chosen, 0));
  const auto add = [&](MemberColumn column) {
    if (varies(column.values, scale)) outputs.push_back(std::move(column));
  };
  if (!chosen.empty()) {
    std::vector<std::vector<double>> values = members.values(chosen, last);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      add({all[chosen[i]].name, all[chosen[i]].unit, std::move(values[i])});
  }
  const std::vector<Variable> coordinates = members.archive().labels().coordinates;
  for (const std::string& event : members.events()) {
    add(member_number(members, "time(" + event + ")"));
    for (const Variable& each : coordinates) add(member_number(members, each.name + "@" + event));
  }
  return outputs;
}

/// Index of the input that each member varies in a one-at-a-time design: -1 for none, -2 for several.
std::vector<long> varied_alone(const std::vector<MemberColumn>& inputs) {
  std::vector<long> varied(inputs.front().values.size(), -1);
  for (std::size_t member = 0; member < varied.size(); ++member) {
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      if (inputs[input].values[member] == inputs[input].values[0]) continue;
      varied[member] = varied[member] == -1 ? static_cast<long>(input) : -2;
    }
  }
  return varied;
}

void add_effects(const std::vector<long>& varied, Sensitivity& result) {
  result.effects.assign(result.outputs.size() * result.inputs.size(), {nan, nan});
  for (std::size_t output = 0; output < result.outputs.size(); ++output) {
    const std::vector<double>& values = result.outputs[output].values;
    for (std::size_t input = 0; input < result.inputs.size(); ++input) {
      Effect& effect = result.effects[result.at(output, input)];
      if (std::isfinite(values[0])) effect = {0, 0};
      for (std::size_t member = 1; member < varied.size(); ++member) {
        if (varied[member] != static_cast<long>(input)) continue;
        const double change = values[member] - values[0];
        if (std::isfinite(change)) effect = {std::min(effect.low, change), std::max(effect.high, change)};
      }
    }
  }
}

/// x, with NaN where y is NaN.
std::vector<double> where(std::vector<double> x, const std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(y[i])) x[i] = nan;
  }
  return x;
}

void add_correlations(Sensitivity& result) {
  const auto ranked = [](const std::vector<MemberColumn>& columns) {
    std::vector<std::vector<double>> all;
    for (const MemberColumn& column : columns) all.push_back(ranks(column.values));
    return all;
  };
  const auto input_ranks = ranked(result.inputs);
  const auto output_ranks = ranked(result.outputs);
  for (std::size_t output = 0; output < result.outputs.size(); ++output) {
    for (std::size_t input = 0; input < result.inputs.size(); ++input) {
      const std::vector<double>& x = result.inputs[input].values;
      const std::vector<double>& y = result.outputs[output].values;
      result.correlation.push_back(correlation(x, y));
      const bool all = result.members[output] == static_cast<long>(y.size());
      result.rank_correlation.push_back(all ? correlation(input_ranks[input], output_ranks[output])
                                            : correlation(ranks(where(x, y)), output_ranks[output]));
      const Share share = share_of(x, y);
      result.share.push_back(share.share);
      result.chance.push_back(share.chance);
    }
  }
}

/// Computes the Sobol' indices from all members of the design saltelli. The other results use its points a and b only,
/// which are independent samples.
void take_saltelli(const MemberSample& members, Sensitivity& result) {
  result.drawn = members.drawn();
  for (const MemberColumn& output : result.outputs) {
    result.sobol.push_back(sobol_indices(output.values, result.drawn.size()));
  }
  const std::size_t together = result.drawn.size() + 2;
  for (auto* columns : {&result.inputs, &result.outputs}) {
    for (MemberColumn& column : *columns) {
      std::vector<double> kept;
      for (std::size_t i = 0; i < column.values.size(); ++i) {
        if (i % together < 2) kept.push_back(column.values[i]);
      }
      column.values = std::move(kept);
    }
  }
}

}  // namespace

double Sensitivity::strength(std::size_t output, std::size_t input) const {
  const std::size_t pair = at(output, input);
  if (spread == Spread::together) {
    if (std::isnan(share[pair])) return std::isnan(rank_correlation[pair]) ? 0 : std::abs(rank_correlation[pair]);
    return share[pair] > chance[pair] ? share[pair] : 0;
  }
  double widest = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    widest = std::fmax(widest, effects[at(output, i)].high - effects[at(output, i)].low);
  }
  const double width = effects[pair].high - effects[pair].low;
  return widest > 0 && width > least_effect * widest ? width / widest : 0;
}

bool is_one_at_a_time(const std::vector<MemberColumn>& inputs) {
  return inputs.size() > 1 && std::ranges::count(varied_alone(inputs), -2) == 0;
}

Sensitivity sensitivity_of(const MemberSample& members, const std::vector<std::string>& initial) {
  Sensitivity result;
  const Contents& contents = members.contents();
  if (members.members() < 3 || contents.times.empty() || contents.agents) return result;
  result.inputs = varied_inputs(members, initial);
  if (result.inputs.empty()) return result;
  result.outputs = outputs_of(members);
  result.local = local_indices(members, result.outputs);
  if (!members.drawn().empty()) take_saltelli(members, result);
  for (const MemberColumn& output : result.outputs) {
    result.members.push_back(static_cast<long>(finite_values(output.values).size()));
  }
  if (is_one_at_a_time(result.inputs)) {
    result.spread = Spread::one_at_a_time;
    add_effects(varied_alone(result.inputs), result);
  } else {
    add_correlations(result);
  }
  return result;
}

}  // namespace kalaba
