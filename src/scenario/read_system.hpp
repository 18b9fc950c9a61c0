#pragma once

#include <memory>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document.hpp"
#include "scenario/read_agents.hpp"

namespace kalaba {

/// The system that a document names.
struct NamedSystem {
  std::shared_ptr<const System> system;  ///< one of those given, or a swarm made for the document
  HeldAgentTables held;                  ///< of such a swarm
};

/// Of the structure that the document asks for; the first one listed where it asks for none.
NamedSystem read_system(Document& document, const std::vector<System>& systems);

}  // namespace kalaba
