#include "adaptive/bead_runs.hpp"

namespace kalaba::adaptive {

const System& beads() {
  static const System system = make_system<Bead>();
  return system;
}
const System& runaways() {
  static const System system = make_system<Runaway>();
  return system;
}

}  // namespace kalaba::adaptive
