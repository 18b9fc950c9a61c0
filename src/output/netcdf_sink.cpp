#include <algorithm>
#include <optional>
#include <utility>

#include "output/format.hpp"
#include "output/layout.hpp"
#include "output/netcdf_file.hpp"
#include "output/netcdf_reader.hpp"
#include "output/netcdf_schema_writer.hpp"
#include "output/pending_file.hpp"

namespace kalaba {
namespace {

class NetcdfSink final : public FileSink, public ReducedSink {
 public:
  NetcdfSink(const std::string& path, const Provenance& provenance)
      : pending_(path), provenance_(provenance), published_path_(path) {}

  void begin(const RunInfo& run) override {
    if (run.options.statistics.any()) statistics_.emplace().begin(run);
    file_.emplace(NetcdfFile::create(pending_.temporary_path(), pending_.final_path()));
    variables_ = write_schema(*file_, run, provenance_);
    members_ = run.members;
    trajectories_ = run.options.trajectories;
  }

  void write(const Frame& frame) override {
    if (statistics_) statistics_->write(frame);
    const auto time = static_cast<std::size_t>(frame.index);
    const auto first = static_cast<std::size_t>(frame.block.first);
    const auto members = static_cast<std::size_t>(frame.block.members);
    for (std::size_t field = 0; field < variables_.fields.size(); ++field) {
      const FieldLayout& layout = variables_.layouts[field];
      const int variable = variables_.fields[field];
      for (std::size_t i = 0; i < layout.components.size(); ++i) {
        if (layout.agents > 0) {  // the members of a swarm's block are not padded: its agents follow each other
          const auto agents = static_cast<std::size_t>(layout.agents);
          file_->put(variable, {time, i, 0, first}, {1, 1, agents, members},
                     component_row(frame, layout, i * agents).data());
          continue;
        }
        const double* row = component_row(frame, layout, i).data();
        if (layout.dimension.empty()) {
          file_->put(variable, {time, first}, {1, members}, row);
        } else {
          file_->put(variable, {time, i, first}, {1, 1, members}, row);
        }
      }
    }
  }

  const StatisticsPlan* reduced_plan() const override {
    return statistics_ && !trajectories_ ? statistics_->reduced_plan() : nullptr;
  }
  void write_reduced(ReducedFrame frame) override { statistics_->write_reduced(std::move(frame)); }

  void end_block(const Block& block) override {
    if (!trajectories_) return;
    const auto first = static_cast<std::size_t>(block.first);
    const auto members = static_cast<std::size_t>(block.members);
    std::vector<int> status;
    for (std::size_t i = 0; i < members; ++i) status.push_back(static_cast<int>(block.status[i]));
    file_->put(variables_.status, {first}, {members}, status.data());
    file_->put(variables_.failure_time, {first}, {members}, block.failure_time.data());
    file_->put(variables_.rank_changes, {first}, {members}, block.rank_changes.data());
    if (variables_.accepted >= 0) {
      file_->put(variables_.accepted, {first}, {members}, block.accepted.data());
      file_->put(variables_.rejected, {first}, {members}, block.rejected.data());
    }
    for (std::size_t i = 0; i < variables_.parameters.size(); ++i) {
      file_->put(variables_.parameters[i], {first}, {members},
                 block.parameters.data() + i * static_cast<std::size_t>(block.stride));
    }
    next_member_ = block.first + block.members;
  }

  void finish(const Summary& summary) override {
    if (trajectories_) mark_unreached_members();
    if (statistics_) {
      statistics_->finish(summary);
      write_statistics(*file_, variables_.statistics, statistics_->result());
    }
    write_outcome(*file_, summary);
    file_->close();
    if (summary.interrupted) published_path_ = partial_path(published_path_);
    pending_.publish_as(published_path_);
  }

  std::string published_path() const override { return published_path_; }

 private:
  void mark_unreached_members() {
    const std::vector<int> stopped(std::size_t{1} << 16, static_cast<int>(Status::stopped));
    while (next_member_ < members_) {
      const auto first = static_cast<std::size_t>(next_member_);
      const std::size_t count = std::min(stopped.size(), static_cast<std::size_t>(members_ - next_member_));
      file_->put(variables_.status, {first}, {count}, stopped.data());
      next_member_ += static_cast<long>(count);
    }
  }

  // The file is closed before its temporary name is removed.
  PendingFile pending_;
  std::optional<NetcdfFile> file_;
  Provenance provenance_;
  std::string published_path_;
  NetcdfVariables variables_;
  std::optional<StatisticsSink> statistics_;
  bool trajectories_ = true;
  long members_ = 0;
  long next_member_ = 0;  // behind the last block; blocks come in order
};

}  // namespace

const Format netcdf_format = {".nc",
                              [](const std::string& path, const Provenance& provenance) -> std::unique_ptr<FileSink> {
                                return std::make_unique<NetcdfSink>(path, provenance);
                              },
                              open_netcdf};

}  // namespace kalaba
