#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// The nodes that the roots need, themselves among them, arguments first.
std::vector<Id> reachable(const Graph& graph, std::span<const Id> roots);

/// True if the expression depends on a symbol of that kind (parameter, coordinate, rate, time, ideal), or on that
/// symbol.
bool depends_on(const Graph& graph, Id id, Op kind);
bool depends_on_symbol(const Graph& graph, Id id, Id symbol);

/// The symbols of a kind that it needs, in the order of their index.
std::vector<Id> symbols_in(const Graph& graph, std::span<const Id> roots, Op kind);

/// The terms of a sum with their signs, and with powers of two that multiply a sum.
std::vector<Id> addends(Graph& graph, Id id);

/// The expression with nodes exchanged.
std::vector<Id> substitute(Graph& graph, std::span<const Id> roots, const std::map<Id, Id>& exchanged);
Id substitute(Graph& graph, Id root, const std::map<Id, Id>& exchanged);

/// The degree of an expression as a polynomial of the symbols of a kind; `not_polynomial` where it is none.
inline constexpr int not_polynomial = 1'000'000;
int degree(const Graph& graph, Id id, Op kind);
/// The degree of every node that the expression depends on.
std::map<Id, int> all_degrees(const Graph& graph, Id id, Op kind);
/// The degree in one symbol.
int degree_in(const Graph& graph, Id id, Id symbol);

/// The node with other arguments, simplified as when it was first made.
Id rebuilt(Graph& graph, const Node& node, Id a, Id b, Id c);

}  // namespace kalaba::formula
