#include "formula/mechanics/conserves_energy.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/functions.hpp"
#include "formula/graph/program.hpp"
#include "formula/graph/term_sizes.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/defaults.hpp"
#include "formula/mechanics/sample_states.hpp"

namespace kalaba::formula {
namespace {

constexpr int samples = 64;
constexpr int least_samples = 8;               ///< with finite numbers
constexpr double identity_rounding = 0x1p-36;  ///< of the terms of what is zero identically

class Conservation {
 public:
  Conservation(const Graph& graph, const Statement& statement, const Terms& terms)
      : g_(graph), s_(statement), terms_(terms) {}

  bool holds() {
    if (!terms_.energy || !s_.non_ideal.empty() || !s_.actuation.empty() || s_.gain || s_.position_gain) return false;
    const auto depends_on_time = [&](const Equation& each) { return depends_on(g_, each.value, Op::time); };
    if (std::ranges::any_of(s_.holonomic, depends_on_time) || std::ranges::any_of(s_.nonholonomic, depends_on_time))
      return false;
    // States drawn at random may miss a branch of a force.
    if (std::ranges::any_of(s_.force, [&](Id each) { return has_branches(each); })) return false;
    return are_zero(powers()) && are_homogeneous(terms_.psi);
  }

 private:
  /// Power of the given forces beside the change of the energy, and the differences between the energy's derivatives by
  /// the rates and what the constraint forces work on, along a few directions.
  std::vector<Id> powers() {
    const Id energy = *terms_.energy;
    const auto n = terms_.force.size();
    const bool is_hamiltonian = terms_.formulation == Formulation::hamilton;
    std::unordered_map<Id, Id> along = {{g_.symbol(Op::time, 0), g_.number(1)}};
    for (std::size_t i = 0; i < terms_.velocity.size(); ++i) {
      along[g_.symbol(Op::coordinate, static_cast<int>(i))] = terms_.velocity[i];
    }
    if (is_hamiltonian) {
      for (std::size_t i = 0; i < n; ++i) along[g_.symbol(Op::rate, static_cast<int>(i))] = terms_.force[i];
    }
    Id power = Tangent(g_, std::move(along))(energy);
    for (std::size_t i = 0; !is_hamiltonian && i < n; ++i) {
      power = g_.add(power, g_.multiply(g_.symbol(Op::rate, static_cast<int>(i)), terms_.force[i]));
    }
    std::vector<Id> zeros = {power};
    std::minstd_rand bits{7};
    for (int k = 0; k < 2; ++k) {
      std::unordered_map<Id, Id> direction;
      Id worked_on = g_.number(0);
      Id momentum = g_.number(0);
      for (std::size_t i = 0; i < n; ++i) {
        const Id part = g_.number(1 + static_cast<double>(bits() % 97) / 97);
        direction[g_.symbol(Op::rate, static_cast<int>(i))] = part;
        Id row = g_.number(0);
        for (std::size_t j = 0; j < n; ++j) {
          if (terms_.diagonal && i != j) continue;
          const Id entry = terms_.metric_entry(static_cast<int>(std::max(i, j)), static_cast<int>(std::min(i, j)));
          row = g_.add(row, g_.multiply(entry, g_.symbol(Op::rate, static_cast<int>(j))));
        }
        momentum = g_.add(momentum, g_.multiply(part, row));
        if (is_hamiltonian) worked_on = g_.add(worked_on, g_.multiply(part, terms_.velocity[i]));
      }
      const Id slope = Tangent(g_, std::move(direction))(energy);
      zeros.push_back(g_.subtract(slope, is_hamiltonian ? worked_on : momentum));
      if (is_hamiltonian && !terms_.psi.empty()) zeros.push_back(g_.subtract(worked_on, momentum));
    }
    return zeros;
  }

  bool has_branches(Id id) const {
    return std::ranges::any_of(reachable(g_, std::span(&id, 1)), [&](Id each) {
      const Op op = g_[each].op;
      const Function* const function = function_of(op);
      return op == Op::select || op == Op::table || (function != nullptr && function->kinked);
    });
  }

  SampleStates sample_states() const { return {typical_values(g_, terms_.start_q, s_.info), s_.info}; }

  bool are_zero(const std::vector<Id>& ids) const {
    const TermSizes sizes(g_, ids, s_.nq(), s_.nw());
    SampleStates states = sample_states();
    int finite = 0;
    for (int i = 0; i < samples; ++i) {
      states.draw();
      const auto found = sizes(states.inputs());
      if (!std::ranges::all_of(found, [](const auto& each) { return std::isfinite(each.value + each.rounding); }))
        continue;
      ++finite;
      for (const auto& each : found) {
        if (std::abs(each.value) > identity_rounding * each.rounding) return false;
      }
    }
    return finite >= least_samples;
  }

  /// True if each row is homogeneous in the rates with a positive degree, so that forces along their derivatives do no
  /// work while the rows are zero: f(2 w)^2 = f(w) f(4 w).
  bool are_homogeneous(const std::vector<Id>& rows) const {
    if (rows.empty()) return true;
    const TermSizes sizes(g_, rows, s_.nq(), s_.nw());
    SampleStates states = sample_states();
    int finite = 0;
    for (int i = 0; i < samples; ++i) {
      states.draw();
      const auto once = sizes(states.inputs());
      for (double& each : states.w) each *= 2;
      const auto twice = sizes(states.inputs());
      for (double& each : states.w) each *= 2;
      const auto four_times = sizes(states.inputs());
      bool all_finite = true;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double a = once[r].value;
        const double b = twice[r].value;
        const double c = four_times[r].value;
        if (!std::isfinite(a + b + c)) {
          all_finite = false;
          continue;
        }
        const double size = twice[r].rounding * twice[r].rounding + once[r].rounding * four_times[r].rounding;
        if (std::abs(b * b - a * c) > identity_rounding * size) return false;
        if (a != 0 && std::abs(b - a) <= identity_rounding * (once[r].rounding + twice[r].rounding)) return false;
      }
      if (all_finite) ++finite;
    }
    return finite >= least_samples;
  }

  Graph g_;  ///< a copy: the identities are no part of the model
  const Statement& s_;
  const Terms& terms_;
};

}  // namespace

bool conserves_energy(const Graph& graph, const Statement& statement, const Terms& terms) {
  return Conservation(graph, statement, terms).holds();
}

}  // namespace kalaba::formula
