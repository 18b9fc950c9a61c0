"""JAX: vmap over the members, jit over the whole run."""

from python_peer import read_problem, serve  # both before JAX
from jax_rates import rates

import jax
import jax.numpy as jnp
import numpy as np


def rk4(rate, dt):
    def step(p, q, w):
        k1, l1 = rate(p, q, w)
        k2, l2 = rate(p, q + dt / 2 * k1, w + dt / 2 * l1)
        k3, l3 = rate(p, q + dt / 2 * k2, w + dt / 2 * l2)
        k4, l4 = rate(p, q + dt * k3, w + dt * l3)
        return q + dt / 6 * (k1 + 2 * (k2 + k3) + k4), w + dt / 6 * (l1 + 2 * (l2 + l3) + l4)

    return jax.vmap(step, in_axes=1, out_axes=1)


def main():
    problem = read_problem()
    step = rk4(rates[problem.system], problem.dt)

    @jax.jit
    def solve(p, q, w):
        return jax.lax.fori_loop(0, problem.steps, lambda i, y: step(p, *y), (q, w))[0]

    p, q, w = (jnp.asarray(part) for part in (problem.p, problem.q, problem.w))
    serve(lambda: np.asarray(solve(p, q, w)))


if __name__ == "__main__":
    main()
