"""A swarm: 300 agents that attract each other from afar and repel each other nearby, around one that walks a circle."""

import kalaba as kb
import matplotlib.pyplot as plt

N = 300
swarm = kb.Model.catalogue("swarm", agents=N)
result = kb.sweep(
    swarm, seed=2, initial={"agents": {"disk": 4}},
    parameters={"c": kb.linspace(0.5, 2, 4), "strength": 2 / N, "kappa": 2},
    agents=[{"which": [0], "constraint": "circle", "radius": 3, "angular_speed": 1}],
    end=8.0, dt=2e-2, save_every=10, fields=["q", "invariants"],
)  # fmt: skip
print(result.summary)

data = result.dataset  # q (time, coordinate, agent, member), invariants (time, invariant, member)
radius = data.invariants.sel(invariant="radius")
for c, end in zip(data.c.values, radius[-1].values):
    print(f"c = {c:.2f} m: root mean square distance from the centre {end:.3f} m")

fig, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
colors = plt.cm.viridis([0.1, 0.4, 0.65, 0.9])
for ax, time in zip(axes, (0, -1)):
    for member, color in enumerate(colors):
        x, y = data.q[time, :, :, member]
        ax.scatter(x, y, s=5, color=color, label=f"c = {data.c[member].item():.2g} m")
        ax.scatter(x[0], y[0], s=60, color=color, edgecolor="black", zorder=3)
    ax.set(aspect="equal", title=f"t = {data.time[time].item():g} s", xlabel="x / m", ylabel="y / m")
axes[1].legend(frameon=False, fontsize="small")
for member, color in enumerate(colors):
    axes[2].plot(data.time, radius[:, member], color=color)
axes[2].set(title="root mean square distance from the centre", xlabel="t / s", ylabel="radius / m", ylim=(0, None))
fig.savefig("swarm.png")
