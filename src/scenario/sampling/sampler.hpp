#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formula/program.hpp"
#include "kalaba/run.hpp"
#include "scenario/sampling/distribution.hpp"
#include "scenario/sampling/unit_design.hpp"

namespace kalaba {

/// A standard normal number, drawn as the variable of this stream and dimension, times a weight.
struct NormalTerm {
  double weight = 0;
  std::uint32_t stream = 0;
  int dimension = 0;
};

/// A parameter, coordinate or rate that a scenario gives, and how it is spread over the members.
struct SampledVariable {
  enum class Role { parameter, coordinate, rate };

  Role role = Role::parameter;
  int index = 0;             ///< among the system's parameters, coordinates or rates
  std::uint32_t stream = 0;  ///< of random numbers, see random.hpp
  int dimension = 0;         ///< among the variables that are drawn
  long stride = 1;           ///< an axis: members from one point to the next; one at a time: the first of its own
  double at_rest = 0;        ///< a parameter's axis: its value while another one is varied (one at a time)
  Distribution distribution = {};
  std::vector<NormalTerm> terms = {};                         ///< correlated: what it is the mean and the sum of
  std::shared_ptr<const formula::Program> program = nullptr;  ///< of a formula
  int turn = 0;                                               ///< of a formula: those before it are computed first

  double value(const UnitCube& cube, long member) const;
  /// Whether this is an axis and `member` varies another one (one at a time).
  bool rests(const UnitCube& cube, long member) const;
};

/// Of the system, what is sampled; and its full name, "parameters.L" or "initial.x".
const Variable& variable_of(const SystemInfo& system, const SampledVariable& sampled);
std::string full_name(const SystemInfo& system, const SampledVariable& sampled);

/// Sets the strides of the axes, which together span one full factorial grid, the last of them fastest: member i sits
/// at point i mod size. `axes`: their places among `variables`. Returns the size, or 0 when it exceeds most_members.
long span_grid(std::vector<SampledVariable>& variables, const std::vector<std::size_t>& axes);

/// Likewise for the axes in turn: member 0 has every one at rest, and each axis then has as many members as points.
long line_up(std::vector<SampledVariable>& variables, const std::vector<std::size_t>& axes);

/// The members of a scenario. A coordinate or rate that is not given, or rests, starts as the system states it, of that
/// member's parameters and given starts. Every value depends on the design, the seed, the member's index and the
/// variable alone.
class Sampler final : public MemberSource {
 public:
  /// `variables` must hold every parameter; `system` must outlive the sampler.
  Sampler(const System& system, std::vector<SampledVariable> variables, const UnitCube& cube);

  long members() const override { return cube_.members; }
  void fill(Block& block) const override;
  std::vector<GivenStart> given_starts() const override;
  bool starts_follow_parameters() const override { return true; }

 private:
  void fill_role(Block& block, bool parameters) const;
  void fill_formula(Block& block, const SampledVariable& variable) const;
  void complete_starts(Block& block, int turn) const;

  System::CompleteStart complete_start_;
  std::vector<SampledVariable> variables_;
  std::vector<std::size_t> formulas_;  // places of those among them, in their turn
  UnitCube cube_;
};

}  // namespace kalaba
