#include "scenario/netcdf_column.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "output/netcdf_file.hpp"
#include "scenario/nearest.hpp"
#include "scenario/toml_text.hpp"

namespace kalaba {
namespace {

bool is_of_numbers(const NetcdfFile& file, int variable) {
  const nc_type type = file.type(variable);
  return type != NC_STRING && type != NC_CHAR;
}

/// Takes a column where the file holds it, and collects the names of all.
class Search {
 public:
  Search(const NetcdfFile& file, std::string wanted) : file_(file), wanted_(std::move(wanted)) {
    for (const std::string& name : file.variable_names()) {
      const int variable = file.variable(name);
      if (file.shape(variable).size() == 1 && is_of_numbers(file, variable)) look(name, variable, {0}, 1);
    }
    look_at_states("q", "coordinate");
    look_at_states("w", "rate");
  }

  const std::optional<std::vector<double>>& values() const { return values_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  /// Every component at the last of the saved times, [time][component][member].
  void look_at_states(const std::string& state, const std::string& dimension) {
    if (!file_.has_variable(state) || !file_.has_variable(dimension)) return;
    const int variable = file_.variable(state);
    const std::vector<std::string> names = file_.dimension_names(variable);
    const std::vector<std::size_t> shape = file_.shape(variable);
    if (names != std::vector<std::string>{"time", dimension, "member"} || shape[0] == 0) return;
    const std::vector<std::string> components = file_.get_strings(file_.variable(dimension));
    for (std::size_t i = 0; i < components.size(); ++i) look(components[i], variable, {shape[0] - 1, i, 0}, 3);
  }

  void look(const std::string& name, int variable, const std::vector<std::size_t>& start, std::size_t rank) {
    names_.push_back(name);
    if (name != wanted_ || values_) return;
    std::vector<std::size_t> count(rank, 1);
    count.back() = file_.shape(variable).back();
    values_.emplace(count.back());
    file_.get(variable, start, count, values_->data());
  }

  const NetcdfFile& file_;
  std::string wanted_;
  std::vector<std::string> names_;
  std::optional<std::vector<double>> values_;
};

}  // namespace

bool is_netcdf_path(const std::string& path) { return path.ends_with(".nc"); }

TableColumn read_netcdf_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                               const std::string& variable) {
  const std::string wanted = name.value_or(variable);
  try {
    const NetcdfFile file = NetcdfFile::open(path);
    const Search search(file, wanted);
    if (!search.values()) {
      node.fail(fmt::format("{}: expected a variable {} of one dimension, or a coordinate or rate, found {}{}", path,
                            toml_string(wanted), fmt::join(search.names(), ", "), suggestion(wanted, search.names())));
    }
    const std::vector<double>& values = *search.values();
    if (values.empty()) node.fail(fmt::format("{}: {}: expected a number for every member, found none", path, wanted));
    const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
    if (bad != values.end()) {
      node.fail(fmt::format("{}: {}: expected finite numbers, found {} of member {}", path, wanted, *bad,
                            bad - values.begin()));
    }
    return {wanted, values};
  } catch (const Error& error) {
    if (error.code() != ExitCode::file_error) throw;
    node.fail(fmt::format("cannot read {}", error.what()), ExitCode::file_error);
  }
}

}  // namespace kalaba
