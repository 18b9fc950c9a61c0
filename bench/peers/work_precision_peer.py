"""Adaptive steps on the spherical pendulum, its constrained acceleration by hand: `scipy` (solve_ivp's DOP853, a member at
a time) or `heyoka` (Taylor series, a SIMD batch of members at a time). Ends are coordinates and momenta, [number][member]."""

import sys

from python_peer import read_problem, serve  # before any library counts the cores

import numpy as np


def by_scipy(problem):
    from scipy.integrate import solve_ivp

    def solve():
        ends = np.empty((6, problem.q.shape[1]))
        for i in range(ends.shape[1]):
            m, length, g = problem.p[:, i]
            stiffness = m / length**2

            def rate(_, y):
                pull = stiffness * ((y[3] ** 2 + y[4] ** 2 + y[5] ** 2) / m**2 + g * y[2])
                return [y[3] / m, y[4] / m, y[5] / m, -pull * y[0], -pull * y[1], m * g - pull * y[2]]

            start = np.concatenate([problem.q[:, i], problem.w[:, i]])
            tolerances = {"rtol": max(problem.tolerance, 2.3e-14), "atol": problem.tolerance / 100}
            ends[:, i] = solve_ivp(rate, (0, problem.end), start, method="DOP853", **tolerances).y[:, -1]
        return ends

    return solve


def by_heyoka(problem):
    import heyoka as hy

    x, y, z, px, py, pz = hy.make_vars("x", "y", "z", "px", "py", "pz")
    m, length, g = (hy.par[i] for i in range(3))
    pull = m / length**2 * ((px**2 + py**2 + pz**2) / m**2 + g * z)
    equations = [(x, px / m), (y, py / m), (z, pz / m), (px, -pull * x), (py, -pull * y), (pz, m * g - pull * z)]
    lanes = hy.recommended_simd_size()
    members = problem.q.shape[1]
    starts = np.concatenate([problem.q, problem.w])
    taylor = hy.taylor_adaptive_batch(equations, starts[:, :lanes].copy(), pars=problem.p[:, :lanes].copy(), tol=problem.tolerance)

    def solve():
        ends = np.empty((6, members))
        for first in range(0, members, lanes):
            some = slice(first, first + lanes)
            taylor.set_time(0.0)
            taylor.state[:] = starts[:, some]
            taylor.pars[:] = problem.p[:, some]
            taylor.propagate_until(problem.end)
            ends[:, some] = taylor.state
        return ends

    return solve


if __name__ == "__main__":
    problem = read_problem()
    serve({"scipy": by_scipy, "heyoka": by_heyoka}[problem.system.rpartition("_by_")[2]](problem))
