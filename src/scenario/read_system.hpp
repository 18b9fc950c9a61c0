#pragma once

#include <memory>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/read_agents.hpp"

namespace kalaba {

/// The system that a document names.
struct NamedSystem {
  std::shared_ptr<const System> system;  ///< one of those given, or one made for the document: a swarm, a text
  HeldAgentTables held;                  ///< of such a swarm
  std::shared_ptr<const TextSystem> text = nullptr;  ///< where its model is a text
};

/// Of the structure that the document asks for; the first one listed where it asks for none.
NamedSystem read_system(Document& document, const std::vector<System>& systems);

}  // namespace kalaba
