#include "backend/reference/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "backend/reference/events.hpp"
#include "backend/reference/friction.hpp"
#include "backend/reference/gaps.hpp"
#include "backend/reference/impact.hpp"
#include "backend/reference/linear.hpp"
#include "backend/reference/projection.hpp"
#include "backend/reference/rate.hpp"
#include "kalaba/core/base/operation_value.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba::reference {
namespace {

// Tolerances that docs/contact.md states.
constexpr double touching_gap = 1e-9;    ///< relative to the terms of the gap
constexpr double least_bounce = 1e-12;   ///< height, likewise
constexpr double least_terms = 1e-6;     ///< least size of these terms, of Limits::least_size
constexpr double still = 1e-10;          ///< rate of a gap, relative to its terms
constexpr double given_tolerances = 16;  ///< absolute tolerances in a zero gap
constexpr double time_roundings = 256;   ///< of the path in the rounding error of the time
constexpr int settle_iterations = 50;    ///< of the projection
// Slip below which friction in a plane keeps its direction: relative to its terms, and to the slip that friction
// changes in a step.
constexpr double least_part_of_slip = 1.5e-8;
constexpr double least_part_of_step = 0.5;
constexpr double least_part_of_adaptive_step = 1e-3;
constexpr double resolved_slip = 1e-3;  ///< at the end of sliding, relative to that slip

/// Rows of all constraints and contacts at an instant, in the unit metric.
struct Rows {
  MetricRoot G;
  Vector u;        ///< G^(1/2) w
  Vector free;     ///< G^(1/2) a, of the rate without constraints
  Vector present;  ///< G^(1/2) w', with the present modes
  Matrix B;        ///< A G^(-1/2)
  Vector offsets;  ///< parts of the rates that do not depend on u
  Vector b;        ///< B u' = b
  double t = 0;

  BoundedRows equations(const std::vector<int>& rows) const { return {B(rows, Eigen::all), b(rows)}; }
  /// The rates of these rows and zero.
  BoundedRows at_rate_zero(const std::vector<int>& rows) const { return {B(rows, Eigen::all), -offsets(rows)}; }
};

/// Rows of the slips of a contact.
std::vector<int> tangents_of(const WatchedFriction& friction) {
  if (!friction.any()) return {};
  return friction.in_plane() ? std::vector{friction.tangent, friction.second} : std::vector{friction.tangent};
}

Vector rates_at(const MechanicalModel& model, const Instant& x) {
  Vector rates(model.holonomic + model.nonholonomic);
  rates << model.phi_dot(x), model.psi(x);
  return rates;
}

/// None for a metric that is not positive definite. The rows of the contacts are those with all contacts closed.
std::optional<Rows> rows_at(const MechanicalModel& model, const Method& method, const Watch& watch, const Instant& x) {
  Instant closed = x;
  for (int i = 0; i < watch.contact_count; ++i) {
    closed.p[watch.contacts[i].mode] = 1;
    const WatchedFriction& friction = watch.contacts[i].friction;
    if (!friction.any()) continue;
    closed.p[friction.sticks] = 1;
    closed.p[friction.slides] = 0;
  }
  Rate rate = evaluate_rate(model, method, x);
  if (rate.status == Status::singular_constraints) return std::nullopt;
  const Rate of_closed = evaluate_rate(model, method, closed);
  Vector rates = rates_at(model, x);
  const Vector rates_of_closed = rates_at(model, closed);
  for (int i = 0; i < watch.contact_count; ++i) {
    const auto take = [&](int r) {
      rate.A.row(r) = of_closed.A.row(r);
      rate.b[r] = of_closed.b[r];
      rates[r] = rates_of_closed[r];
    };
    take(watch.contacts[i].row);
    for (const int r : tangents_of(watch.contacts[i].friction)) take(r);
  }
  Rows rows;
  rows.G = metric_root(model.metric(x));
  rows.u = rows.G.root * x.w;
  rows.free = rows.G.root * rate.a;
  rows.present = rows.G.root * rate.w_dot;
  rows.B = rate.A * rows.G.inverse_root;
  rows.offsets = rates - rows.B * rows.u;
  rows.b = rate.b;
  rows.t = x.t;
  return rows;
}

/// Rows of constraints, and rows and laws of the contacts that touch.
struct Chosen {
  std::vector<int> constraints;
  std::vector<int> contacts;  ///< indices of the watch
  std::vector<int> rows;      ///< of these contacts
  Vector restitution;         ///< likewise
  std::vector<ImpactLaw> laws;
  std::vector<std::vector<int>> tangents;  ///< rows of the friction of these contacts
  std::vector<bool> ends;                  ///< contacts that slide in a plane and come to rest
  std::vector<double> mu;                  ///< likewise

  bool rubs() const {
    return std::ranges::any_of(mu, [](double each) { return each > 0; });
  }
  /// Contacts with the bounds of their rates at rest, and the friction of those that have some.
  std::vector<FrictionContact> friction_of(const Rows& all) const {
    std::vector<FrictionContact> found;
    for (std::size_t i = 0; i < contacts.size() && rubs(); ++i) {
      FrictionContact each;
      each.n = all.B.row(rows[i]);
      each.n_bound = -all.offsets[rows[i]];
      each.mu = mu[i];
      if (mu[i] > 0) {
        each.t = all.B(tangents[i], Eigen::all);
        each.t_bound = -all.offsets(tangents[i]);
      }
      found.push_back(std::move(each));
    }
    return found;
  }

  TouchingRows of(const Rows& all) const {
    return {all.B(constraints, Eigen::all),
            all.offsets(constraints),
            all.B(rows, Eigen::all),
            all.offsets(rows),
            restitution,
            laws,
            friction_of(all)};
  }
};

/// Size of the terms of an acceleration of a row.
double acceleration_terms(const Rows& rows, int r, const Vector& acceleration) {
  return rows.B.row(r).norm() * acceleration.norm() + std::abs(rows.b[r]);
}

/// Largest speed of a fall from this height.
double fall_speed(const Rows& rows, int row, double height) {
  return std::sqrt(2 * height * acceleration_terms(rows, row, rows.free));
}

/// Returns true if the rate of row r is zero: up to rounding, also of the time, or slower than a fall from a height
/// that is none. `size`: of u before the impact and at the ends of the step.
bool is_still(const Rows& rows, int r, double rate, double size, double slow) {
  const double terms = rows.B.row(r).norm() * std::max(size, rows.u.norm()) + std::abs(rows.offsets[r]);
  const double of_time = time_roundings * std::numeric_limits<double>::epsilon() * std::abs(rows.t);
  const double acceleration =
      std::max(acceleration_terms(rows, r, rows.free), acceleration_terms(rows, r, rows.present));
  return std::abs(rate) <= std::max(still * terms + of_time * acceleration, slow);
}

bool is_still(const Rows& rows, const std::vector<int>& all, const Vector& rates, double size, double slow) {
  return std::ranges::all_of(all, [&](int r) { return is_still(rows, r, rates[r], size, slow); });
}

/// Returns true for a contact that slides in a plane and has no slip left along its direction, and across it less than
/// a step resolves.
bool comes_to_rest(const WatchedFriction& friction, const Instant& x, const Vector& rates) {
  if (!friction.in_plane() || x.p[friction.slides] == 0) return false;
  const Vector slip = rates(tangents_of(friction));
  const double least = x.p[friction.least];
  const double along = x.p[friction.way[0]] * slip[0] + x.p[friction.way[1]] * slip[1] + x.p[friction.slack];
  return along <= resolved_slip * least && slip.norm() <= least;
}

/// The contacts at rest, with the bounds of their accelerations, and the directions of the slips that are not zero.
std::vector<FrictionContact> accelerations(const Rows& rows, const Chosen& chosen, const Vector& rates, double size,
                                           const std::vector<double>& heights, const std::vector<bool>& at_rest) {
  const std::vector<FrictionContact> all = chosen.friction_of(rows);
  std::vector<FrictionContact> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!at_rest[i]) continue;
    FrictionContact each = all[i];
    each.n_bound = rows.b[chosen.rows[i]];
    if (each.mu > 0) {
      const std::vector<int>& tangents = chosen.tangents[i];
      each.t_bound = rows.b(tangents);
      const double slow = fall_speed(rows, chosen.rows[i], heights[i]);
      const bool is_zero = chosen.ends[i] || is_still(rows, tangents, rates, size, slow);
      if (!is_zero) each.slip = rates(tangents).normalized();
    }
    found.push_back(std::move(each));
  }
  return found;
}

/// Finds the contacts that stay closed: those that push in the motion with the least deviation from the unconstrained
/// rate (Gauss) in which no contact at rest accelerates into its gap. `at_rest` are the chosen contacts without a rate;
/// contacts with a bounce below its height are added to them. Returns false if no such motion exists.
bool find_pushing(const Rows& rows, const Chosen& chosen, const Vector& rates, double size,
                  const std::vector<double>& heights, double rank_tolerance, std::vector<bool>& at_rest,
                  std::vector<bool>& pushes, std::vector<GrippedContact>& grips, std::vector<bool>& is_carried) {
  const BoundedRows constraints = rows.equations(chosen.constraints);
  for (bool again = true, first = true; again; first = false) {
    std::vector<int> resting;
    for (std::size_t i = 0; i < at_rest.size(); ++i) {
      if (at_rest[i]) resting.push_back(chosen.rows[i]);
    }
    Vector u;
    std::vector<bool> active;
    std::vector<GrippedContact> motions(resting.size());
    std::vector<bool> carried(resting.size());
    if (chosen.rubs()) {
      const auto motion = point_with_friction(
          rows.free, constraints, accelerations(rows, chosen, rates, size, heights, at_rest), rank_tolerance);
      if (!motion) return false;
      u = motion->u;
      motions = motion->contacts;
      carried = motion->is_carried;
      for (const GrippedContact& each : motions) active.push_back(each.grip != Grip::open);
    } else {
      const NearestPoint motion = nearest_point(rows.free, constraints, rows.equations(resting), rank_tolerance);
      if (!motion.exists) return false;
      u = motion.u;
      active = motion.active;
    }
    again = false;
    for (std::size_t i = 0, next = 0; i < at_rest.size(); ++i) {
      pushes[i] = at_rest[i] && active[next];
      is_carried[i] = at_rest[i] && carried[next];
      grips[i] = at_rest[i] ? motions[next++] : GrippedContact();
      if (at_rest[i] || !first) continue;
      const int r = chosen.rows[i];
      const double fall = rows.b[r] - rows.B.row(r).dot(u);
      at_rest[i] = fall > 0 && rates[r] * rates[r] <= 2 * heights[i] * fall;
      again = again || at_rest[i];
    }
  }
  return true;
}

/// Status of contacts without an admissible velocity or acceleration.
Status no_motion(const Chosen& chosen) {
  if (!chosen.rubs()) return Status::inconsistent_constraints;
  return chosen.contacts.size() > most_friction_contacts ? Status::not_converged : Status::painleve;
}

/// Projects the rates onto the active constraints, with no contact at rest closing: the projection of a slip that
/// counts as zero may lead into a contact that rests without pushing.
void keep_apart(const MechanicalModel& model, const Method& method, const Watch& watch, const Chosen& chosen,
                const std::vector<bool>& at_rest, Instant& x) {
  std::vector<int> active = chosen.constraints;
  std::vector<int> apart;
  for (std::size_t i = 0; i < at_rest.size(); ++i) {
    const WatchedContact& contact = watch.contacts[chosen.contacts[i]];
    const bool is_closed = x.p[contact.mode] != 0;
    if (is_closed) active.push_back(contact.row);
    if (at_rest[i] && !is_closed) apart.push_back(contact.row);
    if (!contact.friction.any() || x.p[contact.friction.sticks] == 0) continue;
    for (const int r : chosen.tangents[i]) active.push_back(r);
  }
  if (apart.empty()) return;
  const auto rows = rows_at(model, method, watch, x);
  if (!rows) return;
  const NearestPoint kept =
      nearest_point(rows->u, rows->at_rate_zero(active), rows->at_rate_zero(apart), method.rank_tolerance);
  if (kept.exists) x.w = rows->G.inverse_root * kept.u;
}

}  // namespace

bool Contacts::is_release(int event, const Instant& x) const {
  const int contact = watch_.events[event].contact;
  return contact >= 0 && is_closed(contact, x);
}

void Contacts::open(Instant& x) const {
  for (int i = 0; i < watch_.contact_count; ++i) {
    x.p[watch_.contacts[i].mode] = 0;
    const WatchedFriction& friction = watch_.contacts[i].friction;
    if (friction.any()) x.p[friction.sticks] = x.p[friction.slides] = 0;
  }
}

double Contacts::zero_gap(int contact, const Instant& x) const {
  const double roundings = time_roundings * std::numeric_limits<double>::epsilon() * std::abs(x.t);
  const Vector terms = model_.contact_terms(x);
  const double speed = terms[watch_.contact_count + contact];
  const double size = std::max(terms[contact], Limits<double>::least_size);
  const double error = adapts(method_.integrator) ? given_tolerances * method_.absolute_tolerance : 0;
  return touching_gap * size + error + roundings * speed;
}

/// An open contact whose gap is negative beyond its tolerance.
bool Contacts::is_deep(int contact, const Instant& x) const {
  if (is_closed(contact, x)) return false;
  const double gap = model_.contact_gaps(x)[contact] + x.p[watch_.contacts[contact].slack];
  return gap < -zero_gap(contact, x);
}

bool Contacts::penetrates(const Instant& x) const {
  for (int i = 0; i < watch_.contact_count; ++i) {
    if (is_deep(i, x)) return true;
  }
  return false;
}

/// Modes of the contacts, and the states of their friction.
std::vector<double> Contacts::modes(const Instant& x) const {
  std::vector<double> modes;
  for (int i = 0; i < watch_.contact_count; ++i) {
    const WatchedContact& contact = watch_.contacts[i];
    modes.push_back(x.p[contact.mode]);
    if (!contact.friction.any()) continue;
    modes.push_back(x.p[contact.friction.sticks]);
    modes.push_back(x.p[contact.friction.slides]);
  }
  return modes;
}

std::vector<int> Contacts::lost(const Instant& end, const Vector& rows) const {
  std::vector<int> events;
  const auto value = [&](int event) { return value_of(watch_.events[event].expression, end, rows); };
  for (int i = 0; i < watch_.contact_count; ++i) {
    const int event = watch_.contacts[i].event;
    if (is_lost(i, end, value(event))) events.push_back(event);
    const WatchedFriction& friction = watch_.contacts[i].friction;
    if (!friction.any() || end.p[friction.sticks] == 0) continue;
    const double force =
        std::abs(rows[friction.force]) + (friction.in_plane() ? std::abs(rows[friction.force + 1]) : 0);
    if (value(friction.event) < -touching_gap * force) events.push_back(friction.event);
  }
  return events;
}

std::vector<int> Contacts::closing(const Instant& x) const {
  std::vector<int> events;
  const Vector gaps = model_.contact_gaps(x);
  for (int i = 0; i < watch_.contact_count; ++i) {
    const WatchedContact& contact = watch_.contacts[i];
    if (is_closed(i, x) || gaps[i] > zero_gap(i, x)) continue;
    if (x.p[contact.slack] > 0) continue;  // at rest, carried by others: its rate is rounding
    const double rate = gaps[watch_.contact_count + i];
    if (rate < -still * model_.contact_terms(x)[watch_.contact_count + i]) events.push_back(contact.event);
  }
  return events;
}

bool Contacts::is_lost(int contact, const Instant& x, double value) const {
  return is_closed(contact, x) ? value < 0 : is_deep(contact, x);
}

Status Contacts::settle(Instant& x, const StepEnds& step, Status penetrates, bool corrects) const {
  if (!any()) return Status::ok;
  const auto before = rows_at(model_, method_, watch_, x);
  if (!before) return Status::singular_constraints;
  const Vector gaps = model_.contact_gaps(x);

  Chosen chosen;
  std::vector<double> restitution;
  std::vector<bool> is_contact(static_cast<std::size_t>(before->b.size()));
  bool is_below = false;
  bool is_valid = true;
  for (int i = 0; i < watch_.contact_count; ++i) {
    const WatchedContact& contact = watch_.contacts[i];
    const double gap = gaps[i];
    const double e = value_of(contact.restitution, x, {});
    is_contact[static_cast<std::size_t>(contact.row)] = true;
    const double zero = zero_gap(i, x);
    is_below = is_below || !(gap + x.p[contact.slack] >= -zero);
    const double mu = contact.friction.any() ? value_of(contact.friction.coefficient, x, {}) : 0;
    for (const int r : tangents_of(contact.friction)) is_contact[static_cast<std::size_t>(r)] = true;
    is_valid = is_valid && e >= 0 && mu >= 0;
    if (gap > zero && !is_closed(i, x)) continue;
    chosen.contacts.push_back(i);
    chosen.rows.push_back(contact.row);
    chosen.laws.push_back(contact.law);
    restitution.push_back(e);
    chosen.tangents.push_back(tangents_of(contact.friction));
    chosen.mu.push_back(mu);
  }
  if (is_below) return penetrates;
  if (!is_valid) return Status::singular_constraints;
  chosen.restitution = Eigen::Map<const Vector>(restitution.data(), static_cast<long>(restitution.size()));
  for (int r = 0; r < before->b.size(); ++r) {
    if (!is_contact[static_cast<std::size_t>(r)]) chosen.constraints.push_back(r);
  }

  const double size_before = before->u.norm();
  Vector u = before->u;
  const TouchingRows touching = chosen.of(*before);
  const bool strikes = some_closes(touching, u, size_before);
  if (strikes) {
    const Status status = strike(touching, watch_.impacts, method_.rank_tolerance, u);
    if (status != Status::ok) return status;
    x.w = before->G.inverse_root * u;
  }

  const auto after = rows_at(model_, method_, watch_, x);
  if (!after) return Status::singular_constraints;
  const Vector rates = after->B * after->u + after->offsets;
  for (std::size_t i = 0; i < chosen.contacts.size(); ++i) {
    chosen.ends.push_back(comes_to_rest(watch_.contacts[chosen.contacts[i]].friction, x, rates));
  }
  const Vector terms = after->B.rowwise().norm() * std::max(size_before, after->u.norm()) + after->offsets.cwiseAbs();
  const Vector gap_terms = model_.contact_terms(x);
  std::vector<double> heights;
  for (const int i : chosen.contacts) {
    heights.push_back(least_bounce * std::max(gap_terms[i], least_terms * Limits<double>::least_size));
  }
  const double size = std::max({size_before, (after->G.root * step.from).norm(), (after->G.root * step.to).norm()});
  std::vector<bool> at_rest;
  for (std::size_t i = 0; i < chosen.rows.size(); ++i) {
    const int r = chosen.rows[i];
    at_rest.push_back(is_still(*after, r, rates[r], size, fall_speed(*after, r, heights[i])));
  }
  std::vector<bool> pushes(at_rest.size());
  std::vector<GrippedContact> grips(at_rest.size());
  std::vector<bool> is_carried(at_rest.size());
  if (!find_pushing(*after, chosen, rates, size, heights, method_.rank_tolerance, at_rest, pushes, grips, is_carried)) {
    return no_motion(chosen);
  }

  const std::vector<double> modes = this->modes(x);
  open(x);
  for (int i = 0; i < watch_.contact_count; ++i) {
    x.p[watch_.contacts[i].slack] = 0;
    if (watch_.contacts[i].friction.any()) x.p[watch_.contacts[i].friction.slack] = 1;  // no event while it is zero
  }
  for (std::size_t i = 0; i < pushes.size(); ++i) {
    const WatchedContact& contact = watch_.contacts[chosen.contacts[i]];
    if (pushes[i]) x.p[contact.mode] = 1;
    if (pushes[i] && chosen.mu[i] > 0) {
      const WatchedFriction& friction = contact.friction;
      const Vector slip = rates(chosen.tangents[i]);
      const bool slides = grips[i].grip == Grip::slides;
      const Vector way = slides ? grips[i].way : Vector(Vector::Zero(slip.size()));
      x.p[friction.sticks] = slides ? 0 : 1;
      x.p[friction.slides] = friction.in_plane() ? (slides ? 1 : 0) : way[0];
      const double rounding = 64 * std::numeric_limits<double>::epsilon() * terms(chosen.tangents[i]).maxCoeff();
      const double least = is_carried[i] ? fall_speed(*after, contact.row, heights[i]) : rounding;
      x.p[friction.slack] = slides ? std::max(-way.dot(slip), 0.0) + least : 0;
      if (friction.in_plane()) {
        const double slow = fall_speed(*after, contact.row, heights[i]);
        const double error = is_still(*after, chosen.tangents[i], rates, size, slow) ? 16 * slip.norm() : 0;
        double acceleration = 0;
        for (const int t : chosen.tangents[i]) {
          acceleration = std::max(acceleration, chosen.mu[i] * acceleration_terms(*after, t, after->free));
        }
        x.p[friction.way[0]] = way[0];
        x.p[friction.way[1]] = way[1];
        const double part = adapts(method_.integrator) ? least_part_of_adaptive_step : least_part_of_step;
        const double in_step = part * acceleration * step.length;
        const double of_terms = least_part_of_slip * terms(chosen.tangents[i]).maxCoeff();
        x.p[friction.least] = std::max({of_terms, slow, in_step}) + error;
      }
    }
    // The event of a contact at rest that does not push must not occur by the error of a step.
    const double zero = zero_gap(chosen.contacts[i], x);
    if (at_rest[i] && !pushes[i]) x.p[contact.slack] = std::clamp(-gaps[chosen.contacts[i]], 0.0, zero) + zero / 2;
  }
  const bool changes = strikes || this->modes(x) != modes;
  if (!changes || !corrects) return Status::ok;
  const Status status = project(model_, method_, settle_iterations, x);
  if (status == Status::ok) keep_apart(model_, method_, watch_, chosen, at_rest, x);
  return status;
}

}  // namespace kalaba::reference
