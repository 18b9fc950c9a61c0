#include "backend/reference/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace kalaba::reference {
namespace {

/// Step of the differences relative to the size of the number. They are of order 4: the truncation error is of order
/// h^4, the rounding error of order rounding_unit / h.
constexpr double relative_step = 2e-4;

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();
constexpr double usual_error = 1e-6;  ///< estimated error of a slope with the usual step that is accepted
constexpr double good_error = 1e-9;   ///< estimated error with another step at which the search ends
constexpr int most_attempts = 8;
constexpr double longest_step = 1e100;  ///< a direction may be zero up to rounding

double largest(const Vector& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

/// Speeds of parameters and state along a direction, relative to their sizes (1 for a size of zero). `fastest` is the
/// largest. `expected` is the speed to expect of a value that depends on them: that of the parameter if one changes;
/// for a start the smallest, absolute below 1, because a state may be zero up to rounding.
struct Speeds {
  double fastest = 0;
  double expected = 0;
};

Speeds speeds_of(const Instant& x, const Instant& direction) {
  Speeds speeds;
  const auto add = [&](double by, double size, double least) {
    if (by == 0) return;
    speeds.fastest = std::max(speeds.fastest, by / (size > 0 ? size : 1));
    const double expected = by / (size > least ? size : 1);
    speeds.expected = speeds.expected == 0 ? expected : std::min(speeds.expected, expected);
  };
  for (long i = 0; i < x.p.size(); ++i) add(std::abs(direction.p[i]), std::abs(x.p[i]), 0);
  const double of_parameters = speeds.expected;
  add(largest(direction.q), largest(x.q), 1);
  add(largest(direction.w), largest(x.w), 1);
  if (of_parameters > 0) speeds.expected = of_parameters;
  return speeds;
}

Instant moved(const Instant& x, const Instant& direction, double by) {
  return {x.p + by * direction.p, x.t + by * direction.t, x.q + by * direction.q, x.w + by * direction.w};
}

constexpr double weights[] = {2.0 / 3, -1.0 / 12};  // of f(h) - f(-h), f(2h) - f(-2h), over h

/// Vectors, each relative to its own largest number.
using Parts = std::vector<Vector>;
/// Returns nothing, or values that are not finite, if it fails.
using Function = std::function<std::optional<Parts>(const Instant&)>;

/// A slope by differences of order 4, with its estimated errors relative to its size.
struct DifferenceQuotient {
  double step = 0;
  Parts of;
  double truncation = 0;  ///< of the formula of order 2; that of order 4 has about its square
  double rounding = 0;

  double error() const { return truncation * truncation + rounding; }
  /// Compares with a clear margin. The apparent truncation of values that are zero up to rounding does not decrease
  /// with shorter steps.
  bool is_better_than(const DifferenceQuotient& other) const {
    return error() < 0.1 * other.error() && (step > other.step || truncation < 0.1);
  }
  /// Factor by which a longer step would reduce the error.
  double longer() const {
    if (rounding > 1e-3) return rounding * 1e9;  // the apparent truncation is rounding too
    return std::clamp(std::pow(rounding / std::max(truncation * truncation, rounding_unit * rounding_unit), 0.2), 1e-4,
                      1e4);
  }
};

/// `like`: lower bound of the slope, if it is known. A part that is zero up to rounding counts as moving with the
/// expected speed.
std::optional<DifferenceQuotient> differences(const Function& value, const Instant& x, const Instant& direction,
                                              const Parts& like, double h, double expected) {
  std::vector<Parts> at;
  for (const double by : {h, -h, 2 * h, -2 * h}) {
    const std::optional<Parts> found = value(moved(x, direction, by));
    if (!found || !std::ranges::all_of(*found, [](const Vector& part) { return part.allFinite(); })) return {};
    at.push_back(*found);
  }
  DifferenceQuotient slope;
  slope.step = h;
  for (std::size_t i = 0; i < at[0].size(); ++i) {
    const Vector near = at[0][i] - at[1][i];
    const Vector far = at[2][i] - at[3][i];
    slope.of.emplace_back(weights[0] / h * near + weights[1] / h * far);
    double magnitude = 0;
    for (const Parts& each : at) magnitude = std::max(magnitude, largest(each[i]));
    const double known = i < like.size() ? largest(like[i]) : 0;
    const double size = std::max({largest(slope.of[i]), known, magnitude * expected});
    if (!(size > 0)) continue;
    slope.truncation = std::max(slope.truncation, largest(far / 4 - near / 2) / (h * size));
    slope.rounding = std::max(slope.rounding, rounding_unit * magnitude / (h * size));
  }
  return slope;
}

/// Differences with a step for which no number changes by more than relative_step of its size. If that step is clearly
/// unsuitable, because sizes differ or are only rounding errors, longer or shorter steps are tried as long as the
/// result clearly improves.
std::optional<Parts> slope_of(const Function& value, const Instant& x, const Instant& direction,
                              const Parts& like = {}) {
  const Speeds speeds = speeds_of(x, direction);
  double h = std::min(longest_step, relative_step / (speeds.fastest > 0 ? speeds.fastest : 1));
  std::optional<DifferenceQuotient> best;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::optional<DifferenceQuotient> found = differences(value, x, direction, like, h, speeds.expected);
    h *= found ? found->longer() : 1e-6;
    if (found && best && !found->is_better_than(*best)) break;
    if (found) best = std::move(found);
    if (best && best->error() <= (attempt == 0 ? usual_error : good_error)) break;
  }
  if (!best) return {};
  return std::move(best->of);
}

/// Direction of column `column`.
Instant direction_of(const SensitivityPlan& plan, const Instant& x, const SensitivityColumns& columns, long column) {
  const double of_time = columns.t.size() > 0 ? columns.t[column] : 0;
  Instant direction{Vector::Zero(x.p.size()), of_time, columns.q.col(column), columns.w.col(column)};
  const int of = plan.of[static_cast<std::size_t>(column)];
  if (of < x.p.size()) direction.p[of] = 1;
  return direction;
}

}  // namespace

void SensitivityColumns::combine(const Matrix& factors) {
  if (q.cols() != factors.rows()) return;  // a step that is not made yet has no columns
  q = (q * factors).eval();
  w = (w * factors).eval();
}

void SensitivityColumns::forget() {
  q.setConstant(std::numeric_limits<double>::quiet_NaN());
  w.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void SensitivityColumns::forget(long column) {
  q.col(column).setConstant(std::numeric_limits<double>::quiet_NaN());
  w.col(column).setConstant(std::numeric_limits<double>::quiet_NaN());
}

namespace {

void follow_column(const SensitivityPlan& plan, const Motion& motion, const Instant& x, SensitivityColumns& columns,
                   long column) {
  const Function moves = [&](const Instant& at) -> std::optional<Parts> {
    std::optional<Instant> end = motion(at);
    if (!end) return {};
    return Parts{std::move(end->q), std::move(end->w)};
  };
  const Instant direction = direction_of(plan, x, columns, column);
  const std::optional<Parts> slope = slope_of(moves, x, direction, {direction.q, direction.w});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  columns.q.col(column) = slope ? (*slope)[0] : Vector::Constant(x.q.size(), nan);
  columns.w.col(column) = slope ? (*slope)[1] : Vector::Constant(x.w.size(), nan);
}

}  // namespace

void follow(const SensitivityPlan& plan, const Motion& motion, const Instant& x, SensitivityColumns& columns) {
  for (long column = 0; column < columns.q.cols(); ++column) follow_column(plan, motion, x, columns, column);
}

EventColumns event_columns(const SensitivityPlan& plan, const std::function<double(const Instant&)>& value,
                           const Instant& x, const Vector& q_dot, const Vector& w_dot,
                           const SensitivityColumns& columns) {
  EventColumns found = {Vector(columns.q.cols()), columns};
  const Function alone = [&](const Instant& at) { return Parts{Vector::Constant(1, value(at))}; };
  const auto along = [&](const Instant& direction) {
    const std::optional<Parts> slope = slope_of(alone, x, direction);
    return slope ? (*slope)[0][0] : std::numeric_limits<double>::quiet_NaN();
  };
  const double speed = along({Vector::Zero(x.p.size()), 1, q_dot, w_dot});
  for (long column = 0; column < columns.q.cols(); ++column) {
    const double shift = -along(direction_of(plan, x, columns, column)) / speed;
    found.time[column] = shift;
    found.state.q.col(column) += shift * q_dot;
    found.state.w.col(column) += shift * w_dot;
  }
  found.state.t = found.time;
  return found;
}

Matrix slopes_of(const SensitivityPlan& plan, const std::function<Vector(const Instant&)>& value, const Instant& x,
                 const SensitivityColumns& columns) {
  Matrix slopes(value(x).size(), columns.q.cols());
  const Function alone = [&](const Instant& at) { return Parts{value(at)}; };
  for (long column = 0; column < slopes.cols(); ++column) {
    const std::optional<Parts> slope = slope_of(alone, x, direction_of(plan, x, columns, column));
    slopes.col(column) =
        slope ? (*slope)[0] : Vector::Constant(slopes.rows(), std::numeric_limits<double>::quiet_NaN());
  }
  return slopes;
}

SensitivityColumns begin_columns(const SensitivityPlan& plan, const Motion& starts, const Instant& x) {
  const auto count = static_cast<long>(plan.of.size());
  SensitivityColumns columns{Matrix::Zero(x.q.size(), count), Matrix::Zero(x.w.size(), count), {}};
  for (long column = 0; column < count; ++column) {
    const long row = plan.of[static_cast<std::size_t>(column)] - x.p.size();
    if (row >= x.q.size()) {
      columns.w(row - x.q.size(), column) = 1;
    } else if (row >= 0) {
      columns.q(row, column) = 1;
    }
  }
  std::vector<double> given;
  for (const unsigned char follows : plan.follows) given.push_back(follows == 0 ? 1.0 : 0.0);
  const Motion begins = [&](const Instant& at) {
    Instant whole = at;
    plan.complete_start(whole.p.data(), given.data(), whole.q.data(), whole.w.data());
    return starts(whole);
  };
  follow(plan, begins, x, columns);
  return columns;
}

}  // namespace kalaba::reference
