#include "output/netcdf_statistics.hpp"

#include <array>

#include "output/layout.hpp"

namespace kalaba {
namespace {

struct Described {
  Statistic kind;
  const char* ending;
  const char* meaning;
  const char* cell_method;  ///< as the CF conventions call it; nullptr where they have no name
  std::vector<double> FieldStatistics::*values;
};

constexpr std::array<Described, 5> described = {{
    {Statistic::mean, "_mean", "mean", "member: mean", &FieldStatistics::mean},
    {Statistic::std, "_std", "standard deviation (of a population)", "member: standard_deviation",
     &FieldStatistics::std},
    {Statistic::min, "_min", "least", "member: minimum", &FieldStatistics::min},
    {Statistic::max, "_max", "greatest", "member: maximum", &FieldStatistics::max},
    {Statistic::quantiles, "_quantile", "quantiles (linear between neighbours)", nullptr, &FieldStatistics::quantiles},
}};

class StatisticsDefiner {
 public:
  StatisticsDefiner(NetcdfDefinitions& definitions, const StatisticsOptions& asked)
      : definitions_(definitions), asked_(asked) {}

  NetcdfStatistics define(const std::vector<FieldLayout>& layouts) {
    if (asked_.has(Statistic::quantiles)) define_shares();
    statistics_.ok_members = definitions_.add_variable({"time"}, "ok_members", NC_INT64);
    definitions_.file().set_text(statistics_.ok_members, "long_name", "members that are ok at that time");
    for (std::size_t field = 0; field < layouts.size(); ++field) {
      for (const Described& each : described) {
        if (asked_.has(each.kind)) define_statistic(field, layouts[field], each);
      }
      define_count(field, layouts[field]);
    }
    return std::move(statistics_);
  }

 private:
  void define_shares() {
    NetcdfFile& file = definitions_.file();
    const std::vector<double>& shares = asked_.quantiles;
    definitions_.add_dimension("quantile", shares.size());
    statistics_.quantile =
        definitions_.add_number({"quantile"}, "quantile", "1", "share of the members that are not above the quantile");
    file.set_text(statistics_.quantile, "comment",
                  "the quantiles are of ranks within rank_error of these shares; 0: they are exact");
    file.put(statistics_.quantile, {0}, {shares.size()}, shares.data());
  }

  void define_statistic(std::size_t field, const FieldLayout& layout, const Described& each) {
    const std::vector<std::string> dimensions = dimensions_of(layout, each.kind == Statistic::quantiles);
    const std::string meaning = std::string(each.meaning) + " of " + layout.meaning + " over the ok members";
    const int id = definitions_.add_field_number(dimensions, layout, layout.name + each.ending, meaning);
    if (each.cell_method != nullptr) definitions_.file().set_text(id, "cell_methods", each.cell_method);
    add(id, field, each.values, dimensions);
  }

  void define_count(std::size_t field, const FieldLayout& layout) {
    const std::vector<std::string> dimensions = dimensions_of(layout, false);
    const int id = definitions_.add_variable(dimensions, layout.name + "_count", NC_INT64);
    definitions_.file().set_text(id, "long_name",
                                 "ok members whose " + layout.name + " is finite: those that the statistics are of");
    add(id, field, &FieldStatistics::count, dimensions);
  }

  static std::vector<std::string> dimensions_of(const FieldLayout& layout, bool quantiles) {
    std::vector<std::string> dimensions = {"time"};
    if (quantiles) dimensions.insert(dimensions.begin(), "quantile");
    if (!layout.dimension.empty()) dimensions.push_back(layout.dimension);
    if (layout.agents > 0) dimensions.push_back("agent");
    return dimensions;
  }

  void add(int id, std::size_t field, std::vector<double> FieldStatistics::*values,
           const std::vector<std::string>& dimensions) {
    std::vector<std::size_t> shape;
    for (const std::string& dimension : dimensions) shape.push_back(definitions_.size(dimension));
    statistics_.variables.push_back({id, field, values, std::move(shape)});
  }

  NetcdfDefinitions& definitions_;
  const StatisticsOptions& asked_;
  NetcdfStatistics statistics_;
};

}  // namespace

NetcdfStatistics define_statistics(NetcdfDefinitions& definitions, const RunInfo& run) {
  if (!run.options.statistics.any()) return {};
  return StatisticsDefiner(definitions, run.options.statistics).define(saved_layouts(*run.system, run.options.fields));
}

void write_statistics(NetcdfFile& file, const NetcdfStatistics& variables, const EnsembleStatistics& statistics) {
  // Doubles hold every count; the library turns them into the integers of the file.
  const std::vector<double> ok_members(statistics.ok_members.begin(), statistics.ok_members.end());
  file.put(variables.ok_members, {0}, {ok_members.size()}, ok_members.data());
  if (variables.quantile >= 0) file.set_number(variables.quantile, "rank_error", statistics.rank_error);
  for (const auto& [id, field, values, shape] : variables.variables) {
    file.put(id, std::vector<std::size_t>(shape.size(), 0), shape, (statistics.fields[field].*values).data());
  }
}

}  // namespace kalaba
