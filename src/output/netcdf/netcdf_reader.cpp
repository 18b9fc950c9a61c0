#include "output/netcdf/netcdf_reader.hpp"

#include <algorithm>

#include "kalaba/system.hpp"
#include "output/base/layout.hpp"
#include "output/netcdf/finished.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "output/netcdf/netcdf_labels.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr long read_ahead = 1L << 20;  // members read at once

class NetcdfReader final : public Reader {
 public:
  /// `swarm`: index of the swarm whose agents are read, or -1 for the variables of the swarms themselves.
  NetcdfReader(const std::string& path, long swarm) : path_(path), file_(NetcdfFile::open(path)) {
    require_finished(file_, path);
    contents_.system = file_.attribute(NC_GLOBAL, "system");
    contents_.device = file_.attribute(NC_GLOBAL, "device");
    const SystemInfo system = read_labels(file_, path);
    contents_.coordinates = names_of(system.coordinates);
    contents_.rates = names_of(system.rates);
    swarms_ = static_cast<long>(file_.dimension_size("member"));
    agents_ = system.agents;
    if (agents_ > 0 && swarms_ == 1) swarm = 0;
    contents_.agents = agents_ > 0 && swarm >= 0;
    contents_.swarms = agents_ > 0 && swarm < 0;
    if (contents_.agents) swarm_ = static_cast<std::size_t>(swarm);
    contents_.members = contents_.agents ? agents_ : swarms_;
    contents_.times.resize(file_.dimension_size("time"));
    file_.get(variable("time", {contents_.times.size()}), {0}, {contents_.times.size()}, contents_.times.data());
    for (const FieldLayout& layout : read_layouts(file_, path, system)) add_columns(layout);
  }

  const Contents& contents() const override { return contents_; }

  std::vector<std::vector<double>> read(const Selection& selection) override {
    std::vector<std::vector<double>> values;
    for (std::size_t column : selection.columns) values.push_back(read_column(column, selection));
    return values;
  }

 private:
  void add_columns(const FieldLayout& layout) {
    // A file of several swarms has numbers per member only for variables of a whole swarm.
    if (!file_.has_variable(layout.name) || (layout.agents > 0 && !contents_.agents)) return;
    std::vector<std::size_t> shape = {contents_.times.size(), static_cast<std::size_t>(swarms_)};
    if (layout.agents > 0) shape.insert(shape.begin() + 1, static_cast<std::size_t>(agents_));
    const std::vector<std::size_t> extents = extents_of(layout);
    shape.insert(shape.begin() + 1, extents.begin(), extents.end());
    const int id = variable(layout.name, shape);
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      contents_.columns.push_back(
          {layout.components[i], layout.units[i], layout.field, static_cast<int>(layout.index(i)), layout.is_held(i)});
      variables_.push_back({id, place_of(layout, i), layout.agents > 0});
    }
  }

  int variable(const std::string& name, const std::vector<std::size_t>& shape) const {
    return variable_of_shape(file_, path_, name, shape);
  }

  std::vector<double> read_column(std::size_t column, const Selection& selection) const {
    std::vector<double> values;
    values.reserve(selection.times.size() * selection.members.size());
    std::vector<double> piece;
    for (long time : selection.times) {
      for (auto member = selection.members.begin(); member != selection.members.end();) {
        const long first = *member;
        const long count = std::min(selection.members.back() + 1 - first, read_ahead);
        read_piece(column, time, first, count, piece);
        for (; member != selection.members.end() && *member < first + count; ++member) {
          values.push_back(piece[static_cast<std::size_t>(*member - first)]);
        }
      }
    }
    return values;
  }

  void read_piece(std::size_t column, long time, long first, long count, std::vector<double>& piece) const {
    const auto& [id, place, by_agents] = variables_[column];
    const bool of_the_swarm = contents_.agents && !by_agents;  // one number for all its agents
    std::vector<std::size_t> start = {static_cast<std::size_t>(time),
                                      of_the_swarm ? swarm_ : static_cast<std::size_t>(first)};
    std::vector<std::size_t> counts = {1, of_the_swarm ? 1 : static_cast<std::size_t>(count)};
    if (by_agents) {
      start.push_back(swarm_);
      counts.push_back(1);
    }
    start.insert(start.begin() + 1, place.begin(), place.end());
    counts.insert(counts.begin() + 1, place.size(), 1);
    piece.resize(static_cast<std::size_t>(count));
    file_.get(id, start, counts, piece.data());
    if (of_the_swarm) std::fill(piece.begin() + 1, piece.end(), piece.front());
  }

  struct ColumnVariable {
    int id;
    std::vector<std::size_t> place;  // index of its component
    bool by_agents;
  };

  std::string path_;
  NetcdfFile file_;
  Contents contents_;
  long swarms_ = 0;                        // members of the file
  long agents_ = 0;                        // per swarm, if they are swarms
  std::size_t swarm_ = 0;                  // index of the swarm whose agents are read
  std::vector<ColumnVariable> variables_;  // one per column
};

}  // namespace

std::unique_ptr<Reader> open_netcdf(const std::string& path) { return std::make_unique<NetcdfReader>(path, -1); }

std::unique_ptr<Reader> open_netcdf_swarm(const std::string& path, long swarm) {
  return std::make_unique<NetcdfReader>(path, swarm);
}

}  // namespace kalaba
