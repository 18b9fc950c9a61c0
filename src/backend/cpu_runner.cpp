#include "backend/cpu_runner.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include "kalaba/backend/parallel.hpp"

namespace kalaba {
namespace {

constexpr std::align_val_t workspace_alignment{64};

/// Memory of one thread for the functions' work.
class Workspace {
 public:
  explicit Workspace(long bytes)
      : memory_(bytes > 0 ? ::operator new(static_cast<std::size_t>(bytes), workspace_alignment) : nullptr) {}
  ~Workspace() { ::operator delete(memory_, workspace_alignment); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  void* memory() const { return memory_; }

 private:
  void* memory_;
};

/// Lanes beyond the last member repeat it, so that they neither fail nor slow the pack down.
void fill_padding(Block& block) {
  const auto pad = [&](auto& values) {
    const auto stride = static_cast<std::size_t>(block.stride);
    const auto used = static_cast<std::size_t>(block.members);
    for (std::size_t row = 0; row + stride <= values.size(); row += stride) {
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(row + used),
                values.begin() + static_cast<std::ptrdiff_t>(row + stride), values[row + used - 1]);
    }
  };
  for (auto* numbers :
       {&block.parameters, &block.q, &block.w, &block.failure_time, &block.events, &block.backend_state}) {
    pad(*numbers);
  }
  for (const BlockCounter& counter : block_counters) pad(block.*counter.values);
  pad(block.status);
}

}  // namespace

CpuRunner::CpuRunner(const MemberFunctions& functions, const Options& options)
    : functions_(functions),
      method_(options.method),
      watch_(options.watch),
      follows_(options.sensitivities.follows),
      threads_(options.threads),
      order_(functions.lanes) {
  for (const int of : options.sensitivities.of) sensitivities_.of[sensitivities_.count++] = of;
  sensitivities_.follows = follows_.data();
}

/// Calls work(call) for ranges of packs, in parallel.
template <class Work>
void CpuRunner::for_each_range(const Block& block, const Work& work) const {
  const long grain = std::max(32 / functions_.lanes, 1);
  const long packs = packs_of(block);
  const MemberRows rows = rows_of(block);
  parallel_for(packs, grain, threads_, [&](long first, long last) {
    const Workspace workspace(functions_.workspace_bytes);
    work(PackCall{rows, &method_, &watch_, &sensitivities_, first, last, workspace.memory(), functions_.model});
  });
}

long CpuRunner::packs_of(const Block& block) const { return (block.members + functions_.lanes - 1) / functions_.lanes; }

/// For a constant block, the rows are passed only to functions that do not write to them.
MemberRows CpuRunner::rows_of(const Block& block) const {
  auto& all = const_cast<Block&>(block);
  double* const state = all.backend_state.data();
  MemberRows rows = {{}, all.status.data(), all.failure_time.data(), block.stride};
  const auto put = [&](Part part, double* first) { rows.parts[static_cast<int>(part)] = first; };
  put(Part::parameters, all.parameters.data());
  put(Part::q, all.q.data());
  put(Part::w, all.w.data());
  for (const BlockCounter& counter : block_counters) {
    if (!counter.is_adaptive()) put(counter.part, (all.*counter.values).data());
  }
  put(Part::rank, state);
  put(Part::approach, state + block.stride);
  put(Part::rotation, state + own_rows * block.stride);
  put(Part::persistent, state + (own_rows + functions_.rotations) * block.stride);
  put(Part::events, all.events.data());
  return rows;
}

ObservedRows CpuRunner::rows_of(const Block& block, FieldSet fields, Observation& out) const {
  ObservedRows rows = {};
  out.status = block.status;
  rows.status = out.status.data();
  for (int field = 0; field < field_count; ++field) {
    auto& values = out.values[static_cast<std::size_t>(field)];
    const bool requested = fields.has(static_cast<Field>(field));
    values.assign(requested ? static_cast<std::size_t>(functions_.components[field] * block.stride) : 0, 0.0);
    rows.fields[field] = values.empty() ? nullptr : values.data();
  }
  return rows;
}

void CpuRunner::start(Block& block, double time, bool project) {
  const long rows = made_row() + 1;
  block.backend_state.assign(static_cast<std::size_t>(rows * block.stride), 0.0);
  fill_padding(block);
  order_.reset();
  for_each_range(block, [&](const PackCall& call) { functions_.start(call, time, project ? 1 : 0); });
}

bool CpuRunner::advance(Block& block, const TimeGrid& time, long first_step, long steps) {
  const long packs = packs_of(block);
  const auto lanes = static_cast<long>(functions_.lanes);
  const bool begins = block.under_way == 0;
  if (begins && adapts(method_.integrator)) order_.choose(steps);
  const auto member_of = [&](long pack, long lane) {
    return order_.is_empty() ? std::min(pack * lanes + lane, block.members - 1) : order_.members(pack)[lane];
  };
  std::vector<long> made(static_cast<std::size_t>(packs), 0);
  double* const row = block.backend_state.data() + made_row() * block.stride;
  if (begins) {
    order_.begin(block);
  } else {  // perhaps a call of another runner, whose packs had other members
    for (long pack = 0; pack < packs; ++pack) {
      double least = row[member_of(pack, 0)];
      for (long lane = 1; lane < lanes; ++lane) least = std::min(least, row[member_of(pack, lane)]);
      made[static_cast<std::size_t>(pack)] = static_cast<long>(least);
    }
  }
  for_each_range(block, [&](PackCall call) {
    call.pause = pause_;
    call.made = made.data();
    if (order_.is_empty()) return functions_.advance(call, time, first_step, steps);
    PackCopy copy(call.rows, row_counts(block), functions_.lanes);
    const long last = call.last;
    call.rows = copy.rows();
    for (long pack = call.first; pack < last && !pause_.wanted(); ++pack) {
      copy.load(order_.members(pack));
      call.first = 0;
      call.last = 1;
      call.made = &made[static_cast<std::size_t>(pack)];
      functions_.advance(call, time, first_step, steps);
      copy.store(order_.members(pack));
    }
  });
  if (!order_.is_empty()) fill_padding(block);
  const bool is_done = std::ranges::all_of(made, [&](long each) { return each == steps; });
  block.under_way = is_done ? 0 : steps;
  if (!is_done) {
    for (long pack = 0; pack < packs; ++pack) {
      for (long lane = 0; lane < lanes; ++lane) {
        row[member_of(pack, lane)] = static_cast<double>(made[static_cast<std::size_t>(pack)]);
      }
    }
  }
  copy_step_counts(block);
  if (is_done) order_.end(block, steps);
  return is_done;
}

PackCopy::RowCounts CpuRunner::row_counts(const Block& block) const {
  PackCopy::RowCounts counts = {};
  const auto count = [&](Part part, long rows) { counts[static_cast<std::size_t>(part)] = rows; };
  const auto rows_in = [&](const std::vector<double>& numbers) {
    return static_cast<long>(numbers.size()) / block.stride;
  };
  count(Part::parameters, rows_in(block.parameters));
  count(Part::q, rows_in(block.q));
  count(Part::w, rows_in(block.w));
  for (int part = static_cast<int>(first_single_part); part <= static_cast<int>(last_single_part); ++part) {
    count(static_cast<Part>(part), 1);
  }
  count(Part::rotation, functions_.rotations);
  count(Part::persistent, functions_.persistent);
  count(Part::events, rows_in(block.events));
  return counts;
}

void CpuRunner::copy_step_counts(Block& block) const {
  if (!adapts(method_.integrator)) return;
  const long before = own_rows + functions_.rotations + kept_columns().leading_rows();
  for (const BlockCounter& counter : block_counters) {
    if (!counter.is_adaptive()) continue;
    const auto from = block.backend_state.begin() + (before + counter.row) * block.stride;
    std::copy_n(from, block.stride, (block.*counter.values).begin());
  }
}

void CpuRunner::observe(const Block& block, double time, FieldSet fields, Observation& out) {
  const ObservedRows rows = rows_of(block, fields, out);
  for_each_range(block, [&](const PackCall& call) { functions_.observe(call, time, rows); });
}

void CpuRunner::observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                                Observation& out) {
  const ObservedRows rows = rows_of(block, fields, out);
  for_each_range(block, [&](PackCall call) {
    call.pause = {pause_.word, 2};
    functions_.observe_between(call, time, step, t, rows);
  });
}

void CpuRunner::combine_columns(Block& block, const std::vector<double>& factors) {
  const long before = (own_rows + functions_.rotations) * block.stride;
  kept_columns().combine(block.backend_state.data() + before, block.stride, factors);
}

KeptColumns CpuRunner::kept_columns() const {
  return {method_.integrator, sensitivities_.count, functions_.coordinates, functions_.rates};
}

std::unique_ptr<Runner> make_cpu_runner(const MemberFunctions& functions, const Options& options) {
  return std::make_unique<CpuRunner>(functions, options);
}

}  // namespace kalaba
