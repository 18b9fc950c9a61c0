#include "backend/cuda/pipeline.hpp"

#include "backend/cuda/cubin_cache.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/memory.hpp"

namespace kalaba::cuda {
namespace {

Module compiled(const PipelineProgram& program, const Device& device) {
  return Module(cached_or_compiled({program.name, program.text, compiler_options(device.info().architecture())}));
}

DeviceBuffer room(long members, int numbers, int bytes) {
  return DeviceBuffer(static_cast<std::size_t>(members) * static_cast<std::size_t>(numbers) *
                      static_cast<std::size_t>(bytes));
}

void launch(CUfunction function, long blocks, int threads, unsigned shared, const Stream& stream, void** arguments) {
  check(driver().cuLaunchKernel(function, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads), 1, 1,
                                shared, stream.get(), arguments, nullptr),
        "launching a kernel");
}

Kernel kernel_of(const Module& module, const char* name, const char* workspace, int workers, const Device& device) {
  return shaped(module.function(name), workers, static_cast<std::size_t>(number_of(module, workspace)), device);
}

bool same(const Batch& a, const Batch& b) { return a.data == b.data && a.members == b.members && a.stride == b.stride; }
bool same(const TimeGrid& a, const TimeGrid& b) { return a.start == b.start && a.end == b.end && a.dt == b.dt; }

}  // namespace

Pipeline::Pipeline(const PipelineProgram& program, const Device& device)
    : number_bytes_(program.precision == Precision::single_precision ? sizeof(float) : sizeof(double)),
      module_(compiled(program, device)),
      stage_(kernel_of(module_, "kalaba_stage", "kalaba_workspace", program.workers, device)),
      projected_rows_(program.projected_rows),
      set_(module_.function("kalaba_set")),
      tick_(module_.function("kalaba_tick")),
      length_(static_cast<int>(number_of(module_, "kalaba_length"))),
      extent_(static_cast<int>(number_of(module_, "kalaba_extent"))),
      svd_(make_batched_svd(length_, extent_, program.precision)),
      clock_(sizeof(long)) {
  if (projected_rows_ == 0) return;
  project_ = kernel_of(module_, "kalaba_project", "kalaba_projection_workspace", program.workers, device);
}

std::size_t Pipeline::bytes_a_member() const {
  const int numbers = length_ * extent_ + stages * (extent_ + u_size() + v_size());
  return static_cast<std::size_t>(numbers * number_bytes_) + stages * sizeof(int) +
         static_cast<std::size_t>(projected_rows_) * sizeof(double);
}

void Pipeline::reserve(long members) {
  for (DeviceBuffer* buffer : {&a_, &values_, &u_, &v_, &info_, &before_}) *buffer = DeviceBuffer();
  step_ = Graph();
  recorded_batch_ = {};
  capacity_ = members;
  a_ = room(members, length_ * extent_, number_bytes_);
  values_ = room(stages * members, extent_, number_bytes_);
  u_ = room(stages * members, u_size(), number_bytes_);
  v_ = room(stages * members, v_size(), number_bytes_);
  info_ = room(stages * members, 1, sizeof(int));
  before_ = room(members, projected_rows_, sizeof(double));
  svd_->reserve(members);
  const Stream stream;  // a failed member writes no matrix, but its memory is decomposed all the same
  check(driver().cuMemsetD8Async(a_.address(), 0, a_.bytes(), stream.get()), "clearing memory");
  stream.synchronize();
}

void Pipeline::advance(const Batch& batch, const TimeGrid& time, long first_step, long steps, const Stream& stream) {
  if (!same(batch, recorded_batch_) || !same(time, recorded_time_)) step_ = Graph();
  recorded_batch_ = batch;
  recorded_time_ = time;
  long* clock = clock_.data<long>();
  void* arguments[] = {&clock, &first_step};
  launch(set_, 1, 1, 0, stream, arguments);
  for (long done = 0; done < steps; ++done) {
    if (step_) {
      step_.launch(stream);
      continue;
    }
    enqueue_step(batch, time, stream);  // unrecorded: loads the modules, so that the recording need not load any
    if (recordable_) step_ = Graph::record(stream, [&] { enqueue_step(batch, time, stream); });
    recordable_ = static_cast<bool>(step_);
    if (!recordable_) forget_recording(batch, stream);
  }
}

void Pipeline::forget_recording(const Batch& batch, const Stream& stream) {
  try {
    enqueue_svd(0, batch.members, stream);  // of outdated matrices, into memory that the next step overwrites
  } catch (const Error&) {
    return;  // repeats the earlier failure
  }
}

void Pipeline::enqueue_step(const Batch& batch, const TimeGrid& time, const Stream& stream) {
  for (int stage = 0; stage < stages; ++stage) {
    enqueue_stage(stage, batch, time, stream);
    enqueue_svd(stage, batch.members, stream);
  }
  enqueue_stage(stages, batch, time, stream);
  if (projected_rows_ > 0) enqueue_projection(batch, time, stream);
  long* clock = clock_.data<long>();
  void* arguments[] = {&clock};
  launch(tick_, 1, 1, 0, stream, arguments);
}

void Pipeline::enqueue_stage(int stage, const Batch& batch, const TimeGrid& time, const Stream& stream) {
  Batch members = batch;
  TimeGrid grid = time;
  long* clock = clock_.data<long>();
  // The launch does not distinguish pointers to numbers of different precision.
  SvdExchange<void> exchange = {a_.data<void>(),   values_.data<void>(),
                                u_.data<void>(),   v_.data<void>(),
                                info_.data<int>(), capacity_,
                                svd_->u_columns(), stage};
  double* before = before_.data<double>();
  void* arguments[] = {&members, &grid, &clock, &exchange, &before};
  launch(stage_.function, stage_.grid.blocks(batch.members), stage_.grid.block_threads, stage_.shared_bytes, stream,
         arguments);
}

void Pipeline::enqueue_projection(const Batch& batch, const TimeGrid& time, const Stream& stream) {
  Batch members = batch;
  TimeGrid grid = time;
  long* clock = clock_.data<long>();
  double* before = before_.data<double>();
  void* arguments[] = {&members, &grid, &clock, &before};
  launch(project_.function, project_.grid.blocks(batch.members), project_.grid.block_threads, project_.shared_bytes,
         stream, arguments);
}

void Pipeline::enqueue_svd(int stage, long members, const Stream& stream) {
  const long before = stage * capacity_;
  const auto at = [&](const DeviceBuffer& buffer, int numbers) {
    return static_cast<void*>(buffer.data<char>() + before * numbers * number_bytes_);
  };
  svd_->enqueue({a_.data<void>(), at(values_, extent_), at(u_, u_size()), at(v_, v_size()), info_.data<int>() + before},
                members, stream);
}

}  // namespace kalaba::cuda
