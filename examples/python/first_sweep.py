"""A first sweep: 2,000 pendulums of uncertain length and push, and what becomes of them."""

import kalaba as kb
import matplotlib.pyplot as plt
import numpy as np

print(kb.catalogue()[:5], "...")
pendulum = kb.Model.catalogue("spherical_pendulum")
print(pendulum.parameters)

result = kb.sweep(
    pendulum, members=2000, seed=1, design="sobol",
    parameters={"L": kb.normal(1.0, 0.1, within=(0.7, 1.3))},
    initial={"p_y": kb.uniform(1.0, 2.0)}, project="keep_varied",
    end=5.0, save_every=20, fields=["q", "energy"], statistics=["mean", "quantiles"],
)  # fmt: skip
print(result.summary)

data = result.dataset  # q (time, coordinate, member), L (member), ...
z = data.q.sel(coordinate="z")
print(f"lowest point of all: {z.min().item():.3f} m; median at the end: {z[-1].median().item():.3f} m")
print(f"correlation of L and the mean height: {np.corrcoef(data.L, z.mean('time'))[0, 1]:.3f}")

fig, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
result.plot("z", ax=axes[0, 0])  # a fan: median, 25-75 %, 5-95 %
result.plot("x", "y", kind="path", member=[0, 1, 2], ax=axes[0, 1])
result.plot("min(z)", kind="histogram", ax=axes[1, 0])
result.plot("mean(z)", kind="sensitivity", ax=axes[1, 1])
fig.savefig("first_sweep.png")
