#include "kalaba/formula/record.hpp"

#include "formula/graph/graph.hpp"

namespace kalaba::formula {
namespace {

/// The graph that this thread records into; null where it records nothing.
Graph*& current_graph() {
  thread_local Graph* graph = nullptr;
  return graph;
}

/// Throws Error (bad_input) where there is none: a Real of a model struct was made outside of make_system.
Graph& graph_of_thread() {
  if (current_graph() == nullptr) throw Error(ExitCode::bad_input, "a recorded number was made outside of a recording");
  return *current_graph();
}

}  // namespace

Recording::Recording() : owned_(std::make_shared<Graph>()), graph_(owned_.get()), before_(current_graph()) {
  current_graph() = graph_;
}
Recording::Recording(Graph& graph) : graph_(&graph), before_(current_graph()) { current_graph() = graph_; }
Recording::~Recording() { current_graph() = before_; }

Id recorded_number(double value) { return graph_of_thread().number(value); }
Id recorded_symbol(Op kind, int index) { return graph_of_thread().symbol(kind, index); }
Id recorded_unary(Op op, Id x) { return graph_of_thread().unary(op, x); }
Id recorded_binary(Op op, Id a, Id b) { return graph_of_thread().binary(op, a, b); }
Id recorded_select(Id mask, Id a, Id b) { return graph_of_thread().select(mask, a, b); }

}  // namespace kalaba::formula
