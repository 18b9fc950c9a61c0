#pragma once

#include "problem.hpp"

namespace kalaba::peers {

// Where a peer's library is not here, another source file gives the same function and says so.

/// Loops over Eigen's decompositions, for two_particles_incline and for bench::Quadrics.
bench::Peer eigen_two_particles(PseudoInverse method);
template <int Size>
bench::Peer eigen_quadrics(PseudoInverse method);

/// Boost.odeint and the spherical pendulum, its constrained acceleration by hand: with numbers, and with SIMD registers
/// of members as its numbers.
bench::Peer odeint();
bench::Peer odeint_simd();

/// Of a problem with a tolerance, their ends with the rates behind the coordinates: Boost.odeint's dopri5 and the same
/// acceleration by hand, SciPy's DOP853, and heyoka's Taylor series in SIMD batches.
bench::Peer odeint_dopri5();
bench::Peer scipy_dop853();
bench::Peer heyoka();

/// SUNDIALS' ARKODE with the same right-hand side, many members in one vector.
bench::Peer sundials();

/// JAX (vmap, jit, float64): the rate by automatic differentiation and jnp.linalg.pinv, for spherical_pendulum and
/// two_particles_incline; and that of the spherical pendulum by hand.
bench::Peer jax();
bench::Peer jax_by_hand();
/// Diffrax's diffeqsolve with the former rate; PyTorch (torch.func) with one of its own.
bench::Peer diffrax();
bench::Peer torch();

/// MuJoCo, the masses in the coordinates of the problem and the rods as its soft constraints.
bench::Peer mujoco_pendulum();
bench::Peer mujoco_chain(int links);
/// The same motion in joint angles, which need no constraints.
bench::Peer mujoco_joints_pendulum();
bench::Peer mujoco_joints_chain(int links);

}  // namespace kalaba::peers
