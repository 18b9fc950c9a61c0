#include "engine/run/failure_reason.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "backend/reference/rate.hpp"
#include "backend/reference/reference.hpp"
#include "engine/run/member_faults.hpp"
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
constexpr double weak = 1e-3;        ///< singular value of nearly dependent rows, relative to the largest

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

/// Names the first coordinate, or rate, that is `divergent`; empty if there is none.
std::string divergent_state(const SystemInfo& info, const Instant& x) {
  const std::string coordinate = divergent_number(x.q, info.coordinates);
  return coordinate.empty() ? divergent_number(x.w, info.rates) : coordinate;
}

std::string at(double t) { return " at t = " + short_text(t, 6) + " s"; }

/// Names the constraints that are nearly dependent; empty if none are.
std::string dependence(const SystemInfo& info, const Rate& rate) {
  const WeakestRows weakest = weakest_rows(info, rate.A);
  if (weakest.value >= weak) return "";
  return "the rows of the constraints " + weakest.names + " are nearly dependent (their least singular value is " +
         short_text(weakest.value, 2) + " of the largest)";
}

/// Returns the fault of the condition `valid`, of the metric or of the size of the state at x; empty if there is none.
std::string fault_of_position(const SystemInfo& info, const reference::MechanicalModel& model, const Instant& x) {
  if (!model.valid(x)) {
    const bool is_mechanism = !info.reactions.empty() || !info.reactions_absence.empty();
    return (is_mechanism ? "a mass, an inertia or a size of a body, or a length or an armature of a joint is negative, "
                           "or the condition `valid` is false"
                         : "the condition `valid` of the model is false") +
           at(x.t);
  }
  if (!model.singular_metric) {
    if (const std::string why = fault_of_metric(info, model, x); !why.empty()) return why + "," + at(x.t);
  }
  const std::string divergence = divergent_state(info, x);
  return divergence.empty() ? "" : divergence + at(x.t);
}

/// Returns the first text that `fault_at` returns for a state ahead of x along its rate; empty if there is none. Failed
/// members keep their last valid state, from which the step failed.
template <class FaultAt>
std::string fault_ahead(const Rate& rate, const Instant& x, double step, const FaultAt& fault_at) {
  for (const double ahead : {step, 2 * step}) {
    const std::string why = fault_at(Instant{x.p, x.t + ahead, x.q + ahead * rate.q_dot, x.w + ahead * rate.w_dot});
    if (!why.empty()) return why;
  }
  return "";
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

/// Names the change by an event or a clock whose new value at x is not finite; empty if there is none.
std::string non_finite_change(const SystemInfo& info, const Options& options, const Instant& x) {
  const StateView<double> state{x.t, x.q.data(), x.w.data()};
  const auto fault = [&](const Change& change, const std::string& whose) -> std::string {
    if (change.observes) return "";
    for (int i = change.first; i < change.first + change.count; ++i) {
      const Assignment& each = options.watch.assignments[i];
      const double value = value_of(options.watch.code + each.first, each.size, x.p.data(), state);
      if (std::isfinite(value)) continue;
      const std::vector<Variable>& targets = each.sort == Settable::coordinate ? info.coordinates
                                             : each.sort == Settable::rate     ? info.rates
                                                                               : info.parameters;
      return "the new value of " + targets[static_cast<std::size_t>(each.index)].name + " by " + whose + " is " +
             (std::isnan(value) ? "nan" : short_text(value, 3));
    }
    return "";
  };
  for (std::size_t i = 0; i < options.events.size(); ++i) {
    const std::string why = fault(options.watch.events[i].change, "event '" + options.events[i].name + "'");
    if (!why.empty()) return why;
  }
  for (std::size_t i = 0; i < options.clocks.size(); ++i) {
    const std::string why = fault(options.watch.clocks[i].change, "clock '" + options.clocks[i].name + "'");
    if (!why.empty()) return why;
  }
  return "";
}

/// Failed member at its last valid state, with the model of the reference that evaluates it.
struct Evaluated {
  const SystemInfo& info;
  const Options& options;
  const reference::MechanicalModel& model;
  const Method& method;
  Instant x;

  /// Solution of the equation of motion at x, which may be evaluated if the metric is positive definite.
  Rate rate() const { return reference::evaluate_rate(model, method, x); }
};

/// Returns why a number of the member became NaN or infinite.
std::string reason_of_non_finite(const Evaluated& member) {
  const auto& [info, options, model, method, x] = member;
  const auto fault_at = [&](const Instant& place) {
    std::string why = non_finite_number(member.info, member.model, place);
    if (why.empty()) why = non_finite_change(member.info, member.options, place);
    return why.empty() ? "" : why + at(place.t);
  };
  if (const std::string why = fault_at(x); !why.empty()) return why;
  const Rate rate = member.rate();
  if (rate.status == Status::singular_constraints) return fault_of_position(info, model, x);
  const std::string fastest = fastest_change(info, options, rate, x);
  if (!rate.w_dot.allFinite()) return fastest + at(x.t);
  if (const std::string why = fault_ahead(rate, x, options.time.dt, fault_at); !why.empty()) return why;
  const std::string divergence = divergent_state(info, x);
  if (!divergence.empty()) return divergence + at(x.t);
  return "the state at t = " + short_text(x.t, 6) + " s is finite, and that after the next step is not" +
         (fastest.empty() ? "" : "; " + fastest);
}

/// Name of a constraint whose gradient is zero at x and not at near positions; empty if there is none. The rows of open
/// contacts, and those whose `while` is 0, are zero at every position.
std::string vanishing_row(const Evaluated& member, const Rate& rate) {
  constexpr double share = 1e-3;
  Instant moved = member.x;
  for (long i = 0; i < moved.q.size(); ++i) {
    moved.q[i] += share * std::max(std::abs(moved.q[i]), 1.0) / static_cast<double>(1 + i);
  }
  const reference::Matrix near = member.model.constraint_matrix(moved);
  for (long r = 0; r < near.rows(); ++r) {
    if (rate.A.row(r).isZero(0) && near.row(r).norm() > 0) {
      return "'" + member.info.constraints[static_cast<std::size_t>(r)].name + "'";
    }
  }
  return "";
}

/// Returns why a member whose position has no fault has no motion from there on.
std::string reason_of_singular(const Evaluated& member, const Rate& rate) {
  const auto& [info, options, model, method, x] = member;
  if (rate.status == Status::singular_constraints) {
    return "the metric (mass matrix) and the constraints together do not determine the accelerations" + at(x.t);
  }
  if (const std::string row = vanishing_row(member, rate); !row.empty()) {
    return "the gradient of constraint " + row + " vanishes" + at(x.t) + " and not beyond it: " + row +
           " does not determine how the motion continues";
  }
  const auto open_rows = (rate.A.rowwise().norm().array() == 0).count();
  if (rate.rank + open_rows < rate.A.rows()) {
    return "the constraints " + weakest_rows(info, rate.A).names + " are dependent at this position" + at(x.t) +
           ", and less so beyond it: they do not determine how the motion continues";
  }
  const std::string ahead = fault_ahead(rate, x, options.time.dt, [&](const Instant& place) -> std::string {
    return place.q.allFinite() && place.w.allFinite() ? fault_of_position(member.info, member.model, place) : "";
  });
  if (!ahead.empty()) return ahead;
  if (const std::string rows = dependence(info, rate); !rows.empty()) return rows + "," + at(x.t);
  return "after t = " + short_text(x.t, 6) +
         " s the metric (mass matrix) stops being positive definite, the condition `valid` becomes false, or the rank "
         "of the constraints changes so that they do not determine the motion";
}

/// Returns why the steps of a member became short, or too many.
std::string reason_of_short_steps(const Evaluated& member) {
  const auto& [info, options, model, method, x] = member;
  if (const std::string why = divergent_number(x.q, info.coordinates); !why.empty()) return why + at(x.t);
  if (const std::string why = non_finite_number(info, model, x); !why.empty()) return why + at(x.t);
  const Rate rate = member.rate();
  if (rate.status == Status::singular_constraints) return fault_of_position(info, model, x);
  std::vector<std::string> parts;
  if (const std::string fastest = fastest_change(info, options, rate, x); !fastest.empty()) {
    parts.push_back(fastest + "," + at(x.t));
  }
  if (const std::string contact = nearest_contact(info, model, x); !contact.empty()) {
    parts.push_back("nearest contact is " + contact);
  }
  if (const std::string rows = dependence(info, rate); !rows.empty()) parts.push_back(rows);
  if (parts.empty()) return "no rate changes" + at(x.t) + ": a force or a constraint jumps there";
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

std::string failure_reason(const System& system, const Options& options, const Block& block, long member) {
  const Status status = block.status[static_cast<std::size_t>(member)];
  if (status == Status::too_many_changes) return most_frequent_change(options, block, member);
  const bool has_short_steps = status == Status::step_too_small || status == Status::too_many_steps;
  const bool is_sufficient = status != Status::non_finite && status != Status::not_converged &&
                             status != Status::inconsistent_constraints && status != Status::singular_constraints &&
                             status != Status::painleve && !has_short_steps;
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
  const Evaluated evaluated = {system.info, options, model, of_reference.method, x};
  if (status == Status::non_finite) return reason_of_non_finite(evaluated);
  if (has_short_steps) return reason_of_short_steps(evaluated);
  if (status == Status::singular_constraints) {
    if (const std::string why = fault_of_position(system.info, model, x); !why.empty()) return why;
    if (system.info.constraints.empty()) return reason_of_singular(evaluated, evaluated.rate());
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
  if (rate.status == Status::singular_constraints) {
    return status == Status::singular_constraints ? reason_of_singular(evaluated, rate) : "";
  }
  if (rate.status != Status::ok || !rate.A.allFinite() || !rate.b.allFinite()) return "";
  const Vector gradients = rate.A.rowwise().norm();
  const Vector values = positions(model, x);
  for (int r = 0; r < gradients.size(); ++r) {
    if (gradients[r] == 0 && rate.b[r] == 0 && values[r] == 0)
      continue;  // an open contact, or a row whose `while` is 0
    if (gradients[r] <= vanishing * gradients.maxCoeff()) {
      return "the gradient of constraint " + name(r) + " vanishes" + at(x.t) + ", so that no force can hold it";
    }
  }
  if (status == Status::singular_constraints) return reason_of_singular(evaluated, rate);
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
