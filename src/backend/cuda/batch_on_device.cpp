#include "backend/cuda/batch_on_device.hpp"

#include <algorithm>
#include <utility>

#include "backend/cuda/driver.hpp"

namespace kalaba::cuda {
namespace {

constexpr long most_steps_a_launch = 1L << 20;  // largest count that a float represents exactly

int count(const std::vector<Variable>& variables) { return static_cast<int>(variables.size()); }

KeptColumns kept_columns(const SystemInfo& system, const Method& method) {
  return {method.integrator, count(system.sensitivities), count(system.coordinates), count(system.rates)};
}

BatchLayout layout_of(const SystemInfo& system, const Method& method, const Watch& watch) {
  const int m = count(system.constraints);
  // With cuSOLVER, start and observation use svd. Only the svd has a rotation (has_rotation in
  // core/loop/member_work.hpp).
  const bool by_svd = method.pseudo_inverse != PseudoInverse::qr && method.pseudo_inverse != PseudoInverse::ldlt;
  const bool warm_starts = by_svd && !adapts(method.integrator);
  const int q = count(system.coordinates);
  const int w = count(system.rates);
  const int persistent = persistent_numbers(method.integrator, q, w) + kept_columns(system, method).rows();
  const int columns = count(system.sensitivities);
  return {count(system.parameters), q, w, warm_starts ? m * m : 0, persistent, watch.count, columns,
          watch.has_clocks()};
}

std::size_t bytes(int rows, long stride) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride) * sizeof(double);
}

Status status_of(double code) { return static_cast<Status>(static_cast<int>(code)); }

}  // namespace

BatchOnDevice::BatchOnDevice(const SystemInfo& system, const Options& options, std::shared_ptr<const Device> device,
                             std::unique_ptr<MemberKernels> kernels)
    : DeviceShare(std::move(device)),
      method_(options.method),
      usual_fields_(options.fields),
      kernels_(std::move(kernels)),
      columns_(kept_columns(system, options.method)),
      layout_(layout_of(system, options.method, options.watch)),
      discrete_(options.watch.changes() ? system.discrete : 0),
      advancer_(kernels_->advancer()) {
  usual_fields_.add(Field::residual);
  usual_fields_.add(Field::violation);
  for (const Field field : all_fields) {
    components_[static_cast<std::size_t>(field)] = static_cast<int>(field_layout(system, field).components.size());
  }
}

BatchOnDevice::~BatchOnDevice() {
  try {
    device_->make_current();
    copy_.synchronize();
    stream_.synchronize();
  } catch (const Error&) {  // already reported by the call that enqueued the work
  }
}

std::string BatchOnDevice::reduction_problem() const {
  device_->make_current();
  return kalaba::reduction_problem();
}

void BatchOnDevice::begin_reducing(FieldSet fields, const StatisticsPlan& plan) {
  reduction_ = std::make_unique<ObservationReduction>(fields, plan, components_);
}

long BatchOnDevice::fitting_members(double fraction) const {
  double beside = advancer_ ? static_cast<double>(advancer_->bytes_a_member()) : 0;
  if (reduction_) beside += reduction_->bytes_a_member();
  const double member = static_cast<double>(bytes(layout_.rows() + observed_rows(usual_fields_), 1)) + beside;
  const double members = fraction * static_cast<double>(device_->free_memory()) / member;
  return static_cast<long>(members) / Block::alignment * Block::alignment;
}

void BatchOnDevice::reserve(long members) {
  device_->make_current();
  rows_ = DeviceBuffer();
  observed_ = DeviceBuffer();
  capacity_ = (members + Block::alignment - 1) / Block::alignment * Block::alignment;
  rows_ = DeviceBuffer(bytes(layout_.rows(), capacity_));
  if (advancer_) advancer_->reserve(capacity_);
  if (reduction_) reduction_->reserve(capacity_);
  reserve_observation(usual_fields_);
}

int BatchOnDevice::observed_rows(FieldSet fields) const {
  int rows = 1;  // the status
  for (const Field field : all_fields) {
    if (fields.has(field)) rows += components_[static_cast<std::size_t>(field)];
  }
  return rows;
}

void BatchOnDevice::reserve_observation(FieldSet fields) {
  const std::size_t size = bytes(observed_rows(fields), capacity_);
  if (observed_.bytes() >= size) return;
  observed_ = DeviceBuffer();
  landing_ = PinnedBuffer();
  observed_ = DeviceBuffer(size);
  if (!reduction_) landing_ = PinnedBuffer(size);
}

Batch BatchOnDevice::batch() const { return {rows_.data<double>(), members_, capacity_}; }

void BatchOnDevice::upload(const Block& block, long begin, long members) {
  device_->make_current();
  begin_ = begin;
  members_ = members;
  statuses_.resize(block.status.size());
  std::ranges::transform(block.status, statuses_.begin(), [](Status s) { return static_cast<double>(s); });
  copy_up(block.parameters, block.stride, layout_.parameter(), layout_.parameters);
  copy_up(block.q, block.stride, layout_.q(), layout_.coordinates);
  copy_up(block.w, block.stride, layout_.w(), layout_.rates);
  copy_up(statuses_, block.stride, layout_.status(), 1);
  copy_up(block.failure_time, block.stride, layout_.failure_time(), 1);
  for (const BlockCounter& counter : block_counters) {
    if (!counter.is_adaptive()) copy_up(block.*counter.values, block.stride, layout_.first(counter.part), 1);
  }
  copy_up(block.events, block.stride, layout_.event(), layout_.event_rows());
}

void BatchOnDevice::copy_up(const std::vector<double>& from, long stride, int first_row, int rows) {
  for (int row = 0; row < rows; ++row) {
    const double* values = from.data() + row * stride + begin_;
    const CUdeviceptr to = rows_.address() + bytes(first_row + row, capacity_);
    check(driver().cuMemcpyHtoDAsync(to, values, bytes(1, members_), stream_.get()), "copying members to the device");
  }
}

void BatchOnDevice::copy_down(double* to, long stride, int first_row, int rows) {
  for (int row = 0; row < rows; ++row) {
    double* values = to + row * stride + begin_;
    const CUdeviceptr from = rows_.address() + bytes(first_row + row, capacity_);
    check(driver().cuMemcpyDtoHAsync(values, from, bytes(1, members_), stream_.get()), "copying members back");
  }
}

void BatchOnDevice::launch(const Kernel& kernel, void** arguments) {
  const auto blocks = static_cast<unsigned>(kernel.grid.blocks(members_));
  check(driver().cuLaunchKernel(kernel.function, blocks, 1, 1, static_cast<unsigned>(kernel.grid.block_threads), 1, 1,
                                kernel.shared_bytes, stream_.get(), arguments, nullptr),
        "launching a kernel");
}

void BatchOnDevice::start(double time, bool project) {
  device_->make_current();
  Batch members = batch();
  int projects = project ? 1 : 0;
  void* arguments[] = {&members, &method_, &time, &projects};
  launch(kernels_->start(), arguments);
}

void BatchOnDevice::advance(const TimeGrid& time, long first_step, long steps) {
  device_->make_current();
  Batch members = batch();
  if (advancer_) return advancer_->advance(members, time, first_step, steps, stream_);
  TimeGrid grid = time;
  for (long done = 0; done < steps; done += most_steps_a_launch) {
    long first = first_step + done;
    long count = std::min(steps - done, most_steps_a_launch);
    void* arguments[] = {&members, &method_, &grid, &first, &count};
    launch(kernels_->advance(), arguments);
  }
}

void BatchOnDevice::observe(double time, FieldSet fields) {
  device_->make_current();
  const Kernel& kernel = kernels_->observe(fields);
  double* out = begin_observation(fields);
  Batch members = batch();
  unsigned requested = fields.bits();
  void* arguments[] = {&members, &method_, &time, &requested, &out};
  launch(kernel, arguments);
  land_observation();
}

void BatchOnDevice::observe_between(const TimeGrid& time, long step, double t, FieldSet fields) {
  device_->make_current();
  const Kernel& kernel = kernels_->observe_between(fields);
  double* out = begin_observation(fields);
  Batch members = batch();
  TimeGrid grid = time;
  unsigned requested = fields.bits();
  void* arguments[] = {&members, &method_, &grid, &step, &t, &requested, &out};
  launch(kernel, arguments);
  land_observation();
}

/// Reserves the memory of the observation and returns its address for the kernel.
double* BatchOnDevice::begin_observation(FieldSet fields) {
  reserve_observation(fields);
  fields_ = fields;
  stream_.wait(copied_);  // until the previous observation is copied, which has the same memory
  return observed_.data<double>();
}

void BatchOnDevice::land_observation() {
  computed_.record(stream_);
  copy_.wait(computed_);
  if (reduction_) return;
  const std::size_t size = bytes(observed_rows(fields_), capacity_);
  check(driver().cuMemcpyDtoHAsync(landing_.data<double>(), observed_.address(), size, copy_.get()),
        "copying an observation back");
  copied_.record(copy_);
}

void BatchOnDevice::collect(const Block& block, Observation& out) {
  device_->make_current();
  copied_.synchronize();
  const double* row = landing_.data<double>();
  std::transform(row, row + members_, out.status.begin() + begin_, status_of);
  for (const Field field : all_fields) {
    if (!fields_.has(field)) continue;
    const auto index = static_cast<std::size_t>(field);
    for (int i = 0; i < components_[index]; ++i) {
      row += capacity_;
      std::copy_n(row, members_, out.values[index].begin() + i * block.stride + begin_);
    }
  }
}

/// Runs concurrently with the following steps, as copies do.
void BatchOnDevice::reduce(const Block& block, ReducedObservation& out) {
  device_->make_current();
  reduction_->reduce({observed_.data<double>(), fields_, capacity_, block.first + begin_, members_}, copy_, out);
  copied_.record(copy_);
}

void BatchOnDevice::combine_columns(const Block& block, const std::vector<double>& factors) {
  device_->make_current();
  std::vector<double> kept(static_cast<std::size_t>(layout_.persistent * block.stride));
  copy_down(kept.data(), block.stride, layout_.persistent_number(), layout_.persistent);
  stream_.synchronize();
  columns_.combine(kept.data(), block.stride, factors);
  copy_up(kept, block.stride, layout_.persistent_number(), layout_.persistent);
  stream_.synchronize();
}

void BatchOnDevice::download(Block& block) {
  device_->make_current();
  if (!reduction_) {
    copy_down(block.q.data(), block.stride, layout_.q(), layout_.coordinates);
    copy_down(block.w.data(), block.stride, layout_.w(), layout_.rates);
    const int first = layout_.parameters - discrete_;  // the discrete variables, which changes set, come last
    copy_down(block.parameters.data() + first * block.stride, block.stride, layout_.parameter() + first, discrete_);
  }
  copy_down(statuses_.data(), block.stride, layout_.status(), 1);
  copy_down(block.failure_time.data(), block.stride, layout_.failure_time(), 1);
  copy_down(block.events.data(), block.stride, layout_.event(), layout_.event_rows());
  for (const BlockCounter& counter : block_counters) {
    if (counter.is_adaptive() && !adapts(method_.integrator)) continue;
    const int before = counter.is_adaptive() ? columns_.leading_rows() : 0;
    copy_down((block.*counter.values).data(), block.stride, layout_.first(counter.part) + before + counter.row, 1);
  }
  stream_.synchronize();
  std::transform(statuses_.begin() + begin_, statuses_.begin() + begin_ + members_, block.status.begin() + begin_,
                 status_of);
}

}  // namespace kalaba::cuda
