"""Diffrax: diffeqsolve with steps of the classical RK4, which it has not, stated by its tableau; vmap over the members, jit."""

from typing import ClassVar

from python_peer import read_problem, serve  # both before JAX
from jax_rates import rates

import diffrax
import jax
import jax.numpy as jnp
import numpy as np


class RK4(diffrax.AbstractERK):
    tableau: ClassVar[diffrax.ButcherTableau] = diffrax.ButcherTableau(
        c=np.array([0.5, 0.5, 1.0]),
        b_sol=np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6]),
        b_error=np.zeros(4),
        a_lower=(np.array([0.5]), np.array([0.0, 0.5]), np.array([0.0, 0.0, 1.0])),
    )
    interpolation_cls: ClassVar = diffrax.ThirdOrderHermitePolynomialInterpolation.from_k

    def order(self, terms):
        return 4


def main():
    problem = read_problem()
    rate = rates[problem.system]
    term = diffrax.ODETerm(lambda t, y, p: rate(p, *y))
    end = problem.steps * problem.dt

    def solve(p, q, w):
        solution = diffrax.diffeqsolve(
            term,
            RK4(),
            t0=0.0,
            t1=end,
            dt0=None,
            y0=(q, w),
            args=p,
            saveat=diffrax.SaveAt(t1=True),
            stepsize_controller=diffrax.StepTo(jnp.linspace(0.0, end, problem.steps + 1)),
            max_steps=problem.steps,
            adjoint=diffrax.ForwardMode(),
        )
        return solution.ys[0][0]

    solve_all = jax.jit(jax.vmap(solve, in_axes=1, out_axes=1))
    p, q, w = (jnp.asarray(part) for part in (problem.p, problem.q, problem.w))
    serve(lambda: np.asarray(solve_all(p, q, w)))


if __name__ == "__main__":
    main()
