#include "report/member_sample.hpp"

#include <algorithm>

namespace kalaba {
namespace {

constexpr long most_members = 100'000;

}  // namespace

MemberSample::MemberSample(const Archive& archive, Reader& reader) : archive_(archive), reader_(reader) {
  const long count = reader.contents().members;
  const long step = std::max((count + most_members - 1) / most_members, 1L);
  for (long member = 0; member < count; member += step) chosen_.push_back(member);
  if (!has("status")) return;
  const std::vector<double> status = every_value("status");
  left_out_ = std::erase_if(chosen_, [&](long member) { return status[static_cast<std::size_t>(member)] != 0; });
}

bool MemberSample::has(const std::string& variable) const {
  const FileVariable* found = archive_.inventory().find(variable);
  return found != nullptr && found->dimensions == std::vector<std::string>{"member"} &&
         found->type != FileVariable::Type::text;
}

std::vector<double> MemberSample::every_value(const std::string& variable) const {
  return archive_.numbers(*archive_.inventory().find(variable));
}

std::vector<double> MemberSample::values(const std::string& variable) const {
  const std::vector<double> all = every_value(variable);
  std::vector<double> values;
  for (const long member : chosen_) values.push_back(all[static_cast<std::size_t>(member)]);
  return values;
}

std::vector<std::vector<double>> MemberSample::values(const std::vector<std::size_t>& columns, long time) const {
  return reader_.read({columns, {time}, chosen_});
}

}  // namespace kalaba
