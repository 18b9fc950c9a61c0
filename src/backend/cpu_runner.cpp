#include "backend/cpu_runner.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

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
  pad(block.parameters);
  pad(block.q);
  pad(block.w);
  pad(block.status);
}

}  // namespace

CpuRunner::CpuRunner(const MemberFunctions& functions, const Options& options)
    : functions_(functions),
      method_(options.method),
      watch_(options.watch),
      follows_(options.sensitivities.follows),
      threads_(options.threads) {
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
  put(Part::passing, state + block.stride);
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
  for_each_range(block, [&](const PackCall& call) { functions_.start(call, time, project ? 1 : 0); });
}

bool CpuRunner::advance(Block& block, const TimeGrid& time, long first_step, long steps) {
  std::vector<long> made(static_cast<std::size_t>(packs_of(block)), 0);
  double* const row = block.backend_state.data() + made_row() * block.stride;
  const auto lanes = static_cast<std::size_t>(functions_.lanes);
  if (block.under_way > 0) {
    for (std::size_t pack = 0; pack < made.size(); ++pack) made[pack] = static_cast<long>(row[pack * lanes]);
  }
  for_each_range(block, [&](PackCall call) {
    call.pause = pause_;
    call.made = made.data();
    functions_.advance(call, time, first_step, steps);
  });
  const bool is_done = std::ranges::all_of(made, [&](long each) { return each == steps; });
  block.under_way = is_done ? 0 : steps;
  if (!is_done) {
    for (std::size_t pack = 0; pack < made.size(); ++pack) {
      std::fill_n(row + pack * lanes, lanes, static_cast<double>(made[pack]));
    }
  }
  copy_step_counts(block);
  return is_done;
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
