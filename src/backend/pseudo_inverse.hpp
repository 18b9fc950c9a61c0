#pragma once

#include "kalaba/pseudo_inverse.hpp"
#include "kernels/matrix_work.hpp"

namespace kalaba {

/// A call of `factorize` on at least one matrix, checked and complete.
template <class T>
struct MatrixTask {
  MatrixArrays<T> arrays;
  MatrixShape shape;
  MatrixOutputs requested;
  PseudoInverse method;
  T rank_tolerance;
};

void factorize_on_host(const MatrixTask<float>& task, const OnHost& host);
void factorize_on_host(const MatrixTask<double>& task, const OnHost& host);

/// In a build without a CUDA backend, cuda_absent.cpp defines these functions, which report how to get it.
void factorize_on_device(const MatrixTask<float>& task, const OnDevice& device);
void factorize_on_device(const MatrixTask<double>& task, const OnDevice& device);

}  // namespace kalaba
