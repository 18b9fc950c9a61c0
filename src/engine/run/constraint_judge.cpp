#include "engine/run/constraint_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference/observation.hpp"
#include "backend/reference/projection.hpp"
#include "engine/run/member_model.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/core/events/expression_value.hpp"

namespace kalaba {
namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();
/// Violations below this share of the least size of a row are not evaluated: it is far below the allowance, so that
/// members of other sizes are judged too.
constexpr double clear_share = 0x1p-44;
constexpr double single_clear_share = 0x1p-16;
constexpr double second_look = 2;  ///< growth of an allowed violation until it is evaluated again
/// Violation, as a share of the terms of a row, above which a member that is not projected is reported.
constexpr double reported_drift = 1e-6;
constexpr double single_reported_drift = 1e-3;
/// Nearly dependent: a singular value within these factors of the rank tolerance counts, or does not count.
constexpr double nearly_above = 100;
constexpr double nearly_below = 10;
constexpr double near_twice = 2;

}  // namespace

ConstraintJudge::ConstraintJudge(const System& system, const MemberModel& model, const Options& options)
    : info_(system.info),
      method_(options.method),
      start_time_(options.time.start),
      projects_(options.project_start),
      derives_(!system.info.sensitivities.empty() || !system.info.exponents.empty()),
      threads_(options.threads),
      model_(model) {
  if (info_.constraints.empty() || info_.servo || !model.exists()) return;
  any_ = true;
  method_.pseudo_inverse = PseudoInverse::svd;
  const bool is_single = options.precision == Precision::single_precision;
  clear_share_ = is_single ? single_clear_share : clear_share;
  const double span = options.time.end - options.time.start;
  allowance_ = reference::constraint_allowance(options.method, is_single, span, options.time.dt);
  drifts_ = options.method.stabilization.kind != Stabilization::Kind::projection;
  reported_ = (is_single ? single_reported_drift : reported_drift) / allowance_.of_terms;
  compares_rows_ = info_.constraints.size() > 1;
}

FieldSet ConstraintJudge::fields() const {
  FieldSet fields = {Field::q, Field::w, Field::violation};
  if (compares_rows_) fields = fields | FieldSet{Field::sigma_kept, Field::sigma_dropped};
  return fields;
}

bool ConstraintJudge::is_off(const Block& block, const std::vector<double>& q, const std::vector<double>& w,
                             long member) const {
  return reference::worst_gap(model_(), member_instant(block, q, w, member, start_time_), allowance_).share > 1;
}

void ConstraintJudge::begin(const Block& block, const std::vector<double>& violation) {
  const auto members = static_cast<std::size_t>(block.members);
  passed_.assign(members, unseen_);
  violated_.assign(members, never);
  off_row_.assign(members, 0.0);
  off_by_.assign(members, 0.0);
  off_.assign(members, 0.0);
  drift_.assign(members, 0.0);
  near_.assign(members, 0.0);
  for (std::size_t i = 0; i < members; ++i) {
    if (block.status[i] != Status::ok) continue;
    passed_[i] = std::max(unseen_, second_look * violation[i]);
    if (projects_ || violation[i] <= unseen_) continue;
    const reference::Instant x = member_instant(block, block.q, block.w, static_cast<long>(i), start_time_);
    const reference::Gap gap = reference::worst_gap(model_(), x, allowance_);
    if (!(gap.share > 1)) continue;
    off_[i] = gap.share;
    if (notes_.off_at_start.empty()) notes_.off_at_start = gap_text(gap, "is");
  }
}

std::vector<long> ConstraintJudge::unassembled(const Block& block, const std::vector<double>& violation) {
  std::vector<char> is_open(static_cast<std::size_t>(block.members), 0);
  const auto at_start = [&](long member) { return member_instant(block, block.q, block.w, member, start_time_); };
  for (long member = 0; unseen_ == 0 && member < block.members; ++member) {
    if (block.status[static_cast<std::size_t>(member)] != Status::ok) continue;
    unseen_ = clear_share_ * reference::least_size(model_(), at_start(member));
    break;
  }
  parallel_for(block.members, 1, threads_, [&](long begin, long end) {
    for (long member = begin; member < end; ++member) {
      const auto i = static_cast<std::size_t>(member);
      if (block.status[i] == Status::not_assembled) is_open[i] = 1;
      if (block.status[i] != Status::ok || violation[i] <= unseen_) continue;
      if (reference::worst_gap(model_(), at_start(member), allowance_).share > 1) is_open[i] = 1;
    }
  });
  std::vector<long> members;
  for (long member = 0; member < block.members; ++member) {
    if (is_open[static_cast<std::size_t>(member)] != 0) members.push_back(member);
  }
  return members;
}

void ConstraintJudge::assemble(Block& block, const std::vector<long>& members, const std::vector<long>& hopeless) {
  for (const long member : members) {
    const auto i = static_cast<std::size_t>(member);
    if (block.status[i] != Status::ok) continue;  // as drawn: no start was found
    reference::Instant x = member_instant(block, block.q, block.w, member, start_time_);
    reference::Gap gap = reference::worst_gap(model_(), x, allowance_);
    Status status = Status::not_assembled;
    const bool is_hopeless = std::ranges::binary_search(hopeless, member);
    if (!derives_ && (!is_hopeless || !info_.contacts.empty()))
      status = reference::assemble(model_(), method_, allowance_, x, gap);
    std::string reason = gap_text(gap, "stays") + (derives_ ? ", and no search follows derivatives" : "");
    if (status == Status::ok && is_hopeless) {  // the constraints without contacts hold
      status = Status::not_assembled;
      if (const std::string contact = contact_text(x); !contact.empty()) reason = contact;
    }
    if (status == Status::ok) {
      reference::scatter(x.q, block.stride, member, block.q);
      reference::scatter(x.w, block.stride, member, block.w);
      continue;
    }
    block.status[i] = status;
    block.failure_time[i] = start_time_;
    if (status != Status::not_assembled) continue;
    if (unassembled_.member >= 0 && unassembled_.member <= block.first + member) continue;
    unassembled_ = {block.first + member, "no start meets the constraints: " + reason};
  }
}

void ConstraintJudge::assemble_closer(Block& block, const std::vector<long>& members) {
  for (const long member : members) {
    const auto i = static_cast<std::size_t>(member);
    if (derives_ || block.status[i] != Status::ok) continue;
    reference::Instant x = member_instant(block, block.q, block.w, member, start_time_);
    reference::Gap gap;
    if (reference::assemble(model_(), method_, allowance_, x, gap) != Status::ok) continue;
    reference::scatter(x.q, block.stride, member, block.q);
    reference::scatter(x.w, block.stride, member, block.w);
  }
}

void ConstraintJudge::note_dependence(const Observation& observed, double time, const Block& block) {
  const std::vector<double>& kept = observed.values[static_cast<std::size_t>(Field::sigma_kept)];
  const std::vector<double>& dropped = observed.values[static_cast<std::size_t>(Field::sigma_dropped)];
  const std::vector<double>& q = observed.values[static_cast<std::size_t>(Field::q)];
  const std::vector<double>& w = observed.values[static_cast<std::size_t>(Field::w)];
  const double tolerance = method_.rank_tolerance;
  // Off the constraints a redundant row has a singular value of the size of the violation.
  const double below = drifts_ ? 1 : nearly_below;
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (near_[i] >= near_twice) continue;
    const bool may_be_near = observed.status[i] == Status::ok &&
                             ((kept[i] > 0 && kept[i] < nearly_above * tolerance) || dropped[i] > tolerance / below);
    near_[i] = may_be_near ? near_[i] + 1 : 0;
    if (near_[i] < near_twice) continue;
    const reference::Dependence found = reference::near_dependence(
        model_(), member_instant(block, q, w, static_cast<long>(i), time), tolerance, nearly_above, below);
    if (found.rows.empty()) near_[i] = 0;
    if (found.rows.empty() || !notes_.dependent.empty()) continue;
    std::string names;
    for (const int row : found.rows) names += (names.empty() ? "'" : ", '") + info_.constraints[row].name + "'";
    notes_.dependent = "member " + std::to_string(block.first + static_cast<long>(i)) +
                       " at t = " + short_text(time, 6) + " s: " + names + " (singular value " +
                       short_text(found.value, 2) + " of the largest)";
  }
}

void ConstraintJudge::take(const Observation& observed, double time, const Block& block) {
  if (compares_rows_) note_dependence(observed, time, block);
  const std::vector<double>& violation = observed.values[static_cast<std::size_t>(Field::violation)];
  const std::vector<double>& q = observed.values[static_cast<std::size_t>(Field::q)];
  const std::vector<double>& w = observed.values[static_cast<std::size_t>(Field::w)];
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    if (observed.status[i] != Status::ok || violation[i] <= passed_[i] || !std::isnan(violated_[i])) continue;
    const reference::Instant x = member_instant(block, q, w, static_cast<long>(i), time);
    const reference::Gap gap = reference::worst_gap(model_(), x, allowance_);
    if (!(gap.share > 1)) {
      passed_[i] = second_look * violation[i];
      drift_[i] = std::max(drift_[i], gap.share);
      if (drifts_ && gap.share > std::max(reported_, farthest_)) {
        farthest_ = gap.share;
        notes_.drifting = "member " + std::to_string(block.first + static_cast<long>(i)) + ": " + gap_text(gap, "is") +
                          " at t = " + short_text(time, 6) + " s, " + short_text(gap.share * allowance_.of_terms, 2) +
                          " of its terms";
      }
      continue;
    }
    violated_[i] = time;
    off_row_[i] = gap.row;
    off_by_[i] = gap.value;
  }
}

std::string ConstraintJudge::reason(const Block& block, long member) const {
  const auto i = static_cast<std::size_t>(member);
  if (block.status[i] == Status::not_assembled && unassembled_.member == block.first + member) {
    return unassembled_.reason;
  }
  if (block.status[i] != Status::constraints_violated) return "";
  if (std::isnan(violated_[i])) {  // a step or a change has found it
    return contact_text(member_instant(block, block.q, block.w, member, block.failure_time[i]));
  }
  return gap_text({.row = static_cast<int>(off_row_[i]), .value = off_by_[i]}, "is") +
         " at t = " + short_text(violated_[i], 6) + " s";
}

void ConstraintJudge::mark(Block& block) const {
  for (std::size_t i = 0; i < violated_.size(); ++i) {
    if (std::isnan(violated_[i]) || is_failure(block.status[i])) continue;
    block.status[i] = Status::constraints_violated;
    block.failure_time[i] = violated_[i];
  }
}

void ConstraintJudge::add_to(Summary& summary, const Block& block) const {
  for (std::size_t i = 0; i < drift_.size(); ++i) {
    if (drifts_ && drift_[i] > reported_ && !is_failure(block.status[i])) ++summary.drifting;
    if (near_[i] >= near_twice) ++summary.nearly_dependent;
  }
  const auto put = [](const std::string& note, std::string& of_summary) {  // notes before an interruption stay
    if (!note.empty()) of_summary = note;
  };
  put(notes_.off_at_start, summary.notes.off_at_start);
  put(notes_.drifting, summary.notes.drifting);
  put(notes_.dependent, summary.notes.dependent);
}

void ConstraintJudge::add_starts_to(Summary& summary, const Block& block) const {
  for (std::size_t i = 0; i < off_.size(); ++i) {
    if (!(off_[i] > 1)) continue;
    ++summary.starts_off;
    if (summary.first_start_off < 0) summary.first_start_off = block.first + static_cast<long>(i);
  }
}

std::string ConstraintJudge::contact_text(const reference::Instant& x) const {
  const auto count = static_cast<long>(info_.contacts.size());
  if (count == 0) return "";
  long deepest = 0;
  const double least = model_().contact_gaps(x).head(count).minCoeff(&deepest);
  if (!(least < 0)) return "";
  const Contact& contact = info_.contacts[static_cast<std::size_t>(deepest)];
  const Variable& constraint = info_.constraints[static_cast<std::size_t>(contact.row)];
  std::string text = "the gap of the contact '" + contact.name + "' is " + short_text(least, 6);
  if (!constraint.unit.empty() && constraint.unit != "1") text += ' ' + constraint.unit;
  if (!constraint.meaning.empty()) text += " (" + constraint.meaning + ")";
  constexpr int most_named = 3;
  int named = 0;
  std::string values;
  for (long i = 0; i < x.q.size(); ++i) {
    reference::Instant moved = x;
    moved.q[i] += std::max(1e-3 * std::abs(x.q[i]), 1e-6);
    if (model_().contact_gaps(moved)[deepest] == least) continue;
    values += (named++ == 0 ? ", where " : ", ") + info_.coordinates[static_cast<std::size_t>(i)].name + " is " +
              short_text(x.q[i], 6);
  }
  return named > most_named ? text : text + values;
}

std::string ConstraintJudge::row_name(int row) const {
  const auto of = [&](int i) { return "'" + info_.constraints[static_cast<std::size_t>(i)].name + "'"; };
  const int holonomic = info_.holonomic;
  if (row < holonomic) return of(row);
  if (row < 2 * holonomic) return "the rate of " + of(row - holonomic);
  return of(row - holonomic);
}

std::string ConstraintJudge::gap_text(const reference::Gap& gap, const char* is) const {
  if (gap.row < 0) return "none";
  const bool is_rate = gap.row >= info_.holonomic && gap.row < 2 * info_.holonomic;
  const int constraint = gap.row < info_.holonomic ? gap.row : gap.row - info_.holonomic;
  const std::string& unit = info_.constraints[static_cast<std::size_t>(constraint)].unit;
  const std::string written = unit.empty() || unit == "1" ? "" : " " + unit;
  return row_name(gap.row) + " " + is + " off by " + short_text(gap.value, 6) + written + (is_rate ? "/s" : "");
}

void ConstraintJudge::save(StateWriter& state) const {
  state.put(unseen_);
  for (const auto* list : {&passed_, &violated_, &off_row_, &off_by_, &off_, &drift_, &near_}) state.put(*list);
}

void ConstraintJudge::restore(StateReader& state) {
  unseen_ = state.get<double>();
  for (auto* list : {&passed_, &violated_, &off_row_, &off_by_, &off_, &drift_, &near_}) {
    *list = state.get_all<double>();
    state.require(list->size() == passed_.size(), "the same members in every list");
  }
}

}  // namespace kalaba
