#pragma once

#include <memory>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/read_agents.hpp"

namespace kalaba {

/// System that a document names.
struct NamedSystem {
  std::shared_ptr<const System> system;              ///< given, or constructed for the document: a swarm, a text
  HeldAgentTables held;                              ///< constrained agents of such a swarm
  std::shared_ptr<const TextSystem> text = nullptr;  ///< if its model is a text; else null
};

/// Finds the system with the structure that the document selects; by default the first one in the list.
NamedSystem read_system(Document& document, const std::vector<System>& systems);

}  // namespace kalaba
