#include "output/csv/members_csv.hpp"

#include <algorithm>
#include <vector>

#include "kalaba/core/model/status.hpp"
#include "output/base/parameter_names.hpp"
#include "output/csv/csv_rows.hpp"

namespace kalaba {
namespace {

/// Column of a start that varies.
struct Start {
  bool is_rate;
  std::size_t index;
  bool is_projected;
  std::vector<double> values;  // of the block's members
};

class MembersCsv final : public CsvRows {
 public:
  MembersCsv(const std::string& path, const Provenance& provenance)
      : CsvRows(path), varied_(provenance.varied_starts), grid_(provenance.grid) {}

  void begin_block(const Block& block) override { take(block, false); }
  void begin_motion(const Block& block) override { take(block, true); }
  void write(const Frame& /*frame*/) override {}

  void end_block(const Block& block) override {
    for (long member = 0; member < block.members; ++member) append(block, member);
  }

 private:
  std::string heading(const RunInfo& run) override {
    const SystemInfo& system = *run.system;
    counters_ = saved_counters(run.options.method.integrator);
    std::string text = "member,status,failure_time";
    for (const BlockCounter& counter : counters_) text += std::string(",") + counter.name;
    for (const std::string& name : parameter_names(system)) text += "," + name;
    parameters_ = system.first_discrete();
    starts_.clear();
    if (system.agents == 0) {
      const bool projects = run.options.project_start && !system.constraints.empty();
      text += add_starts(system.coordinates, false, projects);
      text += add_starts(system.rates, true, projects);
    }
    const long members = run.ensemble_members > 0 ? run.ensemble_members : run.members;
    points_ = members > points_of(grid_) && !grid_.empty() ? points_of(grid_) : 0;
    if (points_ > 0) text += ",repetition";
    return text + '\n';
  }

  /// Adds their columns; returns the heading.
  std::string add_starts(const std::vector<Variable>& variables, bool is_rate, bool projects) {
    std::string text;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (std::ranges::count(varied_, variables[i].name) == 0) continue;
      starts_.push_back({is_rate, i, false, {}});
      text += ",initial_" + variables[i].name;
      if (!projects) continue;
      starts_.push_back({is_rate, i, true, {}});
      text += ",projected_" + variables[i].name;
    }
    return text;
  }

  void take(const Block& block, bool projected) {
    for (Start& start : starts_) {
      if (start.is_projected != projected) continue;
      const double* const row =
          (start.is_rate ? block.w : block.q).data() + start.index * static_cast<std::size_t>(block.stride);
      start.values.assign(row, row + block.members);
    }
  }

  void append(const Block& block, long member) {
    const auto at = static_cast<std::size_t>(member);
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{},{}"), block.first + member,
                   status_name(block.status[at]));
    append_number(text_, block.failure_time[at]);
    for (const BlockCounter& counter : counters_) append_number(text_, (block.*counter.values)[at]);
    const auto stride = static_cast<std::size_t>(block.stride);
    for (int i = 0; i < parameters_; ++i) {
      append_number(text_, block.parameters[static_cast<std::size_t>(i) * stride + at]);
    }
    for (const Start& start : starts_) append_number(text_, start.values[at]);
    if (points_ > 0) append_number(text_, static_cast<double>((block.first + member) / points_));
    end_row();
  }

  std::vector<std::string> varied_;
  std::vector<GridAxis> grid_;
  long points_ = 0;     // of the grid, if several members share one
  int parameters_ = 0;  // without the discrete variables, which are not constant
  std::vector<BlockCounter> counters_;
  std::vector<Start> starts_;
};

}  // namespace

std::unique_ptr<FileSink> make_members_csv(const std::string& path, const Provenance& provenance) {
  return std::make_unique<MembersCsv>(path, provenance);
}

}  // namespace kalaba
