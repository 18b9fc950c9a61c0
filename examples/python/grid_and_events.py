"""A grid, its heat map, and events: after what time does a double pendulum's outer rod turn over?"""

import kalaba as kb
import matplotlib.pyplot as plt
import numpy as np

TURN = np.pi


@kb.model(
    parameters={"m": "1 kg", "l": "1 m", "g": "9.81 m/s^2"},
    coordinates={"x1": "m", "y1": "m", "a1": "1", "x2": "m", "y2": "m", "a2": "1"},
)
def rods(p, q, v, t):
    """Two uniform rods in a chain, each by its centre and its angle from hanging down."""
    end = [np.array([p.l / 2 * np.sin(a), -p.l / 2 * np.cos(a)]) for a in (q.a1, q.a2)]  # from a centre
    first, second = np.array([q.x1, q.y1]), np.array([q.x2, q.y2])
    top, joint = first - end[0], second - end[1] - (first + end[0])
    kinetic = p.m * (v.x1**2 + v.y1**2 + v.x2**2 + v.y2**2) / 2 + p.m * p.l**2 / 12 * (v.a1**2 + v.a2**2) / 2
    return {
        "lagrangian": kinetic - p.m * p.g * (q.y1 + q.y2),
        "holonomic": {
            "pivot_x": kb.equal(top[0], 0), "pivot_y": kb.equal(top[1], 0),
            "joint_x": kb.equal(joint[0], 0), "joint_y": kb.equal(joint[1], 0),
        },
        "start": {
            "a1": 1.0, "a2": 2.0,
            "x1": end[0][0], "y1": end[0][1], "x2": 2 * end[0][0] + end[1][0], "y2": 2 * end[0][1] + end[1][1],
        },
    }  # fmt: skip


points = 64
result = kb.sweep(
    rods,
    initial={"a1": kb.linspace(-TURN, TURN, points), "a2": kb.linspace(-TURN, TURN, points)}, project="keep_varied",
    end=6.0, dt=2e-3, save_every="final",
    events=[kb.event("turns", when=f"abs(a2) - {TURN}", direction="rising", action="stop")],
)  # fmt: skip
print(result.summary)

times = result.grid().event_time.sel(event="turns")  # (initial_a1, initial_a2)
print(
    f"{np.isfinite(times).sum().item()} of {times.size} turn over within 6 s, the first after {times.min().item():.2f} s"
)

fig, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
result.plot("time(turns)", kind="heatmap", ax=left, cmap="viridis_r")
left.set(aspect="equal", title="when the outer rod turns over")
result.plot(kind="events", ax=right)
fig.savefig("grid_and_events.png")
