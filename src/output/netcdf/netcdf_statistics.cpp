#include "output/netcdf/netcdf_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kalaba/error.hpp"
#include "output/base/layout.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

struct Described {
  Statistic kind;
  const char* name;
  const char* meaning;
  const char* cell_method;  ///< name in the CF conventions; nullptr if they have none
  std::vector<double> FieldStatistics::*values;
  std::vector<double> FieldStatistics::*of_groups;  ///< likewise per group; nullptr if not computed
};

constexpr std::array<Described, 5> described = {{
    {Statistic::mean, "mean", "mean", "member: mean", &FieldStatistics::mean, &FieldStatistics::group_mean},
    {Statistic::std, "std", "standard deviation (of a population)", "member: standard_deviation", &FieldStatistics::std,
     &FieldStatistics::group_std},
    {Statistic::min, "min", "least", "member: minimum", &FieldStatistics::min, &FieldStatistics::group_min},
    {Statistic::max, "max", "greatest", "member: maximum", &FieldStatistics::max, &FieldStatistics::group_max},
    {Statistic::quantiles, "quantile", "quantiles (linear between neighbours)", nullptr, &FieldStatistics::quantiles,
     nullptr},
}};

struct DescribedGradient {
  const char* name;
  const char* meaning;
  std::vector<double> FieldStatistics::*values;
  bool of_variance;
};

constexpr std::array<DescribedGradient, 3> gradients = {{
    {"mean_gradient", "the mean", &FieldStatistics::mean_gradient, false},
    {"variance_gradient", "the variance (of a population)", &FieldStatistics::variance_gradient, true},
    {"std_gradient", "the standard deviation (of a population)", &FieldStatistics::std_gradient, false},
}};

std::string square_unit(const std::string& unit) {
  if (unit.empty() || unit == "1") return unit;
  const bool is_one = unit.find_first_of(" /^") == std::string::npos;
  return (is_one ? unit : "(" + unit + ")") + "^2";
}

constexpr const char* gradient_of = ", as the ok members move along their derivatives";
constexpr const char* quantile_gradient_comment =
    "an estimate: the mean derivative of the members at the quantile, by the least-squares line through the n^(4/5) of "
    "n members whose values are nearest to it; these n are sampled_share of the members, chosen by their index";

/// Layout over [sensitivity][component].
FieldLayout gradient_layout(const FieldLayout& layout, const std::vector<Variable>& along, bool of_variance) {
  FieldLayout result = layout;
  result.units.clear();
  for (const Variable& each : along) {
    for (const std::string& unit : layout.units) {
      result.units.push_back(ratio_unit(of_variance ? square_unit(unit) : unit, each.unit));
    }
  }
  return result;
}

using Names = std::vector<std::string>;

class StatisticsDefiner {
 public:
  StatisticsDefiner(NetcdfDefinitions& definitions, const RunInfo& run)
      : definitions_(definitions), run_(run), requested_(run.options.statistics) {}

  NetcdfStatistics define(const std::vector<FieldLayout>& layouts) {
    if (requested_.has(Statistic::quantiles)) define_shares();
    if (requested_.has(Statistic::correlation)) define_inputs();
    if (requested_.has(Statistic::histogram)) define_bins();
    if (!requested_.group_by.empty()) define_groups();
    statistics_.ok_members = definitions_.add_variable({"time"}, "ok_members", NC_INT64);
    definitions_.file().set_text(statistics_.ok_members, "long_name", "members that are ok at that time");
    for (std::size_t field = 0; field < layouts.size(); ++field) {
      for (const Described& each : described) {
        if (requested_.has(each.kind)) define_statistic(field, layouts[field], each);
      }
      define_count(field, layouts[field], "", &FieldStatistics::count);
      if (!requested_.group_by.empty()) define_of_groups(field, layouts[field]);
      if (requested_.has(Statistic::correlation)) define_correlation(field, layouts[field]);
      if (has_histogram(requested_, layouts[field])) define_histogram(field, layouts[field]);
      if (gradient_source(*run_.system, run_.options, layouts[field].field)) define_gradients(field, layouts[field]);
    }
    return std::move(statistics_);
  }

 private:
  void define_shares() {
    DatasetWriter& file = definitions_.file();
    const std::vector<double>& shares = requested_.quantiles;
    definitions_.add_dimension("quantile", shares.size());
    statistics_.quantile =
        definitions_.add_number({"quantile"}, "quantile", "1", "share of the members that are not above the quantile");
    file.set_text(statistics_.quantile, "comment",
                  "the quantiles are of ranks within rank_error of these shares; 0: they are exact");
    file.put(statistics_.quantile, {0}, {shares.size()}, shares.data());
  }

  /// Defines the names and units of the variables of correlations.
  void define_inputs() {
    std::vector<std::string> units;
    for (const std::string& input : requested_.inputs) units.push_back(unit_of_input(*run_.system, input));
    definitions_.add_dimension("variable", requested_.inputs.size());
    DatasetWriter& file = definitions_.file();
    file.put_strings(definitions_.add_variable({"variable"}, "variable", NC_STRING), requested_.inputs);
    file.put_strings(definitions_.add_variable({"variable"}, "variable_unit", NC_STRING), units);
  }

  void define_bins() {
    definitions_.add_dimension("bin", static_cast<std::size_t>(requested_.bins));
    definitions_.add_dimension("bin_edge", static_cast<std::size_t>(requested_.bins) + 1);
  }

  /// Defines the values of the grouping variable.
  void define_groups() {
    definitions_.add_dimension("group", requested_.groups.size());
    const int id = definitions_.add_number({"group"}, "group", unit_of_input(*run_.system, requested_.group_by),
                                           requested_.group_by + " of the members of the group");
    definitions_.file().set_text(NC_GLOBAL, "group_by", requested_.group_by);
    definitions_.file().put(id, {0}, {requested_.groups.size()}, requested_.groups.data());
  }

  void define_statistic(std::size_t field, const FieldLayout& layout, const Described& each) {
    const Names before = each.kind == Statistic::quantiles ? Names{"quantile"} : Names{};
    define_number(field, layout, each, before, layout.name + "_", "");
  }

  void define_of_groups(std::size_t field, const FieldLayout& layout) {
    for (const Described& each : described) {
      if (!requested_.has(each.kind) || each.of_groups == nullptr) continue;
      Described of_groups = each;
      of_groups.values = each.of_groups;
      define_number(field, layout, of_groups, {"group"}, layout.name + "_group_", " of the group");
    }
    define_count(field, layout, "group", &FieldStatistics::group_count);
  }

  void define_number(std::size_t field, const FieldLayout& layout, const Described& each, const Names& before,
                     const std::string& prefix, const std::string& whose) {
    const Names dimensions = dimensions_of(layout, before);
    const std::string meaning = std::string(each.meaning) + " of " + layout.meaning + " over the ok members" + whose;
    const int id = definitions_.add_field_number(dimensions, layout, prefix + each.name, meaning);
    if (each.cell_method != nullptr) definitions_.file().set_text(id, "cell_methods", each.cell_method);
    add(id, field, each.values, dimensions);
  }

  void define_correlation(std::size_t field, const FieldLayout& layout) {
    const Names dimensions = dimensions_of(layout, {"variable"});
    const std::string meaning =
        "Pearson correlation of " + layout.meaning + " with the members' variables over the ok members";
    const int id = definitions_.add_number(dimensions, layout.name + "_correlation", "1", meaning);
    add(id, field, &FieldStatistics::correlation, dimensions);
  }

  /// Defines the gradients along every sensitivity.
  void define_gradients(std::size_t field, const FieldLayout& layout) {
    const std::vector<Variable>& along = run_.system->sensitivities;
    const Names dimensions = dimensions_of(layout, {"sensitivity"});
    for (const DescribedGradient& each : gradients) {
      const std::string meaning = std::string("gradient of ") + each.meaning + " of " + layout.meaning + gradient_of;
      const int id = definitions_.add_field_number(dimensions, gradient_layout(layout, along, each.of_variance),
                                                   layout.name + "_" + each.name, meaning);
      add(id, field, each.values, dimensions);
    }
    add_members(field, layout.name + "_gradient_count",
                "ok members whose " + layout.name + " and its derivatives are finite: those that gradients are of",
                dimensions_of(layout), &FieldStatistics::gradient_count);
    if (!requested_.has(Statistic::quantiles)) return;
    const Names of_quantiles = dimensions_of(layout, {"quantile", "sensitivity"});
    const int id = definitions_.add_field_number(
        of_quantiles, gradient_layout(layout, along, false), layout.name + "_quantile_gradient",
        "estimated gradient of the quantiles of " + layout.meaning + gradient_of);
    definitions_.file().set_text(id, "comment", quantile_gradient_comment);
    definitions_.file().set_number(
        id, "sampled_share", plan_statistics(*run_.system, run_.options, members(), run_.times.size()).slope_share);
    add(id, field, &FieldStatistics::quantile_gradient, of_quantiles);
  }

  void define_histogram(std::size_t field, const FieldLayout& layout) {
    const Names dimensions = dimensions_of(layout);
    Names of_bins = dimensions;
    of_bins.emplace_back("bin");
    const std::string members = "ok members whose " + layout.name + " lies ";
    add_members(field, layout.name + "_histogram", members + "in the bin, its lower edge included", of_bins,
                &FieldStatistics::histogram);
    add_members(field, layout.name + "_below", members + "below the first bin", dimensions, &FieldStatistics::below);
    add_members(field, layout.name + "_above", members + "above the last bin", dimensions, &FieldStatistics::above);
    Names of_edges(dimensions.begin() + 1, dimensions.end());
    of_edges.emplace_back("bin_edge");
    const int edges = definitions_.add_field_number(of_edges, layout, layout.name + "_bin_edge",
                                                    "edges of the bins of " + layout.name + "_histogram; none: NaN");
    add(edges, field, &FieldStatistics::bin_edges, of_edges);
  }

  void define_count(std::size_t field, const FieldLayout& layout, const std::string& before,
                    std::vector<double> FieldStatistics::*values) {
    add_members(field, layout.name + (before.empty() ? "_count" : "_" + before + "_count"),
                "ok members whose " + layout.name + " is finite: those that the statistics are of",
                before.empty() ? dimensions_of(layout) : dimensions_of(layout, {before}), values);
  }

  void add_members(std::size_t field, const std::string& name, const std::string& meaning, const Names& dimensions,
                   std::vector<double> FieldStatistics::*values) {
    const int id = definitions_.add_variable(dimensions, name, NC_INT64);
    definitions_.file().set_text(id, "long_name", meaning);
    add(id, field, values, dimensions);
  }

  /// Dimensions of a field's statistics, after the dimensions `before`.
  static Names dimensions_of(const FieldLayout& layout, const Names& before = {}) {
    Names dimensions = before;
    dimensions.emplace_back("time");
    for (const std::string& each : kalaba::dimensions_of(layout)) dimensions.push_back(each);
    if (layout.agents > 0) dimensions.push_back("agent");
    return dimensions;
  }

  long members() const { return std::max(run_.members, run_.ensemble_members); }

  void add(int id, std::size_t field, std::vector<double> FieldStatistics::*values, const Names& dimensions) {
    std::vector<std::size_t> shape;
    for (const std::string& dimension : dimensions) shape.push_back(definitions_.size(dimension));
    statistics_.variables.push_back({id, field, values, std::move(shape)});
  }

  NetcdfDefinitions& definitions_;
  const RunInfo& run_;
  const StatisticsOptions& requested_;
  NetcdfStatistics statistics_;
};

/// Reads a variable of `expected` numbers; returns no numbers if the file has none of that name.
std::vector<double> read_if_there(const Archive& archive, const std::string& name, std::size_t expected) {
  const FileVariable* variable = archive.inventory().find(name);
  if (variable == nullptr) return {};
  if (variable->size() != expected || variable->type == FileVariable::Type::text) {
    throw Error(ExitCode::file_error, fmt::format("{}: the variable {} has {} numbers, expected {}", archive.path(),
                                                  name, variable->size(), expected));
  }
  return archive.numbers(*variable);
}

}  // namespace

NetcdfStatistics define_statistics(NetcdfDefinitions& definitions, const RunInfo& run) {
  if (!run.options.statistics.any()) return {};
  return StatisticsDefiner(definitions, run).define(saved_layouts(*run.system, run.options.fields));
}

void write_statistics(DatasetWriter& file, const NetcdfStatistics& variables, const EnsembleStatistics& statistics) {
  // double is exact for these counts; the library converts them to the integers of the file.
  const std::vector<double> ok_members(statistics.ok_members.begin(), statistics.ok_members.end());
  file.put(variables.ok_members, {0}, {ok_members.size()}, ok_members.data());
  if (variables.quantile >= 0) file.set_number(variables.quantile, "rank_error", statistics.rank_error);
  for (const auto& [id, field, values, shape] : variables.variables) {
    file.put(id, std::vector<std::size_t>(shape.size(), 0), shape, (statistics.fields[field].*values).data());
  }
}

EnsembleStatistics statistics_of(const Archive& archive) {
  EnsembleStatistics statistics;
  const FileVariable* ok_members = archive.inventory().find("ok_members");
  const FileVariable* time = archive.inventory().find("time");
  if (ok_members == nullptr || time == nullptr) return statistics;
  statistics.times = archive.numbers(*time);
  for (const double count : read_if_there(archive, "ok_members", statistics.times.size())) {
    statistics.ok_members.push_back(static_cast<long>(count));
  }
  if (const FileVariable* shares = archive.inventory().find("quantile")) {
    statistics.quantiles = archive.numbers(*shares);
  }
  const FileVariable* const inputs = archive.inventory().find("variable");
  if (inputs != nullptr && inputs->type == FileVariable::Type::text) statistics.inputs = archive.texts("variable");
  statistics.group_by = archive.inventory().attribute("group_by");
  if (!statistics.group_by.empty()) statistics.groups = archive.numbers(*archive.inventory().find("group"));
  const SystemInfo labels = archive.labels();
  const std::vector<std::string> along = names_of(labels.sensitivities);
  for (FieldLayout& layout : archive.layouts()) {
    FieldStatistics found;
    found.layout = std::move(layout);
    const std::string& name = found.layout.name;
    const std::size_t size = statistics.times.size() * found.layout.size();
    found.count = read_if_there(archive, name + "_count", size);
    if (found.count.empty()) continue;
    const std::size_t group_size = size * statistics.groups.size();
    for (const Described& each : described) {
      const std::size_t shares = each.kind == Statistic::quantiles ? statistics.quantiles.size() : 1;
      found.*each.values = read_if_there(archive, name + "_" + each.name, size * shares);
      if (each.of_groups == nullptr) continue;
      found.*each.of_groups = read_if_there(archive, name + "_group_" + each.name, group_size);
    }
    found.correlation = read_if_there(archive, name + "_correlation", size * statistics.inputs.size());
    found.group_count = read_if_there(archive, name + "_group_count", group_size);
    found.gradient_count = read_if_there(archive, name + "_gradient_count", size);
    if (!found.gradient_count.empty()) statistics.along = along;
    for (const DescribedGradient& each : gradients) {
      found.*each.values = read_if_there(archive, name + "_" + each.name, size * along.size());
    }
    found.quantile_gradient =
        read_if_there(archive, name + "_quantile_gradient", size * along.size() * statistics.quantiles.size());
    if (const FileVariable* histogram = archive.inventory().find(name + "_histogram")) {
      const std::size_t bins = histogram->shape.back();
      found.histogram = read_if_there(archive, name + "_histogram", size * bins);
      found.below = read_if_there(archive, name + "_below", size);
      found.above = read_if_there(archive, name + "_above", size);
      found.bin_edges = read_if_there(archive, name + "_bin_edge", found.layout.size() * (bins + 1));
    }
    statistics.fields.push_back(std::move(found));
  }
  return statistics;
}

}  // namespace kalaba
