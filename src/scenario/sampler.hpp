#pragma once

#include <cstdint>
#include <vector>

#include "kalaba/run.hpp"
#include "scenario/distribution.hpp"

namespace kalaba {

/// A parameter, coordinate or rate that a scenario gives, and how it is spread over the members.
struct SampledVariable {
  enum class Role { parameter, coordinate, rate };

  Role role = Role::parameter;
  int index = 0;             ///< among the system's parameters, coordinates or rates
  std::uint32_t stream = 0;  ///< of random numbers, see random.hpp
  long stride = 1;           ///< an axis: members from one point to the next
  Distribution distribution = {};

  double value(std::uint64_t seed, long member) const;
};

/// Sets the strides of the axes among `variables`, which together span one full factorial grid, the last axis fastest:
/// member i sits at point i mod size. Returns the size, or 0 when it exceeds most_members.
long span_grid(std::vector<SampledVariable>& variables);

/// The members of a scenario. A coordinate or rate that is not given takes the system's default start for that member's
/// parameters. Every value depends on the seed, the member's index and the variable's name alone.
class Sampler final : public MemberSource {
 public:
  /// `variables` must hold every parameter; `system` must outlive the sampler.
  Sampler(const System& system, std::vector<SampledVariable> variables, std::uint64_t seed, long members);

  long members() const override { return members_; }
  void fill(Block& block) const override;

 private:
  void fill_role(Block& block, bool parameters) const;
  void start_by_default(Block& block) const;

  const System& system_;
  std::vector<SampledVariable> variables_;
  std::uint64_t seed_;
  long members_;
};

}  // namespace kalaba
