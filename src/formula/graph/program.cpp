#include "formula/graph/program.hpp"

#include <algorithm>
#include <map>

#include "formula/graph/evaluate.hpp"
#include "formula/graph/registers.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

constexpr int for_ever = -1;

}  // namespace

Program::Program(const Graph& graph, std::span<const Id> roots) : tables_(graph.tables()) {
  const std::vector<Id> order = reachable(graph, roots);
  std::map<Id, int> uses;  // left
  for (const Id id : order) {
    const Node& node = graph[id];
    for (int i = 0; i < argument_count(node.op); ++i) {
      int& left = uses[node.arguments[static_cast<std::size_t>(i)]];
      if (left != for_ever) left += 1;
    }
  }
  for (const Id root : roots) uses[root] = for_ever;
  std::map<Id, int> place;
  Registers registers;
  for (const Id id : order) {
    const Node& node = graph[id];
    Step step{node.op, node.index, node.value, 0, {0, 0, 0}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(argument_count(node.op)); ++i) {
      step.from[i] = place.at(node.arguments[i]);
    }
    // A register may be written by the operation that reads it last: lanes do not mix.
    for (std::size_t i = 0; i < static_cast<std::size_t>(argument_count(node.op)); ++i) {
      int& left = uses.at(node.arguments[i]);
      if (left != for_ever && --left == 0) registers.give_back(step.from[i]);
    }
    place[id] = step.to = registers.take();
    code_.push_back(step);
  }
  for (const Id root : roots) outputs_.push_back(place.at(root));
  registers_ = registers.end();
}

std::vector<double> Program::operator()(const Inputs& inputs) const {
  std::vector<double> out(outputs_.size());
  run(inputs, 1, out.data(), 1);
  return out;
}

void Program::run(const Inputs& inputs, long members, double* out, long stride) const {
  const long pass = std::min(members, lanes);
  std::vector<double> registers(static_cast<std::size_t>(registers_ * pass));
  for (long first = 0; first < members; first += pass) {
    run_pass(inputs, first, std::min(pass, members - first), registers, out + first, stride);
  }
}

void Program::run_pass(const Inputs& inputs, long first, long count, std::vector<double>& registers, double* out,
                       long stride) const {
  const auto input = [&](const Step& step) -> const double* {
    const long at = step.index * inputs.stride + first;
    switch (step.op) {
      case Op::parameter:
        return inputs.parameters + at;
      case Op::coordinate:
        return inputs.coordinates + at;
      case Op::rate:
        return inputs.rates + at;
      case Op::ideal:
        return inputs.ideal + at;
      case Op::observed:
        return inputs.observed + at;
      default:
        return inputs.time + first;
    }
  };
  const auto row = [&](int index) { return registers.data() + index * count; };
  for (const Step& step : code_) {
    double* const to = row(step.to);
    if (step.op == Op::number) {
      std::fill_n(to, count, step.value);
    } else if (is_symbol(step.op)) {
      std::copy_n(input(step), count, to);
    } else if (step.op == Op::table) {
      const auto [table, order] = TableUse::of(step.index);
      const double* const x = row(step.from[0]);
      for (long k = 0; k < count; ++k) to[k] = (*tables_[static_cast<std::size_t>(table)])(order, x[k]);
    } else {
      const double* const a = row(step.from[0]);
      const double* const b = row(step.from[1]);
      const double* const c = row(step.from[2]);
      for (long k = 0; k < count; ++k) to[k] = evaluate(step.op, a[k], b[k], c[k], step.index);
    }
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    std::copy_n(row(outputs_[i]), count, out + static_cast<long>(i) * stride);
  }
}

}  // namespace kalaba::formula
