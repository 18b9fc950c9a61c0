#include "scenario/sampling/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "kalaba/core/base/normal.hpp"
#include "kalaba/starts.hpp"
#include "scenario/document/document.hpp"
#include "scenario/sampling/random.hpp"

namespace kalaba {
namespace {

std::span<double> row_of(Block& block, const SampledVariable& variable) {
  switch (variable.role) {
    case SampledVariable::Role::coordinate:
      return block.coordinate(variable.index);
    case SampledVariable::Role::rate:
      return block.rate(variable.index);
    default:
      return block.parameter(variable.index);
  }
}

/// Copies member `member` between its column of a structure of arrays and `values`.
void gather(const std::vector<double>& rows, long stride, long member, std::vector<double>& values) {
  auto at = static_cast<std::size_t>(member);
  for (double& value : values) {
    value = rows[at];
    at += static_cast<std::size_t>(stride);
  }
}
void scatter(const std::vector<double>& values, long stride, long member, std::vector<double>& rows) {
  auto at = static_cast<std::size_t>(member);
  for (const double value : values) {
    rows[at] = value;
    at += static_cast<std::size_t>(stride);
  }
}

}  // namespace

double SampledVariable::value(const UnitCube& cube, long member) const {
  switch (distribution.kind) {
    case Distribution::Kind::constant:
      return distribution.first;
    case Distribution::Kind::file:
      return distribution.values[static_cast<std::size_t>(member)];
    case Distribution::Kind::values:
    case Distribution::Kind::linspace:
      if (rests(cube, member)) return at_rest;
      if (cube.design == SamplingDesign::one_at_a_time) return distribution.at_point(member - stride);
      return distribution.at_point(member / stride % distribution.points());
    case Distribution::Kind::correlated: {
      double sum = distribution.first;
      for (const NormalTerm& term : terms) {
        sum = std::fma(term.weight, normal_quantile(cube.at(member, term.stream, term.dimension)), sum);
      }
      return sum;
    }
    default: {
      if (cube.design != SamplingDesign::independent) return distribution.quantile(cube.at(member, stream, dimension));
      const UniformPair u = uniform_pair(cube.seed, static_cast<std::uint64_t>(member), stream);
      return distribution.draw(u.first, u.second);
    }
  }
}

bool SampledVariable::rests(const UnitCube& cube, long member) const {
  if (cube.design != SamplingDesign::one_at_a_time || !distribution.is_axis()) return false;
  return member < stride || member - stride >= distribution.points();
}

const Variable& variable_of(const SystemInfo& system, const SampledVariable& sampled) {
  const auto index = static_cast<std::size_t>(sampled.index);
  switch (sampled.role) {
    case SampledVariable::Role::coordinate:
      return system.coordinates[index];
    case SampledVariable::Role::rate:
      return system.rates[index];
    default:
      return system.parameters[index];
  }
}

std::string full_name(const SystemInfo& system, const SampledVariable& sampled) {
  const char* const table = sampled.role == SampledVariable::Role::parameter ? "parameters." : "initial.";
  return table + variable_of(system, sampled).name;
}

long span_grid(std::vector<SampledVariable>& variables, const std::vector<std::size_t>& axes) {
  long size = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    variables[*axis].stride = size;
    const long points = variables[*axis].distribution.points();
    if (points > most_members / size) return 0;
    size *= points;
  }
  return size;
}

long line_up(std::vector<SampledVariable>& variables, const std::vector<std::size_t>& axes) {
  long size = 1;
  for (const std::size_t axis : axes) {
    variables[axis].stride = size;
    size += variables[axis].distribution.points();
    if (size > most_members) return 0;
  }
  return size;
}

Sampler::Sampler(const System& system, std::vector<SampledVariable> variables, const UnitCube& cube)
    : complete_start_(start_completion(system)),
      noise_key_(system.info.noise ? system.info.noise->key : -1),
      first_discrete_(system.info.first_discrete()),
      variables_(std::move(variables)),
      cube_(cube) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].program) formulas_.push_back(i);
  }
  std::ranges::sort(formulas_, {}, [&](std::size_t i) { return variables_[i].turn; });
}

void Sampler::fill(Block& block) const {
  fill_role(block, true);
  for (const std::size_t i : formulas_) {
    if (variables_[i].role == SampledVariable::Role::parameter) fill_formula(block, variables_[i]);
  }
  fill_role(block, false);
  for (const std::size_t i : formulas_) {
    if (variables_[i].role == SampledVariable::Role::parameter) continue;
    complete_starts(block, variables_[i].turn);  // the formula may use starts that depend on those before it
    fill_formula(block, variables_[i]);
  }
  complete_starts(block, std::numeric_limits<int>::max());
  if (noise_key_ < 0) return;
  auto member = static_cast<unsigned long long>(block.first);
  for (double& key : block.parameter(noise_key_)) key = noise_key(cube_.seed, member++);
}

void Sampler::fill_formula(Block& block, const SampledVariable& variable) const {
  formula::Inputs inputs;
  inputs.parameters = block.parameters.data();
  inputs.coordinates = block.q.data();
  inputs.rates = block.w.data();
  inputs.stride = block.stride;
  variable.program->run(inputs, block.members, row_of(block, variable).data(), block.stride);
}

std::vector<GivenStart> Sampler::given_starts() const {
  std::vector<GivenStart> given;
  for (const SampledVariable& variable : variables_) {
    if (variable.role == SampledVariable::Role::parameter) continue;
    given.push_back({variable.role == SampledVariable::Role::rate, variable.index,
                     variable.distribution.kind != Distribution::Kind::constant});
  }
  return given;
}

std::vector<int> Sampler::given_discrete() const {
  std::vector<int> given;
  for (const SampledVariable& variable : variables_) {
    const bool is_discrete = variable.role == SampledVariable::Role::parameter && variable.index >= first_discrete_;
    if (is_discrete && variable.distribution.kind == Distribution::Kind::file) given.push_back(variable.index);
  }
  return given;
}

void Sampler::fill_role(Block& block, bool parameters) const {
  for (const SampledVariable& variable : variables_) {
    if ((variable.role == SampledVariable::Role::parameter) != parameters || variable.program) continue;
    const std::span<double> row = row_of(block, variable);
    long member = block.first;
    for (double& value : row) {
      // A start at rest is not given.
      if (parameters || !variable.rests(cube_, member)) value = variable.value(cube_, member);
      ++member;
    }
  }
}

/// Computes the starts that are not given. Starts that are formulas are given once their turn is before `turn`.
void Sampler::complete_starts(Block& block, int turn) const {
  std::vector<double> given(static_cast<std::size_t>(block.coordinate_count + block.rate_count));
  std::vector<double> parameters(static_cast<std::size_t>(block.parameter_count));
  std::vector<double> q(static_cast<std::size_t>(block.coordinate_count));
  std::vector<double> w(static_cast<std::size_t>(block.rate_count));
  for (long member = 0; member < block.members; ++member) {
    std::ranges::fill(given, 0.0);
    for (const SampledVariable& variable : variables_) {
      if (variable.role == SampledVariable::Role::parameter || variable.rests(cube_, block.first + member)) continue;
      if (variable.program && variable.turn >= turn) continue;
      const int first = variable.role == SampledVariable::Role::rate ? block.coordinate_count : 0;
      given[static_cast<std::size_t>(first + variable.index)] = 1.0;
    }
    gather(block.parameters, block.stride, member, parameters);
    gather(block.q, block.stride, member, q);
    gather(block.w, block.stride, member, w);
    complete_start_(parameters.data(), given.data(), q.data(), w.data());
    scatter(q, block.stride, member, block.q);
    scatter(w, block.stride, member, block.w);
  }
}

}  // namespace kalaba
