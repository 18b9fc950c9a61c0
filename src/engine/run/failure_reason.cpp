#include "engine/run/failure_reason.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "backend/reference/rate.hpp"
#include "backend/reference/reference.hpp"
#include "engine/run/member_model.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/core/events/expression_value.hpp"

namespace kalaba {
namespace {

using reference::Instant;
using reference::Rate;
using reference::Vector;

constexpr double vanishing = 1e-12;  ///< of the largest row of A
constexpr double divergent = 1e15;   ///< beyond this, sines have no correct digit

/// Returns the row with the largest share, or -1 if none is above 0.
int worst_row(const Vector& shares) {
  int worst = -1;
  for (int r = 0; r < shares.size(); ++r) {
    if (shares[r] > 0 && (worst < 0 || shares[r] > shares[worst])) worst = r;
  }
  return worst;
}

/// |A w' - b| of each row, as a share of its terms.
Vector residual_shares(const Rate& rate) {
  const Vector residual = rate.residual();
  Vector shares(residual.size());
  for (long r = 0; r < residual.size(); ++r) {
    const double terms = std::abs(rate.b[r]) + rate.A.row(r).cwiseAbs().dot(rate.w_dot.cwiseAbs());
    shares[r] = terms > 0 ? std::abs(residual[r]) / terms : 0;
  }
  return shares;
}

/// Values of phi and psi.
Vector positions(const reference::MechanicalModel& model, const Instant& x) {
  Vector rows(model.holonomic + model.nonholonomic);
  rows << model.phi(x), model.psi(x);
  return rows;
}

/// Distances of the rows of phi and psi from zero, in units of the state.
Vector gaps(const reference::MechanicalModel& model, const Rate& rate, const Instant& x) {
  Vector rows = positions(model, x);
  for (long r = 0; r < rows.size(); ++r) {
    const double gradient = rate.A.row(r).norm();
    rows[r] = gradient > 0 ? std::abs(rows[r]) / gradient : 0;
  }
  return rows;
}

/// Returns the fault of a restitution, a coefficient of friction or a gap of the member, at x or a step later; empty if
/// there is none.
std::string fault_of_contacts(const SystemInfo& info, const reference::MechanicalModel& model, const Instant& x,
                              double step) {
  Instant ahead = x;
  ahead.t += step;
  const Vector gaps = model.contact_gaps(x);
  const Vector gaps_ahead = model.contact_gaps(ahead);
  for (std::size_t i = 0; i < info.contacts.size(); ++i) {
    const Contact& each = info.contacts[i];
    const auto fault = [&](const Expression& coefficient, const std::string& what) -> std::string {
      const double value = value_of(coefficient, x.p.data(), StateView<double>{x.t, x.q.data(), x.w.data()});
      if (value >= 0) return "";
      return what + " of contact '" + each.name + "' is " + (std::isnan(value) ? "nan" : short_text(value, 3)) +
             ", expected at least 0";
    };
    if (const std::string why = fault(each.restitution, "the restitution"); !why.empty()) return why;
    if (each.friction) {
      const std::string why = fault(each.friction->coefficient, "the coefficient of friction");
      if (!why.empty()) return why;
    }
    const auto index = static_cast<long>(i);
    if (std::isfinite(gaps[index] + gaps_ahead[index])) continue;
    const double t = std::isfinite(gaps[index]) ? ahead.t : x.t;
    return "the gap of contact '" + each.name + "' is not finite at " + short_text(t, 4) + " s";
  }
  return "";
}

/// Name and value of the first number that is `divergent`; empty if there is none.
std::string divergent_number(const Vector& values, const std::vector<Variable>& names) {
  for (long i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) >= divergent)
      return names[static_cast<std::size_t>(i)].name + " has grown to " + short_text(values[i], 2);
  }
  return "";
}

/// Returns why a member is `singular_constraints` at x if the cause is not its constraints; empty if it is.
std::string fault_of_position(const SystemInfo& info, const reference::MechanicalModel& model, const Instant& x) {
  if (!model.valid(x)) {
    const bool is_mechanism = !info.reactions.empty() || !info.reactions_absence.empty();
    return is_mechanism ? "a mass, an inertia or a size of a body is negative, or the condition `valid` is false"
                        : "the condition `valid` of the model is false";
  }
  if (!model.singular_metric) {
    const reference::Matrix metric = model.metric(x);
    if (!metric.allFinite()) return "the metric (mass matrix) is not finite";
    if (metric.llt().info() != Eigen::Success) return "the metric (mass matrix) is not positive definite";
  }
  const std::string coordinate = divergent_number(x.q, info.coordinates);
  return coordinate.empty() ? divergent_number(x.w, info.rates) : coordinate;
}

/// Names the rate that changes fastest relative to its size, for members whose steps became short.
std::string fastest_change(const SystemInfo& info, const Options& options, const Rate& rate, const Instant& x) {
  int fastest = -1;
  double most = 0;
  for (long i = 0; i < x.w.size(); ++i) {
    const auto& name = info.rates[static_cast<std::size_t>(i)];
    if (!std::isfinite(rate.w_dot[i])) return "the acceleration of " + name.name + " is not finite";
    const double change = std::abs(rate.w_dot[i]) / std::max(std::abs(x.w[i]), options.method.absolute_tolerance);
    if (!(change > most)) continue;
    most = change;
    fastest = static_cast<int>(i);
  }
  if (fastest < 0) return "";
  const auto& name = info.rates[static_cast<std::size_t>(fastest)];
  const std::string unit = name.unit.empty() || name.unit == "1" ? "" : " " + name.unit;
  return name.name + " changes fastest for its size: it is " + short_text(x.w[fastest], 3) + unit +
         ", and changes by " + short_text(rate.w_dot[fastest], 3) + unit + " a second";
}

/// Names the contact that is nearest to closing, or closed; empty if there are no contacts.
std::string nearest_contact(const SystemInfo& info, const reference::MechanicalModel& model, const Instant& x) {
  std::string text;
  const Vector gaps = model.contact_gaps(x);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < info.contacts.size(); ++i) {
    const Contact& each = info.contacts[i];
    const bool is_closed = x.p[each.mode] > 0.5;
    const double gap = is_closed ? 0 : std::abs(gaps[static_cast<long>(i)]);
    if (gap >= least) continue;
    least = gap;
    text = "'" + each.name + "', " + (is_closed ? "which is closed" : "with a gap of " + short_text(gap, 2));
  }
  return text;
}

/// Names the event that changes members and occurred most often to this one. Openings of contacts are not counted.
std::string most_frequent_change(const Options& options, const Block& block, long member) {
  const EventRows rows = block.event_rows();
  const auto value = [&](int row) { return block.events[static_cast<std::size_t>(row * block.stride + member)]; };
  int most = -1;
  for (int event = 0; event < options.watch.count; ++event) {
    if (!options.watch.events[event].change.any() || value(rows.count(event)) == 0) continue;
    if (most < 0 || value(rows.count(most)) < value(rows.count(event))) most = event;
  }
  if (most < 0) return "";
  return "event '" + options.events[static_cast<std::size_t>(most)].name + "' occurred most often, " +
         short_text(value(rows.count(most)), 9) + " times, at last at " + short_text(value(rows.last(most)), 6) + " s";
}

}  // namespace

std::string failure_reason(const System& system, const Options& options, const Block& block, long member) {
  const Status status = block.status[static_cast<std::size_t>(member)];
  if (status == Status::too_many_changes) return most_frequent_change(options, block, member);
  const bool has_short_steps = status == Status::step_too_small || status == Status::too_many_steps;
  const bool is_sufficient = status != Status::not_converged && status != Status::inconsistent_constraints &&
                             status != Status::singular_constraints && status != Status::painleve && !has_short_steps;
  if (is_sufficient || !system.reference || system.info.agents > 0) return "";
  Options of_reference;
  of_reference.method = options.method;
  if (of_reference.method.pseudo_inverse == PseudoInverse::cusolver) {
    of_reference.method.pseudo_inverse = PseudoInverse::svd;
  }
  const std::unique_ptr<Runner> runner = system.reference(of_reference);
  const auto& model = dynamic_cast<const reference::ReferenceRunner&>(*runner).model();
  const Instant x =
      member_instant(block, block.q, block.w, member, block.failure_time[static_cast<std::size_t>(member)]);
  const auto name = [&](int row) { return "'" + system.info.constraints[static_cast<std::size_t>(row)].name + "'"; };
  if (status == Status::singular_constraints) {
    if (const std::string why = fault_of_position(system.info, model, x); !why.empty()) return why;
  }
  if (has_short_steps) {
    if (const std::string why = divergent_number(x.q, system.info.coordinates); !why.empty()) return why;
    const Rate rate = reference::evaluate_rate(model, of_reference.method, x);
    if (rate.status != Status::ok) return "";
    const std::string contact = nearest_contact(system.info, model, x);
    return fastest_change(system.info, options, rate, x) + (contact.empty() ? "" : "; nearest contact is " + contact);
  }
  if (system.info.constraints.empty()) return "";
  if (const std::string why = fault_of_contacts(system.info, model, x, options.time.dt); !why.empty()) return why;
  if (status == Status::painleve) {
    return "no motion of the contacts satisfies Coulomb's law (Painleve's paradox); nearest is " +
           nearest_contact(system.info, model, x);
  }
  const Rate rate = reference::evaluate_rate(model, of_reference.method, x);
  if (rate.status == Status::not_converged) {
    return "no non-ideal force agrees with the constraint forces that it changes";
  }
  if (rate.status != Status::ok || !rate.A.allFinite() || !rate.b.allFinite()) return "";
  const Vector gradients = rate.A.rowwise().norm();
  const Vector values = positions(model, x);
  for (int r = 0; r < gradients.size(); ++r) {
    if (gradients[r] == 0 && rate.b[r] == 0 && values[r] == 0)
      continue;  // an open contact, or a row whose `while` is 0
    if (gradients[r] <= vanishing * gradients.maxCoeff()) {
      return "the gradient of constraint " + name(r) + " vanishes, so that no force can hold it";
    }
  }
  if (status == Status::singular_constraints) {
    if (rate.rank == gradients.size() || !model.valid(x)) return "";
    return "the constraints are dependent at this position and less so beyond it: they do not determine how the motion "
           "continues";
  }
  const std::string contact = nearest_contact(system.info, model, x);
  const int open = worst_row(gaps(model, rate, x));
  if (status == Status::inconsistent_constraints) {
    const Vector shares = residual_shares(rate);
    const int row = worst_row(shares);
    if (row >= 0 && shares[row] > options.method.consistency_tolerance) {
      return "constraint " + name(row) + " contradicts others: its acceleration misses by " +
             short_text(100 * shares[row], 2) + " % of its terms";
    }
    if (!contact.empty()) {
      return "no velocity, or no acceleration, satisfies the conditions of all contacts; nearest is " + contact;
    }
    return open < 0 ? "" : "no start on the constraints was found; farthest off is " + name(open);
  }
  if (!contact.empty()) return "the impact or the rest of contacts was not found; nearest is " + contact;
  return open < 0 ? "" : "the constraints were not held to rounding; farthest off is " + name(open);
}

}  // namespace kalaba
