#pragma once

#include "formula/graph/traverse.hpp"
#include "random_expressions.hpp"
#include "words.hpp"

namespace kalaba::formula {

/// Statement of random expressions, with every part that a statement can have.
inline Draft random_statement(unsigned seed) {
  Draft d;
  RandomExpressions random(d.graph, seed);
  d.parameter("a", 1), d.parameter("b", 1);
  d.coordinate("x"), d.coordinate("y"), d.coordinate("z");
  d.rate("u"), d.rate("v");
  Statement& s = d.statement;
  const auto without = [&](Id id, Op kind) {
    std::map<Id, Id> exchanged;
    for (int i = 0; i < 2; ++i) exchanged[d.graph.symbol(kind, i)] = d.graph.symbol(Op::coordinate, i);
    return substitute(d.graph, id, exchanged);
  };
  const auto of_parameters = [&] {
    std::map<Id, Id> exchanged = {{d.graph.symbol(Op::time, 0), d.graph.symbol(Op::parameter, 0)}};
    for (int i = 0; i < 3; ++i) {
      exchanged[d.graph.symbol(Op::coordinate, i)] = d.graph.symbol(Op::parameter, i % 2);
      exchanged[d.graph.symbol(Op::rate, i)] = d.graph.symbol(Op::parameter, i % 2);
    }
    return substitute(d.graph, random.number(3), exchanged);
  };
  for (int i = 0; i < 3; ++i) s.metric.push_back(without(random.number(3), Op::rate));
  for (int i = 0; i < 3; ++i) s.velocity.push_back(random.number(3));
  for (int i = 0; i < 2; ++i) s.force.push_back(random.number(4));
  s.holonomic = {{"h", "", "", without(random.number(3), Op::rate)}};
  s.nonholonomic = {{"n", "", "", random.number(4)}};
  for (int i = 0; i < 8; ++i) s.invariants.push_back({"i", "", "", random.number(6)});
  if (seed % 2 == 0) {
    s.non_ideal = {d.graph.multiply(random.number(3), d.graph.symbol(Op::ideal, 0)), d.graph.symbol(Op::ideal, 1)};
  } else {
    s.actuation = {{without(random.number(2), Op::rate), d.graph.number(1)}};
  }
  s.gain = of_parameters();
  s.position_gain = of_parameters();
  s.energy = random.number(5);
  s.valid = random.mask(3);
  s.start_q = {of_parameters(), d.graph.number(1), of_parameters()};
  return d;
}

}  // namespace kalaba::formula
