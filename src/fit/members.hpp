#pragma once

#include <vector>

#include "fit/problem.hpp"

namespace kalaba::fit {

/// Copies of the first member of a source with different values of the free variables. As in the source, a start that
/// is neither given nor free is computed by the system from the parameters and the other starts.
class FitMembers final : public MemberSource {
 public:
  /// `system` must outlive it. It initially has one member, with the source's own values.
  FitMembers(const System& system, const MemberSource& source, const std::vector<FreeVariable>& free);

  /// Returns the value of the variable in the source's first member.
  double first(const std::string& name) const;
  /// Sets the members, [member][free variable].
  void set(std::vector<std::vector<double>> values) { values_ = std::move(values); }

  long members() const override { return static_cast<long>(values_.size()); }
  void fill(Block& block) const override;
  std::vector<GivenStart> given_starts() const override { return given_; }
  bool starts_follow_parameters() const override { return follows_; }
  std::vector<int> given_discrete() const override { return given_discrete_; }

 private:
  /// Index in a member's parameters, coordinates and rates, in this order.
  std::size_t place_of(const std::string& name) const;

  const System& system_;
  System::CompleteStart complete_start_;
  bool follows_;
  std::vector<GivenStart> given_;
  std::vector<int> given_discrete_;
  std::vector<double> base_;         // parameters, coordinates, rates
  std::vector<std::size_t> places_;  // indices of the free variables in `base_`
  std::vector<std::vector<double>> values_ = {{}};
};

}  // namespace kalaba::fit
