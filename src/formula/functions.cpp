#include "formula/functions.hpp"

#include <algorithm>
#include <array>

namespace kalaba::formula {
namespace {

constexpr std::array functions = {
    Function{"sqrt", 1, 1, "x", Measure::root, false},
    Function{"sin", 1, 1, "x", Measure::none, false},
    Function{"cos", 1, 1, "x", Measure::none, false},
    Function{"tan", 1, 1, "x", Measure::none, false},
    Function{"asin", 1, 1, "x", Measure::none, false},
    Function{"acos", 1, 1, "x", Measure::none, false},
    Function{"atan", 1, 1, "x", Measure::none, false},
    Function{"atan2", 2, 2, "y, x", Measure::ratio, false},
    Function{"exp", 1, 1, "x", Measure::none, false},
    Function{"log", 1, 1, "x", Measure::none, false},
    Function{"abs", 1, 1, "x", Measure::same, true},
    Function{"min", 2, most_arguments, "a, b, ...", Measure::same, true},
    Function{"max", 2, most_arguments, "a, b, ...", Measure::same, true},
    Function{"sign", 1, 1, "x", Measure::ratio, true},
    Function{"clamp", 3, 3, "x, low, high", Measure::same, true},
    Function{"where", 3, 3, "mask, a, b", Measure::same, true},
    Function{"norm", 1, most_arguments, "a, b, ...", Measure::same, false},
    Function{"dot", 2, most_arguments, "a1, a2, ..., b1, b2, ...", Measure::square, false},
};

constexpr std::array reserved = {"t", "pi", "ideal", "sum", "table", "in", "and", "or", "not"};

struct Unary {
  std::string_view name;
  Op op;
};
constexpr std::array unary = {Unary{"sqrt", Op::sqrt}, Unary{"sin", Op::sin},   Unary{"cos", Op::cos},
                              Unary{"tan", Op::tan},   Unary{"asin", Op::asin}, Unary{"acos", Op::acos},
                              Unary{"atan", Op::atan}, Unary{"exp", Op::exp},   Unary{"log", Op::log},
                              Unary{"abs", Op::abs},   Unary{"sign", Op::sign}};

Id fold(Graph& graph, Op op, const std::vector<Id>& values) {
  Id result = values.front();
  for (std::size_t i = 1; i < values.size(); ++i) result = graph.binary(op, result, values[i]);
  return result;
}

/// Products of pairs, `apart` places from each other, summed from the left.
Id products(Graph& graph, const std::vector<Id>& values, std::size_t count, std::size_t apart) {
  Id total = graph.multiply(values[0], values[apart]);
  for (std::size_t i = 1; i < count; ++i) total = graph.add(total, graph.multiply(values[i], values[i + apart]));
  return total;
}

}  // namespace

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(functions, name, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& each : functions) names.emplace_back(each.name);
  names.insert(names.end(), {"sum", "table"});
  return names;
}

std::string fault_of_count(const Function& function, std::size_t found) {
  const auto count = static_cast<int>(found);
  const bool is_odd = function.name == "dot" && count % 2 != 0;
  if (count >= function.least && count <= function.most && !is_odd) return "";
  const std::string least = std::to_string(function.least);
  const std::string number = function.most == function.least ? least
                             : function.name == "dot"        ? "an even number"
                                                             : least + " or more";
  return std::string(function.name) + " takes " + number + " (" + std::string(function.arguments) + "), found " +
         std::to_string(found);
}

bool is_reserved(std::string_view word) {
  return find_function(word) != nullptr || std::ranges::find(reserved, word) != reserved.end();
}

Id call(Graph& graph, std::string_view name, const std::vector<Id>& values) {
  const auto plain = std::ranges::find(unary, name, &Unary::name);
  if (plain != unary.end()) return graph.unary(plain->op, values[0]);
  if (name == "atan2") return graph.binary(Op::atan2, values[0], values[1]);
  if (name == "min") return fold(graph, Op::min, values);
  if (name == "max") return fold(graph, Op::max, values);
  if (name == "clamp") return graph.binary(Op::min, graph.binary(Op::max, values[0], values[1]), values[2]);
  if (name == "where") return graph.select(values[0], values[1], values[2]);
  if (name == "dot") return products(graph, values, values.size() / 2, values.size() / 2);
  return graph.unary(Op::sqrt, products(graph, values, values.size(), 0));  // norm
}

}  // namespace kalaba::formula
