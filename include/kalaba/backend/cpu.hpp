#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

#include "kalaba/backend/event_rows.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/core/adaptive.hpp"
#include "kalaba/core/member.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// The SIMD backend: packs of members through the core's time loop, on all cores. A member's result does not depend on
/// its neighbours in the pack, nor on which thread ran it.
template <Model M, class T>
class CpuRunner final : public Runner {
 public:
  explicit CpuRunner(const Options& options)
      : method_(options.method), watch_(options.watch), threads_(options.threads) {}

  void start(Block& block, double time, bool project) override {
    block.carry.assign(static_cast<std::size_t>(carried() * block.stride), 0.0);
    std::fill_n(block.carry.begin(), block.stride, -1.0);  // no rank yet
    fill_padding(block);
    each_pack(block, [&](auto& loop, long at) {
      auto member = load<Member<M, X>>(block, at);
      loop.start(Solo{}, member, method_, X(time), project);
      store(member, block, at, [&](int) { return time; });
    });
  }

  void advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    for (long done = 0; done < steps; done += longest_call) {
      const long first = first_step + done;
      const long count = std::min(steps - done, longest_call);
      each_moving_pack(block, [&](auto& loop, long at) {
        auto member = load<KeptBy<decltype(loop)>>(block, at);
        X ends = ends_of(block, at);
        if (watch_.count > 0) {
          advance_watching(loop, member, time, first, count, ends, block, at);
        } else if constexpr (requires { member.time; }) {
          loop.advance(Solo{}, member, method_, time, first, count);
        } else {
          loop.advance_apart(Solo{}, member, method_, time, first, count);
        }
        store(member, block, at, [&](int lane) {
          const double end = lane_of(ends, lane);
          if (lane_of(member.status, lane) == static_cast<int>(Status::stopped)) return end;
          if constexpr (requires { member.time; }) {
            return static_cast<double>(lane_of(member.time, lane));
          } else {
            return time.at(first + static_cast<long>(lane_of(member.failed_step, lane)));
          }
        });
      });
    }
  }

  void observe(const Block& block, double time, FieldSet fields, Observation& out) override {
    prepare(block, fields, out);
    each_pack(block, [&](auto& loop, long at) {
      observe_pack(loop, load<Member<M, X>>(block, at), time, block.stride, at, out);
    });
  }

  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override {
    prepare(block, fields, out);
    each_moving_pack(block, [&](auto& loop, long at) {
      auto member = load<KeptBy<decltype(loop)>>(block, at);
      if (watch_.count > 0) {
        look_watching(loop, member, time, step, t, ends_of(block, at));
      } else if constexpr (requires { member.time; }) {
        loop.advance_to(Solo{}, member, method_, time, step, t);
      } else {  // one shorter step, as good as the others
        const double begin = time.at(step);
        loop.advance_apart(Solo{}, member, method_, {.start = begin, .end = t, .dt = t - begin}, 0, 1);
      }
      observe_pack(loop, member, t, block.stride, at, out);
      T status[X::lanes];
      member.status.store(status);
      for (int lane = 0; lane < X::lanes; ++lane) {
        out.status[static_cast<std::size_t>(at + lane)] = static_cast<Status>(static_cast<int>(status[lane]));
      }
    });
  }

 private:
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr long longest_call = 1L << 20;       ///< steps whose count a float holds exactly
  static constexpr std::size_t stack_limit = 1 << 18;  ///< bytes of workspace placed on the stack
  using X = Pack<T>;
  static_assert(Block::alignment % X::lanes == 0);

  template <class Loop>
  using KeptBy = typename std::remove_reference_t<Loop>::Kept;

  bool adapts() const { return method_.integrator == Integrator::dopri5; }
  /// Rows of a block's carry: the rank, then the pseudo-inverse's rotation or what an adaptive loop keeps.
  int carried() const { return 1 + (adapts() ? kept_numbers(Integrator::dopri5, nq, n) : m * m); }

  /// Calls work(loop, first lane) for every pack, in parallel, with the loop of the integrator asked for.
  template <class Work>
  void each_moving_pack(const Block& block, const Work& work) {
    if (adapts()) {
      each_pack_by<true>(block, work);
    } else {
      each_pack(block, work);
    }
  }
  /// The same with a loop that serves every integrator, as it stands still.
  template <class Work>
  void each_pack(const Block& block, const Work& work) {
    each_pack_by<false>(block, work);
  }
  template <bool Adaptive, template <class, int, int> class Inverse>
  using LoopOf = std::conditional_t<Adaptive, AdaptiveLoop<M, X, Inverse>, MemberLoop<M, X, Inverse>>;
  template <bool Adaptive, class Work>
  void each_pack_by(const Block& block, const Work& work) {
    if constexpr (m > 1) {  // of a single row both are the same division
      if (method_.pseudo_inverse == PseudoInverse::qr) return each_pack_with<LoopOf<Adaptive, PivotedQr>>(block, work);
    }
    each_pack_with<LoopOf<Adaptive, JacobiSvd>>(block, work);
  }
  template <class Loop, class Work>
  void each_pack_with(const Block& block, const Work& work) {
    const long packs = (block.members + X::lanes - 1) / X::lanes;
    parallel_for(packs, 4, threads_, [&](long begin, long end) {
      if constexpr (sizeof(Loop) <= stack_limit) {
        Loop loop;
        for (long pack = begin; pack < end; ++pack) work(loop, pack * X::lanes);
      } else {
        const auto loop = std::make_unique<Loop>();
        for (long pack = begin; pack < end; ++pack) work(*loop, pack * X::lanes);
      }
    });
  }

  /// Makes room for an observation.
  static void prepare(const Block& block, FieldSet fields, Observation& out) {
    out.status = block.status;
    for_each_field(Observed<M, X>{}, [&](Field field, const X*, int components) {
      auto& values = out.values[static_cast<std::size_t>(field)];
      values.assign(fields.has(field) ? static_cast<std::size_t>(components * block.stride) : 0, 0.0);
    });
  }

  /// advance with an eye on the events, which are noted in the block.
  template <class Loop>
  void advance_watching(Loop& loop, KeptBy<Loop>& member, const TimeGrid& time, long first, long count, X& ends,
                        Block& block, long at) const {
    const PackRows<X> rows{block.events.data() + at, block.stride};
    if constexpr (requires { member.time; }) {
      loop.advance_watching(Solo{}, member, method_, time, first, time.at(first + count), watch_, ends, rows);
    } else {
      WatchedMember<M, X> watched;
      watched.ends = ends;
      loop.advance_watching(Solo{}, member, method_, time, first, count, watch_, watched, rows);
      ends = watched.ends;
    }
    rows.put(block.event_rows().ends(), ends);
  }
  /// Takes a member to t, between step `step` and the next, or to where an event stops it before.
  template <class Loop>
  void look_watching(Loop& loop, KeptBy<Loop>& member, const TimeGrid& time, long step, double t, X ends) const {
    const PackRows<X> nothing{nullptr, 0};
    if constexpr (requires { member.time; }) {
      loop.advance_watching(Solo{}, member, method_, time, step, t, watch_, ends, nothing);
    } else {
      WatchedMember<M, X> watched;
      Member<M, X> whole;
      watched.ends = ends;
      loop.advance_between(Solo{}, member, method_, time, step, t, watch_, watched, whole, nothing);
    }
  }
  static X ends_of(const Block& block, long at) {
    return block.events.empty() ? X(0) : gather(block.events.data() + at);
  }
  static T lane_of(const X& x, int lane) {
    T lanes[X::lanes];
    x.store(lanes);
    return lanes[lane];
  }

  template <template <class, int, int> class Inverse>
  KALABA_BODY void observe_pack(MemberWorkspace<M, X, Inverse>& loop, const Member<M, X>& member, double time,
                                long stride, long at, Observation& out) const {
    Observed<M, X> seen;
    loop.observe(Solo{}, member, method_, X(time), seen);
    for_each_field(seen, [&](Field field, const X* values, int components) {
      auto& row = out.values[static_cast<std::size_t>(field)];
      if (!row.empty()) scatter(values, components, row, stride, at);
    });
  }

  /// Lanes beyond the last member repeat it, so that they neither fail nor slow the pack down.
  static void fill_padding(Block& block) {
    const auto pad = [&](auto& values) {
      const auto stride = static_cast<std::size_t>(block.stride);
      const auto used = static_cast<std::size_t>(block.members);
      for (std::size_t row = 0; row + stride <= values.size(); row += stride) {
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(row + used),
                  values.begin() + static_cast<std::ptrdiff_t>(row + stride), values[row + used - 1]);
      }
    };
    pad(block.parameters);
    pad(block.q);
    pad(block.w);
    pad(block.status);
  }

  static X gather(const double* from) {
    T lanes[X::lanes];
    std::copy_n(from, X::lanes, lanes);
    return X::load(lanes);
  }
  static void gather(X* to, int count, const std::vector<double>& rows, long stride, long at) {
    for (int i = 0; i < count; ++i) to[i] = gather(rows.data() + i * stride + at);
  }
  static void scatter(const X* from, int count, std::vector<double>& rows, long stride, long at) {
    for (int i = 0; i < count; ++i) {
      T lanes[X::lanes];
      from[i].store(lanes);
      std::copy_n(lanes, X::lanes, rows.data() + i * stride + at);
    }
  }

  template <class Kept>
  Kept load(const Block& block, long at) const {
    Kept member;
    gather(member.p.data, np, block.parameters, block.stride, at);
    gather(member.q.data, nq, block.q, block.stride, at);
    gather(member.w.data, n, block.w, block.stride, at);
    T status[X::lanes];
    for (int lane = 0; lane < X::lanes; ++lane) {
      status[lane] = static_cast<T>(static_cast<int>(block.status[static_cast<std::size_t>(at + lane)]));
    }
    member.status = X::load(status);
    member.failed_step = X(0);
    member.rank = gather(block.carry.data() + at);
    member.rank_changes = gather(block.rank_changes.data() + at);
    if (!adapts()) gather(member.rotation.data, m * m, block.carry, block.stride, block.stride + at);
    long row = block.stride + at;
    member.each_kept([&](X* numbers, int count) {
      gather(numbers, count, block.carry, block.stride, row);
      row += count * block.stride;
    });
    return member;
  }

  /// A lane that failed in this call did so at failure_time(lane).
  template <class Kept, class FailureTime>
  void store(Kept& member, Block& block, long at, const FailureTime& failure_time) const {
    scatter(member.q.data, nq, block.q, block.stride, at);
    scatter(member.w.data, n, block.w, block.stride, at);
    T status[X::lanes];
    member.status.store(status);
    for (int lane = 0; lane < X::lanes; ++lane) {
      auto& kept = block.status[static_cast<std::size_t>(at + lane)];
      const auto now = static_cast<Status>(static_cast<int>(status[lane]));
      if (kept != now) block.failure_time[static_cast<std::size_t>(at + lane)] = failure_time(lane);
      kept = now;
    }
    scatter(&member.rank, 1, block.carry, block.stride, at);
    scatter(&member.rank_changes, 1, block.rank_changes, block.stride, at);
    if (!adapts()) scatter(member.rotation.data, m * m, block.carry, block.stride, block.stride + at);
    long row = block.stride + at;
    member.each_kept([&](X* numbers, int count) {
      scatter(numbers, count, block.carry, block.stride, row);
      row += count * block.stride;
    });
    if constexpr (requires { member.accepted; }) {
      scatter(&member.accepted, 1, block.accepted, block.stride, at);
      scatter(&member.rejected, 1, block.rejected, block.stride, at);
    }
  }

  Method method_;
  Watch watch_;
  int threads_;
};

template <Model M>
std::unique_ptr<Runner> make_cpu_runner(const Options& options) {
  if (options.precision == Precision::single_precision) return std::make_unique<CpuRunner<M, float>>(options);
  return std::make_unique<CpuRunner<M, double>>(options);
}

}  // namespace kalaba
