#include <cmath>

#include "backend/reference/linear.hpp"
#include "backend/reference/model.hpp"
#include "backend/reference/rate.hpp"

namespace kalaba::reference {
namespace {

constexpr double difference_step = 1e-4;

/// Sizes of f(x) by differences: its terms are as large as the sum of |f| and the |x_k df/dx_k| of all parameters,
/// coordinates and rates. For its rounding errors, with `of_largest`, every coordinate counts as the largest one, and
/// so does every rate.
template <class F>
std::vector<Sized> by_differences(const F& f, const Instant& x, bool of_largest) {
  const Vector here = f(x);
  std::vector<Sized> result;
  for (const double each : here) result.push_back({each, std::abs(each), std::abs(each)});
  Instant moved = x;
  const auto add = [&](Vector& list, long k, double size) {
    if (!(size > 0)) return;
    const double kept = list[k];
    list[k] = kept + difference_step * size;
    const Vector slope = (f(moved) - here) / difference_step;
    list[k] = kept;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double change = std::abs(slope[static_cast<long>(i)]);
      if (!std::isfinite(change)) continue;
      result[i].terms += change * std::abs(kept) / size;
      result[i].rounding += change;
    }
  };
  for (long k = 0; k < x.p.size(); ++k) add(moved.p, k, std::abs(x.p[k]));
  for (long k = 0; k < x.q.size(); ++k) add(moved.q, k, of_largest ? max_norm(x.q) : std::abs(x.q[k]));
  for (long k = 0; k < x.w.size(); ++k) add(moved.w, k, of_largest ? max_norm(x.w) : std::abs(x.w[k]));
  return result;
}

}  // namespace

std::vector<Sized> MechanicalModel::sized_constraints(const Instant& x) const {
  return by_differences([this](const Instant& at) { return violation(*this, at); }, x, true);
}

std::vector<Sized> MechanicalModel::sized_invariants(const Instant& x) const {
  return by_differences([this](const Instant& at) { return invariants(at); }, x, false);
}

Sized MechanicalModel::sized_energy(const Instant& x) const {
  return by_differences([this](const Instant& at) -> Vector { return Vector::Constant(1, energy(at)); }, x, false)
      .front();
}

}  // namespace kalaba::reference
