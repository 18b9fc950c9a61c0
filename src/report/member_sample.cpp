#include "report/member_sample.hpp"

#include <algorithm>
#include <limits>

namespace kalaba {

MemberSample::MemberSample(const Archive& archive, Reader& reader, long most) : archive_(archive), reader_(reader) {
  const long count = reader.contents().members;
  const long step = std::max((count + most - 1) / most, 1L);
  for (long member = 0; member < count; member += step) chosen_.push_back(member);
  const std::vector<CountedUntil> all = counted_until(archive);
  if (all.empty()) return;
  const bool shared = reader.contents().agents;
  for (const long member : chosen_) until_.push_back(all[shared ? 0 : static_cast<std::size_t>(member)]);
}

bool MemberSample::has(const std::string& variable) const {
  return !reader_.contents().agents && is_over_members(variable);
}

bool MemberSample::is_over_members(const std::string& variable) const {
  const FileVariable* found = archive_.inventory().find(variable);
  return found != nullptr && found->dimensions == std::vector<std::string>{"member"} &&
         found->type != FileVariable::Type::text;
}

std::vector<double> MemberSample::values(const std::string& variable) const {
  return chosen_of(archive_.numbers(*archive_.inventory().find(variable)));
}

std::vector<double> MemberSample::values(const std::string& variable, std::size_t row) const {
  const FileVariable& found = *archive_.inventory().find(variable);
  const std::size_t members = found.shape.back();
  if (found.shape.size() == 2) return chosen_of(archive_.numbers(variable, {row, 0}, {1, members}));
  const std::size_t second = found.shape[1];
  return chosen_of(archive_.numbers(variable, {row / second, row % second, 0}, {1, 1, members}));
}

std::vector<double> MemberSample::chosen_of(const std::vector<double>& all) const {
  if (all.size() == chosen_.size()) return all;
  std::vector<double> values;
  values.reserve(chosen_.size());
  for (const long member : chosen_) values.push_back(all[static_cast<std::size_t>(member)]);
  return values;
}

std::vector<std::vector<double>> MemberSample::values(const std::vector<std::size_t>& columns, long time) const {
  std::vector<std::vector<double>> values = reader_.read({columns, {time}, chosen_});
  const double at = contents().times[static_cast<std::size_t>(time)];
  for (std::size_t i = 0; i < until_.size(); ++i) {
    if (until_[i].counts(at)) continue;
    for (std::vector<double>& column : values) column[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

}  // namespace kalaba
