#!/usr/bin/env python3
"""Compares Kalaba on a GPU with what one would use instead on the same GPU, in one run.

  pendulum   spherical_pendulum, FP64, n=3 m=1: Kalaba; an expert's kernel through CuPy; Numba-CUDA; JAX (jit of a
             fori_loop over vmap, and unrolled); PyTorch (one step captured in a CUDA graph)
  matrices   two_particles_incline, FP64, n=4 m=3: Kalaba's kernels by svd; Kalaba's cuSOLVER path; RK4 over CuPy's
             batched SVD (cuSOLVER gesvdjBatched)
  swarm      the paper's swarm, FP32, all pairs: Kalaba and JAX

The peers integrate right-hand sides that were derived by hand, but for `matrices`, where each solves for the constraint.
Before a peer's time counts, its answer is compared with Kalaba's. Every figure is the best of several runs after a first
one that compiles; on a GPU by CUDA events, or by the clock around a call that waits for the device.

Without a GPU all of it runs on the CPU with tiny sizes, to test the code: Numba in its simulator, the expert's arithmetic
and the batched SVD in NumPy. Such figures say nothing about a GPU and are marked so. A package that is missing is
reported and left out.
"""

import argparse
import csv
import importlib.metadata
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
FP64_OF_EXPERT = 90  # instructions of double precision in a step of gpu_expert.cu, sm_90
M, G = 1.0, 9.81  # kg, m/s^2: the catalogue's defaults


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=True).stdout.startswith(b"GPU")
    except (OSError, subprocess.CalledProcessError):
        return False


class Sizes:
    """What is measured at once. `checked` members are compared with Kalaba over `checked_steps` steps."""

    def __init__(self, on_gpu):
        self.on_gpu = on_gpu
        self.members = 2**20 if on_gpu else 64
        self.steps = 2000 if on_gpu else 4
        self.matrices = 2**16 if on_gpu else 16
        self.matrix_steps = 10 if on_gpu else 2
        self.checked = 4096 if on_gpu else 16
        self.checked_steps = 100 if on_gpu else 10
        self.agents = 2**14 if on_gpu else 32
        self.repeats = 5 if on_gpu else 1
        self.simulated = 4  # members of Numba's simulator, which takes a millisecond an operation
        self.seconds = 1.0 if on_gpu else 0.02


class Result:
    def __init__(self, case, who, version):
        self.row = {"case": case, "who": who, "version": version}

    def measured(self, rate, **more):
        self.row.update(rate=rate, **more)
        return self.row

    def left_out(self, why):
        self.row["not_measured"] = why
        return self.row


# ---- Kalaba ------------------------------------------------------------------------------------------------------------


class Kalaba:
    def __init__(self, program, on_gpu):
        self.program = program
        self.backend = "cuda" if on_gpu else "cpu"
        self.version = self.call("--version").splitlines()[0]

    def call(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"kalaba {' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def bench(self, sizes, system, *overrides):
        """The row of `kalaba bench`."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bench.json")
            words = [word for each in overrides for word in ("-s", each)]
            self.call("bench", system, *words, "--backend", self.backend, "--seconds", str(sizes.seconds), "--json", path)
            return json.loads(pathlib.Path(path).read_text())["rows"][0]

    def ends(self, system, columns, members, steps, dt, *overrides):
        """Starts and ends of `members` members, arrays of [column][member]."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ends.csv")
            values = [f"time.dt={dt!r}", f"time.end={steps * dt!r}", f"time.save_every={steps}",
                      "solver.stabilization=none", *overrides]
            words = [word for each in values for word in ("-s", each)]
            self.call("run", system, *words, "--backend", self.backend, "-o", path)
            with open(path) as file:
                rows = list(csv.DictReader(file))
        table = np.array([[float(row[column]) for column in columns] for row in rows])
        return table[0::2].T.copy(), table[1::2].T.copy()


# ---- the pendulum ------------------------------------------------------------------------------------------------------


def pendulum_rate(xp, state, length):
    """Udwadia 2016, section 4.1; state [x, y, z, p_x, p_y, p_z][member]."""
    q, w = state[:3], state[3:]
    pull = M / length**2 * ((w * w).sum(0) / M**2 + G * q[2])
    force = -pull * q
    gravity = xp.asarray([[0.0], [0.0], [M * G]], dtype=state.dtype) if state.ndim == 2 else xp.asarray([0.0, 0.0, M * G])
    return xp.concatenate([w / M, force + gravity])


def rk4(rate, state, dt):
    k1 = rate(state)
    k2 = rate(state + dt / 2 * k1)
    k3 = rate(state + dt / 2 * k2)
    k4 = rate(state + dt * k3)
    return state + dt / 6 * (k1 + 2 * (k2 + k3) + k4)


class Pendulum:
    """The problem as Kalaba's scenario states it, and its answer."""

    dt = 1e-3
    columns = ("x", "y", "z", "p_x", "p_y", "p_z")

    def __init__(self, kalaba, sizes):
        self.sizes = sizes
        self.length = np.linspace(0.5, 2, sizes.checked)
        self.start, self.end = kalaba.ends("spherical_pendulum", self.columns, sizes.checked, sizes.checked_steps, self.dt,
                                           f"parameters.L={{linspace=[0.5, 2, {sizes.checked}]}}")

    def many(self):
        """Start and lengths of the members that are timed: those that are checked, again and again."""
        times = -(-self.sizes.members // self.sizes.checked)
        repeat = lambda x: np.ascontiguousarray(np.tile(x, times)[..., : self.sizes.members])  # noqa: E731
        return repeat(self.start), repeat(self.length)

    def difference(self, end):
        scale = np.abs(self.end[:, : end.shape[1]]).max(axis=1, keepdims=True)
        return float((np.abs(end - self.end[:, : end.shape[1]]) / scale).max())


def best_by_clock(sizes, work):
    """Least seconds of `work`, which returns when the device is done; the first call compiles."""
    work()
    seconds = []
    for _ in range(sizes.repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def pendulum_by_kalaba(kalaba, problem, sizes):
    row = kalaba.bench(sizes, "spherical_pendulum", "solver.stabilization=none", "parameters.L={uniform=[0.5, 2]}")
    return row["member_steps_per_second"], {"members": row["members"], "difference": 0.0}


def pendulum_by_expert(kalaba, problem, sizes):
    """gpu_expert.cu through CuPy; its arithmetic in NumPy without a GPU."""
    if not sizes.on_gpu:
        state = problem.start
        for _ in range(sizes.checked_steps):
            state = rk4(lambda y: pendulum_rate(np, y, problem.length), state, problem.dt)
        start, length = problem.many()
        seconds = best_by_clock(sizes, lambda: rk4(lambda y: pendulum_rate(np, y, length), start, problem.dt))
        return sizes.members / seconds, {"members": sizes.members, "difference": problem.difference(state)}
    import cupy

    kernel = cupy.RawModule(code=(HERE / "gpu_expert.cu").read_text()).get_function("expert")

    def launch(state, length, steps):
        members = length.size
        kernel(((members + 127) // 128,), (128,),
               (state, length, np.int64(members), np.int64(members), M, G, problem.dt, np.int64(steps)))

    checked = cupy.asarray(problem.start)
    launch(checked, cupy.asarray(problem.length), sizes.checked_steps)
    start, length = (cupy.asarray(x) for x in problem.many())
    seconds = []
    for _ in range(sizes.repeats):
        state = start.copy()
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        launch(state, length, sizes.steps)
        end.record()
        end.synchronize()
        seconds.append(1e-3 * cupy.cuda.get_elapsed_time(begin, end))
    difference = problem.difference(cupy.asnumpy(checked))
    return sizes.members * sizes.steps / min(seconds), {"members": sizes.members, "difference": difference}


def pendulum_by_numba(kalaba, problem, sizes):
    if not sizes.on_gpu:
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    global cuda  # the simulator replaces names of the module alone
    from numba import cuda

    @cuda.jit
    def advance(state, length, m, g, dt, steps):
        i = cuda.grid(1)
        if i >= length.size:
            return
        x, y, z = state[0, i], state[1, i], state[2, i]
        u, v, w = state[3, i], state[4, i], state[5, i]
        factor = m / (length[i] * length[i])
        for _ in range(steps):
            ax, ay, az, au, av, aw = x, y, z, u, v, w
            bx, by, bz, bu, bv, bw = x, y, z, u, v, w
            for stage in range(4):
                pull = factor * ((bu * bu + bv * bv + bw * bw) / (m * m) + g * bz)
                kx, ky, kz = bu / m, bv / m, bw / m
                ku, kv, kw = -pull * bx, -pull * by, m * g - pull * bz
                weight = dt / 6 if stage == 0 or stage == 3 else dt / 3
                ax, ay, az = ax + weight * kx, ay + weight * ky, az + weight * kz
                au, av, aw = au + weight * ku, av + weight * kv, aw + weight * kw
                ahead = dt if stage == 2 else dt / 2
                bx, by, bz = x + ahead * kx, y + ahead * ky, z + ahead * kz
                bu, bv, bw = u + ahead * ku, v + ahead * kv, w + ahead * kw
            x, y, z, u, v, w = ax, ay, az, au, av, aw
        state[0, i], state[1, i], state[2, i] = x, y, z
        state[3, i], state[4, i], state[5, i] = u, v, w

    def run(start, length, steps):
        state, length = cuda.to_device(start), cuda.to_device(length)
        begin = time.perf_counter()
        advance[(length.size + 127) // 128, 128 if sizes.on_gpu else sizes.simulated](state, length, M, G, problem.dt, steps)
        cuda.synchronize()
        return time.perf_counter() - begin, state.copy_to_host()

    checked = sizes.checked if sizes.on_gpu else sizes.simulated
    end = run(problem.start[:, :checked].copy(), problem.length[:checked].copy(), sizes.checked_steps)[1]
    start, length = problem.many() if sizes.on_gpu else (problem.start[:, :checked].copy(), problem.length[:checked].copy())
    seconds = min(run(start, length, sizes.steps)[0] for _ in range(sizes.repeats))
    return length.size * sizes.steps / seconds, {"members": length.size, "difference": problem.difference(end)}


def import_jax(sizes):
    os.environ["JAX_PLATFORMS"] = "cuda" if sizes.on_gpu else "cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax

    return jax


def pendulum_by_jax(kalaba, problem, sizes, unroll=1):
    jax = import_jax(sizes)
    jnp = jax.numpy
    step = jax.vmap(lambda y, length: rk4(lambda s: pendulum_rate(jnp, s, length), y, problem.dt), in_axes=(1, 0), out_axes=1)

    def solver(steps):
        return jax.jit(lambda y, length: jax.lax.fori_loop(0, steps, lambda i, s: step(s, length), y, unroll=unroll))

    end = np.asarray(solver(sizes.checked_steps)(problem.start, problem.length))
    start, length = (jax.device_put(x) for x in problem.many())
    solve = solver(sizes.steps)
    seconds = best_by_clock(sizes, lambda: solve(start, length).block_until_ready())
    return sizes.members * sizes.steps / seconds, {"members": sizes.members, "difference": problem.difference(end)}


def pendulum_by_jax_unrolled(kalaba, problem, sizes):
    return pendulum_by_jax(kalaba, problem, sizes, unroll=8 if sizes.on_gpu else 2)


def pendulum_by_torch(kalaba, problem, sizes):
    """One step, captured in a CUDA graph and replayed; without a GPU called as it stands."""
    import torch

    device = "cuda" if sizes.on_gpu else "cpu"

    def rate(state, length):
        q, w = state[:3], state[3:]
        pull = M / length**2 * ((w * w).sum(0) / M**2 + G * q[2])
        force = -pull * q
        force[2] += M * G
        return torch.cat([w / M, force])

    def stepper(start, length):
        state, length = torch.tensor(start, device=device), torch.tensor(length, device=device)

        def step():
            state.copy_(rk4(lambda s: rate(s, length), state, problem.dt))

        if not sizes.on_gpu:
            return state, step
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                step()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        state.copy_(torch.tensor(start, device=device))
        return state, graph.replay

    with torch.no_grad():
        checked, step = stepper(problem.start, problem.length)
        for _ in range(sizes.checked_steps):
            step()
        end = checked.cpu().numpy()
        state, step = stepper(*problem.many())
        steps = max(sizes.steps // 10, 1)

        def work():
            for _ in range(steps):
                step()
            if sizes.on_gpu:
                torch.cuda.synchronize()

        seconds = best_by_clock(sizes, work)
    return sizes.members * steps / seconds, {"members": sizes.members, "difference": problem.difference(end)}


# ---- matrices ----------------------------------------------------------------------------------------------------------


PARTICLE_COLUMNS = ("x1", "y1", "x2", "y2", "p_x1", "p_y1", "p_x2", "p_y2")
PARTICLE_PARAMETERS = {"m1": 1.0, "m2": 2.0, "alpha": 0.5, "g": 9.81}  # the catalogue's defaults


def matrices_by_kalaba(kalaba, problem, sizes):
    row = kalaba.bench(sizes, "two_particles_incline", "solver.pseudo_inverse=svd", "solver.stabilization=none")
    return row["member_steps_per_second"], {"members": row["members"]}


def matrices_by_kalaba_cusolver(kalaba, problem, sizes):
    if not sizes.on_gpu:
        raise LookupError("cuSOLVER needs a GPU")
    row = kalaba.bench(sizes, "two_particles_incline", "solver.pseudo_inverse=cusolver", "solver.stabilization=none")
    return row["member_steps_per_second"], {"members": row["members"]}


def array_module(sizes):
    if not sizes.on_gpu:
        return np
    import cupy

    return cupy


def matrices_by_batched_svd(kalaba, problem, sizes):
    """RK4 whose rate forms A and b by hand and applies A+ by a batched SVD: on a GPU cuSOLVER's gesvdjBatched."""
    xp = array_module(sizes)
    m1, m2, alpha, g = problem["m1"], problem["m2"], problem["alpha"], problem["g"]
    masses = np.array([m1, m1, m2, m2])
    root = xp.asarray(np.sqrt(1 / masses))
    gravity = xp.asarray(-g * math.sin(alpha) * masses * np.array([0.0, 1.0, 0.0, 1.0]))
    inverse_masses = xp.asarray(1 / masses)

    def rate(state):  # [member][x1, y1, x2, y2, p...]
        q, w = state[:, :4], state[:, 4:]
        v = w * inverse_masses
        rod, speed = q[:, :2] - q[:, 2:], v[:, :2] - v[:, 2:]
        a = xp.zeros((state.shape[0], 3, 4))
        a[:, 0, :2], a[:, 0, 2:] = rod / m1, -rod / m2
        a[:, 1, :2], a[:, 2, 2:] = rod / m1, rod / m2
        b = -xp.stack([(speed * speed).sum(1), (speed * v[:, :2]).sum(1), (speed * v[:, 2:]).sum(1)], axis=1)
        scaled = a / root
        u, s, vt = xp.linalg.svd(scaled, full_matrices=False)
        inverse = xp.where(s > 1e-10 * s[:, :1], 1 / xp.where(s > 0, s, 1), 0)
        defect = b - a @ gravity
        solution = xp.einsum("nji,nj->ni", vt, inverse * xp.einsum("nji,nj->ni", u, defect))
        return xp.concatenate([v, gravity + solution / root], axis=1)

    def run(state, steps):
        for _ in range(steps):
            state = rk4(rate, state, problem["dt"])
        return state

    def wait():
        if sizes.on_gpu:
            xp.cuda.get_current_stream().synchronize()

    end = run(xp.asarray(problem["start"].T), sizes.checked_steps)
    end = xp.asnumpy(end).T if sizes.on_gpu else end.T
    difference = float((np.abs(end - problem["end"]) / np.abs(problem["end"]).max(axis=1, keepdims=True)).max())
    times = -(-sizes.matrices // sizes.checked)
    start = xp.asarray(np.tile(problem["start"], times)[:, : sizes.matrices].T)

    def work():
        run(start, sizes.matrix_steps)
        wait()

    seconds = best_by_clock(sizes, work)
    return sizes.matrices * sizes.matrix_steps / seconds, {"members": sizes.matrices, "difference": difference}


def two_particles(kalaba, sizes):
    """two_particles_incline: A (3 x 4) has rank 2, so that the rate needs a pseudo-inverse. Kalaba's starts and ends."""
    start, end = kalaba.ends("two_particles_incline", PARTICLE_COLUMNS, sizes.checked, sizes.checked_steps, 1e-3,
                             f"parameters.L={{linspace=[0.5, 1.5, {sizes.checked}]}}", "solver.pseudo_inverse=svd")
    return {**PARTICLE_PARAMETERS, "dt": 1e-3, "start": start, "end": end}


# ---- the swarm ---------------------------------------------------------------------------------------------------------


def swarm_by_kalaba(kalaba, problem, sizes):
    precision = "single" if sizes.on_gpu else "double"  # the cpu backend has swarms in double precision alone
    row = kalaba.bench(sizes, "swarm", f"structure.agents={sizes.agents}", f"solver.precision={precision}",
                       "solver.pair_sum=all_pairs")
    return row["pairs_per_second"], {"members": row["members"], "unit": "pairs/s"}


def swarm_by_jax(kalaba, problem, sizes):
    """All pairs of a force of the same kind, in blocks of targets; pairs/s, not the same trajectory."""
    jax = import_jax(sizes)
    jnp = jax.numpy
    x = jax.random.normal(jax.random.key(1), (sizes.agents, 2), dtype=jnp.float32)

    def force(one, others):
        d = one - others
        r2 = (d * d).sum(1) + jnp.float32(1e-6)
        return (d * (1 / r2 - jnp.float32(1))[:, None]).sum(0)

    solve = jax.jit(lambda y: jax.lax.map(lambda one: force(one, y), y, batch_size=min(1024, sizes.agents)))
    seconds = best_by_clock(sizes, lambda: solve(x).block_until_ready())
    return sizes.agents**2 / seconds, {"members": 1, "unit": "pairs/s"}


# ---- all ---------------------------------------------------------------------------------------------------------------


def installed(names):
    """Name and version of the first of these packages that is installed."""
    for name in names:
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


CASES = {
    "pendulum": (Pendulum, {
        "kalaba": (pendulum_by_kalaba, ()),
        "expert": (pendulum_by_expert, ("cupy-cuda13x", "cupy-cuda12x", "cupy")),
        "numba": (pendulum_by_numba, ("numba",)),
        "jax": (pendulum_by_jax, ("jax",)),
        "jax_unrolled": (pendulum_by_jax_unrolled, ("jax",)),
        "torch": (pendulum_by_torch, ("torch",)),
    }),
    "matrices": (two_particles, {
        "kalaba": (matrices_by_kalaba, ()),
        "kalaba_cusolver": (matrices_by_kalaba_cusolver, ()),
        "batched_svd": (matrices_by_batched_svd, ("cupy-cuda13x", "cupy-cuda12x", "cupy", "numpy")),
    }),
    "swarm": (lambda kalaba, sizes: None, {
        "kalaba": (swarm_by_kalaba, ()),
        "jax": (swarm_by_jax, ("jax",)),
    }),
}


def fp64_peak():
    """Double-precision instructions a second of the GPU that is here, with a fused multiply-add as one; 0: not known."""
    try:
        import cupy

        device = cupy.cuda.Device(0)
        facts = device.attributes  # the properties have no clock since CUDA 13
        a_clock = {"80": 32, "90": 64, "100": 64}.get(device.compute_capability, 2)
        return facts["MultiProcessorCount"] * a_clock * 1e3 * facts["ClockRate"]
    except Exception:  # noqa: BLE001: without it the share is left out
        return 0.0


def measure(kalaba, sizes, only):
    rows = []
    peak = fp64_peak() if sizes.on_gpu else 0.0
    for case, (prepare, peers) in CASES.items():
        problem = None
        for who, (work, packages) in peers.items():
            if only and who.split("_")[0] not in only and who not in only:
                continue
            result = Result(case, who, installed(packages) if packages else kalaba.version)
            try:
                if problem is None:
                    problem = prepare(kalaba, sizes)
                rate, facts = work(kalaba, problem, sizes)
                if case == "pendulum" and peak > 0:
                    facts["share_of_fp64_peak"] = rate * FP64_OF_EXPERT / peak
                rows.append(result.measured(rate, **facts))
                if facts.get("difference", 0.0) > 1e-8:
                    rows[-1]["wrong"] = True
            except (ImportError, LookupError) as error:
                rows.append(result.left_out(str(error)))
            except Exception as error:  # noqa: BLE001: a peer that fails must not lose the other figures
                rows.append(result.left_out(f"{type(error).__name__}: {error}"))
                rows[-1]["failed"] = True
            print(line(rows[-1]), flush=True)
    return rows


def line(row):
    head = f"{row['case']:<10} {row['who']:<16}"
    if "not_measured" in row:
        return f"{head} not measured: {row['not_measured'].splitlines()[0][:120]}"
    text = f"{head} {row['rate']:>12.4g} {row.get('unit', 'steps/s'):<8}"
    if "share_of_fp64_peak" in row:
        text += f" {100 * row['share_of_fp64_peak']:5.1f} % of FP64"
    if "difference" in row:
        text += f"  difference {row['difference']:.1e}"
    return text + ("  WRONG" if row.get("wrong") else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kalaba", default="kalaba", help="the program (default: the first kalaba of $PATH)")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--only", nargs="+", help="these peers alone, for example kalaba jax")
    parser.add_argument("--on", choices=("cpu", "gpu"), help="in place of the GPU that nvidia-smi finds, or the CPU")
    arguments = parser.parse_args()
    sizes = Sizes(arguments.on == "gpu" if arguments.on else has_gpu())
    kalaba = Kalaba(arguments.kalaba, sizes.on_gpu)
    if not sizes.on_gpu:
        print("no GPU: tiny sizes on the CPU, to test the code; these figures say nothing about a GPU")
    rows = measure(kalaba, sizes, arguments.only)
    if arguments.json:
        document = {"on_gpu": sizes.on_gpu, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "python": sys.version.split()[0], "rows": rows}
        pathlib.Path(arguments.json).write_text(json.dumps(document, indent=1) + "\n")
    sys.exit(1 if any(row.get("wrong") or row.get("failed") for row in rows) else 0)


if __name__ == "__main__":
    main()
