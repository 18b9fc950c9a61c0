#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/reference/columns.hpp"
#include "backend/reference/observation.hpp"
#include "backend/reference/reference.hpp"
#include "backend/reference/step.hpp"
#include "backend/reference/watcher.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/error.hpp"

namespace kalaba::reference {
namespace {

Instant read(const Block& block, long member, double time) {
  return {gather(block.parameters, block.parameter_count, block.stride, member), time,
          gather(block.q, block.coordinate_count, block.stride, member),
          gather(block.w, block.rate_count, block.stride, member)};
}

/// As above at `time`, or at the earlier end of the member's motion.
Instant seen(const Block& block, long member, double time) {
  const double ended = block.failure_time[static_cast<std::size_t>(member)];
  return read(block, member, std::isnan(ended) ? time : ended);
}

void write(const Instant& x, long member, Block& block) {
  scatter(x.p, block.stride, member, block.parameters);
  scatter(x.q, block.stride, member, block.q);
  scatter(x.w, block.stride, member, block.w);
}

void fail(Block& block, long member, Status status, double time) {
  block.status[static_cast<std::size_t>(member)] = status;
  block.failure_time[static_cast<std::size_t>(member)] = time;
}

/// Records an event in the block's rows, with its columns if there are any; a count of 0 means that the rows are
/// unused.
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
        watcher_(*model_, method_, options.watch),
        changes_(*model_, method_, options.watch),
        along_(*model_, method_, watcher_, options.sensitivities),
        threads_(options.threads) {}

  const MechanicalModel& model() const override { return *model_; }

  void start(Block& block, double time, bool project) override {
    block.backend_state.clear();
    memories_.assign(block.status.size(), {});
    change_memories_.assign(block.status.size(), {});
    adaptive_.assign(adapts() ? block.status.size() : 0, {});
    columns_.assign(differentiates() ? block.status.size() : 0, {});
    step_columns_.assign(differentiates() && adapts() ? block.status.size() : 0, {});
    made_.assign(block.status.size(), 0);
    for_each_member(block, [&](long member) {
      if (block.status[static_cast<std::size_t>(member)] != Status::ok) return;
      Instant x = read(block, member, time);
      const auto index = static_cast<std::size_t>(member);
      if (differentiates()) columns_[index] = along_.at_start(x, project);
      if (differentiates() && adapts()) step_columns_[index].after = columns_[index];
      Status status = start_member(*model_, method_, project, x);
      if (status == Status::ok) status = changes_.at_start(change_memories_[index], x, project);
      if (status != Status::ok) return fail(block, member, status, time);
      write(x, member, block);
    });
  }

  void pause_on(const int* word) override { pause_ = word; }

  bool advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    std::atomic<bool> is_done{true};
    for_each_member(block, [&](long member) {
      const bool is_there = !pauses() && (adapts() ? advance_adaptively(block, time, first_step, steps, member)
                                                   : advance_equally(block, time, first_step, steps, member));
      if (!is_there) is_done = false;
    });
    block.under_way = is_done ? 0 : steps;
    if (is_done) made_.assign(made_.size(), 0);
    return is_done;
  }

  void observe(const Block& block, double time, FieldSet fields, Observation& out) override {
    prepare(*model_, along_.count(), block, fields, out);
    for_each_member(block, [&](long member) {
      const Instant x = seen(block, member, time);
      observe(block, member, x, out);
      if (differentiates()) observe_along(block, member, x, columns_[static_cast<std::size_t>(member)], out);
    });
  }

  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override {
    prepare(*model_, along_.count(), block, fields, out);
    for_each_member(block, [&](long member) {
      const auto index = static_cast<std::size_t>(member);
      Instant x = seen(block, member, time.at(step));
      const Instant here = x;
      int stopper = 0;
      if (block.status[index] == Status::ok)
        out.status[index] =
            look_ahead(time, step, t, adaptive_copy(index), memories_[index], change_memories_[index], x, stopper);
      if (differentiates()) {
        SensitivityColumns columns = columns_[index];
        if (out.status[index] == Status::ok && !adapts())
          along_.follow_step(memories_[index], memories_[index], here, t - here.t, t, columns);
        if (block.status[index] == Status::ok && out.status[index] == Status::stopped && !adapts())
          columns = along_.of_event({stopper, x}, memories_[index], here, columns).state;
        if (block.status[index] == Status::ok && adapts())
          columns = along_.ahead(time, t, adaptive_[index], step_columns_[index], here);
        observe_along(block, member, x, columns, out);
      }
      observe(block, member, x, out);
    });
  }

  void combine_columns(Block& block, const std::vector<double>& factors) override {
    const long count = along_.count();
    for_each_member(block, [&](long member) {
      const auto index = static_cast<std::size_t>(member);
      const Matrix by =
          gather(factors, along_.count() * along_.count(), block.stride, member).reshaped(count, count).transpose();
      columns_[index].combine(by);
      if (adapts()) step_columns_[index].combine(by);
    });
  }

 private:
  bool differentiates() const { return along_.wanted(); }
  bool adapts() const { return kalaba::adapts(method_.integrator); }
  AdaptiveMember adaptive_copy(std::size_t member) const { return adapts() ? adaptive_[member] : AdaptiveMember{}; }

  /// Records the events of a step, with their `columns` if the run requests sensitivities; `stopped` receives the
  /// columns of the event that ends the motion.
  template <class ColumnsOf>
  void note_all(Block& block, long member, const std::vector<Happening>& found, const ColumnsOf& columns,
                SensitivityColumns* stopped) const {
    for (const Happening& each : found) {
      if (!watcher_.records(each)) continue;
      if (stopped == nullptr) {
        note(block, member, each, nullptr);
        continue;
      }
      const EventColumns of = columns(each);
      note(block, member, each, &of);
      if (watcher_.stops({each})) *stopped = of.state;
    }
  }

  /// Advances x to t, before step `step` + 1; for equal steps, `stopper` is the event that stops it there.
  Status look_ahead(const TimeGrid& time, long step, double t, AdaptiveMember member, const RankMemory& memory,
                    ChangeMemory own_changes, Instant& x, int& stopper) const {
    RankMemory own_memory = memory;
    if (adapts()) {
      const auto after_step = [&](AdaptiveMember& own) { end_step(watcher_.in_step(own, x), x, own); };
      const auto status = reference::advance_adaptively(
          *model_, method_, time, t, member, x, after_step, [this] { return pauses(2); }, the_changes());
      return status.value_or(Status::ok);  // nothing uses the observation of a run that stops
    }
    if (changes_.any()) return look_past_changes(time, step, t, own_memory, own_changes, x);
    if (watcher_.has_events()) {  // events of the whole step, which the member makes later
      RankMemory whole_memory = memory;
      const Step whole = step_member(*model_, method_, whole_memory, x, time.dt, time.at(step + 1));
      const std::vector<Happening> found =
          whole.status == Status::ok ? watcher_.in_step(memory, x, whole.end, time.dt).found : std::vector<Happening>();
      if (watcher_.stops(found) && watcher_.stopper(found).at.t <= t) {
        x = watcher_.stopper(found).at;
        stopper = watcher_.stopper(found).event;
        return Status::stopped;
      }
    }
    const Step shorter = step_member(*model_, method_, own_memory, x, t - x.t, t);
    if (shorter.status == Status::ok) x = shorter.end;
    return shorter.status;
  }

  /// Null if there are no changes.
  const Changes* the_changes() const { return changes_.any() ? &changes_ : nullptr; }

  /// Ends the last step of a member, at an event that stops or changes it. Returns the contacts that join the change.
  std::vector<Happening> end_step(const StepEvents& events, const Instant& like, AdaptiveMember& own) const {
    const std::vector<Happening>& found = events.found;
    own.changes.fired = events.hidden;
    if (watcher_.stops(found)) own.ends = watcher_.stopper(found).at.t;
    const bool ticks = changes_.ticks_at(own.last.begin, own.last.end);
    const Cut cut = watcher_.cut(found, step_end(own, like), own.memory.rank, ticks);
    own.cut_by = cut.events;
    if (!own.cut_by.empty()) own.cut = cut.at.t;
    return cut.joined;
  }

  /// Makes a step of the grid from x that is divided at changes. Calls note(events) for each part, and changed(x) after
  /// each change. Leaves in x the last state that is known.
  template <class Note, class Changed>
  Status make_divided_step(const TimeGrid& time, long step, RankMemory& memory, ChangeMemory& changes, Instant& x,
                           const Note& note, const Changed& changed) const {
    const double end = time.at(step + 1);
    double made = x.t;  // ticks up to there
    bool is_whole = true;
    while (x.t < end) {
      const double to = changes_.next_tick(x.t, end);
      const double length = is_whole && to == end ? time.dt : to - x.t;
      const RankMemory before = memory;
      const Step next = step_member(*model_, method_, memory, x, length, to);
      if (next.status != Status::ok) return next.status;
      const auto [found, hidden] = watcher_.in_step(before, x, next.end, length, changes.fired);
      changes.fired = hidden;
      note(found);
      changes.step = {x.w, next.end.w, time.dt};
      is_whole = false;
      if (watcher_.stops(found)) {
        x = watcher_.stopper(found).at;
        return Status::stopped;
      }
      const Cut cut = watcher_.cut(found, next.end, before.rank, changes_.ticks_at(made, to));
      note(cut.joined);
      x = cut.at;
      if (!cut.events.empty()) {
        memory.rank = -1;
        memory.speed = 0;
        const Status status = changes_.by_events(cut.events, time.dt, changes, x);
        if (status != Status::ok) return status;
        changed(x);
      }
      x.t = std::min(x.t, to);
      const double made_before = std::exchange(made, x.t);
      if (!changes_.ticks_at(made_before, x.t)) continue;
      memory.rank = -1;
      memory.speed = 0;
      const Status status = changes_.by_clocks(made_before, changes, x);
      if (status != Status::ok) return status;
      changed(x);
    }
    return Status::ok;
  }

  /// Advances x to t, before step `step` + 1, from the last change before it.
  Status look_past_changes(const TimeGrid& time, long step, double t, RankMemory memory, ChangeMemory changes,
                           Instant& x) const {
    Instant whole = x;
    RankMemory last_memory = memory;
    const Status status = make_divided_step(
        time, step, memory, changes, whole, [](const std::vector<Happening>&) {},
        [&](const Instant& changed) {
          if (!changes_.is_until(changed.t, t)) return;
          x = changed;
          last_memory = memory;
        });
    if (status != Status::ok && whole.t <= t && whole.t > x.t) {
      x = whole;
      return status;
    }
    if (!(x.t < t)) return Status::ok;
    const Step shorter = step_member(*model_, method_, last_memory, x, t - x.t, t);
    if (shorter.status != Status::ok) return shorter.status;
    x = shorter.end;
    return changes_.judged(x);
  }

  bool pauses(int least = 1) const { return pause_ != nullptr && __atomic_load_n(pause_, __ATOMIC_RELAXED) >= least; }

  /// Returns true if the member made all steps of the call; made_ counts them.
  bool advance_equally(Block& block, const TimeGrid& time, long first_step, long steps, long member) {
    const auto index = static_cast<std::size_t>(member);
    long& made = made_[index];
    Instant x = read(block, member, time.at(first_step + made));
    for (const long made_before = made; made < steps && block.status[index] == Status::ok; ++made) {
      if (made > made_before && pauses()) return false;
      const long step = first_step + made;
      x.t = time.at(step);
      if (changes_.any()) {
        const auto note_found = [&](const std::vector<Happening>& found) {
          note_all(
              block, member, found, [](const Happening&) { return EventColumns{}; }, nullptr);
        };
        const Status status = make_divided_step(time, step, memories_[index], change_memories_[index], x, note_found,
                                                [](const Instant&) {});
        block.rank_changes[index] = static_cast<double>(memories_[index].changes);
        block.singular_passages[index] = static_cast<double>(memories_[index].passages);
        write(x, member, block);
        if (status == Status::ok) continue;
        fail(block, member, status, status == Status::stopped ? x.t : time.at(step));
        break;
      }
      const RankMemory before = memories_[index];
      const Step next = step_member(*model_, method_, memories_[index], x, time.dt, time.at(step + 1));
      block.rank_changes[index] = static_cast<double>(memories_[index].changes);
      block.singular_passages[index] = static_cast<double>(memories_[index].passages);
      if (next.status != Status::ok) {
        fail(block, member, next.status, x.t);
        break;
      }
      const SensitivityColumns begin = differentiates() ? columns_[index] : SensitivityColumns{};
      if (differentiates() && along_.follow_step(before, memories_[index], x, time.dt, next.end.t, columns_[index])) {
        block.singular_passages[index] = static_cast<double>(++memories_[index].passages);
      }
      const std::vector<Happening> found = watcher_.in_step(before, x, next.end, time.dt).found;
      const auto columns = [&](const Happening& each) { return along_.of_event(each, before, x, begin); };
      note_all(block, member, found, columns, differentiates() ? &columns_[index] : nullptr);
      x = watcher_.stops(found) ? watcher_.stopper(found).at : next.end;
      write(x, member, block);
      if (watcher_.stops(found)) fail(block, member, Status::stopped, x.t);
    }
    made = steps;
    return true;
  }

  bool advance_adaptively(Block& block, const TimeGrid& time, long first_step, long steps, long member) {
    const auto index = static_cast<std::size_t>(member);
    if (block.status[index] != Status::ok || made_[index] == steps) return true;
    AdaptiveMember& own = adaptive_[index];
    Instant x = read(block, member, time.at(first_step));
    const double target = time.at(first_step + steps);
    const auto after_step = [&](auto&) {
      if (differentiates() && along_.follow_step(own, x, step_columns_[index])) ++own.memory.passages;
      const StepEvents events = watcher_.in_step(own, x);
      const auto columns = [&](const Happening& each) { return along_.of_event(each, own, x, step_columns_[index]); };
      note_all(block, member, events.found, columns, differentiates() ? &step_columns_[index].stopped : nullptr);
      note_all(block, member, end_step(events, x, own), columns, nullptr);
    };
    const std::optional<Status> status = reference::advance_adaptively(
        *model_, method_, time, target, own, x, after_step, [this] { return pauses(); }, the_changes());
    block.rank_changes[index] = static_cast<double>(own.memory.changes);
    block.singular_passages[index] = static_cast<double>(own.memory.passages);
    block.accepted[index] = static_cast<double>(own.accepted);
    block.rejected[index] = static_cast<double>(own.rejected);
    block.stiff_steps[index] = static_cast<double>(own.stiff_steps);
    if (!status) {
      scatter(x.p, block.stride, member, block.parameters);  // of changes before the pause
      return false;
    }
    write(x, member, block);
    if (differentiates()) {
      const StepColumns& of = step_columns_[index];
      columns_[index] = *status == Status::stopped ? of.stopped : along_.at(own, x, x.t, of);
    }
    if (*status != Status::ok) fail(block, member, *status, x.t);
    made_[index] = steps;
    return true;
  }

  void observe(const Block& block, long member, const Instant& x, Observation& out) const {
    observe_member(*model_, method_, known_rank(member), block.stride, member, x, out);
  }

  void observe_along(const Block& block, long member, const Instant& x, const SensitivityColumns& columns,
                     Observation& out) const {
    observe_columns(*model_, method_, known_rank(member), along_.plan(), x, columns, block.stride, member, out);
  }

  int known_rank(long member) const {
    const auto index = static_cast<std::size_t>(member);
    if (memories_.empty()) return RankMemory{}.rank;  // no member has started yet
    return adapts() ? adaptive_[index].memory.rank : memories_[index].rank;
  }

  template <class Work>
  void for_each_member(const Block& block, Work work) const {
    parallel_for(block.members, 1, threads_, [&](long begin, long end) {
      for (long member = begin; member < end; ++member) work(member);
    });
  }

  std::unique_ptr<const MechanicalModel> model_;
  Method method_;
  Watcher watcher_;
  Changes changes_;
  ColumnsAlong along_;
  int threads_ = 0;
  const int* pause_ = nullptr;                 // the word of pause_on
  std::vector<long> made_;                     // of the present block: steps made by a call that returned early
  std::vector<RankMemory> memories_;           // likewise, for equal steps
  std::vector<ChangeMemory> change_memories_;  // likewise
  std::vector<SensitivityColumns> columns_;    // likewise, if the run requests sensitivities
  std::vector<StepColumns> step_columns_;      // likewise, if the integrator adapts
  std::vector<AdaptiveMember> adaptive_;       // of the present block, if the integrator adapts
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
