#pragma once

#include "backend/interpreted/bounded_site.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/packs.hpp"

namespace kalaba {

/// The core's loops for interpreted models within bounds.
template <class M, class X, PseudoInverse By, Integrator Steps>
MemberFunctions interpreted_functions() {
  return with_pseudo_inverse<By>([]<template <class, int, int> class Inverse>() {
    return member_functions<MemberWork<M, X, Inverse, StandingLoop, true>,
                            MemberWork<M, X, Inverse, LoopOf<Steps>::template Loop, true>, BoundedSite>();
  });
}

}  // namespace kalaba
