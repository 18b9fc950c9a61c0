#pragma once

#include <memory>

#include "backend/reference/model.hpp"
#include "formula/graph/graph.hpp"
#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// The derived terms, interpreted, as the model of the reference backend; its sizes are known at run time only.
std::unique_ptr<const reference::MechanicalModel> make_graph_model(const Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
