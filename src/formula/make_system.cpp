#include "formula/make_system.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "backend/reference/reference.hpp"
#include "formula/code/emit.hpp"
#include "formula/code/instructions.hpp"
#include "formula/describe_terms.hpp"
#include "formula/graph/program.hpp"
#include "formula/mechanics/conserves_energy.hpp"
#include "formula/mechanics/constrained_states.hpp"
#include "formula/mechanics/graph_model.hpp"
#include "formula/mechanics/jumps.hpp"
#include "formula/mechanics/vanishing_entries.hpp"
#include "kalaba/formula/record.hpp"

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
  info.reactions.clear();
  add_equations(statement.reactions, info.reactions);
  info.has_energy = terms.energy.has_value();
  info.servo = terms.actuation.cols > 0;
  return info;
}

namespace {

/// A value that is made when `get` is first called.
template <class Value>
class Deferred {
 public:
  explicit Deferred(std::function<Value()> make) : make_(std::move(make)) {}

  const Value& get() const {
    const std::lock_guard lock(mutex_);
    if (!value_) value_ = make_();
    return *value_;
  }

 private:
  std::function<Value()> make_;
  mutable std::mutex mutex_;
  mutable std::optional<Value> value_;
};

}  // namespace

System deferred_system(SystemInfo info, System::StartFunction start, std::function<DerivedModel()> derive) {
  System system;
  system.info = std::move(info);
  system.default_start = std::move(start);
  detail::complete_defaults(system);
  const int parameters = static_cast<int>(system.info.parameters.size());
  const auto model =
      std::make_shared<const Deferred<DerivedModel>>([derive = std::move(derive), info = system.info]() mutable {
        DerivedModel derived = derive();
        round_vanishing_entries(derived.graph, info, derived.terms);
        return derived;
      });
  system.device_code.type = std::string("kalaba::") + emitted_name;
  system.device_code.emit = [model, parameters](const Derivatives& asked) {
    return emit(model->get().graph, model->get().terms, parameters, asked);
  };
  system.reference = [model](const Options& options) -> std::unique_ptr<Runner> {
    return reference::make_runner(make_graph_model(model->get().graph, model->get().terms), options);
  };
  system.find_jump = [model, info = system.info] { return find_jump(model->get().graph, model->get().terms, info); };
  const auto states = std::make_shared<const Deferred<std::vector<ConstrainedStates>>>(
      [model, info = system.info] { return find_constrained_states(model->get().graph, model->get().terms, info); });
  system.info.constrained_states = [states]() -> const std::vector<ConstrainedStates>& { return states->get(); };
  system.interpreted = [model, parameters](const RegisterMap& map) {
    return instructions(model->get().graph, model->get().terms, parameters, map);
  };
  return system;
}

System make_system(Graph graph, Statement statement) {
  Terms terms = derive(graph, statement);
  const auto discrete = std::make_shared<const Program>(graph, statement.discrete_start);
  SystemInfo info = describe(statement, terms);
  info.conserves_energy = info.conserves_energy || conserves_energy(graph, statement, terms);
  if (info.equations.empty()) info.equations = equations_text(graph, terms, info);
  System::CompleteStart complete = complete_start(graph, terms);
  std::vector<std::vector<int>> needs = terms.start_needs;
  System::StartFunction start = start_function(complete, terms.start_q.size(), terms.start_w.size());
  const auto model = std::make_shared<DerivedModel>(DerivedModel{std::move(graph), std::move(terms)});
  System system = deferred_system(std::move(info), std::move(start), [model] { return std::move(*model); });
  system.complete_start = std::move(complete);
  system.start_needs = std::move(needs);
  if (discrete->outputs() == 0) return system;
  system.discrete_start = [discrete](const double* parameters, double* values) {
    Inputs inputs;
    inputs.parameters = parameters;
    std::ranges::copy((*discrete)(inputs), values);
  };
  return system;
}

System make_system(const Recording& recording, Statement statement) {
  return make_system(std::move(recording.graph()), std::move(statement));
}

}  // namespace kalaba::formula
