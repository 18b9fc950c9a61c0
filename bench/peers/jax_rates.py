"""Rates of the systems as JAX's users would write them, of one member in float64: constraints by jacfwd and jvp,
jnp.linalg.pinv. rates[SYSTEM](p, q, w) gives q' and w'."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def constrained(model):
    """The Udwadia-Kalaba rate of a model by the pseudo-inverse, as kalaba states it."""

    def rate(p, q, w):
        root = jnp.sqrt(model.metric(p))
        q_dot = model.velocity(p, w)

        def phi_dot(q, w):
            return jax.jvp(lambda x: model.phi(p, x), (q,), (model.velocity(p, w),))[1]

        def rows(q, w):
            if model.psi is None:
                return phi_dot(q, w)
            return jnp.concatenate([phi_dot(q, w), model.psi(p, q, w)])

        a = jax.jacfwd(rows, argnums=1)(q, w)
        b = -jax.jvp(lambda x: rows(x, w), (q,), (q_dot,))[1]
        force = model.force(p)
        return q_dot, force + jnp.linalg.pinv(a / root) @ (b - a @ force) / root

    return rate


class Pendulum:
    """m, L, g"""

    metric = staticmethod(lambda p: jnp.ones(3) / p[0])
    velocity = staticmethod(lambda p, w: w / p[0])
    force = staticmethod(lambda p: jnp.array([0.0, 0.0, 1.0]) * (p[0] * p[2]))
    phi = staticmethod(lambda p, q: jnp.array([(q @ q - p[1] ** 2) * (p[0] / 2)]))
    psi = None


class TwoParticles:
    """m1, m2, L, alpha, g"""

    metric = staticmethod(lambda p: 1 / jnp.array([p[0], p[0], p[1], p[1]]))
    velocity = staticmethod(lambda p, w: w / jnp.array([p[0], p[0], p[1], p[1]]))
    force = staticmethod(lambda p: -p[4] * jnp.sin(p[3]) * jnp.array([0.0, p[0], 0.0, p[1]]))

    @staticmethod
    def phi(p, q):
        d = q[:2] - q[2:]
        return jnp.array([(d @ d - p[2] ** 2) / 2])

    @staticmethod
    def psi(p, q, w):
        d = q[:2] - q[2:]
        return jnp.array([d @ w[:2] / p[0], d @ w[2:] / p[1]])


def pendulum_by_hand(p, q, w):
    """Udwadia 2016, section 4.1"""
    m, length, g = p
    pull = m / length**2 * (w @ w / m**2 + g * q[2])
    return w / m, jnp.array([0.0, 0.0, 1.0]) * (m * g) - pull * q


rates = {
    "spherical_pendulum": constrained(Pendulum),
    "spherical_pendulum_by_hand": pendulum_by_hand,
    "two_particles_incline": constrained(TwoParticles),
}
