#include "formula/graph/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "formula/graph/evaluate.hpp"
#include "formula/graph/functions.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {

namespace {

bool commutes(Op op) { return op == Op::add || op == Op::multiply || op == Op::both || op == Op::either; }

/// Returns the arguments in canonical order: a + b and b + a are one node.
std::array<Id, 3> sorted(const Node& node) {
  auto arguments = node.arguments;
  if (commutes(node.op) && arguments[1] < arguments[0]) std::swap(arguments[0], arguments[1]);
  return arguments;
}

}  // namespace

bool is_symbol(Op op) { return op > Op::number && op <= Op::named; }

std::size_t Graph::Hash::operator()(const Node& node) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(node.value) ^ static_cast<std::uint64_t>(node.op);
  const auto mix = [&](std::int32_t word) {
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  mix(node.index);
  for (const Id argument : sorted(node)) mix(argument);
  return hash;
}

bool Graph::Equal::operator()(const Node& a, const Node& b) const {
  return a.op == b.op && a.index == b.index &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) && sorted(a) == sorted(b);
}

Id Graph::insert(const Node& node) {
  const auto [place, is_new] = known_.try_emplace(node, static_cast<Id>(nodes_.size()));
  if (!is_new) return place->second;
  if (nodes_.size() >= limit) {
    known_.erase(place);
    throw Error(ExitCode::bad_input, "the model needs more than " + std::to_string(limit) + " operations");
  }
  nodes_.push_back(node);
  return place->second;
}

Id Graph::make(Op op, Id a, Id b, Id c, int index) { return insert({op, 0.0, index, {a, b, c}}); }

Id Graph::number(double value) {
  if (std::isfinite(value)) return insert({Op::number, value == 0 ? 0.0 : value, 0, {-1, -1, -1}});
  return make(Op::divide, number(std::isnan(value) ? 0 : value > 0 ? 1 : -1), number(0));
}

Id Graph::symbol(Op kind, int index) { return make(kind, -1, -1, -1, index); }

bool Graph::is_mask(Id id) const {
  const Op op = (*this)[id].op;
  return op >= Op::less && op <= Op::negation;
}

std::optional<double> Graph::constant(Id id) const {
  const Node& node = (*this)[id];
  if (node.op != Op::number) return std::nullopt;
  return node.value;
}

bool Graph::is_number(Id id, double value) const { return constant(id) == value; }

std::optional<bool> Graph::constant_mask(Id id) const {
  const Node& node = (*this)[id];
  if (node.op != Op::less) return std::nullopt;
  const auto a = constant(node.arguments[0]);
  const auto b = constant(node.arguments[1]);
  if (!a || !b) return std::nullopt;
  return *a < *b;
}

std::optional<double> Graph::folded(Op op, Id a, Id b) const {
  const auto x = constant(a);
  const auto y = b >= 0 ? constant(b) : 0.0;
  if (!x || !y) return std::nullopt;
  const double value = evaluate(op, *x, *y, 0, 0);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

Id Graph::negate(Id x) { return scale(-1.0, x); }

Id Graph::add(Id a, Id b) { return sum(a, b, 1.0); }
Id Graph::subtract(Id a, Id b) { return sum(a, b, -1.0); }

Id Graph::multiply(Id a, Id b) {
  if (is_number(a, 0) || is_number(b, 0)) return number(0);
  if (const auto value = folded(Op::multiply, a, b)) return number(*value);
  for (const auto& [factor, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const auto value = constant(factor);
    if (value && is_exact_factor(*value)) return scale(*value, other);
  }
  const Scaled x = scaled(a);
  const Scaled y = scaled(b);
  const Id product = x.of == y.of ? raise(x.of, 2) : make(Op::multiply, x.of, y.of);
  return scale(x.factor * y.factor, product);
}

Id Graph::divide(Id a, Id b) {
  if (is_number(a, 0) && !is_number(b, 0)) return a;
  if (const auto value = folded(Op::divide, a, b)) return number(*value);
  const auto divisor = constant(b);
  if (divisor && is_exact_factor(*divisor)) return scale(1.0 / *divisor, a);
  const Scaled x = scaled(a);
  const Scaled y = scaled(b);
  return scale(x.factor / y.factor, make(Op::divide, x.of, y.of));
}

Id Graph::raise(Id x, int exponent) {
  if (exponent == 0) return number(1);
  if (exponent == 1) return x;
  if (const auto value = constant(x)) {
    const double power = whole_power(*value, exponent);
    if (std::isfinite(power)) return number(power);
  }
  const Scaled inner = scaled(x);
  const double factor = whole_power(inner.factor, exponent);
  if (inner.of != x && is_exact_factor(factor)) return scale(factor, raise(inner.of, exponent));
  return make(Op::raise, x, -1, -1, exponent);
}

Id Graph::mask(Op op, Id a, Id b) {
  if (op == Op::less || op == Op::less_equal) {
    const auto value = folded(op, a, b);
    if (!value) return make(op, a, b);
    return *value != 0 ? make(Op::less, number(0), number(1)) : make(Op::less, number(1), number(0));
  }
  if (a == b) return a;
  for (const auto& [known, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const auto truth = constant_mask(known);
    if (truth) return *truth == (op == Op::both) ? other : known;
  }
  return make(op, a, b);
}

Id Graph::function(Op op, Id x) {
  if (const auto value = folded(op, x, -1)) return number(*value);
  const Scaled inner = scaled(x);
  if (inner.factor < 0) {
    const Parity parity = function_of(op)->parity;
    if (parity == Parity::odd) return negate(function(op, negate(x)));
    if (parity == Parity::even) return function(op, negate(x));
  }
  return make(op, x);
}

Id Graph::unary(Op op, Id x) {
  if (op == Op::negate) return negate(x);
  if (op != Op::negation) return function(op, x);
  if (const auto truth = constant_mask(x))
    return *truth ? mask(Op::less, number(1), number(0)) : mask(Op::less, number(0), number(1));
  const Node node = (*this)[x];
  return node.op == Op::negation ? node.arguments[0] : make(op, x);
}

Id Graph::binary(Op op, Id a, Id b) {
  switch (op) {
    case Op::add:
      return add(a, b);
    case Op::subtract:
      return subtract(a, b);
    case Op::multiply:
      return multiply(a, b);
    case Op::divide:
      return divide(a, b);
    case Op::less:
    case Op::less_equal:
    case Op::both:
    case Op::either:
      return mask(op, a, b);
    default:
      break;
  }
  if (const auto value = folded(op, a, b)) return number(*value);
  if ((op == Op::min || op == Op::max) && a == b) return a;
  const auto exponent = constant(b);
  if (op == Op::power && exponent) {
    if (std::abs(*exponent) <= 64 && *exponent == std::floor(*exponent)) return raise(a, static_cast<int>(*exponent));
    if (*exponent == 0.5) return function(Op::sqrt, a);
  }
  return make(op, a, b);
}

Id Graph::select(Id mask, Id a, Id b) {
  if (a == b) return a;
  if (const auto truth = constant_mask(mask)) return *truth ? a : b;
  return make(Op::select, mask, a, b);
}

Id Graph::table(const std::shared_ptr<const Table>& table, int order, Id x) {
  const auto known = std::ranges::find_if(tables_, [&](const auto& each) { return each == table || *each == *table; });
  const auto which = static_cast<int>(known - tables_.begin());
  if (known == tables_.end()) tables_.push_back(table);
  return this->table({which, order}, x);
}

Id Graph::table(TableUse use, Id x) {
  const Table& table = *tables_[static_cast<std::size_t>(use.table)];
  if (use.order > table.degree()) return number(0);
  const auto known = constant(x);
  const double value = known ? table(use.order, *known) : std::nan("");
  return std::isfinite(value) ? number(value) : make(Op::table, x, -1, -1, use.index());
}

}  // namespace kalaba::formula
