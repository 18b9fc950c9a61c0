#pragma once

#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/pack_work.hpp"
#include "kalaba/core/events/watch.hpp"

namespace kalaba {

/// Event rows of a pack of members.
template <class X>
using PackRows = PlaceRows<X, PackPlace<X>>;

}  // namespace kalaba
