#pragma once

#include "kalaba/block.hpp"
#include "swarm/agent_arrays.hpp"
#include "swarm/swarm_law.hpp"

namespace kalaba::swarm {

/// A swarm at one instant, as a backend evaluated it: its active agents, and where it has an acceleration, that and
/// beta (m/s^2 and m/s, an array an axis).
template <int D>
struct SwarmInstant {
  Cloud<D> agents;
  bool evaluated = false;
  const double* beta[D] = {};
  const double* acceleration[D] = {};
  double beta_norm = 0;
  double settled = 0;         ///< s; NaN where it had not yet
  double held_violation = 0;  ///< of the constraints that hold single agents, max |phi|, |phi'|
  double held_residual = 0;   ///< max |A w' - b| likewise
};

/// Puts members of a block, seen at one instant, into an observation.
template <int D>
class SwarmObserver {
 public:
  SwarmObserver(long agents, const ParameterPlaces& places) : agents_(agents), places_(places) {}

  /// Makes room; what is not put in stays NaN.
  void begin(const Block& block, double time, FieldSet fields, Observation& out);
  /// For concurrent use with different members; works on so many threads itself.
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
