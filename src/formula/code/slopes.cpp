#include "formula/code/slopes.hpp"

#include <algorithm>

#include "formula/code/slope_group.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

using Ids = std::vector<Id>;

/// The groups of a model.
class Groups {
 public:
  Groups(Graph& graph, const Terms& terms, const std::optional<SingleRow>& row, int parameters,
         const Derivatives& asked)
      : g_(graph), s_(terms), row_(row), feedback_(asked.feedback) {
    for (const int of : asked.of) columns_.push_back(of < parameters ? graph.symbol(Op::parameter, of) : -1);
    motion_columns_ = columns_;
    if (asked.jacobian || asked.time) motion_columns_.push_back(graph.symbol(Op::time, 0));
    // With a Jacobian the form does not depend on the columns, so that these do not change the bits of a motion.
    motion_directions_ = asked.jacobian ? terms.velocity.size() + terms.force.size() + 1 : motion_columns_.size();
  }

  std::vector<Slopes> all() {
    std::vector<Slopes> groups = {motion()};
    if (!s_.non_ideal.empty()) groups.push_back(non_ideal());
    if (columns_.empty()) return groups;
    if (!servo() && !s_.phi.empty()) groups.push_back(correction("Position", s_.phi));
    if (!servo() && s_.A.rows > 0) groups.push_back(correction("Turn", rates()));
    if (!s_.velocity_is_w && !s_.phi.empty()) groups.push_back(shift());
    if (row_) {
      groups.push_back(row_motion());
      if (!s_.phi.empty()) groups.push_back(row_correction("RowPosition", row_->shift, row_->position[0]));
      groups.push_back(row_correction("RowTurn", row_->column, row_->rate[0]));
    }
    return groups;
  }

 private:
  SlopeGroup group(const std::string& name) { return {g_, s_, columns_, columns_.size(), name}; }
  SlopeGroup group_of_motion(const std::string& name) { return {g_, s_, motion_columns_, motion_directions_, name}; }
  bool servo() const { return s_.actuation.cols > 0; }
  Ids rates() const {
    Ids rates = s_.phi_dot;
    rates.insert(rates.end(), s_.psi.begin(), s_.psi.end());
    return rates;
  }

  Slopes motion() {
    SlopeGroup group = group_of_motion("Motion");
    const bool momenta = s_.formulation == Formulation::hamilton;
    const bool apart = momenta || !s_.non_ideal.empty();
    const Ids w_dot = group.known(s_.force.size());
    const Ids held = momenta ? group.known(s_.force.size()) : w_dot;
    const Matrix& directions = s_.actuation;
    const Ids effort = group.known(static_cast<std::size_t>(servo() ? directions.cols : s_.A.rows));
    const Ids reaction = servo() ? times(directions, effort) : transposed_times(s_.A, effort);
    Ids formulas = s_.velocity_is_w ? Ids{} : s_.velocity;
    append(formulas, difference(apart ? reaction : sum(s_.force, reaction), metric_times(held)));
    append(formulas, difference(right_side(group), times(s_.A, w_dot)));
    if (apart) append(formulas, s_.force);
    if (apart && !momenta) append(formulas, reaction);
    return group.of(formulas);
  }

  /// b with its feedback.
  Ids right_side(SlopeGroup& group) {
    const std::optional<Id> gain = with_asked(s_.gain, group);
    const std::optional<Id> position_gain = with_asked(s_.position_gain, group);
    const Ids rates = this->rates();
    Ids result = s_.b;
    for (std::size_t r = 0; r < result.size(); ++r) {
      if (gain) result[r] = g_.subtract(result[r], g_.multiply(*gain, rates[r]));
      if (position_gain && r < s_.phi.size()) {
        result[r] = g_.subtract(result[r], g_.multiply(*position_gain, s_.phi[r]));
      }
    }
    return result;
  }
  std::optional<Id> with_asked(const std::optional<Id>& own, SlopeGroup& group) {
    if (!feedback_) return own;
    const Id asked = group.known();
    return own ? g_.add(*own, asked) : asked;
  }

  Slopes correction(const std::string& name, const Ids& errors) {
    SlopeGroup group = this->group(name);
    const Ids x = group.known(s_.force.size());
    const Ids lambda = group.known(errors.size());
    Matrix rows = s_.A;
    rows.rows = static_cast<int>(errors.size());
    Ids formulas = difference(transposed_times(rows, lambda), metric_times(x));
    append(formulas, difference(errors, times(rows, x)));
    return group.of(formulas);
  }

  Slopes shift() {
    SlopeGroup group = this->group("Shift");
    return group.of(times(s_.velocity_jacobian, group.known(s_.force.size())), true);
  }

  Slopes non_ideal() {
    SlopeGroup group = group_of_motion("NonIdeal");
    const std::size_t multipliers = s_.needs_multipliers(g_) ? static_cast<std::size_t>(s_.A.rows) : 0;
    const Ids force = group.known(s_.force.size() + multipliers);
    std::map<Id, Id> exchanged;
    for (std::size_t i = 0; i < force.size(); ++i) exchanged[g_.symbol(Op::ideal, static_cast<int>(i))] = force[i];
    return group.of(substitute(g_, s_.non_ideal, exchanged), true);
  }

  /// [K], free + column x, defect + gram x, with x the multiplier of the row.
  Slopes row_motion() {
    SlopeGroup group = this->group("RowMotion");
    const Id x = group.known();
    Id defect = row_->defect;
    if (const auto gain = with_asked(s_.gain, group)) defect = g_.add(defect, g_.multiply(*gain, row_->rate[0]));
    if (const auto gain = with_asked(s_.position_gain, group); gain && !row_->position.empty()) {
      defect = g_.add(defect, g_.multiply(*gain, row_->position[0]));
    }
    Ids formulas = s_.velocity_is_w ? Ids{} : row_->velocity;
    append(formulas, sum(row_->free, scaled(row_->column, x)));
    formulas.push_back(g_.add(defect, g_.multiply(row_->gram, x)));
    return group.of(formulas);
  }
  /// Direction x, error + gram x, with x the multiplier of the correction of an error of the row.
  Slopes row_correction(const std::string& name, const Ids& direction, Id error) {
    SlopeGroup group = this->group(name);
    const Id x = group.known();
    Ids formulas = scaled(direction, x);
    formulas.push_back(g_.add(error, g_.multiply(row_->gram, x)));
    return group.of(formulas);
  }
  Ids scaled(const Ids& numbers, Id factor) {
    Ids result;
    for (const Id each : numbers) result.push_back(g_.multiply(each, factor));
    return result;
  }

  Ids metric_times(const Ids& x) {
    const int n = static_cast<int>(x.size());
    Ids result(x.size(), g_.number(0));
    for (int i = 0; i < n; ++i) {
      for (int j = s_.diagonal ? i : 0; j < (s_.diagonal ? i + 1 : n); ++j) {
        add_product(result, i, s_.metric_entry(std::max(i, j), std::min(i, j)), x, j);
      }
    }
    return result;
  }
  Ids times(const Matrix& matrix, const Ids& x) {
    Ids result(static_cast<std::size_t>(matrix.rows), g_.number(0));
    for (int i = 0; i < matrix.rows; ++i) {
      for (int j = 0; j < matrix.cols; ++j) add_product(result, i, matrix(i, j), x, j);
    }
    return result;
  }
  Ids transposed_times(const Matrix& matrix, const Ids& x) {
    Ids result(s_.force.size(), g_.number(0));
    for (int i = 0; i < matrix.rows; ++i) {
      for (int j = 0; j < matrix.cols; ++j) add_product(result, j, matrix(i, j), x, i);
    }
    return result;
  }
  void add_product(Ids& sums, int to, Id factor, const Ids& x, int from) {
    Id& sum = sums[static_cast<std::size_t>(to)];
    sum = g_.add(sum, g_.multiply(factor, x[static_cast<std::size_t>(from)]));
  }
  Ids sum(const Ids& a, const Ids& b) {
    Ids result;
    for (std::size_t i = 0; i < a.size(); ++i) result.push_back(g_.add(a[i], b[i]));
    return result;
  }
  Ids difference(const Ids& a, const Ids& b) {
    Ids result;
    for (std::size_t i = 0; i < a.size(); ++i) result.push_back(g_.subtract(a[i], b[i]));
    return result;
  }
  static void append(Ids& to, const Ids& more) { to.insert(to.end(), more.begin(), more.end()); }

  Graph& g_;
  const Terms& s_;
  const std::optional<SingleRow>& row_;
  Ids columns_;
  Ids motion_columns_;  ///< the columns, and behind them the time (Derivatives::time)
  std::size_t motion_directions_;
  bool feedback_;
};

}  // namespace

std::vector<Id> Slopes::roots() const {
  Ids roots = kept;
  roots.insert(roots.end(), along.begin(), along.end());
  for (const Ids& own : add_own) roots.insert(roots.end(), own.begin(), own.end());
  return roots;
}

std::vector<Slopes> slopes_of(Graph& graph, const Terms& terms, const std::optional<SingleRow>& row, int parameters,
                              const Derivatives& asked) {
  return Groups(graph, terms, row, parameters, asked).all();
}

}  // namespace kalaba::formula
