"""A design by gradients: the wire on which a bead reaches the bottom at a given time, found by optax.

    pip install 'kalaba[jax,plot]' optax
    python design_by_gradients.py
"""

import jax
import matplotlib.pyplot as plt
import optax

import kalaba as kb
import kalaba.jax

jax.config.update("jax_enable_x64", True)


@kb.model(parameters=dict(m="1 kg", c="0.5 1/m", g="9.81 m/s^2"), coordinates=dict(x="m", y="m"))
def bead(p, q, v, t):
    """Bead on a parabolic wire."""
    return dict(
        lagrangian=p.m * (v.x**2 + v.y**2) / 2 - p.m * p.g * q.y,
        holonomic=dict(wire=kb.equal(q.y, p.c * q.x**2)),
        start=dict(x=1.0, y=p.c * q.x**2),
    )


wanted = 0.6  # s
bottom = kb.event("bottom", when="x", direction="falling")


def cost(c):
    motion = kb.jax.simulate(bead, c=c, events=[bottom], end=2.0, dt=0.01, save_every="final")
    time = motion["event_time_bottom"]  # has a derivative by c, as the state has
    return (time - wanted) ** 2, time


step = jax.jit(jax.value_and_grad(cost, has_aux=True))
optimizer = optax.adam(0.1)
c = 0.5
state, path = optimizer.init(c), []
for _ in range(100):
    (_, time), slope = step(c)
    path.append((float(c), float(time)))
    update, state = optimizer.update(slope, state)
    c = optax.apply_updates(c, update)

print(f"c = {path[-1][0]:.3f} 1/m: the bead is at the bottom after {path[-1][1]:.4f} s")

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(*zip(*path), "o-", markersize=3)
ax.axhline(wanted, color="gray", linestyle="--")
ax.set(xlabel="c / (1/m)", ylabel="time of the bottom / s")
figure.savefig("design_by_gradients.png")
