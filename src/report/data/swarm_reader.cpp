#include "report/data/swarm_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "output/netcdf/netcdf_reader.hpp"

namespace kalaba {
namespace {

/// Reader of a file of swarm_matrix, or of `swarm` at the same sizes: coordinates x1, y1, x2, y2, ... in the plane.
class SwarmMatrixReader final : public Reader {
 public:
  SwarmMatrixReader(std::unique_ptr<Reader> file, long member) : file_(std::move(file)), member_(member) {
    const Contents& whole = file_->contents();
    contents_.system = whole.system;
    contents_.device = whole.device;
    contents_.agents = true;
    contents_.times = whole.times;
    for (const Column& column : whole.columns) contents_.members += column.field == Field::q;
    contents_.members /= 2;
    const std::string unit = whole.columns[place(0, 0)].unit;
    contents_.columns = {{"x", unit, Field::q, 0}, {"y", unit, Field::q, 1}};
  }

  /// Returns true if a file's coordinates are those of agents.
  static bool holds(const Contents& contents) {
    long found = 0;
    for (const Column& column : contents.columns) {
      if (column.field != Field::q) continue;
      if (column.name != fmt::format("{}{}", found % 2 == 0 ? 'x' : 'y', found / 2 + 1)) return false;
      ++found;
    }
    return (contents.system == "swarm_matrix" || contents.system == "swarm") && found > 0 && found % 2 == 0;
  }

  const Contents& contents() const override { return contents_; }

  std::vector<std::vector<double>> read(const Selection& selection) override {
    std::vector<std::vector<double>> values;
    for (std::size_t axis : selection.columns) {
      Selection of_file{{}, selection.times, {member_}};
      for (long agent : selection.members) of_file.columns.push_back(place(agent, axis));
      const auto agents = file_->read(of_file);  // [agent][time]
      values.emplace_back();
      for (std::size_t time = 0; time < selection.times.size(); ++time) {
        for (const std::vector<double>& agent : agents) values.back().push_back(agent[time]);
      }
    }
    return values;
  }

 private:
  /// Index in the file of the column of an agent's coordinate.
  std::size_t place(long agent, std::size_t axis) const {
    const auto& columns = file_->contents().columns;
    const auto first = std::ranges::find(columns, Field::q, &Column::field);
    return static_cast<std::size_t>(first - columns.begin()) + static_cast<std::size_t>(agent) * 2 + axis;
  }

  std::unique_ptr<Reader> file_;
  Contents contents_;
  long member_;
};

}  // namespace

std::unique_ptr<Reader> open_swarm(const std::string& path, long member) {
  std::unique_ptr<Reader> file = open_reader(path);
  if (!file->contents().agents) {
    const Contents& whole = file->contents();
    if (member < 0 || member >= whole.members) return nullptr;
    if (SwarmMatrixReader::holds(whole)) return std::make_unique<SwarmMatrixReader>(std::move(file), member);
    if (!whole.swarms) return nullptr;
    file = open_netcdf_swarm(path, member);
  }
  const auto saved = std::ranges::count(file->contents().columns, Field::q, &Column::field);
  const bool has_places = saved > 0 && static_cast<std::size_t>(saved) == file->contents().coordinates.size();
  return has_places ? std::move(file) : nullptr;
}

}  // namespace kalaba
