#include "backend/reference/columns.hpp"

#include <utility>
#include <vector>

#include "backend/reference/rate.hpp"
#include "backend/reference/step.hpp"

namespace kalaba::reference {

SensitivityColumns ColumnsAlong::at_start(const Instant& given, bool project) const {
  const auto starts = [&](const Instant& x) -> std::optional<Instant> {
    Instant at = x;
    if (start_member(model_, method_, project, at) != Status::ok) return std::nullopt;
    return at;
  };
  return begin_columns(plan_, starts, given);
}

bool ColumnsAlong::passes(const RankMemory& before) const {
  return method_.stabilization.kind == Stabilization::Kind::projection && before.speed > 0;
}

/// Sets the columns at x to NaN along which a row of A w' = b that is zero does not stay zero, so that the rank depends
/// on their variables; all of them if a single row is small but not zero. Returns true if one of them was finite in
/// `before`.
bool ColumnsAlong::forget_singular(int known_rank, const Instant& x, const SensitivityColumns& before,
                                   SensitivityColumns& columns) const {
  const auto rows_at = [&](const Instant& at) {
    const Rate rate = evaluate_rate(model_, method_, RankChoice::at_step(method_, known_rank), at);
    Matrix rows(rate.A.rows(), rate.A.cols() + 1);
    rows << rate.A, rate.b;
    return rows;
  };
  const Matrix rows = rows_at(x);
  if (rows.rows() == 0 || known_rank >= rows.rows()) return false;
  const auto is_zero = [&](long r) { return (rows.row(r).array() == 0).all(); };
  const bool all = rows.rows() == 1 && !is_zero(0);
  const auto value = [&](const Instant& at) -> Vector { return rows_at(at).transpose().reshaped(); };
  const Matrix slopes = slopes_of(plan_, value, x, columns);
  bool lost = false;
  for (long column = 0; column < slopes.cols(); ++column) {
    bool grows = all;
    for (long r = 0; r < rows.rows(); ++r) {
      const auto of_row = slopes.col(column).segment(r * rows.cols(), rows.cols());
      grows = grows || (is_zero(r) && !(of_row.array() == 0).all());
    }
    if (!grows) continue;
    lost = lost || before.q.col(column).allFinite();
    columns.forget(column);
  }
  return lost;
}

bool ColumnsAlong::follow_step(const RankMemory& before, const RankMemory& after, const Instant& x, double dt,
                               double end, SensitivityColumns& columns) const {
  if (passes(before) || after.changes != before.changes) {
    columns.forget();
    return false;
  }
  const bool lost = forget_singular(after.rank, x, columns, columns);
  const auto step = [&](const Instant& at) -> std::optional<Instant> {
    RankMemory own = before;
    Step made = step_member(model_, method_, own, at, dt, end);
    if (made.status != Status::ok) return std::nullopt;
    return made.end;
  };
  follow(plan_, step, x, columns);
  return lost;
}

bool ColumnsAlong::follow_step(const AdaptiveMember& member, const Instant& like, StepColumns& of) const {
  of.before = of.after;
  if (passes(member.before) || member.before.changes != member.memory.changes) {
    of.after.forget();
    return false;
  }
  of.after = within(member, like, member.last.end, of.before);
  return forget_singular(member.memory.rank, step_end(member, like), of.before, of.after);
}

/// Returns the columns at t within the member's last step, from its beginning on.
SensitivityColumns ColumnsAlong::within(const AdaptiveMember& member, const Instant& like, double t,
                                        SensitivityColumns columns) const {
  const auto part = [&](const Instant& from) { return made_again(model_, method_, member, from, t); };
  follow(plan_, part, step_begin(member, like), columns);
  return columns;
}

SensitivityColumns ColumnsAlong::at(const AdaptiveMember& member, const Instant& like, double t,
                                    const StepColumns& of) const {
  if (member.accepted == 0 || member.last.end <= t || of.after.forgotten()) return of.after;
  return within(member, like, t, of.before);
}

SensitivityColumns ColumnsAlong::ahead(const TimeGrid& time, double t, AdaptiveMember member, StepColumns columns,
                                       Instant x) const {
  const Status status = *advance_adaptively(model_, method_, time, t, member, x, [&](auto&) {
    follow_step(member, x, columns);
    const std::vector<Happening> found = watcher_.in_step(member, x).found;
    if (!watcher_.stops(found)) return;
    member.ends = found.back().at.t;
    columns.stopped = of_event(found.back(), member, x, columns).state;
  });
  return status == Status::stopped ? columns.stopped : at(member, x, x.t, columns);
}

EventColumns ColumnsAlong::of_event(const Happening& event, const AdaptiveMember& member, const Instant& like,
                                    const StepColumns& of) const {
  return through(event, member.memory.rank, at(member, like, event.at.t, of));
}

EventColumns ColumnsAlong::of_event(const Happening& event, const RankMemory& known, const Instant& begin,
                                    SensitivityColumns columns) const {
  follow_step(known, known, begin, event.at.t - begin.t, event.at.t, columns);
  return through(event, known.rank, std::move(columns));
}

/// Columns of an event, from the columns at its time with the time held fixed.
EventColumns ColumnsAlong::through(const Happening& event, int known_rank, SensitivityColumns columns) const {
  const auto value = [&](const Instant& x) { return watcher_.value(event.event, x, known_rank); };
  const Rate rate = evaluate_rate(model_, method_, RankChoice::at_step(method_, known_rank), event.at);
  if (rate.status != Status::ok) columns.forget();
  const Vector q_dot = rate.status == Status::ok ? rate.q_dot : Vector::Zero(event.at.q.size());
  const Vector w_dot = rate.status == Status::ok ? rate.w_dot : Vector::Zero(event.at.w.size());
  return event_columns(plan_, value, event.at, q_dot, w_dot, columns);
}

}  // namespace kalaba::reference
