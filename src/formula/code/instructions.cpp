#include "formula/code/instructions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "formula/code/register_line.hpp"
#include "formula/mechanics/elimination.hpp"
#include "formula/mechanics/open_contacts.hpp"
#include "formula/mechanics/position_shift.hpp"
#include "formula/mechanics/single_row.hpp"

namespace kalaba::formula {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void want(const std::vector<Id>& values, int first, Wanted& wanted) {
  for (const Id id : values) wanted.emplace_back(id, first++);
}

Wanted results(const std::vector<Id>& values, const RegisterMap& map) {
  Wanted wanted;
  want(values, map.results(), wanted);
  return wanted;
}
Wanted results(const std::optional<Id>& value, const RegisterMap& map) {
  return value ? results(std::vector{*value}, map) : Wanted();
}

/// The metric, A and how far a state is off its constraints, with what fills them up.
Wanted constraint_terms(const Terms& terms, InterpretedModel& model) {
  const RegisterMap& map = model.map;
  Wanted wanted;
  const bool rooted = !terms.inverse_root.empty();
  model.metric = rooted ? MetricKind::rooted : terms.diagonal ? MetricKind::diagonal : MetricKind::symmetric;
  want(rooted ? terms.inverse_root : terms.metric, map.metric(), wanted);  // lower triangles by rows begin alike
  for (int i = model.rates; i < map.state; ++i) {
    const int place = model.metric == MetricKind::symmetric ? i * (i + 1) / 2 + i : i;
    model.constants.push_back({map.metric() + place, 1.0});
  }
  want(terms.phi, map.position(), wanted);
  want(terms.phi_dot, map.rate(), wanted);
  want(terms.psi, map.rate() + model.holonomic, wanted);
  if (map.rows == 1) {
    want(terms.A.entries, map.matrix(), wanted);
    return wanted;
  }
  const RowPlan& plan = model.matrix;
  for (int r = 0; r < model.constraints; ++r) {
    for (int k = plan.begin[at(r)]; k < plan.begin[at(r + 1)]; ++k) {
      wanted.emplace_back(terms.A(r, plan.column[at(k)]), map.matrix() + k);
    }
  }
  for (int r = model.constraints; r < plan.rows; ++r) {
    model.constants.push_back({map.matrix() + plan.begin[at(r)], 1.0});
  }
  return wanted;
}

/// The plan of the rows, extended by empty entries to the bounds of the core.
RowPlan bounded_plan(const RowPattern& rows, const RegisterMap& map) {
  RowPlan plan = row_plan(rows);
  plan.begin.resize(at(map.rows + 1), plan.begin.back());
  return plan;
}

/// Plans the nonzero patterns of A, of the rows that fill it up, and of the rows weighted by the metric.
void plan_rows(const Graph& graph, const Terms& terms, InterpretedModel& model) {
  RowPattern rows = pattern_of(graph, terms.A, model.constraints);
  for (int k = 0; k < model.filled_rows(); ++k) rows.push_back({model.rates + k});
  model.matrix = bounded_plan(rows, model.map);
  if (!terms.diagonal) {
    std::vector<int> all(at(model.map.state));
    std::iota(all.begin(), all.end(), 0);
    std::ranges::fill(rows, all);
  }
  model.weighted = bounded_plan(rows, model.map);
  rows.resize(at(model.holonomic));
  model.weighted_positions = bounded_plan(rows, model.map);
}

/// The steps of a model that has a single row of its own.
void add_row(const SingleRow& row, RegisterLine& line, InterpretedModel& model) {
  const RegisterMap& map = model.map;
  Wanted wanted;
  want(row.column, map.row_column(), wanted);
  want(row.shift, map.row_shift(), wanted);
  want(row.position, map.row_position(), wanted);
  want(row.rate, map.row_rate(), wanted);
  want({row.gram}, map.row_gram(), wanted);
  model.constraint_row = line.steps(wanted, true, true);
  want(row.velocity, map.row_velocity(), wanted);
  want(row.free, map.row_free(), wanted);
  want({row.defect}, map.row_defect(), wanted);
  model.row = line.steps(wanted, true, true);
}

bool fits(const InterpretedModel& model) {
  const RegisterMap& map = model.map;
  return model.coordinates <= map.state && model.rates + model.filled_rows() <= map.state &&
         model.constraints <= map.rows && model.parameters <= map.most_parameters &&
         model.invariants <= map.most_invariants;
}

}  // namespace

std::shared_ptr<const InterpretedModel> instructions(const Graph& given, const Terms& terms, int parameters,
                                                     const RegisterMap& map) {
  auto model = std::make_shared<InterpretedModel>();
  model->map = map;
  model->coordinates = static_cast<int>(terms.velocity.size());
  model->rates = static_cast<int>(terms.force.size());
  model->holonomic = static_cast<int>(terms.phi.size());
  model->constraints = terms.A.rows;
  model->parameters = parameters;
  model->invariants = static_cast<int>(terms.invariants.size());
  model->is_hamiltonian = terms.formulation == Formulation::hamilton;
  model->velocity_is_w = terms.velocity_is_w;
  model->has_energy = terms.energy.has_value();
  if (terms.actuation.cols > 0 || terms.singular_metric || !fits(*model)) return nullptr;

  Graph graph = given;
  const std::vector<Id> shift = position_shift(graph, terms);
  const std::optional<SingleRow> row = map.rows == 1 ? single_row(graph, terms) : std::nullopt;
  std::vector<Id> used = terms.all();
  used.insert(used.end(), shift.begin(), shift.end());
  std::vector<Id> reactions = terms.reactions;
  if (reactions.size() > RegisterMap::most_reactions) reactions.clear();
  model->reactions = static_cast<int>(reactions.size());
  used.insert(used.end(), reactions.begin(), reactions.end());
  const ContactValues contacts = contact_values(graph, terms);
  for (const auto* part : {&contacts.gaps, &contacts.terms}) used.insert(used.end(), part->begin(), part->end());
  if (row) {
    const std::vector<Id> roots = row->roots();
    used.insert(used.end(), roots.begin(), roots.end());
  }
  plan_rows(graph, terms, *model);
  const Hoisted hoisted(graph, used);
  RegisterLine line(graph, hoisted, used, map.size(), *model);
  Wanted wanted = constraint_terms(terms, *model);
  model->constraint_stage = line.steps(wanted, true);
  want(terms.velocity, map.velocity(), wanted);
  want(terms.force, map.force(), wanted);
  want(terms.b, map.b(), wanted);
  model->stage = line.steps(wanted, true);
  if (row) add_row(*row, line, *model);
  Wanted gains;
  if (terms.gain) gains.emplace_back(*terms.gain, map.gains());
  if (terms.position_gain) gains.emplace_back(*terms.position_gain, map.gains() + 1);
  line.steps(gains, true);  // of parameters alone: nothing is left to do at a stage
  model->shift = line.steps(results(shift, map), false);
  model->needs_multipliers = terms.needs_multipliers(graph);
  model->non_ideal = line.steps(results(terms.non_ideal, map), false);
  model->valid = line.steps(results(terms.valid, map), false);
  model->energy = line.steps(results(terms.energy, map), false);
  model->invariant = line.steps(results(terms.invariants, map), false);
  model->contact_gaps = line.steps(results(contacts.gaps, map), false);
  model->contact_terms = line.steps(results(contacts.terms, map), false);
  model->reaction = line.steps(results(reactions, map), false);
  model->prepare = line.prepare();
  model->registers = line.end();
  if (model->registers > std::numeric_limits<std::uint16_t>::max()) return nullptr;
  return model;
}

}  // namespace kalaba::formula
