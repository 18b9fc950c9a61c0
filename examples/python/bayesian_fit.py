"""A Bayesian fit of the length of a rod: NumPyro's sampler NUTS uses the derivatives of the motion.

    pip install 'kalaba[jax,plot]' numpyro
    python bayesian_fit.py
"""

from typing import Any

import jax
import matplotlib.pyplot as plt
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

import kalaba as kb
import kalaba.jax

jax.config.update("jax_enable_x64", True)


@kb.model(
    parameters=dict(m="0.5 kg", M="1 kg", r="0.3 m", L="1 m", g="9.81 m/s^2"), coordinates=dict(x="m", y="m", s="m")
)
def slider(p, q, v, t):
    """A crank and a rod that moves a slider on a rail."""
    return dict(
        lagrangian=p.m * (v.x**2 + v.y**2) / 2 + p.M * v.s**2 / 2 - p.m * p.g * q.y,
        holonomic=dict(crank=kb.equal(q.x**2 + q.y**2, p.r**2), rod=kb.equal((q.s - q.x) ** 2 + q.y**2, p.L**2)),
        start=dict(x=p.r * np.cos(1), y=p.r * np.sin(1), s=q.x + kb.sqrt(p.L**2 - q.y**2)),
    )


# A measurement: the place of the slider, 30 times, with an error of 5 mm.
times = np.linspace(0.05, 1.5, 30)
motion: dict[str, Any] = {"save_at": times, "end": 1.5, "dt": 0.005}
measured = kb.simulate(slider, L=0.8, **motion).s.values + 0.005 * np.random.default_rng(1).normal(size=30)


def posterior():
    L = numpyro.sample("L", dist.Uniform(0.5, 1.5))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.05))
    place = kb.jax.simulate(slider, L=L, on_failure="nan", **motion)["s"]
    numpyro.sample("s", dist.Normal(place, sigma), obs=measured)


sampler = MCMC(NUTS(posterior, max_tree_depth=4), num_warmup=100, num_samples=200, progress_bar=False)
sampler.run(jax.random.PRNGKey(0))
lengths, sigmas = (np.asarray(sampler.get_samples()[name]) for name in ("L", "sigma"))
print(f"L = {lengths.mean():.4f} +- {lengths.std():.4f} m (true: 0.8)")
print(f"sigma = {1000 * sigmas.mean():.1f} mm (true: 5)")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(times, measured, "o", label="measured")
bundle = kb.sweep(slider, parameters=dict(L=lengths[::20]), progress=None, **motion)["s"]
left.plot(times, bundle, color="C1", alpha=0.4)
left.set(xlabel="t / s", ylabel="s / m")
left.legend()
right.hist(lengths, bins=30)
right.set(xlabel="L / m", ylabel="samples")
figure.savefig("bayesian_fit.png")
