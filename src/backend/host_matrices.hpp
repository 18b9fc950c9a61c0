#pragma once

#include <algorithm>
#include <memory>

#include "backend/pseudo_inverse.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/parallel.hpp"

namespace kalaba {

/// Memory access to a pack of neighbouring matrices; lanes beyond the last matrix repeat it.
template <class T>
struct PackPlace {
  using X = Pack<T>;
  long stride;
  long first;
  long used;

  X load(const T* from, int line) const {
    T lanes[X::lanes];
    std::copy_n(from + line * stride + first, used, lanes);
    std::fill(lanes + used, lanes + X::lanes, lanes[used - 1]);
    return X::load(lanes);
  }
  template <class To>
  void store(To* to, int line, const X& value) const {
    T lanes[X::lanes];
    value.store(lanes);
    std::transform(lanes, lanes + used, to + line * stride + first, [](T lane) { return static_cast<To>(lane); });
  }
};

template <template <class, int, int> class Inverse, int R, int C, class T>
void factorize_packs(const MatrixTask<T>& task, int threads) {
  using X = Pack<T>;
  const MatrixArrays<T>& arrays = task.arrays;
  const long packs = (arrays.count + X::lanes - 1) / X::lanes;
  parallel_for(packs, 1, threads, [&](long begin, long end) {
    const auto work = std::make_unique<MatrixWork<X, Inverse, R, C>>();
    for (long pack = begin; pack < end; ++pack) {
      const long first = pack * X::lanes;
      const PackPlace<T> place{arrays.stride, first, std::min<long>(X::lanes, arrays.count - first)};
      work->run(Solo{}, arrays, task.shape, task.requested, place, X(task.rank_tolerance));
    }
  });
}

/// The core's matrices have compile-time extents: a matrix is padded with zeros to the next available size.
template <template <class, int, int> class Inverse, int R = 4, class T>
void factorize_filled_up(const MatrixTask<T>& task, int rows, int columns, int threads) {
  constexpr int largest = MatrixBatch::largest;
  if constexpr (R < largest) {
    if (rows > R) return factorize_filled_up<Inverse, 4 * R>(task, rows, columns, threads);
  }
  if (columns > R) return factorize_packs<Inverse, R, largest>(task, threads);
  factorize_packs<Inverse, R, R>(task, threads);
}

template <class T>
void factorize_in_packs(const MatrixTask<T>& task, int threads) {
  const auto [rows, columns] = task.shape;
  if (task.method == PseudoInverse::qr) {
    factorize_filled_up<PivotedQr>(task, rows, columns, threads);
  } else {  // the pseudo-inverse transposes matrices with more rows than columns
    factorize_filled_up<JacobiSvd>(task, std::min(rows, columns), std::max(rows, columns), threads);
  }
}

}  // namespace kalaba
