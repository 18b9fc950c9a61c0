#include "backend/cuda/swarms_on_device.hpp"

#include <algorithm>
#include <limits>

#include "backend/cuda/cubin_cache.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/memory.hpp"
#include "swarm/agent_arrays.hpp"

namespace kalaba::cuda {
namespace {

using swarm::undefined;

constexpr int state_rows = 2;     ///< times the dimension: x, w
constexpr int looked_rows = 4;    ///< plus beta, the acceleration
constexpr int all_rows = 6;       ///< plus the stage; used only if many blocks share a swarm
constexpr long row_numbers = 16;  ///< rows are multiples of this
constexpr unsigned most_members_of_a_grid = 65535;

/// Number of agents for which a member's swarm has memory.
long padded(long agents) { return (agents + row_numbers - 1) / row_numbers * row_numbers; }

unsigned threads_for(long agents, int targets) {
  constexpr long warp = 32;
  const long needed = ((agents + targets - 1) / targets + warp - 1) / warp * warp;
  return static_cast<unsigned>(std::min<long>(needed, swarm_block_threads));
}

}  // namespace

SwarmsOnDevice::SwarmsOnDevice(const System& system, const Options& options, std::shared_ptr<const Device> device)
    : DeviceShare(std::move(device)),
      projects_(projects(options.method)),
      rate_gain_(options.method.stabilization.kind == Stabilization::Kind::feedback
                     ? options.method.stabilization.rate_gain
                     : 0),
      dimension_(static_cast<int>(system.info.coordinates.size())),
      parameters_(static_cast<int>(system.info.parameters.size())),
      agents_(system.info.agents),
      stride_(padded(agents_)),
      cut_{stride_} {
  if (agents_ <= most_agents_of_a_block) {
    program_ = swarm_program(system, options.precision, true);
    load();
    block_threads_ = threads_for(agents_, program_.targets);
    block_bytes_ = number_of(*module_, "kalaba_agent_bytes") * stride_ + number_of(*module_, "kalaba_other_bytes");
    if (block_bytes_ <= static_cast<long>(device_->info().shared_memory_per_block)) {
      for (const char* name : {"kalaba_swarm_start", "kalaba_swarm_advance", "kalaba_swarm_look"}) {
        check(driver().cuFuncSetAttribute(module_->function(name), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(block_bytes_)),
              "giving a kernel shared memory");
      }
      return;
    }
  }
  program_ = swarm_program(system, options.precision, false);
  load();
}

SwarmsOnDevice::~SwarmsOnDevice() {
  try {
    device_->make_current();
    stream_.synchronize();
  } catch (const Error&) {  // already reported by the call that enqueued the work
  }
}

void SwarmsOnDevice::load() {
  module_.emplace(
      cached_or_compiled({program_.name(), program_.text(), program_.options(device_->info().architecture())}));
  source_bytes_ = number_of(*module_, "kalaba_source_bytes");
  totals_bytes_ = number_of(*module_, "kalaba_totals_bytes");
}

std::size_t SwarmsOnDevice::bytes_a_member() const {
  const auto number = static_cast<long>(sizeof(double));
  const long kept = parameters_ * number + static_cast<long>(sizeof(SwarmRecord));
  if (a_block_each()) return static_cast<std::size_t>(kept + looked_rows * dimension_ * stride_ * number);
  return static_cast<std::size_t>(kept + all_rows * dimension_ * stride_ * number + 2 * stride_ * source_bytes_ +
                                  cut_.segments() * (2 * dimension_ + 1) * stride_ * number +
                                  cut_.chunks() * totals_bytes_);
}

long SwarmsOnDevice::fitting_members(double fraction) const {
  const double members = fraction * static_cast<double>(device_->free_memory()) / static_cast<double>(bytes_a_member());
  const long most = a_block_each() ? std::numeric_limits<int>::max() : most_members_of_a_grid;
  return static_cast<long>(std::min(members, static_cast<double>(most)));
}

void SwarmsOnDevice::reserve(long members) {
  device_->make_current();
  for (auto* buffer : {&rows_, &parameters_there_, &records_, &sources_, &sums_, &totals_}) *buffer = DeviceBuffer();
  capacity_ = members;
  const auto of_each = [members](long numbers, long bytes) {
    return DeviceBuffer(static_cast<std::size_t>(members * numbers * bytes));
  };
  constexpr auto number = static_cast<long>(sizeof(double));
  rows_ = of_each((a_block_each() ? looked_rows : all_rows) * dimension_ * stride_, number);
  parameters_there_ = of_each(parameters_, number);
  records_ = of_each(1, sizeof(SwarmRecord));
  if (a_block_each()) return;
  sources_ = of_each(2 * stride_, source_bytes_);
  sums_ = of_each(cut_.segments() * (2 * dimension_ + 1) * stride_, number);
  totals_ = of_each(cut_.chunks(), totals_bytes_);
}

SwarmBatch SwarmsOnDevice::batch() const {
  return {.rows = rows_.data<double>(),
          .parameters = parameters_there_.data<double>(),
          .records = records_.data<SwarmRecord>(),
          .sources = sources_.data<void>(),
          .sums = sums_.data<double>(),
          .totals = totals_.data<double>(),
          .members = members_,
          .stride = stride_,
          .pitch = members_ * stride_,
          .rate_gain = rate_gain_};
}

void SwarmsOnDevice::upload(const Block& block, long begin, long members) {
  begin_ = begin;
  members_ = members;
  Copy state;
  state.rows.assign(static_cast<std::size_t>(state_rows * dimension_ * members * stride_), 0.0);
  std::vector<double> parameters;
  for (long member = begin; member < begin + members; ++member) {
    for (int i = 0; i < parameters_; ++i) parameters.push_back(block.parameters[i * block.stride + member]);
    SwarmRecord record{};
    record.status = static_cast<double>(block.status[member]);
    record.failure_time = block.failure_time[member];
    record.settled = undefined;
    state.records.push_back(record);
  }
  double* row = state.rows.data();
  for (const auto* from : {&block.q, &block.w}) {
    for (int d = 0; d < dimension_; ++d) {
      for (long member = begin; member < begin + members; ++member, row += stride_) {
        const double* first = from->data() + d * agents_ * block.stride + member;
        for (long i = 0; i < agents_; ++i) row[i] = first[i * block.stride];
      }
    }
  }
  restore(state);
  check(driver().cuMemcpyHtoDAsync(parameters_there_.address(), parameters.data(), parameters.size() * sizeof(double),
                                   stream_.get()),
        "copying swarms to the device");
  stream_.synchronize();
}

void SwarmsOnDevice::restore(const Copy& state) {
  device_->make_current();
  const std::size_t numbers = static_cast<std::size_t>(state_rows * dimension_ * members_ * stride_);
  check(driver().cuMemcpyHtoDAsync(rows_.address(), state.rows.data(), numbers * sizeof(double), stream_.get()),
        "copying swarms to the device");
  check(driver().cuMemcpyHtoDAsync(records_.address(), state.records.data(), state.records.size() * sizeof(SwarmRecord),
                                   stream_.get()),
        "copying swarms to the device");
  stream_.synchronize();
}

void SwarmsOnDevice::launch(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads, long shared,
                            void** arguments) {
  check(driver().cuLaunchKernel(function, x, y, z, threads, 1, 1, static_cast<unsigned>(shared), stream_.get(),
                                arguments, nullptr),
        "launching a kernel");
}

void SwarmsOnDevice::start(double time, bool project) {
  device_->make_current();
  if (a_block_each()) {
    SwarmBatch swarms = batch();
    int projects = project ? 1 : 0;
    void* arguments[] = {&swarms, &time, &projects};
    launch(module_->function("kalaba_swarm_start"), static_cast<unsigned>(members_), 1, 1, block_threads_, block_bytes_,
           arguments);
    return;
  }
  launch_begin(time, false);
  evaluate(project ? SwarmMove::project : SwarmMove::look, time, 0, false);
  commit();
}

void SwarmsOnDevice::advance(const TimeGrid& time, long first_step, long steps) {
  device_->make_current();
  if (a_block_each()) {
    SwarmBatch swarms = batch();
    TimeGrid grid = time;
    int projects = projects_ ? 1 : 0;
    void* arguments[] = {&swarms, &grid, &projects, &first_step, &steps};
    launch(module_->function("kalaba_swarm_advance"), static_cast<unsigned>(members_), 1, 1, block_threads_,
           block_bytes_, arguments);
    return;
  }
  launch_begin(time.at(first_step), false);
  for (long step = first_step; step < first_step + steps; ++step) {
    for (const auto move : {SwarmMove::first, SwarmMove::second, SwarmMove::third, SwarmMove::last}) {
      evaluate(move, time.at(step), time.dt, false);
    }
    if (projects_) evaluate(SwarmMove::project, time.at(step), time.dt, false);
  }
  commit();
}

void SwarmsOnDevice::launch_begin(double time, bool looking) {
  SwarmBatch swarms = batch();
  void* arguments[] = {&swarms};
  launch(module_->function("kalaba_swarm_begin"), static_cast<unsigned>(cut_.chunks()), static_cast<unsigned>(members_),
         1, shared_swarm_threads, shared_swarm_threads / 32 * totals_bytes_, arguments);
  launch_finish(SwarmMove::begin, time, looking);
}

void SwarmsOnDevice::evaluate(SwarmMove move, double time, double dt, bool looking) {
  SwarmBatch swarms = batch();
  int code = static_cast<int>(move);
  void* pairs[] = {&swarms, &code};
  const long targets = shared_swarm_threads * static_cast<long>(program_.targets);
  launch(module_->function("kalaba_swarm_pairs"), static_cast<unsigned>((agents_ + targets - 1) / targets),
         static_cast<unsigned>(cut_.segments()), static_cast<unsigned>(members_), shared_swarm_threads,
         SwarmCut::tile * source_bytes_, pairs);
  void* advance[] = {&swarms, &code, &dt};
  launch(module_->function("kalaba_swarm_advance"), static_cast<unsigned>(cut_.chunks()),
         static_cast<unsigned>(members_), 1, shared_swarm_threads, shared_swarm_threads / 32 * totals_bytes_, advance);
  launch_finish(move, time, looking);
}

void SwarmsOnDevice::launch_finish(SwarmMove move, double time, bool looking) {
  SwarmBatch swarms = batch();
  int code = static_cast<int>(move);
  int looks = looking ? 1 : 0;
  void* arguments[] = {&swarms, &code, &time, &looks};
  launch(module_->function("kalaba_swarm_finish"), 1, static_cast<unsigned>(members_), 1, shared_swarm_threads,
         shared_swarm_threads / 32 * totals_bytes_, arguments);
}

void SwarmsOnDevice::commit() {
  SwarmBatch swarms = batch();
  void* arguments[] = {&swarms};
  launch(module_->function("kalaba_swarm_commit"), static_cast<unsigned>(cut_.chunks()),
         static_cast<unsigned>(members_), 1, shared_swarm_threads, 0, arguments);
}

SwarmsOnDevice::Copy SwarmsOnDevice::state() {
  device_->make_current();
  return download(state_rows);
}

SwarmsOnDevice::Copy SwarmsOnDevice::look() {
  device_->make_current();
  if (a_block_each()) {
    SwarmBatch swarms = batch();
    void* arguments[] = {&swarms};
    launch(module_->function("kalaba_swarm_look"), static_cast<unsigned>(members_), 1, 1, block_threads_, block_bytes_,
           arguments);
  } else {
    launch_begin(0, true);
    evaluate(SwarmMove::look, 0, 0, true);
  }
  return download(looked_rows);
}

SwarmsOnDevice::Copy SwarmsOnDevice::download(int rows) {
  Copy copy;
  copy.stride = stride_;
  copy.pitch = members_ * stride_;
  copy.dimension = dimension_;
  const std::size_t numbers = static_cast<std::size_t>(rows * dimension_ * copy.pitch);
  copy.rows.resize(numbers + agent_padding);
  copy.records.resize(static_cast<std::size_t>(members_));
  check(driver().cuMemcpyDtoHAsync(copy.rows.data(), rows_.address(), numbers * sizeof(double), stream_.get()),
        "copying swarms back");
  check(driver().cuMemcpyDtoHAsync(copy.records.data(), records_.address(), copy.records.size() * sizeof(SwarmRecord),
                                   stream_.get()),
        "copying swarms back");
  stream_.synchronize();
  return copy;
}

}  // namespace kalaba::cuda
