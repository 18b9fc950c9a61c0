#include "engine/run/conserved.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference/judge.hpp"
#include "backend/reference/passage.hpp"
#include "backend/reference/step.hpp"
#include "engine/run/member_model.hpp"
#include "kalaba/backend/parallel.hpp"

namespace kalaba {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_looks = 32;  ///< saved times at which the term sizes of a member's invariant are evaluated

const std::vector<double>& values_of(const Observation& observed, Field field) {
  return observed.values[static_cast<std::size_t>(field)];
}

/// Kinetic energy of a member at x, or shortly before if it is less than `enough` at x, but not before the time
/// `start`. At a turning point of an oscillation the kinetic energy is zero although it is exchanged with the
/// potential. The state before is found by one step back, long enough for the rate at x to change the kinetic energy by
/// a few times `enough`; it counts if the step conserves the energy.
double recent_kinetic_energy(const reference::MechanicalModel& model, const Method& method, const reference::Instant& x,
                             double start, double enough) {
  const double now = reference::kinetic_energy(model, x);
  if (now >= enough) return now;
  const reference::Rate rate = reference::evaluate_rate(model, method, x);
  if (rate.status != Status::ok) return now;
  const double growth = 0.5 * rate.w_dot.dot(model.metric(x) * rate.w_dot);  // of the kinetic energy from rest, J/s^2
  const double back = (2 * std::sqrt(enough) + std::sqrt(now)) / std::sqrt(growth);
  if (!(back <= x.t - start)) return now;
  reference::RankMemory memory;
  const reference::Step step = reference::step_member(model, method, memory, x, -back, x.t - back);
  if (step.status != Status::ok) return now;
  const double before = reference::kinetic_energy(model, step.end);
  const bool conserves = std::abs(model.energy(step.end) - model.energy(x)) <= before / 4;
  return conserves ? std::max(now, before) : now;
}

}  // namespace

ConservedNumbers::ConservedNumbers(const System& system, const MemberModel& model, const Options& options)
    : info_(system.info),
      threads_(options.threads),
      method_(options.method),
      start_(options.time.start),
      model_(model) {
  const bool single = options.precision == Precision::single_precision;
  const double epsilon = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  share_ = single ? Drift::single_share : Drift::share;
  rounding_ = 0x1p10 * epsilon;
  if (!model.exists() || may_change(options.events, options.clocks) || info_.has_changes()) return;
  energy_ = info_.conserves_energy;
  for (std::size_t i = 0; i < info_.invariance.size(); ++i) {
    if (info_.invariance[i] != Invariance::free) invariants_.push_back(i);
  }
  if (!energy_ && invariants_.empty()) return;
  fields_ = {Field::q, Field::w};
  if (energy_) fields_ = fields_ | FieldSet{Field::energy};
  if (!invariants_.empty()) fields_ = fields_ | FieldSet{Field::invariants};
  numbers_.resize(invariants_.size() + (energy_ ? 1 : 0));
}

double ConservedNumbers::now(const Observation& observed, std::size_t number, std::size_t member, long stride) const {
  if (is_energy(number)) return values_of(observed, Field::energy)[member];
  return values_of(observed, Field::invariants)[invariant_of(number) * static_cast<std::size_t>(stride) + member];
}

double ConservedNumbers::allowance(std::size_t number, const reference::Instant& x, double needed) const {
  if (is_energy(number)) {
    const double allowed = share_ * recent_kinetic_energy(model_(), method_, x, start_, needed / share_);
    return allowed >= needed ? allowed : allowed + rounding_ * model_().sized_energy(x).rounding;
  }
  const reference::Sized sized = model_().sized_invariants(x)[invariant_of(number)];
  return share_ * sized.terms + rounding_ * sized.rounding;
}

void ConservedNumbers::begin(const Observation& start, const Block& block) {
  const auto members = static_cast<std::size_t>(block.members);
  for (std::size_t number = 0; number < numbers_.size(); ++number) {
    Watched& each = numbers_[number];
    each.first.resize(members);
    for (std::size_t i = 0; i < members; ++i) each.first[i] = now(start, number, i, block.stride);
    if (!is_energy(number) && info_.invariance[invariant_of(number)] == Invariance::zero)
      std::ranges::fill(each.first, 0.0);
    each.worst.assign(members, 0.0);
    each.allowed.assign(members, 0.0);
    each.looks.assign(members, 0.0);
    if (is_energy(number)) continue;
    for (std::size_t i = 0; i < members; ++i) each.allowed[i] = share_ * std::abs(each.first[i]);
  }
}

void ConservedNumbers::take(const Observation& observed, double time, const Block& block) {
  const std::vector<double>& q = values_of(observed, Field::q);
  const std::vector<double>& w = values_of(observed, Field::w);
  parallel_for(block.members, 1, threads_, [&](long begin, long end) {
    for (std::size_t number = 0; number < numbers_.size(); ++number) {
      Watched& each = numbers_[number];
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        if (observed.status[i] != Status::ok) continue;
        const double change = std::abs(now(observed, number, i, block.stride) - each.first[i]);
        each.worst[i] = std::max(each.worst[i], std::isnan(change) ? infinity : change);
        if (each.worst[i] <= each.allowed[i] || each.looks[i] >= most_looks) continue;
        ++each.looks[i];
        const reference::Instant x = member_instant(block, q, w, static_cast<long>(i), time);
        const double allowed = allowance(number, x, each.worst[i]);
        if (std::isfinite(allowed)) each.allowed[i] = std::max(each.allowed[i], allowed);
      }
    }
  });
}

void ConservedNumbers::add_to(Summary& summary, const Block& block) const {
  const auto members = static_cast<std::size_t>(block.members);
  for (std::size_t number = 0; number < numbers_.size(); ++number) {
    const Watched& each = numbers_[number];
    for (std::size_t i = 0; i < members; ++i) {
      if (is_failure(block.status[i])) continue;
      const long member = block.first + static_cast<long>(i);
      const bool drifts = each.worst[i] > each.allowed[i];
      const double relative = drifts ? each.worst[i] * share_ / each.allowed[i] : 0;
      if (is_energy(number)) {
        const auto take = [&](Drift& drift) {
          if (drifts) ++drift.drifted;
          if (relative > drift.relative) {
            drift.relative = relative;
            drift.relative_member = member;
          }
          if (drift.member >= 0 && !(each.worst[i] > drift.energy)) return;
          drift.energy = each.worst[i];
          drift.first = each.first[i];
          drift.member = member;
        };
        take(summary.drift);
        if (block.singular_passages[i] > 0) take(summary.passage_drift);
      } else if (drifts) {
        InvariantDrift& drift = summary.invariants;
        ++drift.drifted;
        if (drift.member >= 0 && !(relative > drift.relative)) continue;
        const std::string& name = info_.invariants[invariant_of(number)].name;
        drift = {drift.drifted, name, member, each.first[i], each.worst[i], relative};
      }
    }
  }
}

void ConservedNumbers::save(StateWriter& state) const {
  for (const Watched& each : numbers_) {
    for (const auto* list : {&each.first, &each.worst, &each.allowed, &each.looks}) state.put(*list);
  }
}

void ConservedNumbers::restore(StateReader& state) {
  for (Watched& each : numbers_) {
    for (auto* list : {&each.first, &each.worst, &each.allowed, &each.looks}) {
      *list = state.get_all<double>();
      state.require(list->size() == each.first.size(), "four numbers a member");
    }
  }
}

}  // namespace kalaba
