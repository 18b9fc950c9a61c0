#include "fit/members.hpp"

#include <algorithm>
#include <span>

#include "kalaba/member_block.hpp"
#include "kalaba/sensitivities.hpp"
#include "kalaba/starts.hpp"

namespace kalaba::fit {
namespace {

/// Appends the first member of a block's rows.
void append_first(const std::vector<double>& rows, int count, long stride, std::vector<double>& to) {
  for (int i = 0; i < count; ++i) to.push_back(rows[static_cast<std::size_t>(i) * static_cast<std::size_t>(stride)]);
}

void scatter(std::span<const double> from, long stride, long member, std::vector<double>& rows) {
  auto at = static_cast<std::size_t>(member);
  for (const double value : from) {
    rows[at] = value;
    at += static_cast<std::size_t>(stride);
  }
}

}  // namespace

FitMembers::FitMembers(const System& system, const MemberSource& source, const std::vector<FreeVariable>& free)
    : system_(system),
      complete_start_(start_completion(system)),
      follows_(source.starts_follow_parameters()),
      given_(source.given_starts()),
      given_discrete_(source.given_discrete()) {
  const SystemInfo& info = system.info;
  Block block = member_block(info, Options(), 1);
  block.assign(0, 1);
  fill_members(system, source, block);
  append_first(block.parameters, block.parameter_count, block.stride, base_);
  append_first(block.q, block.coordinate_count, block.stride, base_);
  append_first(block.w, block.rate_count, block.stride, base_);
  const std::size_t parameters = info.parameters.size();
  const std::size_t coordinates = info.coordinates.size();
  for (const FreeVariable& each : free) {
    const std::size_t place = place_of(each.name);
    places_.push_back(place);
    if (place < parameters) continue;
    const bool is_rate = place >= parameters + coordinates;
    const int index = static_cast<int>(place - parameters - (is_rate ? coordinates : 0));
    std::erase_if(given_, [&](const GivenStart& start) { return start.is_rate == is_rate && start.index == index; });
    given_.push_back({is_rate, index, true});
  }
}

std::size_t FitMembers::place_of(const std::string& name) const {
  const std::vector<std::string> names = sensitivity_names(system_.info);
  const auto place = std::ranges::find(names, name) - names.begin();
  return static_cast<std::size_t>(place < system_.info.first_discrete() ? place : place + system_.info.discrete);
}

double FitMembers::first(const std::string& name) const { return base_[place_of(name)]; }

void FitMembers::fill(Block& block) const {
  const std::size_t parameters = system_.info.parameters.size();
  const std::size_t coordinates = system_.info.coordinates.size();
  std::vector<double> all;
  for (long member = 0; member < block.members; ++member) {
    const std::vector<double>& values = values_[static_cast<std::size_t>(block.first + member)];
    all = base_;
    for (std::size_t i = 0; i < values.size(); ++i) all[places_[i]] = values[i];
    if (follows_) {
      std::vector<double> given(all.size() - parameters, 0.0);
      for (const GivenStart& each : given_) {
        given[(each.is_rate ? coordinates : 0) + static_cast<std::size_t>(each.index)] = 1.0;
      }
      complete_start_(all.data(), given.data(), all.data() + parameters, all.data() + parameters + coordinates);
    }
    const std::span<const double> row(all);
    scatter(row.first(parameters), block.stride, member, block.parameters);
    scatter(row.subspan(parameters, coordinates), block.stride, member, block.q);
    scatter(row.subspan(parameters + coordinates), block.stride, member, block.w);
  }
}

}  // namespace kalaba::fit
