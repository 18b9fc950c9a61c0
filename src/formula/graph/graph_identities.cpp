#include <cmath>
#include <map>
#include <utility>

#include "formula/graph/graph.hpp"

// Simplifications of sums and products.

namespace kalaba::formula {

bool Graph::is_exact_factor(double value) {
  int exponent = 0;
  return std::isfinite(value) && std::abs(std::frexp(value, &exponent)) == 0.5 && std::abs(exponent) < 500;
}

Graph::Scaled Graph::scaled(Id x) const {
  const Node& node = (*this)[x];
  if (node.op == Op::negate) {
    const Scaled inner = scaled(node.arguments[0]);
    return {-inner.factor, inner.of};
  }
  if (node.op == Op::multiply) {
    const auto factor = constant(node.arguments[0]);
    if (factor && is_exact_factor(*factor)) return {*factor, node.arguments[1]};
  }
  return {1.0, x};
}

Id Graph::scale(double factor, Id x) {
  if (const auto value = constant(x)) return number(factor * *value);
  const Scaled inner = scaled(x);
  const double whole = factor * inner.factor;
  if (whole == 1.0) return inner.of;
  const Node of = (*this)[inner.of];
  if (whole == -1.0) {
    return of.op == Op::subtract ? make(Op::subtract, of.arguments[1], of.arguments[0]) : make(Op::negate, inner.of);
  }
  return make(Op::multiply, number(whole), inner.of);
}

namespace {

/// The factors of a product with their exponents, as far as it is worth to look.
using Factors = std::map<Id, int>;
class Product {
 public:
  Product(const Graph& graph, Id id) : graph_(graph), complete(collect(id, 1)) {}

 private:
  bool collect(Id id, int exponent) {
    const Node& node = graph_[id];
    if (++seen_ > most_seen || std::abs(exponent) > most_seen) return false;
    if (node.op == Op::multiply) return collect(node.arguments[0], exponent) && collect(node.arguments[1], exponent);
    if (node.op == Op::raise) {
      return std::abs(node.index) <= most_seen && collect(node.arguments[0], exponent * node.index);
    }
    factors[id] += exponent;
    return true;
  }

  static constexpr int most_seen = 64;
  const Graph& graph_;
  int seen_ = 0;

 public:
  Factors factors;
  bool complete;
};

/// Takes the square of a sine or cosine out; returns its angle, or -1.
Id take_square(const Graph& graph, Op op, Factors& factors) {
  for (auto each = factors.begin(); each != factors.end(); ++each) {
    if (graph[each->first].op != op || each->second != 2) continue;
    const Id angle = graph[each->first].arguments[0];
    factors.erase(each);
    return angle;
  }
  return -1;
}

}  // namespace

/// True if two products have the same factors in any order.
bool Graph::are_one_product(Id a, Id b) const {
  if ((*this)[a].op != Op::multiply || (*this)[b].op != Op::multiply) return false;
  const Product first(*this, a);
  const Product second(*this, b);
  return first.complete && second.complete && first.factors == second.factors;
}

/// u, of u sin^2 x + u cos^2 x.
std::optional<Id> Graph::pythagoras(Id a, Id b) {
  for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
    Product with_sine(*this, first);
    Product with_cosine(*this, second);
    if (!with_sine.complete || !with_cosine.complete) return std::nullopt;
    const Id angle = take_square(*this, Op::sin, with_sine.factors);
    if (angle < 0 || angle != take_square(*this, Op::cos, with_cosine.factors)) continue;
    if (with_sine.factors != with_cosine.factors) continue;
    Id product = number(1);
    for (const auto& [factor, exponent] : with_sine.factors) product = multiply(product, raise(factor, exponent));
    return product;
  }
  return std::nullopt;
}

/// a + b or a - b, a power of two common to both taken out.
Id Graph::sum(Id a, Id b, double sign_of_b) {
  if (is_number(b, 0)) return a;
  if (is_number(a, 0)) return scale(sign_of_b, b);
  if (const auto value = folded(sign_of_b > 0 ? Op::add : Op::subtract, a, b)) return number(*value);
  const Scaled x = scaled(a);
  Scaled y = scaled(b);
  y.factor *= sign_of_b;
  if (x.of == y.of) {
    if (x.factor == -y.factor) return number(0);
    if (is_exact_factor(x.factor + y.factor)) return scale(x.factor + y.factor, x.of);
  }
  if (x.factor == -y.factor && are_one_product(x.of, y.of)) return number(0);
  if (x.factor == y.factor) {
    if (const auto common = pythagoras(x.of, y.of)) return scale(x.factor, *common);
    return scale(x.factor, make(Op::add, x.of, y.of));
  }
  if (x.factor == -y.factor)
    return scale(std::abs(x.factor), x.factor > 0 ? make(Op::subtract, x.of, y.of) : make(Op::subtract, y.of, x.of));
  if (y.factor < 0) return make(Op::subtract, a, scale(-sign_of_b, b));
  if (x.factor < 0) return make(Op::subtract, scale(sign_of_b, b), negate(a));
  return make(Op::add, a, scale(sign_of_b, b));
}

}  // namespace kalaba::formula
