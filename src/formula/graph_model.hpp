#pragma once

#include <memory>

#include "formula/derive.hpp"
#include "formula/graph.hpp"
#include "backend/reference/model.hpp"

namespace kalaba::formula {

/// The derived terms, interpreted: what the reference backend asks of a model, with extents at run time.
std::unique_ptr<const reference::MechanicalModel> make_graph_model(const Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
