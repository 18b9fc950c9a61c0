#pragma once

#include <functional>

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// A graph and the terms that were derived in it from one statement.
struct DerivedModel {
  Graph graph;
  Terms terms;
};

/// The system of a statement, its terms derived on the graph. `cpu` is left out: each run compiles or interprets the
/// formulas. Throws StatementError, and Error (bad_input) for a model that is too large.
System make_system(Graph graph, Statement statement);

/// Returns a system whose formulas are derived later: `derive` runs once, when a backend first needs them, and its
/// errors are errors of the run.
System deferred_system(SystemInfo info, System::StartFunction start, std::function<DerivedModel()> derive);

/// Description of a system, from the statement and the derived terms.
SystemInfo describe(const Statement& statement, const Terms& terms);

}  // namespace kalaba::formula
