#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenario/read_swarm.hpp"
#include "scenario/sampling/random.hpp"

namespace kalaba {
namespace {

const std::uint32_t place_stream = stream_of("initial.agents");
const std::uint32_t height_stream = stream_of("initial.agents.z");

/// Uniformly distributed point in the unit disk or ball: its coordinate along `axis`.
double in_ball(std::uint64_t seed, std::uint64_t draw, int axis, int dimension) {
  const UniformPair u = uniform_pair(seed, draw, place_stream);
  const double angle = 2 * std::numbers::pi * u.second;
  const double turn = axis == 0 ? std::cos(angle) : std::sin(angle);
  if (dimension == 2) return std::sqrt(u.first) * turn;
  const double z = 2 * uniform_pair(seed, draw, height_stream).first - 1;
  return std::cbrt(u.first) * (axis == 2 ? z : std::sqrt(1 - z * z) * turn);
}

double bell(std::uint64_t seed, std::uint64_t draw, int axis) {
  const UniformPair u = uniform_pair(seed, draw, axis == 2 ? height_stream : place_stream);
  const double angle = 2 * std::numbers::pi * u.second;
  return std::sqrt(-2 * std::log(u.first)) * (axis == 1 ? std::sin(angle) : std::cos(angle));
}

/// Point of a square or cubic lattice around the origin, row by row: its coordinate along `axis`.
double on_grid(long agent, long agents, int axis, int dimension) {
  long side = 1;
  while (std::pow(static_cast<double>(side), dimension) < static_cast<double>(agents)) ++side;
  for (int d = 0; d < axis; ++d) agent /= side;
  return static_cast<double>(agent % side) - static_cast<double>(side - 1) / 2;
}

}  // namespace

SwarmSampler::SwarmSampler(const System& system, std::vector<SampledVariable> parameters, AgentStart start,
                           const UnitCube& cube)
    : system_(system), parameters_(std::move(parameters)), start_(std::move(start)), cube_(cube) {
  if (start_.placement.kind == Placement::Kind::spiral) {
    const SystemInfo& info = system_.info;
    const int dimension = static_cast<int>(info.coordinates.size());
    spiral_.resize(static_cast<std::size_t>(info.agents * dimension));
    place_on_spiral(info.agents, dimension, start_.placement.size, spiral_.data());
  }
}

void SwarmSampler::fill(Block& block) const {
  for (const SampledVariable& variable : parameters_) {
    long member = block.first;
    for (double& value : block.parameter(variable.index)) value = variable.value(cube_, member++);
  }
  for (long member = 0; member < block.members; ++member) place(block, member);
}

double SwarmSampler::coordinate(long draw, long agent, int axis) const {
  const long agents = system_.info.agents;
  const int dimension = static_cast<int>(system_.info.coordinates.size());
  const auto number = static_cast<std::uint64_t>(draw);
  switch (start_.placement.kind) {
    case Placement::Kind::spiral:
      return spiral_[static_cast<std::size_t>(axis * agents + agent)];
    case Placement::Kind::disk:
      return start_.placement.size * in_ball(cube_.seed, number, axis, dimension);
    case Placement::Kind::grid:
      return start_.placement.size * on_grid(agent, agents, axis, dimension);
    case Placement::Kind::normal:
      break;
  }
  return start_.placement.size * bell(cube_.seed, number, axis);
}

void SwarmSampler::place(Block& block, long member) const {
  const long agents = system_.info.agents;
  const long first_draw = (block.first + member) * agents;  // agents are drawn like members
  const auto at = [&](int axis, long agent) {
    return static_cast<std::size_t>((axis * agents + agent) * block.stride + member);
  };
  for (int axis = 0; axis < static_cast<int>(system_.info.coordinates.size()); ++axis) {
    for (long agent = 0; agent < agents; ++agent) {
      block.q[at(axis, agent)] = coordinate(first_draw + agent, agent, axis);
      block.w[at(axis, agent)] = 0;
    }
  }
  for (const SampledVariable& variable : start_.variables) {
    const bool drawn = variable.distribution.is_drawn();
    std::vector<double>& values = variable.role == SampledVariable::Role::coordinate ? block.q : block.w;
    for (long agent = 0; agent < agents; ++agent) {
      values[at(variable.index, agent)] = variable.value({.seed = cube_.seed}, drawn ? first_draw + agent : agent);
    }
  }
}

}  // namespace kalaba
