#include "swarm/swarm_observation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "swarm/observables.hpp"

namespace kalaba::swarm {

template <int D>
void SwarmObserver<D>::begin(const Block& block, double time, FieldSet fields, Observation& out) {
  block_ = &block;
  time_ = time;
  fields_ = fields;
  out_ = &out;
  out.status = block.status;
  for (const Field field : all_fields) {
    const long numbers = fields.has(field) ? components(field) * block.stride : 0;
    out.values[static_cast<std::size_t>(field)].assign(static_cast<std::size_t>(numbers),
                                                       std::numeric_limits<double>::quiet_NaN());
  }
}

template <int D>
long SwarmObserver<D>::components(Field field) const {
  switch (field) {
    case Field::q:
    case Field::w:
    case Field::constraint_force:
    case Field::constraints:
      return D * agents_;
    case Field::invariants:
      return observables;
    default:
      return 1;
  }
}

template <int D>
void SwarmObserver<D>::put(const SwarmInstant<D>& seen, long member, int threads) {
  const long count = seen.agents.size;
  if (fields_.has(Field::q)) scatter(seen.agents.x, 1, count, row(Field::q, member));
  if (fields_.has(Field::w)) scatter(seen.agents.w, 1, count, row(Field::w, member));
  if (!seen.evaluated) return;
  if (fields_.has(Field::constraints)) scatter(seen.beta, 1, count, row(Field::constraints, member));
  if (fields_.has(Field::constraint_force)) {
    scatter(seen.acceleration, parameter(member, 0), count, row(Field::constraint_force, member));
  }
  if (fields_.has(Field::residual)) *row(Field::residual, member) = seen.held_residual;  // else A w' = w' = b
  if (fields_.has(Field::rank)) *row(Field::rank, member) = static_cast<double>(D * count);
  if (fields_.has(Field::violation)) {
    double most = seen.held_violation;
    for (int d = 0; d < D; ++d) {
      for (long i = 0; i < count; ++i) most = std::max(most, std::abs(seen.beta[d][i]));
    }
    *row(Field::violation, member) = most;
  }
  if (fields_.has(Field::invariants)) put_invariants(seen, member, threads);
}

template <int D>
void SwarmObserver<D>::scatter(const double* const* axes, double factor, long count, double* row) const {
  for (int d = 0; d < D; ++d) {
    for (long i = 0; i < count; ++i) row[(d * agents_ + i) * block_->stride] = factor * axes[d][i];
  }
}

template <int D>
void SwarmObserver<D>::put_invariants(const SwarmInstant<D>& seen, long member, int threads) {
  double settled = seen.settled;
  if (std::isnan(settled) && seen.beta_norm < parameter(member, places_.settled)) settled = time_;
  const Observables<D> found = observe_agents<D>(seen.agents, parameter(member, places_.collision_distance), threads);
  double* to = row(Field::invariants, member);
  const auto put = [&](double value) {
    *to = value;
    to += block_->stride;
  };
  put(seen.beta_norm);
  for (const double coordinate : found.centre) put(coordinate);
  for (const double value :
       {found.radius, found.extent, found.polarisation, found.nearest, found.nearest_mean, found.collisions, settled}) {
    put(value);
  }
}

template class SwarmObserver<2>;
template class SwarmObserver<3>;

}  // namespace kalaba::swarm
