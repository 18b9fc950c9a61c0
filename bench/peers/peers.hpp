#pragma once

#include <vector>

#include "problem.hpp"

namespace kalaba::peers {

// If a peer's library is not installed, another source file defines the same function, and reports its absence.

/// Loops over Eigen's decompositions, for two_particles_incline and for bench::Quadrics.
bench::Peer eigen_two_particles(PseudoInverse method);
template <int Size>
bench::Peer eigen_quadrics(PseudoInverse method);

/// Boost.odeint and the spherical pendulum, with its constrained acceleration by hand: for one member at a time, and
/// for SIMD registers of members.
bench::Peer odeint();
bench::Peer odeint_simd();

/// Peers for a problem with a tolerance, whose results are coordinates followed by rates: Boost.odeint's dopri5 with
/// this acceleration, SciPy's DOP853, and heyoka's Taylor series in SIMD batches.
bench::Peer odeint_dopri5();
bench::Peer scipy_dop853();
bench::Peer heyoka();

/// SUNDIALS' ARKODE with the same right-hand side, many members in one vector.
bench::Peer sundials();

/// JAX (vmap, jit, float64): the rate by automatic differentiation and jnp.linalg.pinv, for spherical_pendulum and
/// two_particles_incline; and the rate of the spherical pendulum by hand.
bench::Peer jax();
bench::Peer jax_by_hand();
/// Diffrax's diffeqsolve with the former rate; PyTorch (torch.func) with its own.
bench::Peer diffrax();
bench::Peer torch();

/// MuJoCo, with masses in the coordinates of the problem and rods as its soft constraints.
bench::Peer mujoco_pendulum();
bench::Peer mujoco_chain(int links);
/// MuJoCo with the same motion in joint angles, without constraints.
bench::Peer mujoco_joints_pendulum();
bench::Peer mujoco_joints_chain(int links);

/// MuJoCo from PyPI (rollout, which loops over all members in C++), as of both kinds above, by RK4 and by its default,
/// semi-implicit Euler.
std::vector<bench::Peer> mujoco_rollouts_pendulum();
std::vector<bench::Peer> mujoco_rollouts_chain(int links);

}  // namespace kalaba::peers
