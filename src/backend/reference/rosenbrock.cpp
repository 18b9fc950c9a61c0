#include "backend/reference/rosenbrock.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "backend/reference/rate.hpp"
#include "backend/reference/tableau.hpp"

namespace kalaba::reference {
namespace {

/// Rate as a function of time and state, [q; w] as one vector; NaN if there is none.
using RateOf = std::function<Vector(double t, const Vector& y)>;

/// f'(0) by central differences of order 4.
Vector slope(const std::function<Vector(double)>& f, double by) {
  return (8 * (f(by) - f(-by)) - (f(2 * by) - f(-2 * by))) / (12 * by);
}

/// Change of a number of this size for a difference.
double change_of(double size) { return 1e-4 * (size > 0 ? size : 1); }

}  // namespace

Trial rosenbrock_step(const MechanicalModel& model, const Method& method, const Instant& like, AdaptiveStep step,
                      LeastValues& seen) {
  const Rosenbrock& rodas = rodas5p();
  const double h = step.end - step.begin;
  const auto size = step.y0.size();
  const auto nq = like.q.size();
  Trial trial;
  const Rate first =
      rate_at(model, method, RankChoice::at_step(method, step.rank), unstacked(like, step.begin, step.y0));
  trial.status = first.status;
  trial.rank = first.rank;
  if (trial.status == Status::ok && !consistent(first, method, unstacked(like, step.begin, step.y0))) {
    trial.status = Status::inconsistent_constraints;
  }
  if (trial.status != Status::ok) return trial;
  seen.add(first.least_value);
  const RankChoice same = RankChoice::within_step(method, first.rank);
  const RateOf rate_of = [&](double t, const Vector& y) -> Vector {
    const Rate rate = rate_at(model, method, same, unstacked(like, t, y));
    if (rate.status != Status::ok) return Vector::Constant(size, std::numeric_limits<double>::quiet_NaN());
    return stacked(rate.q_dot, rate.w_dot);
  };
  // Typical sizes of the numbers: of their group, and of their change in a step.
  const Vector f0 = stacked(first.q_dot, first.w_dot);
  Vector sizes(size);
  sizes.head(nq).setConstant(step.y0.head(nq).norm());
  sizes.tail(size - nq).setConstant(std::max(step.y0.tail(size - nq).norm(), first.q_dot.norm()));
  Matrix J(size, size);
  for (long i = 0; i < size; ++i) {
    J.col(i) = slope([&](double by) { return rate_of(step.begin, step.y0 + by * Vector::Unit(size, i)); },
                     change_of(sizes[i]));
  }
  const double rounding = 0x1p20 * std::numeric_limits<double>::epsilon() * std::abs(step.begin);
  const Vector f_t =
      slope([&](double by) { return rate_of(step.begin + by, step.y0); }, std::max(1e-3 * std::abs(h), rounding));
  if (!J.allFinite() || !f_t.allFinite()) {
    trial.status = Status::non_finite;
    return trial;
  }
  const Matrix matrix = Matrix::Identity(size, size) - h * rodas.gamma(0, 0) * J;
  const Eigen::FullPivLU<Matrix> lu(matrix);
  trial.step = step;
  trial.error = std::numeric_limits<double>::infinity();
  if (!lu.isInvertible()) return trial;
  const auto stages = rodas.b.size();
  Matrix k = Matrix::Zero(size, stages);
  for (long i = 0; i < stages; ++i) {
    const Instant x =
        unstacked(like, step.begin + rodas.alpha.row(i).sum() * h, step.y0 + k * rodas.alpha.row(i).transpose());
    Vector f = f0;
    if (i > 0) {
      const Rate rate = rate_at(model, method, same, x);
      trial.status = rate.status;
      if (trial.status != Status::ok) return trial;
      seen.add(rate.least_value);
      f = stacked(rate.q_dot, rate.w_dot);
    }
    Vector earlier = k * rodas.gamma.row(i).transpose();
    k.col(i) = lu.solve(h * f + h * (J * earlier) + h * h * rodas.gamma.row(i).sum() * f_t);
  }
  Instant end = unstacked(like, step.end, step.y0 + k * rodas.b);
  EndedStep ended = {h, first.rank, unstacked(like, step.begin, step.y0).w};
  trial.status = settle(model, method, RankChoice::fresh(method), end, ended);
  if (trial.status != Status::ok) return trial;
  trial.step.y1 = stacked(end.q, end.w);
  Matrix& bends = trial.step.bends;
  bends = k * rodas.dense.transpose();
  // The continuous extension has the slope f at the start, up to the tolerance (RosenbrockTrial::match_start of the
  // core).
  const Vector sizes_at_ends = step.y0.cwiseAbs().cwiseMax(trial.step.y1.cwiseAbs());
  const Vector most = 10 * (method.relative_tolerance * sizes_at_ends.array() + method.absolute_tolerance);
  const Vector missing = h * f0 + step.y0 - trial.step.y1 - bends.col(0);
  const Vector d = missing.cwiseMin(most).cwiseMax(-most);
  bends.col(0) += d;
  bends.col(1) -= 2 * d;
  bends.col(2) += d;
  trial.error = error_norm(method, k * rodas.error, trial.step);
  const Rate last = rate_at(model, method, same, end);
  trial.step.f1 = last.status == Status::ok ? stacked(last.q_dot, last.w_dot) : f0;
  return trial;
}

}  // namespace kalaba::reference
