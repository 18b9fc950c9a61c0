#include "formula/text/watched.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <stdexcept>

#include "formula/graph/traverse.hpp"
#include "formula/text/held_value.hpp"
#include "formula/text/lower.hpp"
#include "formula/text/system_names.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {
namespace {

/// Writes a graph in postfix order. A shared expression is computed as often as it is used.
class PostfixWriter {
 public:
  PostfixWriter(const Graph& graph, Span whole) : graph_(graph), whole_(whole) {}

  void write(Id id) {
    const Node& node = graph_[id];
    if (node.op == Op::ideal || node.op == Op::table || node.op == Op::named) {
      throw std::logic_error("an ideal force or a table in a watched expression");  // their names are refused
    }
    const int arguments = argument_count(node.op);
    for (int i = 0; i < arguments; ++i) write(node.arguments[static_cast<std::size_t>(i)]);
    numbers_ += 1 - arguments;
    if (program_.size == Expression::most_instructions || numbers_ > Expression::most_numbers) {
      throw Fault("expected at most " + std::to_string(Expression::most_instructions) +
                      " numbers, names and operators, " + std::to_string(Expression::most_numbers) +
                      " of them waiting for an operator",
                  whole_);
    }
    program_.code[program_.size++] = {node.op, node.index, node.value};
  }

  const Expression& program() const { return program_; }

 private:
  const Graph& graph_;
  Span whole_;
  Expression program_;
  int numbers_ = 0;  // on the stack
};

/// A continuous expression that is positive where a condition holds and negative where it does not: a < b becomes b -
/// a, `and` the least of two, `or` the greatest.
Id margin_of(Graph& graph, Id condition) {
  const Node node = graph[condition];
  const auto of = [&](std::size_t i) { return node.arguments[i]; };
  switch (node.op) {
    case Op::less:
    case Op::less_equal:
      return graph.subtract(of(1), of(0));
    case Op::both:
      return graph.binary(Op::min, margin_of(graph, of(0)), margin_of(graph, of(1)));
    case Op::either:
      return graph.binary(Op::max, margin_of(graph, of(0)), margin_of(graph, of(1)));
    case Op::negation:
      return graph.negate(margin_of(graph, of(0)));
    default:  // a condition without an order
      return graph.select(condition, graph.number(1), graph.number(-1));
  }
}

}  // namespace

Expression watched_program(const Graph& graph, Id id, Span whole) {
  for (const Op op : {Op::table, Op::ideal}) {
    if (!symbols_in(graph, std::span(&id, 1), op).empty()) throw Fault("expected an expression without tables", whole);
  }
  PostfixWriter writer(graph, whole);
  writer.write(id);
  Expression program = writer.program();
  // The event of a contact adds five instructions.
  if (program.size > Expression::most_instructions - 5) throw Fault("the expression is too long", whole);
  return program;
}

namespace {

Watched read(const std::string& text, const SystemInfo& system, bool of_event) {
  const Syntax syntax = parse(text);
  Graph graph;
  Units units;
  Names names(graph, units);
  names.set_time_unit(units.fresh());
  add_watched_names(system, names);
  Traits traits(graph);
  Rules rules;
  rules.allowed |= on_observed;
  const Id stated = Lowering(graph, units, names, traits).expression(syntax, {}, rules).value.id;
  const bool changes = (traits.depends_on(stated) & ~on_parameters) != 0;
  const bool is_condition = graph.is_mask(stated);
  const auto written = [&](Id value) {
    const auto program = [&](Id id) {
      PostfixWriter writer(graph, {0, text.size()});
      writer.write(id);
      return writer.program();
    };
    Watched watched = {program(is_condition ? graph.select(value, graph.number(1), graph.number(-1)) : value), changes,
                       is_condition, is_condition ? program(margin_of(graph, value)) : Expression()};
    watched.held = value != stated;
    return watched;
  };
  if (!of_event) return written(stated);
  const Id held = is_condition ? with_held_differences(graph, stated, system) : zero_while_held(graph, stated, system);
  try {
    return written(held);
  } catch (const Fault&) {  // too long
    return written(stated);
  }
}

}  // namespace

Watched read_watched(const std::string& text, const SystemInfo& system) { return read(text, system, false); }

Watched read_event(const std::string& text, const SystemInfo& system) { return read(text, system, true); }

namespace {

/// Returns true if the system has no unit at all.
bool has_no_units(const SystemInfo& system) {
  const auto is_empty = [](const Variable& each) { return each.unit.empty(); };
  return std::ranges::all_of(system.parameters, is_empty) && std::ranges::all_of(system.coordinates, is_empty) &&
         std::ranges::all_of(system.rates, is_empty);
}

/// Returns true for a number without a unit, which takes the unit of its place.
bool is_bare_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Target target_of(const std::string& name, const SystemInfo& system) {
  std::vector<std::string> words;
  const auto find = [&](const std::vector<Variable>& variables, std::size_t first) -> std::optional<int> {
    for (std::size_t i = first; i < variables.size(); ++i) {
      if (variables[i].name == name) return static_cast<int>(i);
      if (!is_internal(variables[i])) words.push_back(variables[i].name);
    }
    return std::nullopt;
  };
  if (const auto found = find(system.coordinates, 0)) return {Settable::coordinate, *found};
  if (const auto found = find(system.rates, 0)) return {Settable::rate, *found};
  if (const auto found = find(system.parameters, static_cast<std::size_t>(system.first_discrete()))) {
    for (const Contact& each : system.contacts) {
      const bool is_slip = each.friction && (each.friction->sticks == *found || each.friction->slides == *found);
      if (each.mode == *found || is_slip) {
        throw Fault(name + " is a state of a contact, which impacts, releases and friction set", {0, name.size()});
      }
    }
    return {Settable::discrete, *found};
  }
  const Span whole = {0, name.size()};
  if (std::ranges::count(system.parameters, name, &Variable::name) > 0) {
    throw Fault(name + " is a parameter, which stays constant in a run; what changes is under [model.discrete]", whole);
  }
  throw unknown_word("there is no coordinate, rate or discrete variable " + shortened(name), whole, name,
                     std::move(words));
}

Expression read_new_value(const std::string& text, const std::string& target, const SystemInfo& system) {
  const Target set = target_of(target, system);
  const Syntax syntax = parse(text);
  Graph graph;
  Units units;
  Names names(graph, units);
  if (!system.has_time_unit || has_no_units(system)) names.set_time_unit(units.fresh());
  add_names_at_changes(system, names, units);
  Traits traits(graph);
  const Rules rules{.allowed = on_state | on_observed,
                    .whose = "a new value",
                    .made_of = "t, coordinates, rates, parameters, discrete variables, energy and invariants"};
  const Value value = Lowering(graph, units, names, traits).number(syntax, {}, rules).value;
  const Sort sort = set.sort == Settable::coordinate ? Sort::coordinate
                    : set.sort == Settable::rate     ? Sort::rate
                                                     : Sort::parameter;
  const Unit wanted = names.unit_of(sort, set.index);
  if (!is_bare_number(text) && !units.unify(value.unit, wanted)) {
    throw Fault(target + " is " + units.said(wanted) + ", and this is " + units.said(value.unit), {0, text.size()});
  }
  PostfixWriter writer(graph, {0, text.size()});
  writer.write(value.id);
  const Expression program = writer.program();
  const WatchedRows rows = system.watched_rows();
  for (const Instruction& now : std::span(program.code, static_cast<std::size_t>(program.size))) {
    if (now.operation != Operation::observed || now.index < rows.multiplier(0)) continue;
    throw Fault(rules.whose + " is of " + rules.made_of + ", found the multiplier lambda_" +
                    std::to_string(now.index - rows.multiplier(0) + 1),
                {0, text.size()});
  }
  return program;
}

}  // namespace kalaba::formula
