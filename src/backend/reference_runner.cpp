#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backend/reference_adaptive.hpp"
#include "backend/reference_events.hpp"
#include "backend/reference_projection.hpp"
#include "backend/reference_rate.hpp"
#include "backend/reference_sensitivity.hpp"
#include "backend/reference_step.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/backend/reference.hpp"
#include "kalaba/error.hpp"

namespace kalaba::reference {
namespace {

constexpr int start_iterations = 50;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Vector gather(const std::vector<double>& rows, int count, long stride, long member) {
  return Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(rows.data() + member, count, Eigen::InnerStride<>(stride));
}

void scatter(const Vector& values, long stride, long member, std::vector<double>& rows) {
  for (long i = 0; i < values.size(); ++i) rows[static_cast<std::size_t>(i * stride + member)] = values[i];
}

Instant read(const Block& block, long member, double time) {
  return {gather(block.parameters, block.parameter_count, block.stride, member), time,
          gather(block.q, block.coordinate_count, block.stride, member),
          gather(block.w, block.rate_count, block.stride, member)};
}

void write(const Instant& x, long member, Block& block) {
  scatter(x.q, block.stride, member, block.q);
  scatter(x.w, block.stride, member, block.w);
}

void fail(Block& block, long member, Status status, double time) {
  block.status[static_cast<std::size_t>(member)] = status;
  block.failure_time[static_cast<std::size_t>(member)] = time;
}

/// Notes an event in the block's rows, with its columns where there are any; a count of 0 is what nobody has noted in
/// yet.
void note(Block& block, long member, const Happening& happening, const EventColumns* columns) {
  const EventRows rows = block.event_rows();
  const auto number = [&](int row) -> double& {
    return block.events[static_cast<std::size_t>(row * block.stride + member)];
  };
  double& count = number(rows.count(happening.event));
  number(rows.last(happening.event)) = happening.at.t;
  if (++count > 1) return;
  number(rows.first(happening.event)) = happening.at.t;
  for (int i = 0; i < rows.coordinates; ++i) number(rows.q(happening.event) + i) = happening.at.q[i];
  for (int i = 0; i < rows.rates; ++i) number(rows.w(happening.event) + i) = happening.at.w[i];
  if (columns == nullptr) return;
  const auto put = [&](int row, const auto& values) {
    for (long i = 0; i < values.size(); ++i) number(row + static_cast<int>(i)) = values[i];
  };
  put(rows.time_slopes(happening.event), columns->time);
  put(rows.q_slopes(happening.event), columns->state.q.reshaped());
  put(rows.w_slopes(happening.event), columns->state.w.reshaped());
}

class MemberByMember final : public ReferenceRunner {
 public:
  MemberByMember(std::unique_ptr<const MechanicalModel> model, const Options& options)
      : model_(std::move(model)),
        method_(options.method),
        watch_(options.watch),
        plan_(options.sensitivities),
        threads_(options.threads) {}

  const MechanicalModel& model() const override { return *model_; }

  void start(Block& block, double time, bool project) override {
    block.backend_state.clear();
    memories_.assign(block.status.size(), {});
    adaptive_.assign(adapts() ? block.status.size() : 0, {});
    columns_.assign(differentiates() ? block.status.size() : 0, {});
    step_columns_.assign(differentiates() && adapts() ? block.status.size() : 0, {});
    for_each_member(block, [&](long member) {
      if (block.status[static_cast<std::size_t>(member)] != Status::ok) return;
      Instant x = read(block, member, time);
      const auto index = static_cast<std::size_t>(member);
      if (differentiates()) columns_[index] = columns_at_start(x, project);
      if (differentiates() && adapts()) step_columns_[index].after = columns_[index];
      const Status status = start_member(x, project);
      if (status != Status::ok) return fail(block, member, status, time);
      write(x, member, block);
    });
  }

  void advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    if (adapts()) return advance_adaptively(block, time, first_step, steps);
    for_each_member(block, [&](long member) {
      const auto index = static_cast<std::size_t>(member);
      Instant x = read(block, member, time.at(first_step));
      for (long step = first_step; step < first_step + steps && block.status[index] == Status::ok; ++step) {
        x.t = time.at(step);
        const RankMemory before = memories_[index];
        const Step next = step_member(*model_, method_, memories_[index], x, time.dt, time.at(step + 1));
        block.rank_changes[index] = static_cast<double>(memories_[index].changes);
        block.singular_passages[index] = static_cast<double>(memories_[index].passages);
        if (next.status != Status::ok) return fail(block, member, next.status, x.t);
        const SensitivityColumns begin = differentiates() ? columns_[index] : SensitivityColumns{};
        if (differentiates()) follow_step(before, memories_[index], x, time.dt, next.end.t, columns_[index]);
        const std::vector<Happening> found = events_in(before, x, next.end, time.dt);
        for (const Happening& each : found) {
          if (!differentiates()) {
            note(block, member, each, nullptr);
            continue;
          }
          const EventColumns columns = columns_of(each, before, x, begin);
          note(block, member, each, &columns);
          if (stops({each})) columns_[index] = columns.state;
        }
        x = stops(found) ? found.back().at : next.end;
        write(x, member, block);
        if (stops(found)) fail(block, member, Status::stopped, x.t);
      }
    });
  }

  void observe(const Block& block, double time, FieldSet fields, Observation& out) override {
    prepare(block, fields, out);
    for_each_member(block, [&](long member) {
      observe_member(block, member, read(block, member, time), out);
      if (differentiates()) put_columns(block, member, columns_[static_cast<std::size_t>(member)], out);
    });
  }

  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override {
    prepare(block, fields, out);
    for_each_member(block, [&](long member) {
      const auto index = static_cast<std::size_t>(member);
      Instant x = read(block, member, time.at(step));
      const Instant here = x;
      int stopper = 0;
      if (block.status[index] == Status::ok)
        out.status[index] = look_ahead(time, step, t, adaptive_copy(index), memories_[index], x, stopper);
      if (differentiates()) {
        SensitivityColumns columns = columns_[index];
        if (out.status[index] == Status::ok && !adapts())
          follow_step(memories_[index], memories_[index], here, t - here.t, t, columns);
        if (block.status[index] == Status::ok && out.status[index] == Status::stopped && !adapts())
          columns = columns_of({stopper, x}, memories_[index], here, columns).state;
        if (block.status[index] == Status::ok && adapts()) columns = columns_ahead(time, t, index, here);
        put_columns(block, member, columns, out);
      }
      observe_member(block, member, x, out);
    });
  }

 private:
  bool differentiates() const { return !plan_.of.empty(); }

  SensitivityColumns columns_at_start(const Instant& x, bool project) const {
    const auto starts = [&](const Instant& given) -> std::optional<Instant> {
      Instant at = given;
      if (start_member(at, project) != Status::ok) return std::nullopt;
      return at;
    };
    return begin_columns(plan_, starts, x);
  }

  /// The columns through a step from x, before and after which the rank was known so. Where it changed, or the member
  /// was near a singular position, there are none.
  void follow_step(const RankMemory& before, const RankMemory& after, const Instant& x, double dt, double end,
                   SensitivityColumns& columns) const {
    const bool passes = method_.stabilization.kind == Stabilization::Kind::projection && before.speed > 0;
    if (passes || after.changes != before.changes) return columns.forget();
    const auto step = [&](const Instant& at) -> std::optional<Instant> {
      RankMemory own = before;
      Step made = step_member(*model_, method_, own, at, dt, end);
      if (made.status != Status::ok) return std::nullopt;
      return made.end;
    };
    follow(plan_, step, x, columns);
  }

  /// The same of the last step of a member of adaptive steps, whose columns are `of` it.
  void follow_step(const AdaptiveMember& member, const Instant& like, StepColumns& of) const {
    of.before = of.after;
    const bool passes = method_.stabilization.kind == Stabilization::Kind::projection && member.before.speed > 0;
    if (passes || member.before.changes != member.memory.changes) return of.after.forget();
    of.after = columns_within(member, like, member.last.end, of.before);
  }
  /// Those at t within that step, from its beginning on.
  SensitivityColumns columns_within(const AdaptiveMember& member, const Instant& like, double t,
                                    SensitivityColumns columns) const {
    const auto part = [&](const Instant& from) { return made_again(*model_, method_, member, from, t); };
    follow(plan_, part, step_begin(member, like), columns);
    return columns;
  }
  /// Those at t, where the member is or which it has passed.
  SensitivityColumns columns_at(const AdaptiveMember& member, const Instant& like, double t,
                                const StepColumns& of) const {
    if (member.accepted == 0 || member.last.end <= t || of.after.forgotten()) return of.after;
    return columns_within(member, like, t, of.before);
  }
  /// Those at t, to where the member has yet to go.
  SensitivityColumns columns_ahead(const TimeGrid& time, double t, std::size_t index, Instant x) const {
    AdaptiveMember own = adaptive_[index];
    StepColumns columns = step_columns_[index];
    const Status status = reference::advance_adaptively(*model_, method_, time, t, own, x, [&](auto&) {
      follow_step(own, x, columns);
      const std::vector<Happening> found = events_in(own, x);
      if (!stops(found)) return;
      own.ends = found.back().at.t;
      columns.stopped = columns_of(found.back(), own, x, columns).state;
    });
    return status == Status::stopped ? columns.stopped : columns_at(own, x, x.t, columns);
  }
  /// Those of an event in the last step.
  EventColumns columns_of(const Happening& event, const AdaptiveMember& member, const Instant& like,
                          const StepColumns& of) const {
    return columns_through(event, member.memory.rank, columns_at(member, like, event.at.t, of));
  }

  /// Those of an event in the step from `begin`, where the columns were `columns` and the rank was known so.
  EventColumns columns_of(const Happening& event, const RankMemory& known, const Instant& begin,
                          SensitivityColumns columns) const {
    follow_step(known, known, begin, event.at.t - begin.t, event.at.t, columns);
    return columns_through(event, known.rank, columns);
  }
  /// Those of an event, of the columns where it happens at a time held.
  EventColumns columns_through(const Happening& event, int known_rank, SensitivityColumns columns) const {
    const auto value = [&](const Instant& x) {
      return value_of(watch_.events[event.event].expression, x,
                      watch_.observes() ? watched_rows(x, known_rank) : Vector());
    };
    const Rate rate = evaluate_rate(*model_, method_, RankChoice::at_step(method_, known_rank), event.at);
    if (rate.status != Status::ok) columns.forget();
    const Vector q_dot = rate.status == Status::ok ? rate.q_dot : Vector::Zero(event.at.q.size());
    const Vector w_dot = rate.status == Status::ok ? rate.w_dot : Vector::Zero(event.at.w.size());
    return event_columns(plan_, value, event.at, q_dot, w_dot, columns);
  }

  void put_columns(const Block& block, long member, const SensitivityColumns& columns, Observation& out) const {
    const auto put = [&](Field field, const Matrix& values) {
      std::vector<double>& rows = out.values[static_cast<std::size_t>(field)];
      if (!rows.empty()) scatter(values.reshaped(), block.stride, member, rows);
    };
    put(Field::q_sensitivity, columns.q);
    put(Field::w_sensitivity, columns.w);
  }

  bool adapts() const { return kalaba::adapts(method_.integrator); }
  AdaptiveMember adaptive_copy(std::size_t member) const { return adapts() ? adaptive_[member] : AdaptiveMember{}; }

  bool stops(const std::vector<Happening>& found) const {
    return !found.empty() && watch_.events[found.back().event].action == EventAction::stop;
  }
  /// Those of the step of length dt from `begin` to `end`.
  std::vector<Happening> events_in(const RankMemory& memory, const Instant& begin, const Instant& end,
                                   double dt) const {
    const auto state = [&](double part) {
      RankMemory own = memory;
      const Step shorter = step_member(*model_, method_, own, begin, part * dt, begin.t + part * dt);
      return shorter.status == Status::ok ? shorter.end : begin;
    };
    return happenings(watch_, begin, end, state, [&](const Instant& x) { return watched_rows(x, memory.rank); });
  }
  /// Those of a member's last step.
  std::vector<Happening> events_in(const AdaptiveMember& member, const Instant& like) const {
    const Instant begin = step_begin(member, like);
    const auto state = [&](double part) {
      Instant x = begin;
      arrive(*model_, method_, member, begin.t + part * (member.last.end - begin.t), x);
      return x;
    };
    return happenings(watch_, begin, step_end(member, like), state,
                      [&](const Instant& x) { return watched_rows(x, member.memory.rank); });
  }
  /// What the watch asks for beside the state; NaN where there is none.
  Vector watched_rows(const Instant& x, int known_rank) const {
    const WatchedRows at = {model_->invariant_count, model_->holonomic + model_->nonholonomic};
    Vector rows = Vector::Constant(at.rows(), nan);
    rows[at.energy()] = model_->energy(x);
    rows.segment(at.invariant(0), at.invariants) = model_->invariants(x);
    if (!watch_.multipliers) return rows;
    const Rate rate = evaluate_rate(*model_, method_, RankChoice::at_step(method_, known_rank), x);
    if (rate.status == Status::ok) rows.segment(at.multiplier(0), at.constraints) = rate.multipliers;
    return rows;
  }

  /// Takes x to t, before step `step` + 1; of equal steps `stopper` is the event that stops it there.
  Status look_ahead(const TimeGrid& time, long step, double t, AdaptiveMember member, const RankMemory& memory,
                    Instant& x, int& stopper) const {
    RankMemory own_memory = memory;
    if (adapts()) {
      return reference::advance_adaptively(*model_, method_, time, t, member, x, [&](AdaptiveMember& own) {
        const std::vector<Happening> found = events_in(own, x);
        if (stops(found)) own.ends = found.back().at.t;
      });
    }
    if (watch_.count > 0) {  // those of the whole step, which it will make
      RankMemory whole_memory = memory;
      const Step whole = step_member(*model_, method_, whole_memory, x, time.dt, time.at(step + 1));
      const std::vector<Happening> found =
          whole.status == Status::ok ? events_in(memory, x, whole.end, time.dt) : std::vector<Happening>();
      if (stops(found) && found.back().at.t <= t) {
        x = found.back().at;
        stopper = found.back().event;
        return Status::stopped;
      }
    }
    const Step shorter = step_member(*model_, method_, own_memory, x, t - x.t, t);
    if (shorter.status == Status::ok) x = shorter.end;
    return shorter.status;
  }

  void advance_adaptively(Block& block, const TimeGrid& time, long first_step, long steps) {
    for_each_member(block, [&](long member) {
      const auto index = static_cast<std::size_t>(member);
      if (block.status[index] != Status::ok) return;
      AdaptiveMember& own = adaptive_[index];
      Instant x = read(block, member, time.at(first_step));
      const double target = time.at(first_step + steps);
      const Status status = reference::advance_adaptively(*model_, method_, time, target, own, x, [&](auto&) {
        if (differentiates()) follow_step(own, x, step_columns_[index]);
        const std::vector<Happening> found = events_in(own, x);
        for (const Happening& each : found) {
          if (!differentiates()) {
            note(block, member, each, nullptr);
            continue;
          }
          const EventColumns columns = columns_of(each, own, x, step_columns_[index]);
          note(block, member, each, &columns);
          if (stops({each})) step_columns_[index].stopped = columns.state;
        }
        if (stops(found)) own.ends = found.back().at.t;
      });
      write(x, member, block);
      if (differentiates()) {
        const StepColumns& of = step_columns_[index];
        columns_[index] = status == Status::stopped ? of.stopped : columns_at(own, x, x.t, of);
      }
      if (status != Status::ok) fail(block, member, status, x.t);
      block.rank_changes[index] = static_cast<double>(own.memory.changes);
      block.singular_passages[index] = static_cast<double>(own.memory.passages);
      block.accepted[index] = static_cast<double>(own.accepted);
      block.rejected[index] = static_cast<double>(own.rejected);
    });
  }

  void prepare(const Block& block, FieldSet fields, Observation& out) const {
    const auto stride = static_cast<std::size_t>(block.stride);
    const auto rows = [&](Field field) { return static_cast<std::size_t>(components(block, field)); };
    out.status = block.status;
    for (const Field field : all_fields) {
      out.values[static_cast<std::size_t>(field)].assign(fields.has(field) ? rows(field) * stride : 0, nan);
    }
  }

  Status start_member(Instant& x, bool project) const {
    if (!(x.p.allFinite() && x.q.allFinite() && x.w.allFinite())) return Status::non_finite;
    const Rate rate = evaluate_rate(*model_, method_, x);  // finds a metric that is not definite
    if (rate.status != Status::ok) return rate.status;
    if (project) {
      const Status status = reference::project(*model_, method_, start_iterations, x);
      if (status == Status::not_converged) return Status::inconsistent_constraints;
      if (status != Status::ok) return status;
    }
    return model_->valid(x) ? Status::ok : Status::singular_constraints;
  }

  int components(const Block& block, Field field) const {
    switch (field) {
      case Field::q:
        return block.coordinate_count;
      case Field::w:
      case Field::constraint_force:
      case Field::ideal_force:
      case Field::non_ideal_force:
      case Field::constraint_rate:
      case Field::balance_rate:
        return block.rate_count;
      case Field::multipliers:
      case Field::constraints:
        return model_->holonomic + model_->nonholonomic;
      case Field::energy:
        return model_->has_energy ? 1 : 0;
      case Field::invariants:
        return model_->invariant_count;
      case Field::q_sensitivity:
        return static_cast<int>(plan_.of.size()) * block.coordinate_count;
      case Field::w_sensitivity:
        return static_cast<int>(plan_.of.size()) * block.rate_count;
      default:
        return 1;
    }
  }

  void observe_member(const Block& block, long member, const Instant& x, Observation& out) const {
    const auto put = [&](Field field, const Vector& values) {
      std::vector<double>& rows = out.values[static_cast<std::size_t>(field)];
      if (!rows.empty()) scatter(values, block.stride, member, rows);
    };
    const auto scalar = [](double value) { return Vector::Constant(1, value); };
    put(Field::q, x.q);
    put(Field::w, x.w);
    put(Field::violation, scalar(max_norm(violation(*model_, x))));
    put(Field::energy, scalar(model_->energy(x)));
    put(Field::invariants, model_->invariants(x));
    Vector constraints(model_->holonomic + model_->nonholonomic);
    constraints << model_->phi(x), model_->psi(x);
    put(Field::constraints, constraints);
    const auto index = static_cast<std::size_t>(member);
    const int known = memories_.empty() ? RankMemory{}.rank  // nothing has started yet
                      : adapts()        ? adaptive_[index].memory.rank
                                        : memories_[index].rank;
    const Rate rate = evaluate_rate(*model_, method_, RankChoice::at_step(method_, known), x);
    if (rate.status != Status::ok) return;
    put(Field::constraint_force, rate.constraint_force());
    put(Field::ideal_force, rate.ideal_force);
    put(Field::non_ideal_force, rate.non_ideal_force);
    put(Field::constraint_rate, rate.constraint_rate);
    put(Field::balance_rate, rate.w_dot - rate.constraint_rate);
    put(Field::multipliers, rate.multipliers);
    put(Field::residual, scalar(max_norm(rate.residual())));
    put(Field::rank, scalar(rate.rank));
    put(Field::sigma_kept, scalar(rate.sigma_kept));
    put(Field::sigma_dropped, scalar(rate.sigma_dropped));
  }

  template <class Work>
  void for_each_member(const Block& block, Work work) const {
    parallel_for(block.members, 1, threads_, [&](long begin, long end) {
      for (long member = begin; member < end; ++member) work(member);
    });
  }

  std::unique_ptr<const MechanicalModel> model_;
  Method method_;
  Watch watch_;
  SensitivityPlan plan_;
  int threads_ = 0;
  std::vector<RankMemory> memories_;         // likewise, of equal steps
  std::vector<SensitivityColumns> columns_;  // likewise, where the run asks for any
  std::vector<StepColumns> step_columns_;    // likewise, where the integrator adapts
  std::vector<AdaptiveMember> adaptive_;     // of the present block, where the integrator adapts
};

}  // namespace

std::unique_ptr<ReferenceRunner> make_runner(std::unique_ptr<const MechanicalModel> model, const Options& options) {
  if (options.precision != Precision::double_precision) {
    throw Error(ExitCode::bad_input, "the reference backend computes in double precision only; precision = \"" +
                                         std::string(precision_name(options.precision)) + "\" needs another backend");
  }
  return std::make_unique<MemberByMember>(std::move(model), options);
}

}  // namespace kalaba::reference
