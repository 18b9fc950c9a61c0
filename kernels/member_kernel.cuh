#pragma once

#include "kalaba/core/member.hpp"

namespace kalaba {

/// One member of a batch laid out member fastest: variable i of member k at data[i * stride + k].
template <class X, int N>
__device__ void load_member(Vec<X, N>& into, const double* data, long stride, long member) {
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) into[i] = static_cast<X>(data[i * stride + member]);
}
template <class X, int N>
__device__ void store_member(const Vec<X, N>& from, double* data, long stride, long member) {
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) data[i * stride + member] = static_cast<double>(from[i]);
}

/// Where a batch lies on the device; the arrays of Block.
struct BatchView {
  long members;
  long stride;
  const double* parameters;
  double* q;
  double* w;
  double* status;
  double* failed_step;
};

/// The member's time loop, a thread a member: `steps` steps from `first_step` in registers.
template <class M, class X, template <class, int, int> class Inverse>
__device__ void advance_thread(const BatchView& batch, const Method& method, const TimeGrid& time, long first_step,
                               long steps) {
  const long index = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= batch.members) return;
  Member<M, X> member;
  load_member(member.p, batch.parameters, batch.stride, index);
  load_member(member.q, batch.q, batch.stride, index);
  load_member(member.w, batch.w, batch.stride, index);
  member.status = static_cast<X>(batch.status[index]);
  member.failed_step = X(0);
  member.rank = X(-1);
  member.rank_changes = X(0);
  MemberLoop<M, X, Inverse> loop;
  loop.advance(Solo{}, member, method, time, first_step, steps);
  store_member(member.q, batch.q, batch.stride, index);
  store_member(member.w, batch.w, batch.stride, index);
  batch.status[index] = static_cast<double>(member.status);
  batch.failed_step[index] = static_cast<double>(member.failed_step);
}

}  // namespace kalaba
