#include "backend/reference/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba::reference {
namespace {

/// Of what a number is: differences of order 4 lose h^4 of it to truncation and epsilon / h to rounding.
constexpr double relative_step = 2e-4;

double size_or_one(const Vector& x) {
  const double size = x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff();
  return size > 0 ? size : 1.0;
}

/// By how much of a direction to move so that nothing moves by more than relative_step of its size.
double step_of(const Instant& x, const Instant& direction) {
  double fastest = direction.q.size() == 0 ? 0 : direction.q.cwiseAbs().maxCoeff() / size_or_one(x.q);
  if (direction.w.size() > 0) fastest = std::max(fastest, direction.w.cwiseAbs().maxCoeff() / size_or_one(x.w));
  for (long i = 0; i < x.p.size(); ++i) {
    const double size = x.p[i] == 0 ? 1.0 : std::abs(x.p[i]);
    fastest = std::max(fastest, std::abs(direction.p[i]) / size);
  }
  return relative_step / (fastest > 0 ? fastest : 1.0);
}

Instant moved(const Instant& x, const Instant& direction, double by) {
  return {x.p + by * direction.p, x.t + by * direction.t, x.q + by * direction.q, x.w + by * direction.w};
}

constexpr double weights[] = {2.0 / 3, -1.0 / 12};  // of f(h) - f(-h), f(2h) - f(-2h), over h

/// Of a number or a vector.
template <class Value>
Value slope_of(const std::function<Value(const Instant&)>& value, const Instant& x, const Instant& direction) {
  const double h = step_of(x, direction);
  const auto difference = [&](double by) -> Value {
    return value(moved(x, direction, by)) - value(moved(x, direction, -by));
  };
  return weights[0] / h * difference(h) + weights[1] / h * difference(2 * h);
}

/// Direction of column `column`.
Instant direction_of(const SensitivityPlan& plan, const Instant& x, const SensitivityColumns& columns, long column) {
  Instant direction{Vector::Zero(x.p.size()), 0, columns.q.col(column), columns.w.col(column)};
  const int of = plan.of[static_cast<std::size_t>(column)];
  if (of < x.p.size()) direction.p[of] = 1;
  return direction;
}

}  // namespace

void SensitivityColumns::combine(const Matrix& factors) {
  if (q.cols() != factors.rows()) return;  // of a step that is not made yet there are none
  q = (q * factors).eval();
  w = (w * factors).eval();
}

void SensitivityColumns::forget() {
  q.setConstant(std::numeric_limits<double>::quiet_NaN());
  w.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void follow(const SensitivityPlan& plan, const Motion& motion, const Instant& x, SensitivityColumns& columns) {
  for (long column = 0; column < columns.q.cols(); ++column) {
    const Instant direction = direction_of(plan, x, columns, column);
    const double h = step_of(x, direction);
    Vector q = Vector::Zero(x.q.size());
    Vector w = Vector::Zero(x.w.size());
    for (int i = 0; i < 2; ++i) {
      const auto ahead = motion(moved(x, direction, (i + 1) * h));
      const auto behind = motion(moved(x, direction, -(i + 1) * h));
      const double nan = std::numeric_limits<double>::quiet_NaN();
      const double weight = ahead && behind ? weights[i] / h : nan;
      if (ahead && behind) {
        q += weight * (ahead->q - behind->q);
        w += weight * (ahead->w - behind->w);
      } else {
        q.setConstant(nan);
        w.setConstant(nan);
      }
    }
    columns.q.col(column) = q;
    columns.w.col(column) = w;
  }
}

EventColumns event_columns(const SensitivityPlan& plan, const std::function<double(const Instant&)>& value,
                           const Instant& x, const Vector& q_dot, const Vector& w_dot,
                           const SensitivityColumns& columns) {
  EventColumns found = {Vector(columns.q.cols()), columns};
  const double speed = slope_of(value, x, {Vector::Zero(x.p.size()), 1, q_dot, w_dot});
  for (long column = 0; column < columns.q.cols(); ++column) {
    const double shift = -slope_of(value, x, direction_of(plan, x, columns, column)) / speed;
    found.time[column] = shift;
    found.state.q.col(column) += shift * q_dot;
    found.state.w.col(column) += shift * w_dot;
  }
  return found;
}

Matrix slopes_of(const SensitivityPlan& plan, const std::function<Vector(const Instant&)>& value, const Instant& x,
                 const SensitivityColumns& columns) {
  Matrix slopes(value(x).size(), columns.q.cols());
  for (long column = 0; column < slopes.cols(); ++column) {
    slopes.col(column) = slope_of(value, x, direction_of(plan, x, columns, column));
  }
  return slopes;
}

SensitivityColumns begin_columns(const SensitivityPlan& plan, const Motion& starts, const Instant& x) {
  const auto count = static_cast<long>(plan.of.size());
  SensitivityColumns columns{Matrix::Zero(x.q.size(), count), Matrix::Zero(x.w.size(), count)};
  for (long column = 0; column < count; ++column) {
    const long row = plan.of[static_cast<std::size_t>(column)] - x.p.size();
    if (row >= x.q.size()) {
      columns.w(row - x.q.size(), column) = 1;
    } else if (row >= 0) {
      columns.q(row, column) = 1;
    }
  }
  const auto default_start = [&](const Instant& at) {
    Instant start = at;
    plan.start(at.p.data(), start.q.data(), start.w.data());
    return start;
  };
  const Instant here = default_start(x);
  follow(
      plan,
      [&](const Instant& at) {
        const Instant there = default_start(at);
        Instant given = at;
        const auto shift = [&](Vector& to, const Vector& from, const Vector& by, std::size_t first) {
          for (long i = 0; i < to.size(); ++i) {
            if (plan.follows[first + static_cast<std::size_t>(i)] != 0) to[i] += by[i] - from[i];
          }
        };
        shift(given.q, here.q, there.q, 0);
        shift(given.w, here.w, there.w, static_cast<std::size_t>(x.q.size()));
        return starts(given);
      },
      x, columns);
  return columns;
}

}  // namespace kalaba::reference
