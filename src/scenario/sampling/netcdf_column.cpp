#include "scenario/sampling/netcdf_column.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include "kalaba/core/model/status.hpp"
#include "output/netcdf/finished.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "scenario/document/toml_text.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

bool is_of_numbers(const NetcdfFile& file, int variable) {
  const nc_type type = file.type(variable);
  return type != NC_STRING && type != NC_CHAR;
}

/// Reads a column if the file holds it, and collects the names of all columns.
class Search {
 public:
  Search(const NetcdfFile& file, std::string requested) : file_(file), wanted_(std::move(requested)) {
    for (const std::string& name : file.variable_names()) {
      const int variable = file.variable(name);
      const std::vector<std::size_t> shape = file.shape(variable);
      if (shape.size() == 1 && is_of_numbers(file, variable)) look(name, variable, {0}, shape);
    }
    look_at_states("q", "coordinate");
    look_at_states("w", "rate");
  }

  const std::optional<std::vector<double>>& values() const { return values_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Returns true if the values are final states of members.
  bool is_state() const { return is_state_; }
  /// Returns true if the values belong to the agents of one swarm.
  bool is_of_agents() const { return is_of_agents_; }

 private:
  /// Searches the components of a state at the last saved time: [time][component][member], or for the agents of one
  /// swarm [time][component][agent][member].
  void look_at_states(const std::string& state, const std::string& dimension) {
    if (!file_.has_variable(state) || !file_.has_variable(dimension)) return;
    const int variable = file_.variable(state);
    const std::vector<std::string> names = file_.dimension_names(variable);
    std::vector<std::size_t> count = file_.shape(variable);
    const bool one_swarm = names == std::vector<std::string>{"time", dimension, "agent", "member"} && count[3] == 1;
    if (!one_swarm && names != std::vector<std::string>{"time", dimension, "member"}) return;
    if (count[0] == 0) return;
    std::vector<std::size_t> start(count.size(), 0);
    start[0] = count[0] - 1;
    count[0] = count[1] = 1;
    for (const std::string& component : file_.get_strings(file_.variable(dimension))) {
      look(component, variable, start, count);
      ++start[1];
    }
  }

  void look(const std::string& name, int variable, const std::vector<std::size_t>& start,
            const std::vector<std::size_t>& count) {
    names_.push_back(name);
    if (name != wanted_ || values_) return;
    is_state_ = count.size() > 1;
    is_of_agents_ = file_.dimension_names(variable)[count.size() > 2 ? 2 : 0] == "agent";
    values_.emplace(std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>()));
    file_.get(variable, start, count, values_->data());
  }

  const NetcdfFile& file_;
  std::string wanted_;
  std::vector<std::string> names_;
  std::optional<std::vector<double>> values_;
  bool is_state_ = false;
  bool is_of_agents_ = false;
};

/// Values of a variable over the members; empty if the file has none of that name.
std::vector<double> over_members(const NetcdfFile& file, const std::string& name) {
  if (!file.has_variable(name)) return {};
  const int variable = file.variable(name);
  if (file.dimension_names(variable) != std::vector<std::string>{"member"} || !is_of_numbers(file, variable)) return {};
  std::vector<double> values(file.shape(variable).front());
  file.get(variable, {0}, {values.size()}, values.data());
  return values;
}

/// Remark for an agent of a swarm that was inactive: only the first `active` agents have a state.
std::string part_taken(const NetcdfFile& file, std::size_t agent) {
  const std::vector<double> active = over_members(file, "active");
  const bool took_part = active.size() != 1 || static_cast<double>(agent) < active.front();
  return took_part ? "" : fmt::format(", which took no part (active = {:g})", active.front());
}

/// Status of the members of a file at their end, if the file holds it.
class Endings {
 public:
  explicit Endings(const NetcdfFile& file) : status_(over_members(file, "status")) {
    times_ = over_members(file, "failure_time");
    times_.resize(status_.size(), std::numeric_limits<double>::quiet_NaN());
  }

  /// Error message if a member failed or was interrupted; else "".
  std::string failure() const {
    const auto failed = [](double status) { return status != code(Status::ok) && status != code(Status::stopped); };
    const auto first = std::ranges::find_if(status_, failed);
    if (first == status_.end()) return "";
    const auto member = static_cast<std::size_t>(first - status_.begin());
    const bool is_known = *first >= 0 && *first < status_count;
    const std::string name =
        is_known ? status_name(static_cast<Status>(static_cast<int>(*first))) : "of no known status";
    const auto count = std::ranges::count_if(status_, failed);
    return fmt::format(
        "expected members that came to their end, found member {} {}{} ({} of {} did not); {}", member, name,
        std::isfinite(times_[member]) ? fmt::format(" at t = {:.6g} s", times_[member]) : "", count, status_.size(),
        *first == code(Status::interrupted)
            ? "go on with that run first (kalaba run --resume)"
            : "run it again so that none fails, or give the states of the others in a file of their own (kalaba export "
              "writes tables)");
  }

  /// Remark on members that events stopped; "" if there are none.
  std::string note() const {
    long count = 0;
    double earliest = std::numeric_limits<double>::infinity();
    double latest = -earliest;
    for (std::size_t member = 0; member < status_.size(); ++member) {
      if (status_[member] != code(Status::stopped)) continue;
      ++count;
      earliest = std::fmin(earliest, times_[member]);
      latest = std::fmax(latest, times_[member]);
    }
    if (count == 0) return "";
    const std::string when = earliest <= latest ? fmt::format(" (t = {:.6g} to {:.6g} s)", earliest, latest) : "";
    return fmt::format(
        "{} of {} members start where an event stopped them, each at its own time{}; in this run all start at one time",
        count, status_.size(), when);
  }

 private:
  static constexpr double code(Status status) { return static_cast<double>(static_cast<int>(status)); }

  std::vector<double> status_;
  std::vector<double> times_;
};

}  // namespace

bool is_netcdf(const std::string& path) {
  if (path.ends_with(".nc")) return true;
  std::array<char, 8> bytes = {};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), bytes.size());
  return head == "\x89HDF\r\n\x1a\n" || head.starts_with("CDF\x01") || head.starts_with("CDF\x02") ||
         head.starts_with("CDF\x05");
}

TableColumn read_netcdf_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                               const std::string& variable) {
  const std::string requested = name.value_or(variable);
  try {
    const NetcdfFile file = NetcdfFile::open(path);
    require_finished(file, path);
    const Search search(file, requested);
    if (!search.values()) {
      node.fail(fmt::format("{}: expected a variable {} of one dimension, or a coordinate or rate, found {}{}", path,
                            toml_string(requested), fmt::join(search.names(), ", "),
                            suggestion(requested, search.names())));
    }
    const std::vector<double>& values = *search.values();
    if (values.empty())
      node.fail(fmt::format("{}: {}: expected a number for every member, found none", path, requested));
    const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
    if (bad != values.end()) {
      const auto number = static_cast<std::size_t>(bad - values.begin());
      node.fail(fmt::format("{}: {}: expected finite numbers, found {} of {} {}{}", path, requested, *bad,
                            search.is_of_agents() ? "agent" : "member", number,
                            search.is_of_agents() ? part_taken(file, number) : ""));
    }
    if (!search.is_state()) return {requested, values};
    const Endings endings(file);
    const std::string failure = endings.failure();
    if (!failure.empty()) node.fail(fmt::format("{}: {}: {}", path, requested, failure));
    const std::string note = endings.note();
    return {requested, values, note.empty() ? "" : fmt::format("{}: {}", path, note), true};
  } catch (const Error& error) {
    if (error.code() != ExitCode::file_error) throw;
    node.fail(fmt::format("cannot read {}", error.what()), ExitCode::file_error);
  }
}

std::vector<std::vector<double>> read_final_discrete(const std::string& where, const std::string& path,
                                                     const std::vector<std::string>& names) {
  std::vector<std::vector<double>> found(names.size());
  try {
    const NetcdfFile file = NetcdfFile::open(path);
    const std::string field = "invariants";  // which contain the discrete variables
    if (!file.has_variable(field) || file.attribute(NC_GLOBAL, "discrete").empty()) return found;
    const int variable = file.variable(field);
    const std::vector<std::string> dimensions = file.dimension_names(variable);
    const std::vector<std::size_t> shape = file.shape(variable);
    if (dimensions.size() != 3 || dimensions.front() != "time" || dimensions.back() != "member" || shape[0] == 0) {
      return found;
    }
    const std::vector<std::string> discrete = file.texts("discrete");
    const std::vector<std::string> labels = file.get_strings(file.variable(dimensions[1]));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto label = std::ranges::find(labels, names[i]);
      if (label == labels.end() || std::ranges::count(discrete, names[i]) == 0) continue;
      found[i].resize(shape[2]);
      file.get(variable, {shape[0] - 1, static_cast<std::size_t>(label - labels.begin()), 0}, {1, 1, shape[2]},
               found[i].data());
      const auto bad = std::ranges::find_if(found[i], [](double value) { return !std::isfinite(value); });
      if (bad == found[i].end()) continue;
      throw Error(ExitCode::bad_input, fmt::format("{}: {}: {}: expected finite numbers, found {} of member {}", where,
                                                   path, names[i], *bad, bad - found[i].begin()));
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::file_error) throw;
    throw Error(ExitCode::file_error, fmt::format("{}: cannot read {}", where, error.what()));
  }
  return found;
}

}  // namespace kalaba
