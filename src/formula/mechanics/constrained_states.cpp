#include "formula/mechanics/constrained_states.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "backend/reference/projection.hpp"
#include "formula/mechanics/defaults.hpp"
#include "formula/mechanics/graph_model.hpp"
#include "formula/mechanics/sample_states.hpp"

namespace kalaba::formula {
namespace {

constexpr int states_a_mode = 4;
constexpr int draws_a_mode = 12;  // for these states
constexpr int projection_steps = 60;

class StateSearch {
 public:
  StateSearch(const Graph& graph, const Terms& terms, const SystemInfo& info)
      : info_(info),
        model_(make_graph_model(graph, terms)),
        numbers_(typical_values(graph, terms.start_q, info), info),
        modes_(switching_variables()) {}

  std::vector<ConstrainedStates> all() {
    std::vector<ConstrainedStates> found = {{-1, states_of(-1, states_a_mode)}};
    for (const int mode : modes_) found.push_back({mode, states_of(mode, states_a_mode)});
    return found;
  }
  std::vector<ConstrainedStates::State> states_of(int mode, int count) {
    std::vector<ConstrainedStates::State> found;
    for (int i = 0; i < draws_a_mode * count / states_a_mode && static_cast<int>(found.size()) < count; ++i) {
      numbers_.draw();
      reference::Instant x = drawn();
      for (const int each : modes_) x.p[each] = each == mode ? 1 : 0;
      const Status status = reference::project(*model_, Method(), projection_steps, x);
      if (status != Status::ok || !x.q.allFinite() || !x.w.allFinite()) continue;
      found.push_back({numbers_of(x), numbers_of(beside(x))});
    }
    return found;
  }

 private:
  /// Discrete variables without which some row vanishes.
  std::vector<int> switching_variables() {
    std::vector<int> found;
    numbers_.draw();
    const reference::Instant x = drawn();
    const reference::Vector rows = rows_at(x);
    for (int i = info_.first_discrete(); i < static_cast<int>(info_.parameters.size()); ++i) {
      reference::Instant off = x;
      off.p[i] = 0;
      const reference::Vector left = rows_at(off);
      for (long r = 0; r < rows.size(); ++r) {
        if (left[r] != 0 || rows[r] == 0) continue;
        found.push_back(i);
        break;
      }
    }
    return found;
  }
  reference::Vector rows_at(const reference::Instant& x) const {
    reference::Vector rows(model_->holonomic + model_->nonholonomic);
    rows << model_->phi(x), model_->psi(x);
    return rows;
  }

  reference::Instant drawn() const {
    const auto vector = [](const std::vector<double>& values) -> reference::Vector {
      return Eigen::Map<const reference::Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
    };
    return {vector(numbers_.p), numbers_.t, vector(numbers_.q), vector(numbers_.w)};
  }
  /// A state near x, by a thousandth of each number or, if that is larger, of its value before the projection.
  reference::Instant beside(reference::Instant x) {
    const auto move = [&](double& number, double drawn) {
      const double size = std::max(std::abs(number), std::abs(drawn));
      number += 1e-3 * numbers_.number() * (size > 0 ? size : 1);
    };
    for (long i = 0; i < x.q.size(); ++i) move(x.q[i], numbers_.q[static_cast<std::size_t>(i)]);
    for (long i = 0; i < x.w.size(); ++i) move(x.w[i], numbers_.w[static_cast<std::size_t>(i)]);
    return x;
  }
  static ConstrainedStates::Numbers numbers_of(const reference::Instant& x) {
    const auto values = [](const reference::Vector& v) { return std::vector<double>(v.begin(), v.end()); };
    return {values(x.p), x.t, values(x.q), values(x.w)};
  }

  const SystemInfo& info_;
  std::unique_ptr<const reference::MechanicalModel> model_;
  SampleStates numbers_;
  std::vector<int> modes_;
};

}  // namespace

std::vector<ConstrainedStates> find_constrained_states(const Graph& graph, const Terms& terms, const SystemInfo& info) {
  if (terms.actuation.cols > 0 || terms.A.rows == 0) return {};
  return StateSearch(graph, terms, info).all();
}

std::vector<ConstrainedStates::State> states_on_constraints(const Graph& graph, const Terms& terms,
                                                            const SystemInfo& info, int count) {
  if (terms.actuation.cols > 0 || terms.A.rows == 0) return {};
  return StateSearch(graph, terms, info).states_of(-1, count);
}

}  // namespace kalaba::formula
