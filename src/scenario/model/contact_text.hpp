#pragma once

#include <string>

namespace kalaba::text_model {

/// A contact, or a family of contacts, as a model states it.
struct ContactText {
  std::string name;
  std::string gap;
  std::string restitution;
  std::string law;
};

}  // namespace kalaba::text_model
