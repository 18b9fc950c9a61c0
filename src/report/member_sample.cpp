#include "report/member_sample.hpp"

#include <algorithm>

#include "kalaba/core/status.hpp"

namespace kalaba {
namespace {

constexpr long most_members = 100'000;

}  // namespace

MemberSample::MemberSample(const Archive& archive, Reader& reader) : archive_(archive), reader_(reader) {
  const long count = reader.contents().members;
  const long step = std::max((count + most_members - 1) / most_members, 1L);
  for (long member = 0; member < count; member += step) chosen_.push_back(member);
  if (!is_over_members("status")) return;
  const std::vector<double> status = every_value("status");
  const bool shared = reader.contents().agents;
  left_out_ = std::erase_if(chosen_, [&](long member) {
    const std::size_t place = shared ? 0 : static_cast<std::size_t>(member);
    const auto ended = static_cast<Status>(static_cast<int>(status[place]));
    return ended != Status::ok && ended != Status::stopped;
  });
}

bool MemberSample::has(const std::string& variable) const {
  return !reader_.contents().agents && is_over_members(variable);
}

bool MemberSample::is_over_members(const std::string& variable) const {
  const FileVariable* found = archive_.inventory().find(variable);
  return found != nullptr && found->dimensions == std::vector<std::string>{"member"} &&
         found->type != FileVariable::Type::text;
}

std::vector<double> MemberSample::every_value(const std::string& variable) const {
  return archive_.numbers(*archive_.inventory().find(variable));
}

std::vector<double> MemberSample::values(const std::string& variable) const { return chosen_of(every_value(variable)); }

std::vector<double> MemberSample::values(const std::string& variable, std::size_t row) const {
  const auto members = static_cast<std::size_t>(reader_.contents().members);
  return chosen_of(archive_.numbers(variable, {row, 0}, {1, members}));
}

std::vector<double> MemberSample::chosen_of(const std::vector<double>& all) const {
  std::vector<double> values;
  for (const long member : chosen_) values.push_back(all[static_cast<std::size_t>(member)]);
  return values;
}

std::vector<std::vector<double>> MemberSample::values(const std::vector<std::size_t>& columns, long time) const {
  return reader_.read({columns, {time}, chosen_});
}

}  // namespace kalaba
