#pragma once

#include <optional>
#include <string>

#include "kalaba/statistics.hpp"
#include "output/netcdf/netcdf_schema_writer.hpp"

namespace kalaba {

/// Writes a run's numbers where the schema has laid out room for them: the sinks of netCDF files and of arrays forward
/// to it.
class DatasetNumbers {
 public:
  explicit DatasetNumbers(const RunInfo& run);
  /// Where they go, which outlives this.
  void attach(DatasetWriter& file, const NetcdfVariables& variables);

  /// How far it is: of blocks, frames and statistics; and going on from there.
  std::string state() const;
  void restore(const std::string& state);
  /// Members whose blocks have ended.
  std::size_t members_done() const { return next_member_; }

  const StatisticsPlan* reduced_plan() const;
  void write_reduced(ReducedFrame frame) { statistics_->write_reduced(std::move(frame)); }
  void begin_block(const Block& block);
  void begin_motion(const Block& block) { put_starts(block, true); }
  void write(const Frame& frame);
  void end_block(const Block& block);
  void finish(const Summary& summary);

 private:
  static constexpr std::size_t at_once = std::size_t{1} << 16;  // members

  void put_trajectories(const Block& block, std::size_t first, std::size_t members);
  void put_parameters(const Block& block, std::size_t first, std::size_t members);
  void put_status(const Block& block, std::size_t first, std::size_t members);
  void put_starts(const Block& block, bool projected);
  void put_events(const Block& block, std::size_t first);
  void put(std::size_t field, std::size_t component, std::size_t time, std::size_t first, std::size_t members,
           const double* row);
  void put_nan(std::size_t time, std::size_t first, std::size_t members);
  void put_in_rows(int variable, std::size_t first, std::size_t count, const std::vector<double>& values);
  void mark_interrupted(std::size_t first, std::size_t end);
  void mark_unreached_members();

  std::size_t place_of(const Block& block) const { return static_cast<std::size_t>(block.first - first_); }
  /// Calls work(field, component) for every row of a frame.
  template <class Work>
  void for_rows(const Work& work) const {
    for (std::size_t field = 0; field < variables_->fields.size(); ++field) {
      for (std::size_t i = 0; i < variables_->layouts[field].components.size(); ++i) work(field, i);
    }
  }

  DatasetWriter* file_ = nullptr;
  const NetcdfVariables* variables_ = nullptr;
  std::optional<StatisticsSink> statistics_;
  bool trajectories_;
  bool is_part_;
  long first_;  // member
  std::size_t members_;
  std::size_t times_;
  std::size_t next_member_ = 0;  // place behind the last block; blocks come in order
  std::size_t next_frame_ = 0;   // of the block under way
  bool in_block_ = false;        // its starts are written
};

}  // namespace kalaba
