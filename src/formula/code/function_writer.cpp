#include "formula/code/function_writer.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "formula/graph/traverse.hpp"

namespace kalaba::formula {

std::string exactly(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

std::string table_rows_name(const std::string& model, int table) { return model + "_table_" + std::to_string(table); }

Hoisted::Hoisted(const Graph& graph, std::span<const Id> roots) : of_state_(graph.size()) {
  const std::vector<Id> order = reachable(graph, roots);
  const auto arguments = [&](Id id) {
    return std::span(graph[id].arguments).first(static_cast<std::size_t>(argument_count(graph[id].op)));
  };
  const auto moves = [&](Id id) { return of_state_[static_cast<std::size_t>(id)]; };
  for (const Id id : order) {
    const Op op = graph[id].op;
    of_state_[static_cast<std::size_t>(id)] =
        (is_symbol(op) && op != Op::parameter) || std::ranges::any_of(arguments(id), moves);
  }
  // A mask is no entry of a vector: one of parameters alone is found where it is used.
  const auto find_masks = [&](std::span<const Id> used) {
    for (const Id id : used) {
      if (graph.is_mask(id)) of_state_[static_cast<std::size_t>(id)] = true;
    }
  };
  find_masks(roots);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Id id = *at;
    if (moves(id)) find_masks(arguments(id));
  }
  const auto keep = [&](Id id) {
    if (!moves(id) && graph[id].op != Op::number && places_.try_emplace(id, size()).second) entries_.push_back(id);
  };
  for (const Id id : order) {
    if (!moves(id)) continue;
    for (const Id argument : arguments(id)) keep(argument);
  }
  for (const Id root : roots) keep(root);
}

int Hoisted::place(Id id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? -1 : found->second;
}

bool FunctionWriter::is_constant(Id id) const {
  return graph_[id].op == Op::number || (hoisted_ != nullptr && !hoisted_->of_state(id));
}

std::string FunctionWriter::operand(Id id) {
  const Node& node = graph_[id];
  const auto entry = [&](const char* of, int index) {
    used_[of] += 1;
    return std::string(of) + '[' + std::to_string(index) + ']';
  };
  if (node.op == Op::number) return "C(" + exactly(node.value) + ')';
  if (hoisted_ != nullptr && !hoisted_->of_state(id)) return entry("p", hoisted_->place(id));
  switch (node.op) {
    case Op::parameter:
      return entry("p", node.index);
    case Op::coordinate:
      return entry("q", node.index);
    case Op::rate:
      return entry("w", node.index);
    case Op::ideal:
      return node.index < rates_ ? entry("ideal", node.index) : entry("lambda", node.index - rates_);
    case Op::observed:  // of the starts, which are given
      return entry("given", node.index);
    case Op::time:
      used_["t"] += 1;
      return "t";
    default:
      return names_.at(id);
  }
}

std::string FunctionWriter::lifted(Id id) {
  if (graph_.is_mask(id)) return operand(id);
  return hoisted_ != nullptr && is_constant(id) ? "X(" + operand(id) + ')' : operand(id);
}

std::string FunctionWriter::value(Id id) {
  if (hoisted_ != nullptr && graph_[id].op == Op::number) return "X(" + exactly(graph_[id].value) + ')';
  return lifted(id);
}

std::string FunctionWriter::list(std::span<const Id> values) {
  std::string text;
  for (const Id id : values) text += (text.empty() ? "" : ", ") + value(id);
  return '{' + text + '}';
}

std::string FunctionWriter::line(const std::string& type, const std::string& text) {
  const std::string name = 'a' + std::to_string(operations_++);
  lines_ += "    const " + type + ' ' + name + " = " + text + ";\n";
  return name;
}

void FunctionWriter::compute(std::span<const Id> roots) {
  const std::string type = hoisted_ != nullptr ? "X" : "C";
  for (const Id id : lines_for(roots)) {
    const Node& node = graph_[id];
    const bool is_leaf = node.op == Op::number || is_symbol(node.op);
    if (is_leaf || names_.contains(id) || is_constant(id)) continue;
    const auto as_one = fused(node);
    const std::string text = as_one                 ? fused_text(*as_one)
                             : node.op == Op::raise ? power(node.arguments[0], node.index)
                                                    : expression(node);
    names_[id] = line(graph_.is_mask(id) ? "auto" : type, text);
  }
}

/// The nodes that are written for these, arguments first: not a product that is part of a sum alone.
std::vector<Id> FunctionWriter::lines_for(std::span<const Id> roots) const {
  std::set<Id> needed(roots.begin(), roots.end());
  for (auto at = needed.rbegin(); at != needed.rend(); ++at) {  // arguments have lower ids
    const Node& node = graph_[*at];
    if (const auto as_one = fused(node)) {
      needed.insert({as_one->a, as_one->b, as_one->c});
    } else {
      needed.insert(node.arguments.begin(), node.arguments.begin() + argument_count(node.op));
    }
  }
  return {needed.begin(), needed.end()};
}

std::optional<FunctionWriter::Fused> FunctionWriter::fused(const Node& node) const {
  if (!fuses_ || (node.op != Op::add && node.op != Op::subtract)) return std::nullopt;
  const bool subtracts = node.op == Op::subtract;
  for (const int side : {1, 0}) {
    const Id at = node.arguments[static_cast<std::size_t>(side)];
    const Id rest = node.arguments[static_cast<std::size_t>(1 - side)];
    const Node& product = graph_[at];
    const bool squares = product.op == Op::raise && product.index == 2;
    if ((product.op != Op::multiply && !squares) || is_constant(at)) continue;
    const Id b = squares ? product.arguments[0] : product.arguments[1];
    return Fused{product.arguments[0], b, rest, subtracts && side == 1, subtracts && side == 0};
  }
  return std::nullopt;
}

std::string FunctionWriter::fused_text(const Fused& fused) {
  return "multiply_add<X>(" + std::string(fused.negates_product ? "-" : "") + operand(fused.a) + ", " +
         operand(fused.b) + ", " + (fused.negates_rest ? "-" : "") + operand(fused.c) + ')';
}

/// Multiplies in the order of whole_power (kalaba/core/base/operation_value.hpp). Every product but the last has its
/// own line.
std::string FunctionWriter::power(Id base, int exponent) {
  const std::string type = hoisted_ != nullptr ? "X" : "C";
  const std::string x = operand(base);
  if (exponent < 0) return "C(1.0) / (" + power(base, -exponent) + ')';
  if (exponent == 1) return x;
  const std::string half = exponent / 2 == 1 ? x : line(type, power(base, exponent / 2));
  return half + " * " + half + (exponent % 2 == 0 ? "" : " * " + x);
}

std::string FunctionWriter::expression(const Node& node) {
  const Id a = node.arguments[0];
  const Id b = node.arguments[1];
  const auto infix = [&](const char* op) { return operand(a) + op + operand(b); };
  const auto call = [&](const char* function) {
    std::string text;
    for (int i = 0; i < argument_count(node.op); ++i) {
      text += (i == 0 ? "" : ", ") + lifted(node.arguments[static_cast<std::size_t>(i)]);
    }
    return function + ('(' + text + ')');
  };
  switch (node.op) {
    case Op::add:
      return infix(" + ");
    case Op::subtract:
      return infix(" - ");
    case Op::multiply:
      return infix(" * ");
    case Op::divide:
      return infix(" / ");
    case Op::negate:
      return '-' + operand(a);
    case Op::power:
      return is_constant(b) ? "pow(" + lifted(a) + ", " + operand(b) + ')' : call("pow");
    case Op::table: {
      const auto [table, order] = TableUse::of(node.index);
      const Table& rows = *graph_.tables()[static_cast<std::size_t>(table)];
      return "table_at<" + std::to_string(rows.degree()) + ">(" + table_rows_name(model_, table) + ", " +
             std::to_string(rows.count()) + ", " + std::to_string(order) + ", " + lifted(a) + ')';
    }
    case Op::less:
      return lifted(a) + " < " + lifted(b);
    case Op::less_equal:
      return lifted(a) + " <= " + lifted(b);
    case Op::both:
      return call("both");
    case Op::either:
      return call("either");
    case Op::negation:
      return '!' + operand(a);
    case Op::select:
      return call("select");
#define KALABA_WRITTEN(name, real, arguments) \
  case Op::name:                              \
    return call(#real);
      KALABA_FUNCTIONS(KALABA_WRITTEN)
#undef KALABA_WRITTEN
    default:
      return {};  // leaves have no line
  }
}

}  // namespace kalaba::formula
