#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"
#include "kalaba/event.hpp"
#include "kalaba/formula/statement.hpp"
#include "scenario/model/contact_text.hpp"
#include "scenario/model/declarations.hpp"
#include "scenario/model/mechanism_picture.hpp"
#include "scenario/model/start_report.hpp"

namespace kalaba::text_model {

/// Valid model that was read from a table [model].
struct Model {
  formula::Graph graph;
  formula::Statement statement;
  std::vector<Event> events;  ///< default events of its runs
  std::vector<Clock> clocks;  ///< default clocks of its runs
  std::vector<ContactText> contacts;
  std::string toml;  ///< the table, including the contents of the files that it read; reading it gives the same model
  StartReport start;
  std::string mechanism;  ///< bodies, joints and loops of a mechanism, a line each; empty: none
  std::shared_ptr<const MechanismPicture> picture;  ///< of a mechanism; else null
  std::string kink;  ///< place of a kink in its equations, "PLACE: KEY: clamp has kinks"; empty: none
};

/// Reads the table "model" of a document. `clocks`: those of the scenario, which replace those of the model. Throws
/// Error naming the file, line, key and the place in the expression.
Model read_model(Document& document, const AskedStructure& asked, const std::optional<Node>& clocks);

/// A table as TOML, one key per line, with keys in the order of the text: "[model]\n…".
std::string table_toml(const Node& table, const std::string& name);

}  // namespace kalaba::text_model
