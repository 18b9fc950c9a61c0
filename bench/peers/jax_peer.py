"""JAX as its users would have it: vmap over the members, jit over the whole run, constraints by jacfwd and jvp,
jnp.linalg.pinv; in float64 on one core.

In: a line "SYSTEM MEMBERS STEPS DT PARAMETERS COORDINATES RATES", then doubles [parameter, coordinate, rate][member].
For each line "run": out a line with the CPU seconds that the run took, then doubles [coordinate][member]."""

import os
import sys
import time

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


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


def rk4(rate, dt):
    def step(p, q, w):
        k1, l1 = rate(p, q, w)
        k2, l2 = rate(p, q + dt / 2 * k1, w + dt / 2 * l1)
        k3, l3 = rate(p, q + dt / 2 * k2, w + dt / 2 * l2)
        k4, l4 = rate(p, q + dt * k3, w + dt * l3)
        return q + dt / 6 * (k1 + 2 * (k2 + k3) + k4), w + dt / 6 * (l1 + 2 * (l2 + l3) + l4)

    return jax.vmap(step, in_axes=1, out_axes=1)


def main():
    words = sys.stdin.buffer.readline().split()
    system, dt = words[0].decode(), float(words[3])
    members, steps, parameters, coordinates, numbers = (int(words[i]) for i in (1, 2, 4, 5, 6))
    count = (parameters + coordinates + numbers) * members
    data = np.frombuffer(sys.stdin.buffer.read(8 * count)).reshape(-1, members)
    p, q, w = (jnp.asarray(part) for part in np.split(data, [parameters, parameters + coordinates]))
    step = rk4(rates[system], dt)

    @jax.jit
    def solve(p, q, w):
        return jax.lax.fori_loop(0, steps, lambda i, y: step(p, *y), (q, w))[0]

    solve(p, q, w).block_until_ready()  # compiles
    while sys.stdin.buffer.readline().strip() == b"run":
        begin = time.process_time()
        ends = solve(p, q, w).block_until_ready()
        seconds = time.process_time() - begin
        sys.stdout.buffer.write(b"%.9g\n" % seconds + np.asarray(ends).tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
