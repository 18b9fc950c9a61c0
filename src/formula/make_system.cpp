#include "formula/make_system.hpp"

#include <algorithm>
#include <memory>

#include "formula/describe_terms.hpp"
#include "formula/emit.hpp"
#include "formula/graph_model.hpp"
#include "formula/instructions.hpp"
#include "formula/program.hpp"
#include "formula/traverse.hpp"
#include "kalaba/backend/reference.hpp"

namespace kalaba::formula {
namespace {

void add_equations(const std::vector<Equation>& equations, std::vector<Variable>& variables) {
  for (const Equation& each : equations) variables.push_back({each.name, each.unit, 0, each.meaning});
}

/// Completes the starts that are not given.
System::CompleteStart complete_start(const Graph& graph, const Terms& terms) {
  std::vector<Id> all = terms.start_q;
  all.insert(all.end(), terms.start_w.begin(), terms.start_w.end());
  const auto starts = std::make_shared<const Program>(graph, all);
  const std::size_t coordinates = terms.start_q.size();
  return [starts, coordinates](const double* parameters, const double* given, double* q, double* w) {
    Inputs inputs;
    inputs.parameters = parameters;
    inputs.coordinates = q;
    inputs.rates = w;
    inputs.observed = given;
    const std::vector<double> values = (*starts)(inputs);
    std::copy_n(values.begin(), coordinates, q);
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(coordinates), values.end(), w);
  };
}

/// The starts where none is given.
System::StartFunction start_function(const System::CompleteStart& complete, std::size_t coordinates,
                                     std::size_t rates) {
  return [complete, coordinates, rates](const double* parameters, double* q, double* w) {
    const std::vector<double> none(coordinates + rates, 0.0);
    std::fill_n(q, coordinates, 0.0);
    std::fill_n(w, rates, 0.0);
    complete(parameters, none.data(), q, w);
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

/// Whether the statement alone shows that the motion keeps its energy: one that gives all forces and knows no time, and
/// holonomic constraints that know none.
bool conserves_energy(const Graph& graph, const Statement& statement) {
  const auto& energy = statement.lagrangian ? statement.lagrangian : statement.hamiltonian;
  const auto is_zero = [&](Id id) { return graph.is_number(id, 0); };
  const auto is_fixed = [&](Id id) { return !depends_on(graph, id, Op::time); };
  return energy && is_fixed(*energy) && !statement.energy && std::ranges::all_of(statement.force, is_zero) &&
         statement.velocity.empty() && statement.non_ideal.empty() && statement.actuation.empty() &&
         statement.nonholonomic.empty() && !statement.gain && !statement.position_gain &&
         std::ranges::all_of(statement.holonomic, is_fixed, &Equation::value);
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
  system.info.conserves_energy = conserves_energy(graph, statement);
  if (system.info.equations.empty()) system.info.equations = equations_text(graph, terms, system.info);
  system.complete_start = complete_start(graph, terms);
  system.start_needs = terms.start_needs;
  system.default_start = start_function(system.complete_start, terms.start_q.size(), terms.start_w.size());
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
