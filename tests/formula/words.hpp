#pragma once

#include <cmath>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"
#include "kalaba/formula/statement.hpp"

// Expressions and statements in the notation of the tests.

namespace kalaba::formula {

/// Node with a reference to its graph.
struct Word {
  Graph* graph;
  Id id;
  operator Id() const { return id; }
};

inline Word constant(const Word& like, double value) { return {like.graph, like.graph->number(value)}; }
inline Word binary(Op op, const Word& a, const Word& b) { return {a.graph, a.graph->binary(op, a.id, b.id)}; }
inline Word unary(Op op, const Word& a) { return {a.graph, a.graph->unary(op, a.id)}; }

#define KALABA_TEST_BINARY(name, op)                                                  \
  inline Word name(const Word& a, const Word& b) { return binary(op, a, b); }         \
  inline Word name(const Word& a, double b) { return binary(op, a, constant(a, b)); } \
  inline Word name(double a, const Word& b) { return binary(op, constant(b, a), b); } \
  inline Word name(const Word& a, int b) { return binary(op, a, constant(a, b)); }    \
  inline Word name(int a, const Word& b) { return binary(op, constant(b, a), b); }
KALABA_TEST_BINARY(operator+, Op::add)
KALABA_TEST_BINARY(operator-, Op::subtract)
KALABA_TEST_BINARY(operator*, Op::multiply)
KALABA_TEST_BINARY(operator/, Op::divide)
KALABA_TEST_BINARY(operator<, Op::less)
KALABA_TEST_BINARY(pow, Op::power)
KALABA_TEST_BINARY(atan2, Op::atan2)
KALABA_TEST_BINARY(min, Op::min)
KALABA_TEST_BINARY(max, Op::max)
#undef KALABA_TEST_BINARY

inline Word operator-(const Word& a) { return unary(Op::negate, a); }
inline Word sqrt(const Word& a) { return unary(Op::sqrt, a); }
inline Word sin(const Word& a) { return unary(Op::sin, a); }
inline Word cos(const Word& a) { return unary(Op::cos, a); }
inline Word exp(const Word& a) { return unary(Op::exp, a); }
inline Word square(const Word& a) { return {a.graph, a.graph->raise(a.id, 2)}; }

/// Statement with its graph; its names are declared one after another.
struct Draft {
  std::shared_ptr<Graph> kept = std::make_shared<Graph>();  // words refer to it, also after a move of the draft
  Graph& graph = *kept;
  Statement statement;

  Word number(double value) { return {&graph, graph.number(value)}; }
  Word time() { return {&graph, graph.symbol(Op::time, 0)}; }
  Word ideal(int index) { return {&graph, graph.symbol(Op::ideal, index)}; }
  Word parameter(const std::string& name, double value) {
    return declare(statement.info.parameters, Op::parameter, name, value);
  }
  Word coordinate(const std::string& name) { return declare(statement.info.coordinates, Op::coordinate, name, 0); }
  Word rate(const std::string& name) { return declare(statement.info.rates, Op::rate, name, 0); }
  /// For a Lagrangian with quasi-velocities: q_i', once the rates are declared.
  Word velocity(int index) { return {&graph, graph.symbol(Op::rate, statement.nw() + index)}; }

  void figures(double time, std::initializer_list<std::pair<const char*, double>> values, double tolerance = 1e-8) {
    for (const auto& [name, value] : values) statement.info.figures.push_back({time, name, value, tolerance});
  }

 private:
  Word declare(std::vector<Variable>& table, Op kind, const std::string& name, double value) {
    table.push_back({name, "", value, ""});
    return {&graph, graph.symbol(kind, static_cast<int>(table.size()) - 1)};
  }
};

inline void span(Draft& draft, double end, double dt) { draft.statement.info.time = {0, end, dt, 100}; }

}  // namespace kalaba::formula
