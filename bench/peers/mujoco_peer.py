"""MuJoCo: its rollout, a loop over members and steps in C++, on one thread. Behind the numbers of the problem follow a
line "BYTES AXIS...", the bytes of an MJCF model and the axes of its masses that are the problem's coordinates."""

import sys

from python_peer import read_problem, serve

import mujoco
import numpy as np
from mujoco import rollout


def main():
    problem = read_problem()
    size, *axes = (int(word) for word in sys.stdin.buffer.readline().split())
    model = mujoco.MjModel.from_xml_string(sys.stdin.buffer.read(size).decode())
    model.opt.timestep = problem.dt
    if problem.system.endswith("_by_euler"):
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    members = problem.q.shape[1]
    state = mujoco.mjtState.mjSTATE_FULLPHYSICS
    starts = np.zeros((members, mujoco.mj_stateSize(model, state)))
    starts[:, 1 : 1 + model.nq] = problem.q.T  # time first
    starts[:, 1 + model.nq : 1 + model.nq + model.nv] = problem.w.T
    data = mujoco.MjData(model)

    def solve():
        motion, _ = rollout.rollout(model, data, starts, nstep=problem.steps)
        ends = np.empty(((model.nbody - 1) * len(axes), members))
        for member in range(members):
            mujoco.mj_setState(model, data, motion[member, -1], state)
            mujoco.mj_kinematics(model, data)
            ends[:, member] = data.xipos[1:, axes].ravel()
        return ends

    serve(solve)


if __name__ == "__main__":
    main()
