#include "formula/graph/gather_factors.hpp"

#include <cmath>

#include "formula/graph/evaluate.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {

Id FactorGatherer::gathered(Id id) { return g_.is_mask(id) ? id : written(product(id)); }

std::vector<Id> FactorGatherer::gathered(const std::vector<Id>& ids) {
  std::vector<Id> result;
  for (const Id id : ids) result.push_back(gathered(id));
  return result;
}

bool FactorGatherer::is_of_parameters(Id id) {
  if (const auto known = of_parameters_.find(id); known != of_parameters_.end()) return known->second;
  const Node node = g_[id];
  bool alone = node.op == Op::parameter || !is_symbol(node.op);
  for (int i = 0; i < argument_count(node.op); ++i) {
    alone = alone && is_of_parameters(node.arguments[static_cast<std::size_t>(i)]);
  }
  return of_parameters_[id] = alone;
}

const FactorGatherer::Product& FactorGatherer::product(Id id) {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  Product found = is_of_parameters(id) ? of_parameters(id) : find(id);
  return known_[id] = std::move(found);
}

FactorGatherer::Product FactorGatherer::of_parameters(Id id) {
  const Node node = g_[id];
  const auto of = [&](int i) { return of_parameters(node.arguments[static_cast<std::size_t>(i)]); };
  switch (node.op) {
    case Op::number:
      return {node.value, {}, g_.number(1)};
    case Op::multiply:
      return times(of(0), of(1), 1);
    case Op::divide:
      return times(of(0), of(1), -1);
    case Op::raise:
      return raised(of(0), node.index);
    case Op::negate:
      return times(of(0), {-1, {}, g_.number(1)}, 1);
    default:
      return {1, {{id, 1}}, g_.number(1)};
  }
}

FactorGatherer::Product FactorGatherer::find(Id id) {
  const Node node = g_[id];
  const auto argument = [&](int i) { return node.arguments[static_cast<std::size_t>(i)]; };
  switch (node.op) {
    case Op::multiply:
      return times(product(argument(0)), product(argument(1)), 1);
    case Op::divide:
      return times(product(argument(0)), product(argument(1)), -1);
    case Op::raise:
      return raised(product(argument(0)), node.index);
    case Op::negate:
      return times(product(argument(0)), {-1, {}, g_.number(1)}, 1);
    case Op::add:
    case Op::subtract:
      return sum(node);
    default:
      break;
  }
  if (argument_count(node.op) == 0 || g_.is_mask(id)) return plain(id);
  std::array<Id, 3> arguments = node.arguments;
  for (int i = 0; i < argument_count(node.op); ++i) arguments[static_cast<std::size_t>(i)] = gathered(argument(i));
  return plain(rebuilt(g_, node, arguments[0], arguments[1], arguments[2]));
}

/// With its common factors before it, where both have the same.
FactorGatherer::Product FactorGatherer::sum(const Node& node) {
  const Product a = product(node.arguments[0]);
  const Product b = product(node.arguments[1]);
  const double sign = node.op == Op::add ? 1.0 : -1.0;
  const bool common = a.factors == b.factors && std::abs(a.number) == std::abs(b.number);
  if (common && !g_.constant(a.of) && !g_.constant(b.of)) {
    const bool adds = (a.number == b.number) == (sign > 0);
    return {a.number, a.factors, adds ? g_.add(a.of, b.of) : g_.subtract(a.of, b.of)};
  }
  const Id x = written(a);
  const Id y = written(b);
  return plain(sign > 0 ? g_.add(x, y) : g_.subtract(x, y));
}

FactorGatherer::Product FactorGatherer::times(const Product& a, const Product& b, int sign) {
  Product result = {sign > 0 ? a.number * b.number : a.number / b.number, a.factors,
                    sign > 0 ? g_.multiply(a.of, b.of) : g_.divide(a.of, b.of)};
  for (const auto& [factor, exponent] : b.factors) {
    if ((result.factors[factor] += sign * exponent) == 0) result.factors.erase(factor);
  }
  return result;
}

FactorGatherer::Product FactorGatherer::raised(const Product& base, int exponent) {
  Product result = {whole_power(base.number, exponent), {}, g_.raise(base.of, exponent)};
  for (const auto& [factor, own] : base.factors) result.factors[factor] = own * exponent;
  return result;
}

Id FactorGatherer::written(const Product& product) {
  Id above = g_.number(product.number);
  Id below = g_.number(1);
  for (const auto& [factor, exponent] : product.factors) {
    Id& side = exponent > 0 ? above : below;
    side = g_.multiply(side, g_.raise(factor, std::abs(exponent)));
  }
  return g_.multiply(g_.divide(above, below), product.of);
}

}  // namespace kalaba::formula
