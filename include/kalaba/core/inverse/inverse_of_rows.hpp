#pragma once

#include "kalaba/core/inverse/sparse_ldlt.hpp"

namespace kalaba {

namespace detail {
template <class X, class Pattern, template <class, int, int> class InverseOf>
struct InverseOfRows {
  using type = UnitRows<X, Pattern::rows, Pattern::cols, InverseOf>;
};
template <class X, class Pattern>
struct InverseOfRows<X, Pattern, SparseLdlt> {
  using type = DirectInverse<X, Pattern, UnitRows<X, Pattern::rows, Pattern::cols, JacobiSvd>>;
};
}  // namespace detail

/// Pseudo-inverse of rows with a pattern; the rows may have any units.
template <class X, class Pattern, template <class, int, int> class InverseOf>
using InverseOfRows = typename detail::InverseOfRows<X, Pattern, InverseOf>::type;

}  // namespace kalaba
