#include "bench/count_step.hpp"
#include "kalaba/systems/constrained_double_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/two_particles_incline.hpp"

namespace kalaba::bench {

Operations count_spherical_pendulum(const Method& method) { return count_step<SphericalPendulum>(method); }
Operations count_two_particles(const Method& method) { return count_step<TwoParticlesIncline>(method); }
Operations count_double_pendulum(const Method& method) { return count_step<ConstrainedDoublePendulum>(method); }

}  // namespace kalaba::bench
