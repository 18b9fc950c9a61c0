#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formula/graph.hpp"
#include "kalaba/event.hpp"
#include "kalaba/formula/statement.hpp"
#include "scenario/model/declarations.hpp"
#include "scenario/model/start_report.hpp"

namespace kalaba::text_model {

/// A table [model] that was read and found right.
struct Model {
  formula::Graph graph;
  formula::Statement statement;
  std::vector<Event> events;  ///< those that its runs watch by default
  std::string toml;           ///< the table; read again, without the files it read, it gives the same model
  StartReport start;
  std::string kink;  ///< where its equations have one, "PLACE: KEY: clamp has kinks"; empty: nowhere
};

/// Reads the table "model" of a document. Throws Error naming the file, line, key and the place in the expression.
Model read_model(Document& document, const AskedStructure& asked);

/// A table as TOML, a line a key, its keys in the order of writing: "[model]\n…".
std::string table_toml(const Node& table, const std::string& name);

}  // namespace kalaba::text_model
