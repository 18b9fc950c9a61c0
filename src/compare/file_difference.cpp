#include "compare/file_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "kalaba/error.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {
namespace {

constexpr long numbers_at_once = 4'000'000;
constexpr double same_time = 1e-9;  // relative to the span

/// Columns or times that both files have, as indices into each.
struct Common {
  std::vector<std::size_t> one;
  std::vector<std::size_t> other;
};

Common common_columns(const Contents& a, const Contents& b, std::vector<std::string>& notes) {
  Common common;
  std::vector<std::string> only;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const std::optional<std::size_t> found = b.find(a.columns[i].name);
    if (!found) {
      only.push_back(a.columns[i].name);
      continue;
    }
    common.one.push_back(i);
    common.other.push_back(*found);
  }
  if (!only.empty()) notes.push_back(fmt::format("in the first file alone: {}", fmt::join(only, ", ")));
  only.clear();
  for (const Column& column : b.columns) {
    if (!a.find(column.name)) only.push_back(column.name);
  }
  if (!only.empty()) notes.push_back(fmt::format("in the second file alone: {}", fmt::join(only, ", ")));
  return common;
}

Common common_times(const Contents& a, const Contents& b, std::vector<std::string>& notes) {
  Common common;
  const double span = std::max(std::abs(a.times.front()), std::abs(a.times.back()));
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    while (j < b.times.size() && b.times[j] < a.times[i] - same_time * span) ++j;
    if (j == b.times.size() || std::abs(b.times[j] - a.times[i]) > same_time * span) continue;
    common.one.push_back(i);
    common.other.push_back(j);
  }
  if (common.one.size() < a.times.size() || common.one.size() < b.times.size()) {
    notes.push_back(fmt::format("{} saved times are in both files, of {} and {}", common.one.size(), a.times.size(),
                                b.times.size()));
  }
  return common;
}

void add(VariableDifference& difference, double one, double other, long member, double time) {
  if (!std::isfinite(one) && !std::isfinite(other)) return;
  difference.numbers += 1;
  if (std::isfinite(one)) difference.size = std::max(difference.size, std::abs(one));
  if (!std::isfinite(one) || !std::isfinite(other)) {
    difference.one_sided += 1;
    return;
  }
  const double off = std::abs(one - other);
  difference.typical += off * off;  // the sum of squares, as yet
  if (off > difference.worst) {
    difference.worst = off;
    difference.member = member;
    difference.time = time;
  }
}

void finish(VariableDifference& difference) {
  const double both = difference.numbers - difference.one_sided;
  difference.typical = both > 0 ? std::sqrt(difference.typical / both) : 0;
}

std::vector<long> from(long first, long count) {
  std::vector<long> numbers;
  for (long i = 0; i < count; ++i) numbers.push_back(first + i);
  return numbers;
}

std::vector<long> as_numbers(const std::vector<std::size_t>& indices) { return {indices.begin(), indices.end()}; }

/// Compares all columns and times of a chunk of members; the columns of the second file are read in its own, ascending
/// order.
std::vector<VariableDifference> compare_columns(Reader& one, Reader& other, const Common& columns,
                                                const Common& times) {
  const Contents& contents = one.contents();
  std::vector<VariableDifference> differences;
  for (const std::size_t column : columns.one) {
    const Column& of = contents.columns[column];
    differences.push_back({.name = of.name, .unit = of.unit});
    differences.back().is_error = of.field == Field::residual || of.field == Field::violation;
  }
  std::vector<std::size_t> ascending = columns.other;
  std::ranges::sort(ascending);
  std::vector<std::size_t> place;
  for (const std::size_t column : columns.other) {
    place.push_back(static_cast<std::size_t>(std::ranges::lower_bound(ascending, column) - ascending.begin()));
  }
  const long each = static_cast<long>(columns.one.size() * times.one.size());
  const long at_once = std::max(numbers_at_once / std::max(each, 1L), 1L);
  for (long first = 0; first < contents.members && each > 0; first += at_once) {
    const std::vector<long> members = from(first, std::min(at_once, contents.members - first));
    const auto a = one.read({columns.one, as_numbers(times.one), members});
    const auto b = other.read({ascending, as_numbers(times.other), members});
    for (std::size_t c = 0; c < differences.size(); ++c) {
      for (std::size_t i = 0; i < a[c].size(); ++i) {
        const double time = contents.times[times.one[i / members.size()]];
        add(differences[c], a[c][i], b[place[c]][i], members[i % members.size()], time);
      }
    }
  }
  for (VariableDifference& each_one : differences) finish(each_one);
  return differences;
}

bool is_of_members(const FileVariable& variable) {
  return variable.type != FileVariable::Type::text && !variable.dimensions.empty() &&
         variable.dimensions.back() == "member" && variable.shape.size() <= 2 && variable.dimensions.front() != "time";
}

/// Compares parameters, statuses and events: variables with one number per member, or one per event and member.
void compare_members(const Archive& one, const Archive& other, FileDifference& result) {
  for (const FileVariable& variable : one.inventory().variables) {
    const FileVariable* same = other.inventory().find(variable.name);
    if (!is_of_members(variable) || same == nullptr || same->shape != variable.shape) continue;
    const std::vector<double> a = one.numbers(variable);
    const std::vector<double> b = other.numbers(*same);
    if (variable.name == "status") {
      for (std::size_t i = 0; i < a.size(); ++i) result.status_changes += a[i] != b[i];
      continue;
    }
    const std::size_t members = variable.shape.back();
    const std::size_t rows = variable.shape.size() == 2 ? variable.shape.front() : 1;
    const bool labelled = rows > 1 || variable.shape.size() == 2;
    const FileVariable* labels = labelled ? one.inventory().find(variable.dimensions.front()) : nullptr;
    const std::vector<std::string> names = labels != nullptr && labels->type == FileVariable::Type::text
                                               ? one.texts(labels->name)
                                               : std::vector<std::string>(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      VariableDifference difference;
      difference.name = names[row].empty() ? variable.name : fmt::format("{} {}", variable.name, names[row]);
      difference.unit = variable.unit;
      for (std::size_t i = 0; i < members; ++i) {
        add(difference, a[row * members + i], b[row * members + i], static_cast<long>(i),
            std::numeric_limits<double>::quiet_NaN());
      }
      finish(difference);
      result.variables.push_back(std::move(difference));
    }
  }
}

bool is_of_all_members(const FileVariable& variable) {
  return variable.type != FileVariable::Type::text && !variable.dimensions.empty() &&
         std::ranges::count(variable.dimensions, "member") == 0 &&
         std::ranges::count(variable.dimensions, variable.name) == 0;
}

/// Compares statistics: variables over all members.
void compare_statistics(const Archive& one, const Archive& other, FileDifference& result) {
  std::vector<std::string> left_out;
  for (const FileVariable& variable : one.inventory().variables) {
    const FileVariable* same = other.inventory().find(variable.name);
    if (!is_of_all_members(variable) || same == nullptr) continue;
    if (same->shape != variable.shape) {
      left_out.push_back(variable.name);
      continue;
    }
    VariableDifference difference = {.name = variable.name, .unit = variable.unit};
    const std::vector<double> a = one.numbers(variable);
    const std::vector<double> b = other.numbers(*same);
    for (std::size_t i = 0; i < a.size(); ++i) {
      add(difference, a[i], b[i], -1, std::numeric_limits<double>::quiet_NaN());
    }
    finish(difference);
    result.variables.push_back(std::move(difference));
  }
  if (!left_out.empty()) result.notes.push_back(fmt::format("of another shape: {}", fmt::join(left_out, ", ")));
}

bool is_netcdf(const std::string& path) { return std::filesystem::path(path).extension() == ".nc"; }

/// The members of a shard are part of its ensemble's.
void require_same_members(const std::string& one, const std::string& other) {
  const auto first_of = [](const std::string& path) {
    const std::string first = Archive(path).inventory().attribute("first_member");
    return first.empty() ? "0" : first;
  };
  const std::string first = first_of(one);
  const std::string of_other = first_of(other);
  if (first == of_other) return;
  refuse_input(
      fmt::format("{} has members from {} on and {} from {} on, expected the same", one, first, other, of_other));
}

}  // namespace

FileDifference compare_files(const std::string& one, const std::string& other) {
  const std::unique_ptr<Reader> a = open_reader(one);
  const std::unique_ptr<Reader> b = open_reader(other);
  FileDifference result;
  result.members = a->contents().members;
  if (b->contents().members != result.members) {
    refuse_input(fmt::format("{} has {} members and {} has {}, expected as many", one, result.members, other,
                             b->contents().members));
  }
  if (result.members == 0 || a->contents().times.empty() || b->contents().times.empty()) {
    refuse_input(fmt::format("{} or {} holds no members or no times", one, other));
  }
  if (a->contents().system != b->contents().system && is_netcdf(one) && is_netcdf(other)) {
    result.notes.push_back(fmt::format("of other systems: {} and {}", a->contents().system, b->contents().system));
  }
  if (is_netcdf(one) && is_netcdf(other)) require_same_members(one, other);
  const Common columns = common_columns(a->contents(), b->contents(), result.notes);
  const Common times = common_times(a->contents(), b->contents(), result.notes);
  result.times = times.one.size();
  if (times.one.empty()) refuse_input(fmt::format("{} and {} have no saved time in common", one, other));
  result.variables = compare_columns(*a, *b, columns, times);
  if (is_netcdf(one) && is_netcdf(other)) {
    const Archive first(one);
    const Archive second(other);
    compare_members(first, second, result);
    compare_statistics(first, second, result);
  }
  if (result.variables.empty()) refuse_input(fmt::format("{} and {} have no variable in common", one, other));
  return result;
}

}  // namespace kalaba
