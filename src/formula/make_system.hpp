#pragma once

#include "formula/derive.hpp"

namespace kalaba::formula {

/// The system of a statement: what a catalogue system is, its terms derived on the graph. Its model is emitted for the
/// backends that compile at run time, and interpreted by the reference. `cpu` is left out: who has a compiler at run
/// time sets it from `device_code`. Throws StatementError, and Error (bad_input) for a model that is too large.
System make_system(Graph graph, Statement statement);

/// Description of a system, from the statement and the derived terms.
SystemInfo describe(const Statement& statement, const Terms& terms);

}  // namespace kalaba::formula
