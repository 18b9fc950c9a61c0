#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formula/graph/program.hpp"
#include "kalaba/run.hpp"
#include "scenario/sampling/distribution.hpp"
#include "scenario/sampling/unit_design.hpp"

namespace kalaba {

/// A standard normal number, drawn for this stream and dimension, times a weight.
struct NormalTerm {
  double weight = 0;
  std::uint32_t stream = 0;
  int dimension = 0;
};

/// Parameter, coordinate or rate that a scenario gives, and its distribution over the members.
struct SampledVariable {
  enum class Role { parameter, coordinate, rate };

  Role role = Role::parameter;
  int index = 0;             ///< among the system's parameters, coordinates or rates
  std::uint32_t stream = 0;  ///< of random numbers, see random.hpp
  int dimension = 0;         ///< among the variables that are drawn
  long stride = 1;           ///< axis: members from one point to the next; one at a time: the first member of this axis
  double at_rest = 0;        ///< axis of a parameter: its value while another axis is varied (one at a time)
  Distribution distribution = {};
  std::vector<NormalTerm> terms = {};                         ///< correlated: terms that are added to the mean
  std::shared_ptr<const formula::Program> program = nullptr;  ///< of a formula; else null
  int turn = 0;                                               ///< of a formula: position in the order of evaluation

  double value(const UnitCube& cube, long member) const;
  /// Returns true if this is an axis and `member` varies another one (one at a time).
  bool rests(const UnitCube& cube, long member) const;
};

/// System variable that is sampled, and its full name, "parameters.L" or "initial.x".
const Variable& variable_of(const SystemInfo& system, const SampledVariable& sampled);
std::string full_name(const SystemInfo& system, const SampledVariable& sampled);

/// Sets the strides of the axes, which span a full factorial grid with the last axis fastest: member i is at point i
/// mod size. `axes`: their indices in `variables`. Returns the size, or 0 if it exceeds most_members.
long span_grid(std::vector<SampledVariable>& variables, const std::vector<std::size_t>& axes);

/// Sets the strides for axes that are varied one at a time: member 0 has all at rest, then each axis has one member per
/// point. Returns the number of members, or 0 if it exceeds most_members.
long line_up(std::vector<SampledVariable>& variables, const std::vector<std::size_t>& axes);

/// Members of a scenario. A coordinate or rate that is not given, or is at rest, is computed by the system from that
/// member's parameters and given starts. Every value depends on the design, the seed, the member's index and the
/// variable only.
class Sampler final : public MemberSource {
 public:
  /// `variables` must hold every parameter; `system` must outlive the sampler.
  Sampler(const System& system, std::vector<SampledVariable> variables, const UnitCube& cube);

  long members() const override { return cube_.members; }
  void fill(Block& block) const override;
  std::vector<GivenStart> given_starts() const override;
  bool starts_follow_parameters() const override { return true; }
  std::vector<int> given_discrete() const override;

 private:
  void fill_role(Block& block, bool parameters) const;
  void fill_formula(Block& block, const SampledVariable& variable) const;
  void complete_starts(Block& block, int turn) const;

  System::CompleteStart complete_start_;
  int noise_key_;       // parameter with the key of noise; -1 without noise
  int first_discrete_;  // index of the first discrete variable among the parameters
  std::vector<SampledVariable> variables_;
  std::vector<std::size_t> formulas_;  // their indices, in order of evaluation
  UnitCube cube_;
};

}  // namespace kalaba
