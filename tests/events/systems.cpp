#include "events/systems.hpp"

#include "events/models.hpp"
#include "support/interpreted_system.hpp"

namespace kalaba::events {

const System& projectiles() {
  static const System system = make_system<Projectile>();
  return system;
}
const System& beads() {
  static const System system = make_system<adaptive::Bead>();
  return system;
}
const System& sliders() {
  static const System system = make_system<Slider>();
  return system;
}

Ensemble turning_beads(long count) {
  Ensemble ensemble(beads(), count);
  for (long i = 0; i < count; ++i) {
    ensemble.parameter("omega")[static_cast<std::size_t>(i)] = speed(static_cast<std::size_t>(i));
  }
  ensemble.restart();
  return ensemble;
}
double speed(std::size_t member) { return 0.5 + 0.1 * static_cast<double>(member); }

}  // namespace kalaba::events
