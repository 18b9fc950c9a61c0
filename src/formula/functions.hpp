#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/graph.hpp"

namespace kalaba::formula {

/// What a function takes and gives, of units.
enum class Measure : std::uint8_t {
  none,    ///< numbers without a unit, and gives one
  root,    ///< anything, and gives its root
  same,    ///< arguments of one unit, and gives it
  ratio,   ///< arguments of one unit, and gives a number without
  square,  ///< arguments of one unit, and gives its square
};

struct Function {
  std::string_view name;
  int least;                   ///< arguments
  int most;                    ///< most_arguments: as many as there are
  std::string_view arguments;  ///< as messages call them
  Measure measure;
  bool kinked;  ///< its slope jumps
};
inline constexpr int most_arguments = 64;

/// The function of that name; nullptr where there is none.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

/// What is wrong with a number of arguments, "clamp takes 3 (x, low, high), found 2"; empty where nothing is.
std::string fault_of_count(const Function& function, std::size_t found);

/// Whether a word means something in every expression, so that nothing can be named by it.
bool is_reserved(std::string_view word);

/// The function of these arguments, as many as it takes; the first of `where` is a mask.
Id call(Graph& graph, std::string_view name, const std::vector<Id>& arguments);

}  // namespace kalaba::formula
