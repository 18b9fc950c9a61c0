#include "formula/make_system.hpp"

#include <memory>
#include <mutex>

#include "backend/reference/reference.hpp"
#include "formula/conserves_energy.hpp"
#include "formula/describe_terms.hpp"
#include "formula/emit.hpp"
#include "formula/graph_model.hpp"
#include "formula/instructions.hpp"
#include "formula/program.hpp"
#include "kalaba/formula/record.hpp"

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

namespace {

/// A model that is derived when `get` is first called.
class DeferredModel {
 public:
  explicit DeferredModel(std::function<DerivedModel()> derive) : derive_(std::move(derive)) {}

  const DerivedModel& get() const {
    const std::lock_guard lock(mutex_);
    if (!model_) model_ = derive_();
    return *model_;
  }

 private:
  std::function<DerivedModel()> derive_;
  mutable std::mutex mutex_;
  mutable std::optional<DerivedModel> model_;
};

}  // namespace

System deferred_system(SystemInfo info, System::StartFunction start, std::function<DerivedModel()> derive) {
  System system;
  system.info = std::move(info);
  system.default_start = std::move(start);
  detail::complete_defaults(system);
  const int parameters = static_cast<int>(system.info.parameters.size());
  const auto model = std::make_shared<const DeferredModel>(std::move(derive));
  system.device_code.type = std::string("kalaba::") + emitted_name;
  system.device_code.emit = [model, parameters](const Derivatives& asked) {
    return emit(model->get().graph, model->get().terms, parameters, asked);
  };
  system.reference = [model](const Options& options) -> std::unique_ptr<Runner> {
    return reference::make_runner(make_graph_model(model->get().graph, model->get().terms), options);
  };
  system.interpreted = [model, parameters](const RegisterMap& map) {
    return instructions(model->get().graph, model->get().terms, parameters, map);
  };
  return system;
}

System make_system(Graph graph, Statement statement) {
  Terms terms = derive(graph, statement);
  SystemInfo info = describe(statement, terms);
  info.conserves_energy = info.conserves_energy || conserves_energy(graph, statement, terms);
  if (info.equations.empty()) info.equations = equations_text(graph, terms, info);
  System::StartFunction start = start_function(graph, terms);
  const auto model = std::make_shared<DerivedModel>(DerivedModel{std::move(graph), std::move(terms)});
  return deferred_system(std::move(info), std::move(start), [model] { return std::move(*model); });
}

System make_system(const Recording& recording, Statement statement) {
  return make_system(std::move(recording.graph()), std::move(statement));
}

}  // namespace kalaba::formula
