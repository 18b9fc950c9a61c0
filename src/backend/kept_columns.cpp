#include "backend/kept_columns.hpp"

#include <cstddef>

#include "kalaba/core/rate/columns.hpp"

namespace kalaba {
namespace {

/// Combines one component of every column; the columns of a member are `apart` rows from each other.
void combine_rows(double* first, long stride, const std::vector<double>& factors, int columns, long apart) {
  for (long member = 0; member < stride; ++member) {
    double before[Sensitivities::most];
    for (int i = 0; i < columns; ++i) before[i] = first[i * apart * stride + member];
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int i = 0; i < columns; ++i) {
        sum += before[i] * factors[static_cast<std::size_t>((i * columns + j) * stride + member)];
      }
      first[j * apart * stride + member] = sum;
    }
  }
}

/// Vectors at the end of a step, KeptStep::for_each_number: the state, and its rates if the integrator stores them.
int vectors_at_end(Integrator integrator) { return facts_of(integrator).uses_slopes ? 1 : 2; }

/// Vectors that describe a step with its continuous extension.
int step_vectors(Integrator integrator) { return 4 + facts_of(integrator).dense_rows; }

}  // namespace

int KeptColumns::rows() const {
  const int steps = adapts(integrator) ? 1 + step_vectors(integrator) : 0;
  return leading_rows() + steps * columns * (coordinates + rates);
}

void KeptColumns::combine(double* persistent, long stride, const std::vector<double>& factors) const {
  double* first = persistent;
  const auto combine_vectors = [&](int vectors, int components) {
    for (int vector = 0; vector < vectors; ++vector) {
      for (int i = 0; i < components; ++i) combine_rows(first + i * stride, stride, factors, columns, components);
      first += static_cast<long>(columns) * components * stride;
    }
  };
  const auto both = [&](int vectors) {
    combine_vectors(vectors, coordinates);
    combine_vectors(vectors, rates);
  };
  both(1);
  if (!adapts(integrator)) return;
  const int end_vectors = vectors_at_end(integrator);
  const long own = coordinates + rates;
  first += (columns + adaptive_scalars + end_vectors * own) * stride;
  both(end_vectors);
  both(1);
  const int inner = step_vectors(integrator) - end_vectors;
  first += inner * own * stride;
  both(inner);
}

}  // namespace kalaba
