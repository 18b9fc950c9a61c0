#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/counted.hpp"
#include "kalaba/core/member.hpp"
#include "kalaba/core/pseudo_inverses.hpp"

namespace kalaba::bench {

template <class M, template <class, int, int> class Inverse>
Operations count_step_by(const Method& method) {
  constexpr long steps = 4 * MemberLoop<M, Counted, Inverse>::restart_every;
  const auto loop = std::make_unique<MemberLoop<M, Counted, Inverse>>();
  Member<M, Counted> member{};
  std::transform(M::parameters, M::parameters + Dim<M>::parameters, member.p.data,
                 [](const Quantity& each) { return Counted(each.value); });
  M::start(member.p, member.q, member.w);
  loop->start(Solo{}, member, method, Counted(M::time.start), method.stabilization.kind != Stabilization::Kind::none);
  Counted::tally() = {};
  loop->advance(Solo{}, member, method, M::time, 0, steps);
  Operations each = Counted::tally();
  for (double Operations::*kind :
       {&Operations::additions, &Operations::multiplications, &Operations::fused, &Operations::divisions,
        &Operations::roots, &Operations::choices, &Operations::functions}) {
    each.*kind /= steps;
  }
  return each;
}

/// Operations of a model's step: of the core's own time loop, run once with numbers that count.
template <class M>
Operations count_step(const Method& method) {
  const auto by = [&]<PseudoInverse By>() {
    return with_pseudo_inverse<By>(
        [&]<template <class, int, int> class Inverse>() { return count_step_by<M, Inverse>(method); });
  };
  switch (method.pseudo_inverse) {
    case PseudoInverse::qr:
      return by.template operator()<PseudoInverse::qr>();
    case PseudoInverse::ldlt:
      return by.template operator()<PseudoInverse::ldlt>();
    default:
      return by.template operator()<PseudoInverse::svd>();
  }
}

// Each in a file of its own, for the time it takes to compile them.
Operations count_spherical_pendulum(const Method& method);
Operations count_two_particles(const Method& method);
Operations count_double_pendulum(const Method& method);
/// None for a number of links that this program does not count.
std::optional<Operations> count_chain(int links, const Method& method);

}  // namespace kalaba::bench
