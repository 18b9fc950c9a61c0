#pragma once

#include <string>

namespace kalaba::text_model {

/// A contact, or a family of contacts, as a model states it.
struct ContactText {
  std::string name;
  std::string gap;
  std::string restitution;
  std::string law;
  std::string friction;  ///< coefficient; "0" without friction
  std::string slip;
};

}  // namespace kalaba::text_model
