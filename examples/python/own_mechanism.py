"""A mechanism of one's own: a four-bar linkage, driven by a motor with a drooping torque, its bearing forces."""

import kalaba as kb
import matplotlib.pyplot as plt
import numpy as np


def squared(vector):
    return vector @ vector


@kb.model(
    parameters={
        "crank": "0.3 m", "coupler": "1 m", "rocker": "0.8 m", "base": "1 m",
        "mA": "0.5 kg", "mB": "1 kg", "g": "9.81 m/s^2",
        "stall": {"default": "6 N m", "meaning": "torque of the motor at rest"},
        "idle": {"default": "15 1/s", "meaning": "speed at which it has none"},
    },
    coordinates={"xA": "m", "yA": "m", "xB": "m", "yB": "m"},
)  # fmt: skip
def four_bar(p, q, v, t):
    """Four-bar linkage by the positions of its two moving pins."""
    A, B, pivot = np.array([q.xA, q.yA]), np.array([q.xB, q.yB]), np.array([p.base, 0])
    vA, vB = np.array([v.xA, v.yA]), np.array([v.xB, v.yB])
    across = np.array([-q.yA, q.xA]) / p.crank  # along which the crank moves pin A
    push = p.stall * (1 - (across @ vA) / p.crank / p.idle) / p.crank * across
    # The circles about both pivots meet where the linkage is assembled.
    angle = kb.acos((p.coupler**2 + squared(A - pivot) - p.rocker**2) / (2 * p.coupler * kb.norm(*(A - pivot))))
    toward = kb.atan2(-q.yA, p.base - q.xA) + angle
    return {
        "lagrangian": p.mA * vA @ vA / 2 + p.mB * vB @ vB / 2 - p.g * (p.mA * q.yA + p.mB * q.yB),
        "force": {"xA": push[0], "yA": push[1]},
        "holonomic": {
            "crank_rod": kb.equal(squared(A) / 2, p.crank**2 / 2),
            "coupler_rod": kb.equal(squared(B - A) / 2, p.coupler**2 / 2),
            "rocker_rod": kb.equal(squared(B - pivot) / 2, p.rocker**2 / 2),
        },
        "start": {
            "xA": p.crank, "yA": 0,
            "xB": q.xA + p.coupler * kb.cos(toward), "yB": q.yA + p.coupler * kb.sin(toward),
        },
    }  # fmt: skip


print(four_bar)
terms = four_bar.terms()
print(f"A is {terms.A.shape}, of rank {terms.rank}; w' at the start: {terms.rate.round(3)}")

# At w' = a + G⁻¹Aᵀλ a rod of length l carries the force λ l: a multiplier a constraint, in the order of the function.
one = kb.simulate(four_bar, end=4.0, fields=["q", "multipliers"], save_every=5)
result = kb.sweep(four_bar, parameters={"stall": kb.linspace(2, 10, 60)}, end=4.0, save_every=1, fields=["multipliers"])
print(result.summary)

fig, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
for i in range(0, 120, 8):
    left.plot([0, one.xA[i], one.xB[i], 1], [0, one.yA[i], one.yB[i], 0], color="#1d5a96", alpha=0.35, lw=1)
left.plot(one.xB, one.yB, color="#b0563b")
left.set(aspect="equal", title="the linkage, and the path of pin B", xlabel="x / m", ylabel="y / m")
middle.plot(one.time, one.multipliers_coupler_rod * 1.0, label="coupler")
middle.plot(one.time, one.multipliers_rocker_rod * 0.8, label="rocker")
middle.set(title="forces in the rods", xlabel="t / s", ylabel="force / N", ylim=(-270, 270))
middle.legend(frameon=False, loc="upper right")
largest = abs(result.dataset.multipliers.sel(constraint="coupler_rod")).max("time")
right.plot(result.dataset.stall, largest)
right.set(title="the largest of 4 s", xlabel="torque at rest / (N m)", ylabel="force in the coupler / N")
fig.savefig("own_mechanism.png")
