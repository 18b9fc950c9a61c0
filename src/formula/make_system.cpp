#include "formula/make_system.hpp"

#include <memory>

#include "formula/conserves_energy.hpp"
#include "formula/describe_terms.hpp"
#include "formula/emit.hpp"
#include "formula/graph_model.hpp"
#include "formula/instructions.hpp"
#include "formula/program.hpp"
#include "kalaba/backend/reference.hpp"

namespace kalaba::formula {
namespace {

void add_equations(const std::vector<Equation>& equations, std::vector<Variable>& variables) {
  for (const Equation& each : equations) variables.push_back({each.name, each.unit, 0, each.meaning});
}

/// The default state of a member with given parameters.
System::StartFunction start_function(const Graph& graph, const Terms& terms) {
  const auto q_start = std::make_shared<const Program>(graph, terms.start_q);
  const auto w_start = std::make_shared<const Program>(graph, terms.start_w);
  return [q_start, w_start](const double* parameters, double* q, double* w) {
    Inputs inputs;
    inputs.parameters = parameters;
    q_start->run(inputs, 1, q, 1);
    w_start->run(inputs, 1, w, 1);
  };
}

void complete_defaults(System& system) {
  std::vector<double> parameters;
  for (const Variable& each : system.info.parameters) parameters.push_back(each.value);
  std::vector<double> q(system.info.coordinates.size());
  std::vector<double> w(system.info.rates.size());
  system.default_start(parameters.data(), q.data(), w.data());
  for (std::size_t i = 0; i < q.size(); ++i) system.info.coordinates[i].value = q[i];
  for (std::size_t i = 0; i < w.size(); ++i) system.info.rates[i].value = w[i];
}

}  // namespace

SystemInfo describe(const Statement& statement, const Terms& terms) {
  SystemInfo info = statement.info;
  info.formulation = terms.formulation;
  info.constraints.clear();
  add_equations(statement.holonomic, info.constraints);
  add_equations(statement.nonholonomic, info.constraints);
  info.holonomic = static_cast<int>(statement.holonomic.size());
  info.invariants.clear();
  add_equations(statement.invariants, info.invariants);
  info.invariance.resize(info.invariants.size(), Invariance::free);
  info.has_energy = terms.energy.has_value();
  info.servo = terms.actuation.cols > 0;
  return info;
}

System make_system(Graph graph, Statement statement) {
  struct Model {
    Graph graph;
    Terms terms;
  };
  Terms terms = derive(graph, statement);
  System system;
  system.info = describe(statement, terms);
  system.info.conserves_energy = conserves_energy(graph, statement, terms);
  if (system.info.equations.empty()) system.info.equations = equations_text(graph, terms, system.info);
  system.default_start = start_function(graph, terms);
  complete_defaults(system);
  const int parameters = static_cast<int>(system.info.parameters.size());
  system.device_code = emit(graph, terms, parameters);
  const auto model = std::make_shared<const Model>(Model{std::move(graph), std::move(terms)});
  system.device_code.differentiated = [model, parameters](const Derivatives& asked) {
    Graph own = model->graph;
    return emit(own, model->terms, parameters, asked);
  };
  system.reference = [model](const Options& options) -> std::unique_ptr<Runner> {
    return reference::make_runner(make_graph_model(model->graph, model->terms), options);
  };
  system.interpreted = [model, parameters](const RegisterMap& map) {
    return instructions(model->graph, model->terms, parameters, map);
  };
  return system;
}

}  // namespace kalaba::formula
