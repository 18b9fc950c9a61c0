"""PyTorch: torch.func's vmap over the members, constraints by its jacfwd and jvp, torch.linalg.pinv; in float64."""

from python_peer import read_problem, serve  # before PyTorch

import torch
from torch.func import jacfwd, jvp, vmap

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def constrained(metric, velocity, force, phi, psi=None):
    """The Udwadia-Kalaba rate of a model by the pseudo-inverse, as kalaba states it."""

    def rate(p, q, w):
        root = torch.sqrt(metric(p))
        given = force(p)

        def rows(q, w):
            phi_dot = jvp(lambda x: phi(p, x), (q,), (velocity(p, w),))[1]
            return phi_dot if psi is None else torch.cat([phi_dot, psi(p, q, w)])

        a = jacfwd(rows, argnums=1)(q, w)
        b = -jvp(lambda x: rows(x, w), (q,), (velocity(p, w),))[1]
        return velocity(p, w), given + torch.linalg.pinv(a / root) @ (b - a @ given) / root

    return rate


def masses(p):
    return torch.stack([p[0], p[0], p[1], p[1]])


def rod(q):
    return q[:2] - q[2:]


rates = {
    "spherical_pendulum": constrained(  # m, L, g
        metric=lambda p: torch.ones(3) / p[0],
        velocity=lambda p, w: w / p[0],
        force=lambda p: torch.tensor([0.0, 0.0, 1.0]) * (p[0] * p[2]),
        phi=lambda p, q: ((q @ q - p[1] ** 2) * (p[0] / 2)).unsqueeze(0),
    ),
    "two_particles_incline": constrained(  # m1, m2, L, alpha, g
        metric=lambda p: 1 / masses(p),
        velocity=lambda p, w: w / masses(p),
        force=lambda p: -p[4] * torch.sin(p[3]) * masses(p) * torch.tensor([0.0, 1.0, 0.0, 1.0]),
        phi=lambda p, q: ((rod(q) @ rod(q) - p[2] ** 2) / 2).unsqueeze(0),
        psi=lambda p, q, w: torch.stack([rod(q) @ w[:2] / p[0], rod(q) @ w[2:] / p[1]]),
    ),
}


def main():
    problem = read_problem()
    rate = vmap(rates[problem.system])
    p, q0, w0 = (torch.tensor(part.T.copy()) for part in (problem.p, problem.q, problem.w))
    dt = problem.dt

    @torch.no_grad()
    def solve():
        q, w = q0, w0
        for _ in range(problem.steps):
            k1, l1 = rate(p, q, w)
            k2, l2 = rate(p, q + dt / 2 * k1, w + dt / 2 * l1)
            k3, l3 = rate(p, q + dt / 2 * k2, w + dt / 2 * l2)
            k4, l4 = rate(p, q + dt * k3, w + dt * l3)
            q, w = q + dt / 6 * (k1 + 2 * (k2 + k3) + k4), w + dt / 6 * (l1 + 2 * (l2 + l3) + l4)
        return q.T.numpy()

    serve(solve)


if __name__ == "__main__":
    main()
