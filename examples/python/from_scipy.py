"""From SciPy (and MuJoCo) to Kalaba: 100 spherical pendulums of different lengths, the same motion three times."""

import time

import kalaba as kb
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

G, PUSH, END = 9.81, 1.5, 5.0  # m/s^2, m/s, s
lengths = np.linspace(0.5, 2.0, 100)  # m
heights, seconds = {}, {}  # z at the end by who computed it, and how long that took


# ---- SciPy: the accelerations by hand, a member at a time. Nothing holds the rod's length but the tolerance. ----
def rate(t, state):
    q, v = state[:3], state[3:]
    force = np.array([0, 0, -G])
    tension = (v @ v + q @ force) / (q @ q)  # from d²/dt² (q·q) = 0
    return np.concatenate([v, force - tension * q])


begin = time.perf_counter()
heights["SciPy"] = [
    solve_ivp(rate, (0, END), [L, 0, 0, 0, PUSH, 0], method="DOP853", rtol=1e-9, atol=1e-11).y[2, -1] for L in lengths
]
seconds["SciPy"] = time.perf_counter() - begin


# ---- Kalaba: the energy and the rod; accelerations, projection and the loop over members are its own. ----
@kb.model(parameters={"L": "1 m", "g": f"{G} m/s^2"}, coordinates={"x": "m", "y": "m", "z": "m"})
def pendulum(p, q, v, t):
    """Spherical pendulum of unit mass."""
    return {
        "lagrangian": (v.x**2 + v.y**2 + v.z**2) / 2 - p.g * q.z,
        "holonomic": {"rod": kb.equal(q.x**2 + q.y**2 + q.z**2, p.L**2)},
        "start": {"x": p.L, "y_dot": PUSH},
    }


begin = time.perf_counter()
result = kb.sweep(pendulum, parameters={"L": lengths}, end=END, tolerance=1e-9, save_every="final")
heights["Kalaba, first"] = heights["Kalaba, again"] = result.dataset.q.sel(coordinate="z")[-1].values
seconds["Kalaba, first"] = time.perf_counter() - begin  # the model is compiled, unless it was before
begin = time.perf_counter()
kb.sweep(pendulum, parameters={"L": lengths}, end=END, tolerance=1e-9, save_every="final")
seconds["Kalaba, again"] = time.perf_counter() - begin


# ---- MuJoCo, where it is installed: a body on a ball joint, a model a length, small equal steps. ----
def in_mujoco(mujoco, L):
    model = mujoco.MjModel.from_xml_string(f"""
      <mujoco><option timestep="0.002" integrator="RK4" gravity="0 0 {-G}"/><worldbody><body>
        <joint type="ball"/><inertial pos="{L} 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/>
      </body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[:] = [0, 0, PUSH / L]
    mujoco.mj_step(model, data, nstep=round(END / 0.002))
    mujoco.mj_kinematics(model, data)
    return data.xipos[1, 2]


try:
    import mujoco
except ModuleNotFoundError:
    print("MuJoCo is not installed here, and is left out")
else:
    begin = time.perf_counter()
    heights["MuJoCo"] = [in_mujoco(mujoco, L) for L in lengths]
    seconds["MuJoCo"] = time.perf_counter() - begin

print(result.summary)
for name, took in seconds.items():
    off = np.max(np.abs(np.array(heights[name]) - heights["Kalaba, first"]))
    print(f"{name:15} {took:8.3f} s   z(5 s) is at most {off:.1e} m from Kalaba's")

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for name, dashes in (("SciPy", (1, 1)), ("Kalaba, first", (4, 4))):
    left.plot(lengths, heights[name], label=name.split(",")[0], dashes=dashes, linewidth=2)
left.set(xlabel="L / m", ylabel="z after 5 s / m")
left.legend(frameon=False)
bars = right.barh([*seconds], [*seconds.values()], color="#a9c8e6")
right.bar_label(bars, fmt="%.2f s", padding=4)
right.set(xscale="log", xlabel="time for 100 motions / s")
right.margins(x=0.3)
fig.savefig("from_scipy.png")
