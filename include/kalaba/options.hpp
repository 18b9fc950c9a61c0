#pragma once

#include <string_view>

#include "kalaba/core/method.hpp"
#include "kalaba/core/model.hpp"
#include "kalaba/fields.hpp"

namespace kalaba {

enum class Backend : int { automatic, reference, cpu, cuda };
enum class Precision : int { double_precision, single_precision };

constexpr std::string_view backend_name(Backend backend) {
  constexpr std::string_view names[] = {"auto", "reference", "cpu", "cuda"};
  return names[static_cast<int>(backend)];
}
constexpr std::string_view precision_name(Precision precision) {
  return precision == Precision::double_precision ? "double" : "single";
}
constexpr std::string_view pseudo_inverse_name(PseudoInverse method) {
  return method == PseudoInverse::svd ? "svd" : "qr";
}

/// Options of a run. `default_options(system)` starts from the system's own time grid and stabilisation.
struct Options {
  Backend backend = Backend::automatic;
  Precision precision = Precision::double_precision;
  Method method = {};
  TimeGrid time = {};         ///< start, end, dt (s) and save_every (steps)
  bool project_start = true;  ///< put the initial state on the constraints first
  FieldSet fields = {Field::q, Field::w, Field::residual, Field::violation, Field::energy};
  int threads = 0;               ///< worker threads of the CPU backends; 0: one a core
  long block_members = 0;        ///< members held at once; 0: chosen from memory_budget
  double memory_budget = 256e6;  ///< bytes for one block of members
};

}  // namespace kalaba
