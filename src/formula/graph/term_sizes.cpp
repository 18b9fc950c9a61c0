#include "formula/graph/term_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "formula/graph/evaluate.hpp"
#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

using reference::Sized;

/// Largest size that the argument of a periodic function counts with: turns beyond are no size of the model's, and
/// rounding errors of so many radians are not excused.
constexpr double most_radians = 1e3;

/// Largest magnitude of so many numbers.
double largest(const double* numbers, long count, long stride) {
  double result = 0;
  for (long i = 0; i < count; ++i) result = std::max(result, std::abs(numbers[i * stride]));
  return result;
}

}  // namespace

TermSizes::TermSizes(const Graph& graph, std::span<const Id> roots, long coordinates, long rates)
    : coordinates_(coordinates), rates_(rates), tables_(graph.tables()) {
  std::map<Id, int> place;
  for (const Id id : reachable(graph, roots)) {
    const Node& node = graph[id];
    Step step{node.op, node.index, node.value, {0, 0, 0}, false};
    step.of_state = is_symbol(node.op) && node.op != Op::parameter;
    for (std::size_t i = 0; i < static_cast<std::size_t>(argument_count(node.op)); ++i) {
      step.from[i] = place.at(node.arguments[i]);
      step.of_state = step.of_state || code_[static_cast<std::size_t>(step.from[i])].of_state;
    }
    place[id] = static_cast<int>(code_.size());
    code_.push_back(step);
  }
  for (const Id root : roots) outputs_.push_back(place.at(root));
}

std::vector<Sized> TermSizes::operator()(const Inputs& inputs) const {
  std::vector<Sized> found(code_.size());
  const StateSize size = {largest(inputs.coordinates, coordinates_, inputs.stride),
                          largest(inputs.rates, rates_, inputs.stride)};
  for (std::size_t i = 0; i < code_.size(); ++i) found[i] = sized(code_[i], found, inputs, size);
  std::vector<Sized> result;
  result.reserve(outputs_.size());
  for (const int each : outputs_) result.push_back(found[static_cast<std::size_t>(each)]);
  return result;
}

Sized TermSizes::sized(const Step& step, std::span<const Sized> found, const Inputs& inputs,
                       const StateSize& size) const {
  const auto leaf = [](double value) { return Sized{value, std::abs(value), std::abs(value)}; };
  const auto at = [&](std::size_t i) -> const Sized& { return found[static_cast<std::size_t>(step.from[i])]; };
  const auto varies = [&](std::size_t i) { return code_[static_cast<std::size_t>(step.from[i])].of_state; };
  const auto own = [](double value, double rounding) { return Sized{value, std::abs(value), rounding}; };
  const long place = step.index * inputs.stride;
  switch (step.op) {
    case Op::number:
      return leaf(step.value);
    case Op::parameter:
      return leaf(inputs.parameters[place]);
    case Op::coordinate:
      return own(inputs.coordinates[place], std::max(std::abs(inputs.coordinates[place]), size.coordinates));
    case Op::rate:
      return own(inputs.rates[place], std::max(std::abs(inputs.rates[place]), size.rates));
    case Op::time:
      return leaf(*inputs.time);
    case Op::ideal:
      return leaf(inputs.ideal[place]);
    case Op::observed:
      return leaf(inputs.observed[place]);
    case Op::table: {
      const auto [table, order] = TableUse::of(step.index);
      const Table& values = *tables_[static_cast<std::size_t>(table)];
      const double value = values(order, at(0).value);
      const double steepness = order + 1 < TableUse::orders ? std::abs(values(order + 1, at(0).value)) : 0;
      return own(value, std::abs(value) + steepness * at(0).rounding);
    }
    default:
      break;
  }
  const Sized& a = at(0);
  const Sized& b = at(1);
  const Sized& c = at(2);
  const double value = evaluate(step.op, a.value, b.value, c.value, step.index);
  switch (step.op) {
    case Op::add:
    case Op::subtract:
      return {value, a.terms + b.terms, a.rounding + b.rounding};
    case Op::negate:
      return {value, a.terms, a.rounding};
    case Op::multiply: {
      // A factor that does not depend on the state multiplies every term of the other.
      const double terms = !varies(0)   ? std::abs(a.value) * b.terms
                           : !varies(1) ? a.terms * std::abs(b.value)
                                        : std::abs(value);
      return {value, terms, std::abs(a.value) * b.rounding + std::abs(b.value) * a.rounding};
    }
    case Op::divide: {
      const double by = std::abs(b.value);
      return {value, varies(1) ? std::abs(value) : a.terms / by, (a.rounding + std::abs(value) * b.rounding) / by};
    }
    case Op::raise:
      return own(value, std::abs(step.index * whole_power(a.value, step.index - 1)) * a.rounding);
    case Op::power:
      return own(value, std::abs(value) + std::abs(b.value * std::pow(a.value, b.value - 1)) * a.rounding);
    case Op::atan2: {
      const double square = a.value * a.value + b.value * b.value;
      const double moved = std::abs(b.value) * a.rounding + std::abs(a.value) * b.rounding;
      return own(value, 1 + (square > 0 ? moved / square : 0));
    }
    case Op::min:
    case Op::max:
      return {value, std::max(a.terms, b.terms), std::max(a.rounding, b.rounding)};
    case Op::select:
      return a.value != 0 ? b : c;
    default:
      break;
  }
  const Function* const function = function_of(step.op);
  if (function == nullptr || function->steepness == nullptr) return own(value, std::abs(value));
  const double argument = function->has_unit_scale ? std::clamp(a.rounding, 1.0, most_radians) : a.rounding;
  return own(value, std::abs(value) + function->steepness(a.value, value) * argument);
}

}  // namespace kalaba::formula
