#include "report/data/member_sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace kalaba {
namespace {

constexpr long usual = 100'000;
constexpr long usual_of_saltelli = 2'000'000;  // index errors decrease with the root of the points

/// Converts "parameters.L, initial.x" to "L", "x at the start".
std::vector<std::string> drawn_names(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    const std::string name = list.substr(at, end - at);
    names.push_back(name.substr(name.find('.') + 1) + (name.starts_with("initial.") ? " at the start" : ""));
    at = end + 2;
  }
  return names;
}

}  // namespace

MemberSample::MemberSample(const Archive& archive, Reader& reader, long most) : archive_(archive), reader_(reader) {
  choose(most);
  const std::vector<CountedUntil> all = counted_until(archive);
  if (all.empty()) return;
  const bool shared = reader.contents().agents;
  for (const long member : chosen_) until_.push_back(all[shared ? 0 : static_cast<std::size_t>(member)]);
}

void MemberSample::choose(long most) {
  const long count = reader_.contents().members;
  const std::string saltelli = archive_.inventory().attribute("saltelli");
  long together = 1;  // members per point
  long first = 0;     // first member of the first whole point: a shard may begin within a point
  if (!saltelli.empty()) {
    const std::vector<std::string> names = drawn_names(saltelli);
    together = static_cast<long>(names.size()) + 2;
    const long before = static_cast<long>(archive_.inventory().number("first_member", 0));
    first = (together - before % together) % together;
    if (first + together <= count) {
      drawn_ = names;
    } else {
      together = 1;
      first = 0;
    }
  }
  if (most == 0) most = drawn_.empty() ? usual : usual_of_saltelli;
  const long points = (count - first) / together;
  const long most_points = std::max(most / together, 1L);
  const long step = std::max((points + most_points - 1) / most_points, 1L);
  for (long point = 0; point < points; point += step) {
    for (long place = 0; place < together; ++place) chosen_.push_back(first + point * together + place);
  }
}

bool MemberSample::has(const std::string& variable) const {
  return !reader_.contents().agents && is_over_members(variable);
}

bool MemberSample::is_over_members(const std::string& variable) const {
  const FileVariable* found = archive_.inventory().find(variable);
  return found != nullptr && found->dimensions == std::vector<std::string>{"member"} &&
         found->type != FileVariable::Type::text;
}

std::vector<std::string> MemberSample::events() const {
  const FileVariable* times = archive_.inventory().find("event_time");
  if (times == nullptr || times->dimensions != std::vector<std::string>{"event", "member"}) return {};
  return archive_.texts("event");
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
