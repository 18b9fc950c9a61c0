#pragma once

#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/inverse/sparse_ldlt.hpp"

namespace kalaba {

/// Calls f.operator()<Inverse>() with the algorithm of a PseudoInverse.
template <PseudoInverse By, class F>
auto with_pseudo_inverse(const F& f) {
  static_assert(facts_of(By).type != nullptr, "no algorithm of the core");
  if constexpr (By == PseudoInverse::qr) return f.template operator()<PivotedQr>();
  if constexpr (By == PseudoInverse::ldlt) return f.template operator()<SparseLdlt>();
  if constexpr (By == PseudoInverse::svd) return f.template operator()<JacobiSvd>();
}

}  // namespace kalaba
