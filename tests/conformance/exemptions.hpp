#pragma once

#include "kalaba/system.hpp"

namespace kalaba::conformance {

// Systems to which a generic property does not apply, with the reason. An exemption is preferred to a wider tolerance.

struct Exemption {
  const char* system;
  const char* reason;
};

/// Systems that state an energy which is not conserved.
inline constexpr Exemption energy_changes[] = {
    {"rheonomic_particle", "the surface moves"},
    {"logarithmic_spiral", "both coordinates are driven"},
    {"flexible_manipulator", "the control does work"},
    {"rough_ring", "friction"},
    {"draggy_particle", "drag"},
    {"prescribed_speed", "the speed is driven"},
    {"perpendicular_spins", "the torques do work, which the kinetic energy does not count"},
    {"balanced_rod", "the actuator does work"},
    {"car_axis", "the road moves"}};

/// Systems whose right-hand side is not smooth enough for RK4's order.
inline constexpr Exemption order_is_lost[] = {
    {"rough_ring", "friction has a kink where the ring's push changes sides"}};

/// Systems that are not interpreted on packs.
inline constexpr Exemption not_interpreted[] = {{"balanced_rod", "a servo-constraint"},
                                                {"split_oscillator", "its metric may be singular"}};

/// Returns the reason, or nullptr if the system is not exempt.
template <int N>
const char* exempt(const Exemption (&table)[N], const System& system) {
  for (const Exemption& each : table) {
    if (system.info.name == each.system) return each.reason;
  }
  return nullptr;
}

}  // namespace kalaba::conformance
