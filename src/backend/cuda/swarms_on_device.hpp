#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/cuda/device_shares.hpp"
#include "backend/cuda/swarm_program.hpp"
#include "kalaba/block.hpp"
#include "kernels/swarm_batch.hpp"

namespace kalaba::cuda {

/// One device's share of a block of swarms, stored there between calls. Calls without a result only enqueue work.
class SwarmsOnDevice : public DeviceShare {
 public:
  SwarmsOnDevice(const System& system, const Options& options, std::shared_ptr<const Device> device);
  ~SwarmsOnDevice();

  bool a_block_each() const { return program_.a_block_each; }

  /// Returns the number of swarms that fit into this fraction of the free memory.
  long fitting_members(double fraction) const;
  /// Makes room for `members`; throws OutOfMemory.
  void reserve(long members);
  void upload(const Block& block, long begin, long members);
  void start(double time, bool project);
  void advance(const TimeGrid& time, long first_step, long steps);

  /// The share's swarms on the host.
  struct Copy {
    std::vector<double> rows;  ///< as in SwarmBatch, with memory behind them that may be read
    long stride = 0;
    long pitch = 0;
    int dimension = 0;
    std::vector<SwarmRecord> records;

    const double* row(SwarmRow row, int axis, long member) const {
      return rows.data() + (static_cast<int>(row) * dimension + axis) * pitch + member * stride;
    }
  };
  /// Returns positions and velocities.
  Copy state();
  /// Returns these, and beta and the acceleration of swarms that have one: `active` is then set in their record.
  Copy look();
  /// Restores a result of `state`.
  void restore(const Copy& state);

  long begin() const { return begin_; }
  long members() const { return members_; }

 private:
  void load();
  std::size_t bytes_a_member() const;
  SwarmBatch batch() const;
  Copy download(int rows);
  void launch(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads, long shared, void** arguments);
  void launch_begin(double time, bool looking);
  void evaluate(SwarmMove move, double time, double dt, bool looking);
  void launch_finish(SwarmMove move, double time, bool looking);
  void commit();

  bool projects_;
  double rate_gain_;
  int dimension_;
  int parameters_;
  long agents_;
  long stride_;
  SwarmCut cut_;
  SwarmProgram program_;
  std::optional<Module> module_;
  long source_bytes_ = 0;
  long totals_bytes_ = 0;
  unsigned block_threads_ = 0;  // of a block that moves a swarm
  long block_bytes_ = 0;
  long capacity_ = 0;
  long begin_ = 0;
  long members_ = 0;
  DeviceBuffer rows_, parameters_there_, records_, sources_, sums_, totals_;
};

}  // namespace kalaba::cuda
