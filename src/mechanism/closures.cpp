#include "mechanism/closures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::mechanism {
namespace {

using formula::Op;

/// Row of a closure before idle ones are left out.
struct Row {
  const char* suffix;
  Id value;
  Kind kind;
  Id factor = -1;  ///< never zero; -1: 1. A row that is idle stays so without it
};

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class Closing {
 public:
  Closing(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree, const formula::TypicalValues& about)
      : k_(kinematics), a_(kinematics.algebra), g_(kinematics.algebra.g), m_(mechanism), tree_(tree), about_(about) {}

  Closures closures() {
    for (const int j : tree_.closures) {
      turn_ = -1;
      const Joint& joint = m_.joints[static_cast<std::size_t>(j)];
      const int frame = k_.common_ancestor(joint.parent, joint.child);
      const std::vector<Row> rows = rows_of(joint, k_.pose(joint.parent, frame), k_.pose(joint.child, frame));
      const std::size_t before = result_.rows.size();
      for (std::size_t i = 0; i < rows.size(); ++i) add(j, rows[i], static_cast<int>(i));
      if (turn_ >= 0) check_turn(j);
      result_.idle.push_back(static_cast<int>(rows.size() - (result_.rows.size() - before)));
    }
    return std::move(result_);
  }

  /// Derivatives of the rows with respect to a motion of the child, about the axes of its frame and along them.
  std::vector<Wrench> wrenches(const Closures& closures) {
    std::array<Id, 6> motion{};
    std::map<Id, Id> at_rest;
    for (std::size_t i = 0; i < motion.size(); ++i) {
      motion[i] = g_.symbol(Op::observed, static_cast<int>(i));
      at_rest[motion[i]] = a_.number(0);
    }
    const Vector turn{motion[0], motion[1], motion[2]};
    const Vector shift{motion[3], motion[4], motion[5]};
    Matrix turned = a_.identity();
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t k = (i + 2) % 3;
      turned[k][j] = turn[i];
      turned[j][k] = g_.negate(turn[i]);
    }
    std::vector<Wrench> result;
    std::vector<Row> rows;
    for (std::size_t r = 0; r < closures.rows.size(); ++r) {
      if (r == 0 || closures.joint[r] != closures.joint[r - 1]) {
        const Joint& joint = m_.joints[static_cast<std::size_t>(closures.joint[r])];
        const int frame = k_.common_ancestor(joint.parent, joint.child);
        Pose child = k_.pose(joint.child, frame);
        child.position = a_.add(child.position, a_.multiply(child.rotation, shift));
        child.rotation = a_.multiply(child.rotation, turned);
        rows = rows_of(joint, k_.pose(joint.parent, frame), child);
      }
      const Row& row = rows[static_cast<std::size_t>(closures.number[r])];
      std::array<Id, 6> slopes{};
      for (std::size_t i = 0; i < motion.size(); ++i) {
        slopes[i] = formula::substitute(g_, formula::derivative(g_, value_of(row), motion[i]), at_rest);
      }
      result.push_back({{slopes[0], slopes[1], slopes[2]}, {slopes[3], slopes[4], slopes[5]}});
    }
    return result;
  }

 private:
  std::vector<Row> rows_of(const Joint& joint, const Pose& parent, const Pose& child) {
    const Vector of_child = a_.add(child.position, a_.multiply(child.rotation, joint.child_at));
    const Vector of_parent = a_.add(parent.position, a_.multiply(parent.rotation, joint.at));
    const Vector gap = a_.subtract(of_child, of_parent);
    reach_ = g_.add(a_.norm(of_child), a_.norm(of_parent));
    const Matrix base = a_.multiply(parent.rotation, a_.rotation(joint.turn));  // the joint's frame at the parent
    const auto fixed = [&](const Vector& x) { return a_.multiply(base, x); };
    const auto moving = [&](const Vector& x) { return a_.multiply(child.rotation, x); };
    const auto perpendicular = a_.perpendicular(joint.axis);
    const Vector& first = perpendicular[0];  // clang 14 captures no structured binding
    const Vector& second = perpendicular[1];
    std::vector<Row> rows;
    const auto point = [&] {
      rows = {{"_x", gap[0], Kind::length}, {"_y", gap[1], Kind::length}, {"_z", gap[2], Kind::length}};
    };
    const auto across = [&] {
      rows.push_back({"_p1", a_.dot(fixed(first), gap), Kind::length});
      rows.push_back({"_p2", a_.dot(fixed(second), gap), Kind::length});
    };
    const auto one_axis = [&] {
      // The sine of the angle between the axes vanishes for opposite axes too; 2 tan(angle/2) does not.
      const Vector axis = moving(joint.axis);
      turn_ = g_.add(a_.number(1), a_.dot(fixed(joint.axis), axis));
      const Id factor = g_.divide(a_.number(2), turn_);
      rows.push_back({"_a1", a_.dot(fixed(first), axis), Kind::angle, factor});
      rows.push_back({"_a2", a_.dot(fixed(second), axis), Kind::angle, factor});
    };
    const auto no_turn = [&] {
      // The vector of the rotation from the joint's frame to the child's, times 2 tan(angle/2): the sine of the angle
      // vanishes after half a turn too. A Newton step of an angle x is sin(x), so that it never leads too far.
      const Matrix relative = a_.multiply(a_.transpose(base), child.rotation);
      turn_ = g_.add(a_.number(1), g_.add(g_.add(relative[0][0], relative[1][1]), relative[2][2]));
      const Id factor = g_.divide(a_.number(4), turn_);  // of the sine
      const auto part = [&](const char* suffix, std::size_t i, std::size_t j) {
        const Id sine = g_.multiply(a_.number(0.5), g_.subtract(relative[i][j], relative[j][i]));
        rows.push_back({suffix, sine, Kind::angle, factor});
      };
      part("_a1", 2, 1);
      part("_a2", 0, 2);
      part("_a3", 1, 0);
    };
    switch (joint.type) {
      case JointType::ball:
      case JointType::connect:
        point();
        break;
      case JointType::hinge:
        point();
        one_axis();
        break;
      case JointType::universal:
        point();
        rows.push_back({"_a1",
                        g_.subtract(a_.dot(fixed(joint.axis), moving(joint.second)), a_.dot(joint.axis, joint.second)),
                        Kind::angle});
        break;
      case JointType::slide:
        across();
        no_turn();
        break;
      case JointType::cylinder:
        across();
        one_axis();
        break;
      case JointType::planar:
        rows.push_back({"_p", a_.dot(fixed(joint.axis), gap), Kind::length});
        one_axis();
        break;
      case JointType::weld:
        point();
        no_turn();
        break;
      case JointType::distance: {
        const Id square = g_.subtract(a_.dot(gap, gap), g_.multiply(joint.length, joint.length));
        rows.push_back({"", g_.multiply(a_.number(0.5), square), Kind::quaternion});
        break;
      }
      case JointType::free:
      case JointType::screw:
        break;  // refused by make_tree
    }
    return rows;
  }

  /// True if no coordinate changes the row, but for rounding: directions that are perpendicular but for rounding leave
  /// small slopes, at the start and at other positions.
  bool is_idle(const Row& row) {
    std::vector<Id> slopes;
    const std::vector<Id> symbols = formula::symbols_in(g_, std::span(&row.value, 1), Op::coordinate);
    for (const Id symbol : symbols) slopes.push_back(formula::derivative(g_, row.value, symbol));
    slopes = formula::without_zeros(g_, slopes, about_);
    const auto is_zero = [&](Id slope) { return g_.is_number(slope, 0); };
    if (std::ranges::all_of(slopes, is_zero)) return true;
    if (row.kind == Kind::quaternion) return false;
    for (const double shift : {0.0, 0.9, 2.3, -1.7}) {
      const double reach = values_of({reach_}, shift)[0];
      const std::vector<double> values = values_of(slopes, shift);
      for (std::size_t i = 0; i < slopes.size(); ++i) {
        const bool turns = tree_.coordinates[static_cast<std::size_t>(g_[symbols[i]].index)].kind != Kind::length;
        const double size = turns && row.kind == Kind::length ? reach : 1;
        if (!(std::abs(values[i]) <= perpendicular_ * size)) return false;
      }
    }
    return true;
  }

  /// Values at the start, or where each angle is larger by the i-th multiple of a number.
  std::vector<double> values_of(const std::vector<Id>& roots, double shift = 0) const {
    const double time = 0;
    std::vector<double> q = about_.coordinates;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (tree_.coordinates[i].kind != Kind::length) q[i] += shift * static_cast<double>(i + 1);
    }
    return formula::Program(g_, roots)({about_.parameters.data(), q.data(), nullptr, nullptr, &time, 1});
  }

  Id value_of(const Row& row) { return row.factor < 0 ? row.value : g_.multiply(row.value, row.factor); }

  void add(int j, const Row& row, int number) {
    const Joint& joint = m_.joints[static_cast<std::size_t>(j)];
    if (is_idle(row)) {
      check_idle(j, row);
      return;
    }
    formula::Equation equation;
    equation.name = joint.name + row.suffix;
    equation.meaning = std::string("joint ") + joint.name + " closes its loop";
    equation.value = value_of(row);
    result_.rows.push_back(equation);
    result_.joint.push_back(j);
    result_.number.push_back(number);
    result_.kinds.push_back(row.kind);
  }

  /// Fails where a row that nothing changes does not hold.
  void check_idle(int j, const Row& row) {
    const std::vector<double> values = values_of({row.value, reach_});
    constexpr double held = perpendicular_;  // of the distances that the row is the difference of
    const double size = row.kind == Kind::length ? values[1] : row.kind == Kind::angle ? 1 : values[1] * values[1];
    if (std::abs(values[0]) <= held * size) return;
    const Joint& joint = m_.joints[static_cast<std::size_t>(j)];
    throw MechanismError(MechanismError::Part::joint, j,
                         "the loop cannot close: " + joint.name + row.suffix + " is off by " + number_text(values[0]) +
                             (row.kind == Kind::length ? " m" : "") +
                             ", and no coordinate changes it; correct at, child_at, axis or turn of the joints of the "
                             "loop");
  }

  /// Fails where no coordinate changes the turn and it is half a turn, whose sine vanishes too.
  void check_turn(int j) {
    constexpr double half_turn = 1e-9;  // of 2 or 4, without a turn
    if (!is_idle({"", turn_, Kind::angle}) || values_of({turn_})[0] > half_turn) return;
    throw MechanismError(MechanismError::Part::joint, j,
                         "the loop cannot close: " + m_.joints[static_cast<std::size_t>(j)].name +
                             " is off by half a turn, and no coordinate changes it; correct quat of the joints of the "
                             "loop");
  }

  Kinematics& k_;
  const Algebra& a_;
  formula::Graph& g_;
  const Mechanism& m_;
  const Tree& tree_;
  const formula::TypicalValues& about_;
  /// Cosine between directions that are perpendicular but for the decimals of the text. A loop that is tilted by less
  /// moves as one without the tilt.
  static constexpr double perpendicular_ = 1e-8;
  Closures result_;
  /// 0 where the closure is off by half a turn: 1 + cosine of the angle between its axes, or, if it leaves no turn,
  /// 1 + trace of the rotation, 4 cos(angle/2)^2; -1 if the closure allows every turn.
  Id turn_ = -1;
  Id reach_ = -1;  ///< of the closure: distances of its points from the origin of the frame
};

}  // namespace

Closures make_closures(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                       const formula::TypicalValues& about) {
  return Closing(kinematics, mechanism, tree, about).closures();
}

std::vector<Wrench> closure_wrenches(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree,
                                     const Closures& closures) {
  const formula::TypicalValues none;
  return Closing(kinematics, mechanism, tree, none).wrenches(closures);
}

}  // namespace kalaba::mechanism
