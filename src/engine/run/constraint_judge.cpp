#include "engine/run/constraint_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference/projection.hpp"
#include "engine/run/member_model.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/backend/parallel.hpp"

namespace kalaba {
namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();
/// Violations below this share of the least size of a row are not evaluated: it is far below the allowance, so that
/// members of other sizes are judged too.
constexpr double clear_share = 0x1p-44;
constexpr double single_clear_share = 0x1p-16;
constexpr double second_look = 2;  ///< growth of an allowed violation until it is evaluated again

void put_values(const reference::Vector& values, long stride, long member, std::vector<double>& rows) {
  for (long i = 0; i < values.size(); ++i) rows[static_cast<std::size_t>(i * stride + member)] = values[i];
}

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
}

bool ConstraintJudge::is_off(const Block& block, const std::vector<double>& q, const std::vector<double>& w,
                             long member) const {
  return reference::worst_gap(model_(), member_instant(block, q.data(), w.data(), member, start_time_), allowance_)
             .share > 1;
}

void ConstraintJudge::begin(const Block& block, const std::vector<double>& violation) {
  const auto members = static_cast<std::size_t>(block.members);
  passed_.assign(members, unseen_);
  violated_.assign(members, never);
  off_.assign(members, 0.0);
  for (std::size_t i = 0; i < members; ++i) {
    if (block.status[i] != Status::ok) continue;
    passed_[i] = std::max(unseen_, second_look * violation[i]);
    if (projects_ || violation[i] <= unseen_) continue;
    const reference::Instant x =
        member_instant(block, block.q.data(), block.w.data(), static_cast<long>(i), start_time_);
    const reference::Gap gap = reference::worst_gap(model_(), x, allowance_);
    if (gap.share > 1) off_[i] = gap.share;
  }
}

std::vector<long> ConstraintJudge::unassembled(const Block& block, const std::vector<double>& violation) {
  std::vector<char> is_open(static_cast<std::size_t>(block.members), 0);
  const auto at_start = [&](long member) {
    return member_instant(block, block.q.data(), block.w.data(), member, start_time_);
  };
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
    reference::Instant x = member_instant(block, block.q.data(), block.w.data(), member, start_time_);
    reference::Gap gap = reference::worst_gap(model_(), x, allowance_);
    Status status = Status::not_assembled;
    if (!derives_ && !std::ranges::binary_search(hopeless, member))
      status = reference::assemble(model_(), method_, allowance_, x, gap);
    if (status == Status::ok) {
      put_values(x.q, block.stride, member, block.q);
      put_values(x.w, block.stride, member, block.w);
      continue;
    }
    block.status[i] = status;
    block.failure_time[i] = start_time_;
    if (status != Status::not_assembled || !first_failure_.empty()) continue;
    first_failure_ = "member " + std::to_string(block.first + member) +
                     ": no start meets the constraints: " + gap_text(gap, "stays") +
                     (derives_ ? ", and no search follows derivatives" : "");
  }
}

void ConstraintJudge::assemble_closer(Block& block, const std::vector<long>& members) {
  for (const long member : members) {
    const auto i = static_cast<std::size_t>(member);
    if (derives_ || block.status[i] != Status::ok) continue;
    reference::Instant x = member_instant(block, block.q.data(), block.w.data(), member, start_time_);
    reference::Gap gap;
    if (reference::assemble(model_(), method_, allowance_, x, gap) != Status::ok) continue;
    put_values(x.q, block.stride, member, block.q);
    put_values(x.w, block.stride, member, block.w);
  }
}

void ConstraintJudge::take(const Observation& observed, double time, const Block& block) {
  const std::vector<double>& violation = observed.values[static_cast<std::size_t>(Field::violation)];
  const double* const q = observed.values[static_cast<std::size_t>(Field::q)].data();
  const double* const w = observed.values[static_cast<std::size_t>(Field::w)].data();
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    if (observed.status[i] != Status::ok || violation[i] <= passed_[i] || !std::isnan(violated_[i])) continue;
    const reference::Instant x = member_instant(block, q, w, static_cast<long>(i), time);
    const reference::Gap gap = reference::worst_gap(model_(), x, allowance_);
    if (!(gap.share > 1)) {
      passed_[i] = second_look * violation[i];
      continue;
    }
    violated_[i] = time;
    if (first_failure_.empty()) {
      first_failure_ = "member " + std::to_string(block.first + static_cast<long>(i)) + ": " + gap_text(gap, "is") +
                       " at t = " + short_text(time, 6) + " s";
    }
  }
}

void ConstraintJudge::mark(Block& block) const {
  for (std::size_t i = 0; i < violated_.size(); ++i) {
    if (std::isnan(violated_[i]) || is_failure(block.status[i])) continue;
    block.status[i] = Status::constraints_violated;
    block.failure_time[i] = violated_[i];
  }
}

void ConstraintJudge::add_to(Summary& summary, const Block& block) const {
  for (std::size_t i = 0; i < off_.size(); ++i) {
    if (!(off_[i] > 1)) continue;
    ++summary.starts_off;
    if (summary.first_start_off < 0) summary.first_start_off = block.first + static_cast<long>(i);
  }
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
  for (const auto* list : {&passed_, &violated_, &off_}) state.put(*list);
}

void ConstraintJudge::restore(StateReader& state) {
  unseen_ = state.get<double>();
  for (auto* list : {&passed_, &violated_, &off_}) *list = state.get_all<double>();
  state.require(passed_.size() == violated_.size() && passed_.size() == off_.size(), "three numbers a member");
}

}  // namespace kalaba
