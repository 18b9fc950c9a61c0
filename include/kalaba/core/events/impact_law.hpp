#pragma once

namespace kalaba {

/// Law of restitution of a contact (core/events/impact.hpp).
enum class ImpactLaw : int { newton = 0, poisson = 1 };

/// Order in which the contacts that touch at an impact act.
enum class ImpactOrder : int {
  simultaneous = 0,  ///< all at once
  sequential = 1     ///< one after the other, the fastest approach first
};

}  // namespace kalaba
