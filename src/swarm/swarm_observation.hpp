#pragma once

#include "kalaba/block.hpp"
#include "swarm/agent_arrays.hpp"
#include "swarm/swarm_law.hpp"

namespace kalaba::swarm {

/// A swarm at one instant, as evaluated by a backend: its active agents and, if it has an acceleration, that and beta
/// (m/s^2 and m/s, one array per axis).
template <int D>
struct SwarmInstant {
  Cloud<D> agents;
  bool evaluated = false;
  const double* beta[D] = {};
  const double* acceleration[D] = {};
  double beta_norm = 0;
  double settled = 0;         ///< s; NaN if it had not settled yet
  double held_violation = 0;  ///< of the constraints that hold single agents, max |phi|, |phi'|
  double held_residual = 0;   ///< max |A w' - b| likewise
};

/// Writes members of a block, at one instant, into an observation.
template <int D>
class SwarmObserver {
 public:
  SwarmObserver(long agents, const ParameterPlaces& places) : agents_(agents), places_(places) {}

  /// Allocates the observation; values that are not written stay NaN.
  void begin(const Block& block, double time, FieldSet fields, Observation& out);
  /// Thread-safe for different members; uses `threads` threads itself.
  void put(const SwarmInstant<D>& seen, long member, int threads);

 private:
  static constexpr int observables = 8 + D;

  long components(Field field) const;
  double* row(Field field, long member) { return out_->values[static_cast<std::size_t>(field)].data() + member; }
  double parameter(long member, int place) const { return block_->parameters[place * block_->stride + member]; }
  void scatter(const double* const* axes, double factor, long count, double* row) const;
  void put_invariants(const SwarmInstant<D>& seen, long member, int threads);

  long agents_;
  ParameterPlaces places_;
  const Block* block_ = nullptr;
  double time_ = 0;
  FieldSet fields_;
  Observation* out_ = nullptr;
};

}  // namespace kalaba::swarm
