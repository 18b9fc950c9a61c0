#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "kalaba/state.hpp"
#include "kalaba/statistics.hpp"
#include "output/format.hpp"
#include "output/growing_netcdf.hpp"
#include "output/layout.hpp"
#include "output/netcdf_reader.hpp"

namespace kalaba {
namespace {

class NetcdfSink final : public FileSink, public ReducedSink {
 public:
  NetcdfSink(const std::string& path, const Provenance& provenance)
      : output_(path), provenance_(provenance), published_path_(path) {}

  void begin(const RunInfo& run) override {
    prepare(run);
    output_.begin(run, provenance_);
  }

  std::string save() override {
    StateWriter state;
    state.put(next_member_);
    state.put(next_frame_);
    state.put(output_.save());
    if (statistics_) state.put(statistics_->state());
    return std::move(state).bytes();
  }

  void resume(const RunInfo& run, const std::string& state) override {
    prepare(run);
    StateReader reader(state);
    next_member_ = reader.get<std::size_t>();
    next_frame_ = reader.get<std::size_t>();
    output_.resume(run, provenance_, reader.get_text());
    if (statistics_) statistics_->absorb(reader.get_text());
  }

  bool saves_midway() const override { return true; }
  void keep() override { output_.pending().keep(); }

  void begin_block(const Block& block) override {
    if (statistics_) statistics_->begin_block(block);
    for (const auto& [id, is_rate, index] : output_.variables().starts) {
      const std::vector<double>& values = is_rate ? block.w : block.q;
      output_.file().put(id, {place_of(block)}, {static_cast<std::size_t>(block.members)},
                         values.data() + index * static_cast<std::size_t>(block.stride));
    }
  }

  void write(const Frame& frame) override {
    if (statistics_) statistics_->write(frame);
    next_frame_ = static_cast<std::size_t>(frame.index) + 1;
    for_rows([&](std::size_t field, std::size_t component) {
      const FieldLayout& layout = output_.variables().layouts[field];
      const double* row = component_row(frame, layout, component * agents_of(layout)).data();
      put(field, component, next_frame_ - 1, place_of(frame.block), static_cast<std::size_t>(frame.block.members), row);
    });
  }

  const StatisticsPlan* reduced_plan() const override {
    return statistics_ && !trajectories_ ? statistics_->reduced_plan() : nullptr;
  }
  void write_reduced(ReducedFrame frame) override { statistics_->write_reduced(std::move(frame)); }

  void end_block(const Block& block) override {
    const std::size_t first = place_of(block);
    const auto members = static_cast<std::size_t>(block.members);
    if (trajectories_) put_trajectories(block, first, members);
    put_events(block, first);
    next_member_ = first + members;
  }

  void finish(const Summary& summary) override {
    mark_unreached_members();
    if (statistics_) {
      if (is_part_) output_.file().put_bytes("statistics_state", statistics_->state());
      statistics_->finish(summary);
      write_statistics(output_.file(), output_.variables().statistics, statistics_->result());
    }
    write_outcome(output_.file(), summary);
    if (summary.interrupted) published_path_ = partial_path(published_path_);
    output_.publish_as(published_path_);
  }

  std::string published_path() const override { return published_path_; }

 private:
  static constexpr std::size_t at_once = std::size_t{1} << 16;  // members

  void prepare(const RunInfo& run) {
    if (run.options.statistics.any()) statistics_.emplace().begin(run);
    trajectories_ = run.options.trajectories;
    is_part_ = run.ensemble_members > 0;
    first_ = run.first_member;
    members_ = static_cast<std::size_t>(run.members);
    times_ = run.times.size();
  }

  /// What a block leaves beside its frames and events.
  void put_trajectories(const Block& block, std::size_t first, std::size_t members) {
    for (; next_frame_ < times_; ++next_frame_) put_nan(next_frame_, first, members);
    next_frame_ = 0;
    std::vector<int> status;
    for (std::size_t i = 0; i < members; ++i) status.push_back(static_cast<int>(block.status[i]));
    const NetcdfVariables& variables = output_.variables();
    NetcdfFile& file = output_.file();
    file.put(variables.status, {first}, {members}, status.data());
    file.put(variables.failure_time, {first}, {members}, block.failure_time.data());
    file.put(variables.rank_changes, {first}, {members}, block.rank_changes.data());
    if (variables.accepted >= 0) {
      file.put(variables.accepted, {first}, {members}, block.accepted.data());
      file.put(variables.rejected, {first}, {members}, block.rejected.data());
    }
    for (std::size_t i = 0; i < variables.parameters.size(); ++i) {
      file.put(variables.parameters[i], {first}, {members},
               block.parameters.data() + i * static_cast<std::size_t>(block.stride));
    }
  }

  std::size_t place_of(const Block& block) const { return static_cast<std::size_t>(block.first - first_); }

  /// Calls work(field, component) for every row of a frame.
  template <class Work>
  void for_rows(const Work& work) const {
    const NetcdfVariables& variables = output_.variables();
    for (std::size_t field = 0; field < variables.fields.size(); ++field) {
      for (std::size_t i = 0; i < variables.layouts[field].components.size(); ++i) work(field, i);
    }
  }

  static std::size_t agents_of(const FieldLayout& layout) { return layout.size() / layout.components.size(); }

  /// `row` is [member], or [agent][member] of a swarm's field: the members of its block are not padded.
  void put(std::size_t field, std::size_t component, std::size_t time, std::size_t first, std::size_t members,
           const double* row) {
    const NetcdfVariables& variables = output_.variables();
    const FieldLayout& layout = variables.layouts[field];
    std::vector<std::size_t> start = {time};
    std::vector<std::size_t> count = {1};
    if (!layout.dimension.empty()) {
      start.push_back(component);
      count.push_back(1);
    }
    if (layout.agents > 0) {
      start.push_back(0);
      count.push_back(agents_of(layout));
    }
    start.push_back(first);
    count.push_back(members);
    output_.file().put(variables.fields[field], start, count, row);
  }

  void put_events(const Block& block, std::size_t first) {
    const EventRows rows = block.event_rows();
    const auto members = static_cast<std::size_t>(block.members);
    for (int event = 0; event < block.event_count; ++event) {
      const auto at = static_cast<std::size_t>(event);
      const auto row = [&](int index) { return block.events.data() + index * block.stride; };
      const std::vector<int>& variables = output_.variables().events;
      NetcdfFile& file = output_.file();
      const int numbers[] = {rows.count(event), rows.first(event), rows.last(event)};
      for (std::size_t i = 0; i < 3; ++i) file.put(variables[i], {at, first}, {1, members}, row(numbers[i]));
      const auto put_state = [&](int variable, int from, int count) {
        for (int i = 0; i < count; ++i) {
          file.put(variable, {at, static_cast<std::size_t>(i), first}, {1, 1, members}, row(from + i));
        }
      };
      put_state(variables[3], rows.q(event), rows.coordinates);
      put_state(variables[4], rows.w(event), rows.rates);
    }
  }

  void put_nan(std::size_t time, std::size_t first, std::size_t members) {
    for_rows([&](std::size_t field, std::size_t component) {
      const std::size_t agents = agents_of(output_.variables().layouts[field]);
      const std::size_t most = std::clamp<std::size_t>(at_once / agents, 1, members);
      const std::vector<double> nans(agents * most, std::numeric_limits<double>::quiet_NaN());
      for (std::size_t done = 0; done < members; done += most) {
        put(field, component, time, first + done, std::min(most, members - done), nans.data());
      }
    });
  }

  /// In every row of a variable of events.
  void put_nan_rows(int variable, std::size_t first, std::size_t count, const std::vector<double>& nans) {
    const std::vector<std::size_t> shape = output_.file().shape(variable);
    const std::size_t inner = shape.size() > 2 ? shape[1] : 1;
    for (std::size_t row = 0; row < shape[0] * inner; ++row) {
      if (shape.size() > 2) {
        output_.file().put(variable, {row / inner, row % inner, first}, {1, 1, count}, nans.data());
      } else {
        output_.file().put(variable, {row, first}, {1, count}, nans.data());
      }
    }
  }

  void mark_unreached_members() {
    for (std::size_t time = 0; time < times_ && next_member_ < members_; ++time) {
      put_nan(time, next_member_, members_ - next_member_);
    }
    const NetcdfVariables& variables = output_.variables();
    const std::vector<int> interrupted(at_once, static_cast<int>(Status::interrupted));
    const std::vector<double> nans(at_once, std::numeric_limits<double>::quiet_NaN());
    while (next_member_ < members_) {
      const std::size_t count = std::min(at_once, members_ - next_member_);
      if (trajectories_) output_.file().put(variables.status, {next_member_}, {count}, interrupted.data());
      for (const int number :
           {variables.failure_time, variables.rank_changes, variables.accepted, variables.rejected}) {
        if (number >= 0) output_.file().put(number, {next_member_}, {count}, nans.data());
      }
      for (const int parameter : variables.parameters) {
        output_.file().put(parameter, {next_member_}, {count}, nans.data());
      }
      for (const auto& start : variables.starts) output_.file().put(start.id, {next_member_}, {count}, nans.data());
      for (const int variable : variables.events) put_nan_rows(variable, next_member_, count, nans);
      next_member_ += count;
    }
  }

  GrowingNetcdf output_;
  Provenance provenance_;
  std::string published_path_;
  std::optional<StatisticsSink> statistics_;
  bool trajectories_ = true;
  bool is_part_ = false;
  long first_ = 0;  // member
  std::size_t members_ = 0;
  std::size_t times_ = 0;
  std::size_t next_member_ = 0;  // place behind the last block; blocks come in order
  std::size_t next_frame_ = 0;   // of the block under way
};

}  // namespace

const Format netcdf_format = {".nc",
                              [](const std::string& path, const Provenance& provenance) -> std::unique_ptr<FileSink> {
                                return std::make_unique<NetcdfSink>(path, provenance);
                              },
                              open_netcdf};

}  // namespace kalaba
