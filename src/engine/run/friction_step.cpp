#include "engine/run/friction_step.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>

#include "backend/reference/rate.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/backend/reference.hpp"

namespace kalaba {
namespace {

using reference::Instant;
using reference::Matrix;
using reference::Vector;

constexpr double longest = 2.785;  ///< step times decay rate that RK4 follows stably
constexpr long most_members = 16;  ///< looked at

/// The fastest decay of the rates at x, 1/s: the largest -Re of the eigenvalues of dw'/dw, by differences; NaN where
/// the rate is not known.
double fastest_decay(const reference::MechanicalModel& model, const Method& method, const Instant& x, double step) {
  const auto n = x.w.size();
  Matrix slopes(n, n);
  for (long i = 0; i < n; ++i) {
    Instant above = x;
    Instant below = x;
    above.w[i] += step;
    below.w[i] -= step;
    const reference::Rate up = reference::evaluate_rate(model, method, above);
    const reference::Rate down = reference::evaluate_rate(model, method, below);
    if (up.status != Status::ok || down.status != Status::ok) return std::nan("");
    slopes.col(i) = (up.w_dot - down.w_dot) / (2 * step);
  }
  return slopes.allFinite() ? -slopes.eigenvalues().real().minCoeff() : std::nan("");
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
  Block block(static_cast<int>(info.parameters.size()), static_cast<int>(info.coordinates.size()),
              static_cast<int>(info.rates.size()), 1);
  const auto values = [&](const std::vector<double>& rows, std::size_t count) {
    Vector result(static_cast<long>(count));
    for (std::size_t i = 0; i < count; ++i) result[static_cast<long>(i)] = rows[i * static_cast<std::size_t>(block.stride)];
    return result;
  };
  for (long k = 0; k < std::min(members, most_members); ++k) {
    const long member = members <= most_members ? k : k * (members - 1) / (most_members - 1);
    block.assign(member, 1);
    source.fill(block);
    Instant x = {values(block.parameters, info.parameters.size()), options.time.start,
                 values(block.q, info.coordinates.size()), values(block.w, info.rates.size())};
    const double speed = std::max(x.w.cwiseAbs().maxCoeff(), 1e-3);
    x.w.setZero();
    const double decay = fastest_decay(model, of_reference.method, x, 1e-6 * speed);
    if (!(decay * options.time.dt > longest)) continue;
    return info.name + ": at rest the friction of member " + std::to_string(member) + " slows it down at " +
           short_text(decay, 3) + " 1/s, too fast for steps of " + short_text(options.time.dt, 3) +
           " s; rk4 follows it with dt below " + short_text(longest / decay, 2) + " s";
  }
  return "";
}

}  // namespace kalaba
