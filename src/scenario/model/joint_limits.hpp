#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// One side of the limits that a joint states.
struct JointLimit {
  Node joint;
  Node limits;  ///< the key
  Node value;
  bool is_upper = false;

  std::string name() const { return joint.name() + (is_upper ? "_upper" : "_lower"); }
};

/// Limits of the joints of a mechanism, in the order of the text: limits = [lower, upper], or a table with `lower`,
/// `upper` or both. Throws Error for another form.
std::vector<JointLimit> joint_limits(const Draft& draft);

}  // namespace kalaba::text_model
