#include "backend/pseudo_inverse.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "kalaba/core/base/real.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

std::string text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}
std::string text(long value) { return std::to_string(value); }
std::string text(int value) { return std::to_string(value); }

[[noreturn]] void refuse(const std::string& found, const std::string& expected) {
  throw Error(ExitCode::bad_input, "batch of matrices: " + found + "; expected " + expected);
}

void check_batch(const MatrixBatch& batch) {
  const std::string extents = "1 to " + text(MatrixBatch::largest);
  const auto bad = [](int extent) { return extent < 1 || extent > MatrixBatch::largest; };
  if (bad(batch.rows)) refuse("rows = " + text(batch.rows), extents);
  if (bad(batch.columns)) refuse("columns = " + text(batch.columns), extents);
  if (batch.count < 0) refuse("count = " + text(batch.count), "0 or more");
  if (batch.stride < batch.count) refuse("stride = " + text(batch.stride), "at least count = " + text(batch.count));
}

void check_options(const PseudoInverseOptions& options) {
  if (options.method != PseudoInverse::svd && options.method != PseudoInverse::qr) {
    const auto number = static_cast<std::size_t>(options.method);
    const std::string found =
        number < std::size(pseudo_inverses) ? pseudo_inverses[number].name : text(static_cast<long>(number));
    refuse("method = " + found, "PseudoInverse::svd or PseudoInverse::qr");
  }
  if (!(options.rank_tolerance >= 0 && options.rank_tolerance < 1)) {
    refuse("rank_tolerance = " + text(options.rank_tolerance), "0 (for max(M, N) epsilon) or more, below 1");
  }
}

template <class T>
void check_arrays(const PseudoInverseArrays<T>& arrays, const MatrixOutputs& requested, PseudoInverse method) {
  if (arrays.b == nullptr) refuse("no array b", "one, of M x N lines");
  if ((arrays.e == nullptr) != (arrays.x == nullptr)) {
    refuse(arrays.e == nullptr ? "x without e" : "e without x", "both, for x = B+ e");
  }
  if (!(requested.x || requested.inverse || requested.singular_values || requested.rank || requested.status)) {
    refuse("no array to fill", "x, inverse, singular_values, rank or status");
  }
  if (requested.singular_values && method != PseudoInverse::svd) {
    refuse("singular_values of method qr, which has none", "PseudoInverse::svd");
  }
}

template <class T>
T tolerance_of(const MatrixBatch& batch, const PseudoInverseOptions& options) {
  if (options.rank_tolerance > 0) return static_cast<T>(options.rank_tolerance);
  return static_cast<T>(std::max(batch.rows, batch.columns)) * Limits<T>::epsilon;
}

}  // namespace

template <class T>
void factorize(const MatrixMemory& memory, const MatrixBatch& batch, const PseudoInverseArrays<T>& arrays,
               const PseudoInverseOptions& options) {
  check_batch(batch);
  check_options(options);
  if (batch.count == 0) return;
  const MatrixOutputs requested = {arrays.x != nullptr, arrays.inverse != nullptr, arrays.singular_values != nullptr,
                                   arrays.rank != nullptr, arrays.status != nullptr};
  check_arrays(arrays, requested, options.method);
  const MatrixTask<T> task = {{arrays.b, arrays.e, arrays.x, arrays.inverse, arrays.singular_values, arrays.rank,
                               arrays.status, batch.count, batch.stride},
                              {batch.rows, batch.columns},
                              requested,
                              options.method,
                              tolerance_of<T>(batch, options)};
  if (const auto* device = std::get_if<OnDevice>(&memory)) {
    factorize_on_device(task, *device);
  } else {
    factorize_on_host(task, std::get<OnHost>(memory));
  }
}

template void factorize(const MatrixMemory&, const MatrixBatch&, const PseudoInverseArrays<float>&,
                        const PseudoInverseOptions&);
template void factorize(const MatrixMemory&, const MatrixBatch&, const PseudoInverseArrays<double>&,
                        const PseudoInverseOptions&);

}  // namespace kalaba
