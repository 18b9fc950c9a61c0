#include "backend/interpreted/interpreted_runner.hpp"

#include <utility>

#include "backend/cpu_runner.hpp"
#include "backend/interpreted/loop_table.hpp"
#include "backend/interpreted/observed_components.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

class InterpretedRunner final : public CpuRunner {
 public:
  InterpretedRunner(std::shared_ptr<const InterpretedModel> model, const MemberFunctions& functions,
                    const Options& options)
      : CpuRunner(functions, options), model_(std::move(model)) {}

 private:
  std::shared_ptr<const InterpretedModel> model_;  // referenced by the functions
};

/// Returns the loop's functions with the extents of the model instead of the loop's bounds.
MemberFunctions functions_of(const InterpretedLoop& loop, const InterpretedModel& model) {
  MemberFunctions functions = loop.functions();
  functions.parameters = model.parameters;
  functions.coordinates = model.coordinates;
  functions.rates = model.rates;
  for (int field = 0; field < field_count; ++field) {
    functions.components[field] = observed_components(model, static_cast<Field>(field));
  }
  functions.workspace_bytes += static_cast<long>(model.registers) * functions.lanes * static_cast<long>(sizeof(double));
  functions.model = &model;
  return functions;
}

/// Maps the rows that events observe to the rows of the core's loops.
Watch watch_within(Watch watch, const InterpretedModel& model) {
  const WatchedRows own = {model.invariants, model.constraints, watch.contact_count};
  const WatchedRows bounds = {model.map.most_invariants, model.map.rows, model.map.most_contacts()};
  const auto move = [&](int& row) {
    if (row >= own.gap_rate(0)) {
      row = bounds.gap_rate(row - own.gap_rate(0));
    } else if (row >= own.gap(0)) {
      row = bounds.gap(row - own.gap(0));
    } else if (row >= own.multiplier(0)) {
      row = bounds.multiplier(row - own.multiplier(0));
    }
  };
  const auto move_rows = [&](Expression& expression) {
    for (int i = 0; i < expression.size; ++i) {
      if (expression.code[i].operation == Operation::observed) move(expression.code[i].index);
    }
  };
  for (int event = 0; event < watch.count; ++event) {
    move_rows(watch.events[event].expression);
    move_rows(watch.events[event].margin);
  }
  for (int i = 0; i < watch.contact_count; ++i) {
    WatchedContact& contact = watch.contacts[i];
    for (int* row : {&contact.force, &contact.gap, &contact.gap_rate, &contact.friction.force}) move(*row);
  }
  return watch;
}

}  // namespace

bool is_wide_enough(const InterpretedLoop& loop, const SystemInfo& info) {
  const RegisterMap& map = loop.map;
  const int constraints = static_cast<int>(info.constraints.size());
  const int rates = static_cast<int>(info.rates.size());
  if ((constraints < 2 || map.rows < 2) && constraints != map.rows) return false;
  if (!info.contacts.empty() && map.rows > RegisterMap::most_contact_rows) return false;
  const int filled = map.fills_rows ? map.rows - constraints : 0;
  return constraints <= map.rows && rates + filled <= map.state &&
         static_cast<int>(info.coordinates.size()) <= map.state &&
         static_cast<int>(info.parameters.size()) <= map.most_parameters &&
         static_cast<int>(info.invariants.size()) <= map.most_invariants;
}

namespace {

/// For one row, all pseudo-inverses are the same division.
PseudoInverse pseudo_inverse_of(const SystemInfo& info, const Method& method) {
  const bool any = info.constraints.size() < 2 || method.pseudo_inverse == PseudoInverse::automatic;
  return any ? PseudoInverse::svd : method.pseudo_inverse;
}

const InterpretedLoop* loop_for(const System& system, const Method& method) {
  const PseudoInverse by = pseudo_inverse_of(system.info, method);
  for (const InterpretedLoop& loop : interpreted_loops()) {
    if (loop.integrator == method.integrator && loop.pseudo_inverse == by && is_wide_enough(loop, system.info)) {
      return &loop;
    }
  }
  return nullptr;
}

/// Returns the reason why packs do not interpret this run; empty if they do.
std::string refusal(const System& system, const Options& options) {
  if (system.interpreted == nullptr) return "its formulas are not available";
  if (!options.sensitivities.of.empty()) return "it has sensitivities";
  if (facts_of(options.method.integrator).uses_slopes) return "its integrator needs compiled derivatives";
  if (options.precision != Precision::double_precision) return "in single precision";
  if (system.info.servo) return "it is a servo-constraint";
  if (options.fields.has(Field::joint_reactions) && system.info.reactions.size() > RegisterMap::most_reactions)
    return "it has more joints than are interpreted with reactions";
  const Method& method = options.method;
  if (adapts(method.integrator) && !(method.absolute_tolerance > 0)) return "without an absolute tolerance";
  return "";
}

}  // namespace

std::unique_ptr<Runner> interpreted_runner(const System& system, const Options& options, std::string& problem) {
  problem = refusal(system, options);
  if (!problem.empty()) return nullptr;
  const InterpretedLoop* const loop = loop_for(system, options.method);
  if (loop != nullptr) return interpreted_by(*loop, system, options, problem);
  problem = "there is no loop of its size for it";
  return nullptr;
}

bool may_be_interpreted(const System& system, const Options& options) {
  return refusal(system, options).empty() && loop_for(system, options.method) != nullptr;
}

std::unique_ptr<Runner> interpreted_by(const InterpretedLoop& loop, const System& system, const Options& options,
                                       std::string& problem) {
  std::shared_ptr<const InterpretedModel> model;
  try {
    model = system.interpreted(loop.map);
  } catch (const Error&) {  // too large for straight-line code
  }
  if (model == nullptr) {
    problem = "its metric may be singular, or its formulas are too many";
    return nullptr;
  }
  Options own = options;
  own.watch = watch_within(options.watch, *model);
  const MemberFunctions functions = functions_of(loop, *model);
  return std::make_unique<InterpretedRunner>(std::move(model), functions, own);
}

}  // namespace kalaba
