#include "kalaba/friction_step.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>

#include "backend/reference/rate.hpp"
#include "backend/reference/reference.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/member_block.hpp"

namespace kalaba {
namespace {

using reference::Instant;
using reference::Matrix;
using reference::Vector;

constexpr double longest = 2.785;  ///< largest product of step and decay rate for which RK4 is stable
constexpr long most_members = 16;  ///< evaluated members

/// Fastest decay of the rates at x by the non-ideal force C, 1/s: the largest -Re of the eigenvalues of G^-1 dC/dw, by
/// differences, with an ideal force of `load` times that at x. NaN if it cannot be computed.
double decay_under(const reference::MechanicalModel& model, const reference::Rate& rate, const Instant& x, double step,
                   double load) {
  const auto n = x.w.size();
  Matrix slopes(n, n);
  for (long i = 0; i < n; ++i) {
    Instant above = x;
    Instant below = x;
    above.w[i] += step;
    below.w[i] -= step;
    const Vector up = model.non_ideal(above, load * rate.ideal_force, load * rate.multipliers);
    const Vector down = model.non_ideal(below, load * rate.ideal_force, load * rate.multipliers);
    slopes.col(i) = (up - down) / (2 * step);
  }
  if (model.formulation != Formulation::hamilton) slopes = model.metric(x).fullPivLu().solve(slopes).eval();
  return slopes.allFinite() ? -slopes.eigenvalues().real().minCoeff() : std::nan("");
}

/// Decay of a member at rest. Friction that holds up to a limit is steepest if the limit is large: its slope then does
/// not grow with the load, unlike that of friction in proportion to the load.
double decay_at_rest(const reference::MechanicalModel& model, const Method& method, Instant x) {
  const double step = 1e-6 * std::max(x.w.cwiseAbs().maxCoeff(), 1e-3);
  x.w.setZero();
  const reference::Rate rate = reference::evaluate_rate(model, method, x);
  if (rate.status != Status::ok) return std::nan("");
  const double heavy = decay_under(model, rate, x, step, 1e3);
  const double heavier = decay_under(model, rate, x, step, 1e6);
  const bool holds = std::abs(heavier - heavy) <= 1e-2 * heavier;
  return holds ? heavier : decay_under(model, rate, x, step, 1);
}

}  // namespace

std::string friction_step_note(const System& system, const Options& options, const MemberSource& source) {
  const SystemInfo& info = system.info;
  if (adapts(options.method.integrator) || info.agents > 0 || !system.reference) return "";
  Options of_reference;
  of_reference.method.stabilization = {.kind = Stabilization::Kind::none};
  const std::unique_ptr<Runner> runner = system.reference(of_reference);
  const auto& model = dynamic_cast<const reference::ReferenceRunner&>(*runner).model();
  if (!model.has_non_ideal()) return "";
  const long members = source.members();
  Block block = member_block(info, of_reference, 1);
  const auto values = [&](const std::vector<double>& rows, std::size_t count) {
    Vector result(static_cast<long>(count));
    for (std::size_t i = 0; i < count; ++i)
      result[static_cast<long>(i)] = rows[i * static_cast<std::size_t>(block.stride)];
    return result;
  };
  for (long k = 0; k < std::min(members, most_members); ++k) {
    const long member = members <= most_members ? k : k * (members - 1) / (most_members - 1);
    block.assign(member, 1);
    fill_members(system, source, block);
    const double decay = decay_at_rest(model, of_reference.method,
                                       {values(block.parameters, info.parameters.size()), options.time.start,
                                        values(block.q, info.coordinates.size()), values(block.w, info.rates.size())});
    if (!(decay * options.time.dt > longest)) continue;
    return info.name + ": at rest the friction of member " + std::to_string(member) + " slows it down at " +
           short_text(decay, 3) + " 1/s, too fast for steps of " + short_text(options.time.dt, 3) +
           " s; rk4 follows it with dt below " + short_text(longest / decay, 2) + " s";
  }
  return "";
}

}  // namespace kalaba
