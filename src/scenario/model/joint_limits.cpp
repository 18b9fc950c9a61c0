#include "scenario/model/joint_limits.hpp"

namespace kalaba::text_model {
namespace {

constexpr const char* form = "[lower, upper], or a table such as { upper = 0.5 }";

std::vector<JointLimit> limits_of(const Node& joint, const Node& limits) {
  std::vector<JointLimit> sides;
  if (limits.is_table()) {
    refuse_other_keys(limits, {"lower", "upper"});
    for (const bool is_upper : {false, true}) {
      const auto value = entry_of(limits, is_upper ? "upper" : "lower");
      if (value) sides.push_back({joint, limits, *value, is_upper});
    }
    if (sides.empty()) limits.expected(form);
    return sides;
  }
  const std::vector<Node> items = limits.items(form);
  if (items.size() != 2) limits.expected(form);
  return {{joint, limits, items[0], false}, {joint, limits, items[1], true}};
}

}  // namespace

std::vector<JointLimit> joint_limits(const Draft& draft) {
  std::vector<JointLimit> all;
  const auto joints = draft.section("joints");
  if (!joints || !joints->is_table()) return all;
  for (const Node& joint : joints->entries()) {
    if (!joint.is_table()) continue;  // refused where joints are read
    const auto limits = entry_of(joint, "limits");
    if (!limits) {
      if (const auto restitution = entry_of(joint, "limit_restitution"))
        restitution->fail("belongs to limits; add limits = [lower, upper]");
      continue;
    }
    const std::vector<JointLimit> sides = limits_of(joint, *limits);
    all.insert(all.end(), sides.begin(), sides.end());
  }
  return all;
}

}  // namespace kalaba::text_model
