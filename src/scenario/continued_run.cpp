#include "scenario/continued_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenario/sampling/netcdf_column.hpp"

namespace kalaba {
namespace {

using Role = SampledVariable::Role;

/// Returns true for a discrete variable of [model.discrete]. The states of contacts follow from the start.
bool is_of_text(const SystemInfo& system, const SampledVariable& each) {
  const int index = each.index;
  if (each.role != Role::parameter || index < system.first_discrete()) return false;
  if (is_internal(variable_of(system, each))) return false;
  return std::ranges::none_of(system.contacts, [&](const Contact& contact) {
    const auto& friction = contact.friction;
    return contact.mode == index || (friction && (friction->sticks == index || friction->slides == index));
  });
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

/// Starts the variables with the final values in a file; returns the names of those that it does not contain.
std::vector<std::string> take_from(const Distribution& states, const SystemInfo& system,
                                   const std::vector<SampledVariable*>& variables) {
  std::vector<std::string> names;
  for (const SampledVariable* each : variables) names.push_back(variable_of(system, *each).name);
  std::vector<std::vector<double>> values = read_final_discrete(states.where, states.path, names);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (values[i].empty()) {
      missing.push_back(names[i]);
      continue;
    }
    variables[i]->distribution.kind = Distribution::Kind::file;
    variables[i]->distribution.values = std::move(values[i]);
  }
  return missing;
}

}  // namespace

std::vector<std::string> continue_discrete(const SystemInfo& system, const std::vector<Clock>& clocks,
                                           std::vector<SampledVariable>& variables) {
  std::vector<const Distribution*> files;
  std::vector<SampledVariable*> discrete;
  for (SampledVariable& each : variables) {
    if (is_of_text(system, each)) discrete.push_back(&each);
    if (!each.distribution.is_state || each.role == Role::parameter) continue;
    const auto is_same = [&](const Distribution* file) { return file->path == each.distribution.path; };
    if (std::ranges::none_of(files, is_same)) files.push_back(&each.distribution);
  }
  if (files.empty() || discrete.empty()) return {};
  std::vector<std::string> notes;
  if (files.size() > 1) {
    notes.push_back(
        fmt::format("{}: the initial values are final states of {} files: discrete variables start as the model "
                    "states, not as in one of the files",
                    files[1]->where, files.size()));
    return notes;
  }
  const std::vector<std::string> missing = take_from(*files.front(), system, discrete);
  if (!missing.empty()) {
    notes.push_back(
        fmt::format("{}: it does not contain the discrete variables of that run: {} start{} as the model states; "
                    "output.fields of that run saves them with \"invariants\"",
                    files.front()->path, joined(missing), missing.size() == 1 ? "s" : ""));
  }
  for (const Clock& clock : clocks) {
    if (clock.delay == 0) continue;
    std::vector<std::string> names;
    for (const NewValue& each : clock.set) names.push_back(each.target);
    notes.push_back(
        fmt::format("{}: it does not contain the values that the delay of clock '{}' still held back: its first {} "
                    "tick{} set {} to the start that the model states",
                    files.front()->path, clock.name, clock.delay, clock.delay == 1 ? "" : "s", joined(names)));
  }
  return notes;
}

}  // namespace kalaba
