#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/graph/function.hpp"

namespace kalaba::formula {

/// Functions composed of others, one a line; each has a file functions/NAME.cpp.
#define KALABA_COMPOSED_FUNCTIONS(F) F(clamp) F(where) F(norm) F(dot)

/// The definition of each function, in functions/NAME.cpp.
namespace functions {
#define KALABA_DECLARATION(name, ...) extern const Function name;
KALABA_FUNCTIONS(KALABA_DECLARATION)
KALABA_COMPOSED_FUNCTIONS(KALABA_DECLARATION)
#undef KALABA_DECLARATION
}  // namespace functions

/// All functions of expressions.
const std::vector<const Function*>& all_functions();

/// Adds a composed function while it lives. Not thread-safe; for tests.
class AddedFunction {
 public:
  explicit AddedFunction(const Function& function);
  ~AddedFunction();
  AddedFunction(const AddedFunction&) = delete;
  AddedFunction& operator=(const AddedFunction&) = delete;
};

/// The function of that name; nullptr if there is none.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

/// The elementary function that an operation is; nullptr for other operations.
const Function* function_of(Op op);

/// Message about a wrong number of arguments, "clamp takes 3 (x, low, high), found 2"; empty if the number is right.
std::string fault_of_count(const Function& function, std::size_t found);

/// True if a word has a meaning in every expression, so that nothing can have this name.
bool is_reserved(std::string_view word);

/// Calls a function. The number of arguments must be right (fault_of_count); the first argument of `where` is a mask.
Id call(Graph& graph, std::string_view name, const std::vector<Id>& arguments);

}  // namespace kalaba::formula
