#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Units of a function's arguments and of its value.
enum class Measure : std::uint8_t {
  none,    ///< numbers without a unit; the value has none
  root,    ///< any unit; the value has its root
  same,    ///< one unit; the value has the same
  ratio,   ///< one unit; the value has none
  square,  ///< one unit; the value has its square
};

enum class Parity : std::uint8_t {
  none,
  odd,   ///< f(-x) = -f(x)
  even,  ///< f(-x) = f(x)
};

inline constexpr int most_arguments = 64;

/// An elementary function applied to arguments, in a graph; dx and dy are the derivatives of the arguments.
struct Applied {
  Id value;
  Id x;
  Id y;
  Id dx;
  Id dy;
};

/// Everything about a function of expressions except its value on SIMD packs and GPUs. An elementary function is an
/// operation of the graph (KALABA_FUNCTIONS in kalaba/core/base/operation.hpp) and states `value` and `derivative`; a
/// composed one states `compose` instead. A further pass over the graph is a further member; Taylor series follow from
/// `derivative`.
struct Function {
  std::string_view name;
  std::string_view meaning;  ///< first words of its description, without a full stop
  int least = 1;             ///< number of arguments
  int most = 1;              ///< most_arguments: no bound
  std::string_view arguments = "x";
  Measure measure = Measure::none;
  bool kinked = false;     ///< the slope jumps somewhere
  bool is_called = false;  ///< emitted code calls it: it is no instruction of the CPU
  Parity parity = Parity::none;
  std::string_view latex = {};   ///< name in LaTeX, or the notation with # for the arguments; default: \operatorname
  std::string_view python = {};  ///< name in Python if it is not `name`
  std::string_view numpy = {};   ///< name in NumPy if it is not that in Python; empty in both: `python` or `name`
  /// Value for doubles, independent of the one that the core computes. The second argument of a function of one is 0.
  double (*value)(double x, double y) = nullptr;
  Id (*derivative)(Graph& graph, const Applied& f) = nullptr;
  /// |f'(x)| as a number, given x and f(x), by which rounding errors grow; of functions of one argument. nullptr: 0.
  double (*steepness)(double x, double value) = nullptr;
  bool has_unit_scale = false;  ///< the natural size of the argument is 1, as that of an angle
  Id (*compose)(Graph& graph, const std::vector<Id>& arguments) = nullptr;
};

}  // namespace kalaba::formula
