#include "formula/graph/functions.hpp"

#include <algorithm>
#include <array>

namespace kalaba::formula {
namespace {

constexpr std::array reserved = {"t", "pi", "ideal", "sum", "table", "in", "and", "or", "not"};

std::vector<const Function*>& table() {
#define KALABA_ENTRY(name, ...) &functions::name,
  static std::vector<const Function*> all = {KALABA_FUNCTIONS(KALABA_ENTRY) KALABA_COMPOSED_FUNCTIONS(KALABA_ENTRY)};
#undef KALABA_ENTRY
  return all;
}

/// The operation of an elementary function.
Op op_of(const Function& function) {
#define KALABA_OPERATION(name, ...) \
  if (&function == &functions::name) return Op::name;
  KALABA_FUNCTIONS(KALABA_OPERATION)
#undef KALABA_OPERATION
  return Op::number;
}

}  // namespace

const std::vector<const Function*>& all_functions() { return table(); }

AddedFunction::AddedFunction(const Function& function) { table().push_back(&function); }
AddedFunction::~AddedFunction() { table().pop_back(); }

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Function::name);
  return found == table().end() ? nullptr : *found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function* each : table()) names.emplace_back(each->name);
  names.insert(names.end(), {"sum", "table"});
  return names;
}

const Function* function_of(Op op) {
  switch (op) {
#define KALABA_FUNCTION(name, ...) \
  case Op::name:                   \
    return &functions::name;
    KALABA_FUNCTIONS(KALABA_FUNCTION)
#undef KALABA_FUNCTION
    default:
      return nullptr;
  }
}

std::string fault_of_count(const Function& function, std::size_t found) {
  const auto count = static_cast<int>(found);
  const bool takes_pairs = function.measure == Measure::square;
  const bool is_odd = takes_pairs && count % 2 != 0;
  if (count >= function.least && count <= function.most && !is_odd) return "";
  const std::string least = std::to_string(function.least);
  const std::string number = function.most == function.least ? least
                             : takes_pairs                   ? "an even number"
                                                             : least + " or more";
  return std::string(function.name) + " takes " + number + " (" + std::string(function.arguments) + "), found " +
         std::to_string(found);
}

bool is_reserved(std::string_view word) {
  return find_function(word) != nullptr || std::ranges::find(reserved, word) != reserved.end();
}

Id call(Graph& graph, std::string_view name, const std::vector<Id>& arguments) {
  const Function& function = *find_function(name);
  if (function.compose != nullptr) return function.compose(graph, arguments);
  const Op op = op_of(function);
  if (function.most == 1) return graph.unary(op, arguments[0]);
  Id result = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) result = graph.binary(op, result, arguments[i]);
  return result;
}

}  // namespace kalaba::formula
