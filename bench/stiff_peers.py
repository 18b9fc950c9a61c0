#!/usr/bin/env python3
"""Compares Kalaba with other solvers of stiff systems: computing time against error, one thread.

  chain      eight rods with stiff, damped joints for 1 s. Kalaba: positions of the joints, each rod stated twice
  governor   flyball governor of the IFToMM library (A05) for 10 s. Kalaba: the mechanism, from bodies and joints

  kalaba     rodas5p and dop853, a batch of members (SIMD) and a single member
  cvode      SUNDIALS CVODE (BDF) in independent coordinates
  ida        SUNDIALS IDA in the same coordinates
  ida_rods   SUNDIALS IDA on the chain in positions and multipliers, each rod stated once (stabilized index 2)
  radau, bdf SciPy's Radau and BDF in independent coordinates

The peers integrate equations derived by hand (peers/stiff_systems.hpp), compiled by g++ -O3 for this CPU, with exact
Jacobians and dense matrices. Independent coordinates are to their advantage: no constraint is left, and a member of the
chain has 16 unknowns in place of 32. SUNDIALS itself is Debian's build, for any x86-64.

The members differ in their damping. An error is the worst of all numbers and members at the end, relative to the
largest number of the same group (positions, velocities; each number of the governor for itself). The solution is that
of SciPy's Radau at a relative tolerance of 1e-12. SciPy's DOP853, an explicit method, confirms it for one member;
errors below twice the difference are not resolved.

Times are the shortest of several runs, for a member. For the peers they are the CPU time of the thread; for Kalaba the
CPU time of kalaba.run(), less that of a run of one member for 1e-4 s, which reads the model and loads its code.
Absolute tolerances are a thousandth of the relative ones.

A peer that is not installed is reported and left out. SUNDIALS is Debian's libsundials-dev, installed or unpacked into
build/sundials; `./dev bench --stiff` unpacks it.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # before NumPy is loaded
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import scipy  # noqa: E402
from scipy.integrate import solve_ivp  # noqa: E402

import kalaba  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-march=native"]
SUNDIALS = ("cvode", "ida", "sunlinsoldense", "sunmatrixdense", "nvecserial", "generic")
ABSOLUTE = 1e-3  # absolute tolerance, relative to the relative one
TARGETS = (1e-4, 1e-6, 1e-8)  # errors for which the times are compared


class Sizes:
    def __init__(self, tiny):
        self.members = 2 if tiny else 32
        self.copies = 4  # of each member in a batch of Kalaba
        self.slow_members = 1 if tiny else 4  # of SciPy
        self.rounds = 1 if tiny else 2  # through all solvers, so that a short load of the machine affects all alike
        self.repeats = 1 if tiny else 5
        self.slow_repeats = 1 if tiny else 2
        self.seconds = 30.0  # after which a curve has no further points
        self.compile = "auto" if tiny else "always"
        self.tolerances = [1e-4, 1e-6] if tiny else [10.0**-k for k in range(2, 12)]
        self.explicit_tolerances = [1e-4] if tiny else [1e-4, 1e-6, 1e-8]


# ---- the compiled equations ------------------------------------------------------------------------------------------


class Figures(ctypes.Structure):
    """Declared in peers/stiff_sundials.cpp too."""

    _fields_ = [(name, ctypes.c_long) for name in ("steps", "rates", "jacobians")] + [("seconds", ctypes.c_double)]


def find_sundials():
    """Folder of the headers and the static libraries; None if they are not installed."""
    for root in (pathlib.Path("/usr"), HERE.parent / "build" / "sundials" / "usr"):
        libraries = [next((root / "lib").glob(f"**/libsundials_{name}.a"), None) for name in SUNDIALS]
        if (root / "include" / "cvode" / "cvode.h").exists() and all(libraries):
            return root / "include", libraries
    return None


def compile_equations(folder):
    """Returns the library of the equations, and the version of SUNDIALS; "" without it."""
    sources, more, version = [HERE / "peers" / "stiff_rates.cpp"], [], ""
    found = find_sundials()
    if found:
        headers, libraries = found
        sources.append(HERE / "peers" / "stiff_sundials.cpp")
        more = ["-isystem", headers, *libraries]
        text = (headers / "sundials" / "sundials_config.h").read_text()
        version = re.search(r'SUNDIALS_VERSION "([^"]+)"', text).group(1)
    library = pathlib.Path(folder) / "stiff_peers.so"
    subprocess.run(["g++", *FLAGS, "-fPIC", "-shared", *sources, "-o", library, *more], check=True)
    return ctypes.CDLL(str(library)), version


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Case:
    """A system with its members, which differ in one parameter, and its solution."""

    def __init__(self, name, parameter, values, copies, end, states, columns, groups):
        self.name, self.parameter, self.end, self.states = name, parameter, end, states
        self.values, self.copies = values, copies  # Kalaba runs each member so often in one batch
        self.columns, self.groups = columns, groups  # names of the numbers at the end, and their groups

    def prepare(self, library):
        self.library = library
        self.start = np.empty(self.states)
        getattr(library, f"{self.name}_start")(pointer(self.start))
        header = (HERE.parent / "tests" / "rosenbrock" / "models.hpp").read_text()
        text = re.search(rf'{self.name}_text = R"toml\((.*?)\)toml"', header, re.DOTALL).group(1)
        self.model = kalaba.Model.parse(text[text.index("[model]") :])

    def rate(self, value):
        function = getattr(self.library, f"{self.name}_rate")

        def rate(_, y):
            y, result = np.ascontiguousarray(y), np.empty(self.states)
            function(pointer(y), ctypes.c_double(value), pointer(result))
            return result

        return rate

    def jacobian(self, value):
        function = getattr(self.library, f"{self.name}_jacobian")

        def jacobian(_, y):
            y, result = np.ascontiguousarray(y), np.empty((self.states, self.states))
            function(pointer(y), ctypes.c_double(value), pointer(result))
            return result

        return jacobian

    def end_of(self, y):
        numbers = np.empty(len(self.columns))
        getattr(self.library, f"{self.name}_end")(pointer(np.ascontiguousarray(y)), pointer(numbers))
        return numbers

    def solve(self):
        """Computes the solution, and its difference from that of an explicit method."""
        ends = [self.end_of(by_scipy(self, value, "Radau", 1e-12).y[:, -1]) for value in self.values]
        self.solution = np.array(ends)
        sizes = {group: 0.0 for group in self.groups}
        for group, column in zip(self.groups, self.solution.T):
            sizes[group] = max(sizes[group], abs(column).max())
        self.sizes = np.array([sizes[group] for group in self.groups])
        confirmed = self.end_of(by_scipy(self, self.values[0], "DOP853", 1e-12).y[:, -1])
        self.trusted = self.error(confirmed[None, :], slice(0, 1))

    def error(self, ends, which):
        return float((abs(ends - self.solution[which]) / self.sizes).max())


def cases(sizes):
    joints = range(1, 9)
    positions = [f"{axis}{i}" for i in joints for axis in "xy"]
    chain_columns = positions + [f"{name}_dot" for name in positions]
    governor_columns = ["s", "alpha", "turn", "s_dot", "alpha_dot", "turn_dot"]
    return [
        Case("chain", "eta", np.geomspace(2e4, 5e3, sizes.members), sizes.copies, 1.0, 16, chain_columns,
             ["positions"] * 16 + ["velocities"] * 16),
        Case("governor", "c", np.geomspace(8e4, 2e4, sizes.members), sizes.copies, 10.0, 6,
             governor_columns, governor_columns),
    ]


# ---- solvers: each returns ends [member][number], and figures of a member --------------------------------------------


def by_scipy(case, value, method, tolerance):
    exact = {} if method == "DOP853" else {"jac": case.jacobian(value)}
    done = solve_ivp(case.rate(value), (0, case.end), case.start, method=method, rtol=tolerance,
                     atol=ABSOLUTE * tolerance, **exact)
    if not done.success:
        raise RuntimeError(done.message)
    return done


def scipy_peer(method):
    def solve(case, values, tolerance, sizes):
        best, runs = math.inf, []
        for _ in range(sizes.slow_repeats):
            begin = time.thread_time()
            runs = [by_scipy(case, value, method, tolerance) for value in values]
            best = min(best, time.thread_time() - begin)
        mean = lambda number: float(np.mean([number(run) for run in runs]))  # noqa: E731
        figures = {"seconds": best / len(values), "steps": mean(lambda run: run.t.size - 1),
                   "rates": mean(lambda run: run.nfev), "jacobians": mean(lambda run: run.njev)}
        return np.array([case.end_of(run.y[:, -1]) for run in runs]), figures

    return solve


def sundials_peer(method):
    def solve(case, values, tolerance, sizes):
        function = getattr(case.library, f"{case.name}_{method}")
        best, ends = math.inf, np.empty((len(values), len(case.columns)))
        for _ in range(sizes.repeats):
            figures = Figures()
            for value, end in zip(values, ends):
                numbers = [ctypes.c_double(x) for x in (value, tolerance, ABSOLUTE * tolerance)]
                if function(*numbers, pointer(end), ctypes.byref(figures)) != 0:
                    raise RuntimeError("SUNDIALS failed")
            best = min(best, figures.seconds)
        counts = {name: getattr(figures, name) / len(values) for name in ("steps", "rates", "jacobians")}
        return ends, {"seconds": best / len(values), **counts}

    return solve


def kalaba_run(case, values, integrator, tolerance, end, sizes):
    """Returns the result and the CPU time of the call."""
    ensemble = kalaba.Ensemble(case.model, len(values), parameters={case.parameter: np.asarray(values)})
    begin = time.process_time()
    result = kalaba.run(
        ensemble, backend="cpu", threads=1, compile=sizes.compile, progress=False, end=end, dt=1e-4, save_at=[end],
        integrator=integrator, relative_tolerance=tolerance, absolute_tolerance=ABSOLUTE * tolerance,
    )  # fmt: skip
    spent = time.process_time() - begin
    if result.failed_members > 0:
        raise RuntimeError(result.summary.text)
    return result, spent


def kalaba_peer(integrator, batch):
    def solve(case, values, tolerance, sizes):
        members = np.tile(values, case.copies if batch else 1)
        whole, call = [], []
        for _ in range(sizes.slow_repeats if integrator == "dop853" else sizes.repeats):
            result, spent = kalaba_run(case, members, integrator, tolerance, case.end, sizes)
            whole.append(spent)
            call.append(kalaba_run(case, values[:1], integrator, tolerance, 1e-4, sizes)[1])
        ends = np.array([np.asarray(result[name])[-1, : len(values)] for name in case.columns]).T
        steps = (result.summary.member_steps + result.summary.rejected_steps) / len(members)
        seconds = (min(whole) - min(call)) / len(members)
        return ends, {"seconds": seconds, "steps": steps, "members": len(members), "device": result.summary.device}

    return solve


class Peer:
    """A solver. `members`: all, few, eight (a SIMD register) or one."""

    def __init__(self, name, solve, members="all", explicit=False, cases=("chain", "governor")):
        self.name, self.solve, self.members, self.explicit, self.cases = name, solve, members, explicit, cases

    def which(self, case, sizes):
        count = {"all": len(case.values), "few": sizes.slow_members, "eight": 8, "one": 1}[self.members]
        step = max(len(case.values) // count, 1)
        return slice(step // 2, None, step)


KALABA = [
    Peer("kalaba rodas5p", kalaba_peer("rodas5p", batch=True)),
    Peer("kalaba rodas5p, 1 member", kalaba_peer("rodas5p", batch=False), "one"),
    Peer("kalaba dop853", kalaba_peer("dop853", batch=False), "eight", explicit=True),
    Peer("kalaba dop853, 1 member", kalaba_peer("dop853", batch=False), "one", explicit=True),
]
PEERS = [
    Peer("cvode", sundials_peer("cvode")),
    Peer("ida", sundials_peer("ida")),
    Peer("ida_rods", sundials_peer("ida_rods"), cases=("chain",)),
]
SCIPY = [Peer("radau", scipy_peer("Radau"), "few"), Peer("bdf", scipy_peer("BDF"), "few")]


# ---- all -------------------------------------------------------------------------------------------------------------


def curve(case, peer, sizes):
    """Rows from coarse to tight tolerances, until the errors are below those that the solution resolves."""
    which = peer.which(case, sizes)
    values = case.values[which]
    begin = time.perf_counter()
    for tolerance in sizes.explicit_tolerances if peer.explicit else sizes.tolerances:
        row = {"case": case.name, "who": peer.name, "members": len(values), "tolerance": tolerance}
        try:
            ends, figures = peer.solve(case, values, tolerance, sizes)
        except RuntimeError as error:
            yield row | {"failure": str(error)}
            return
        row |= figures | {"error": case.error(ends, which)}
        yield row | {"resolved": row["error"] > 2 * case.trusted}
        if row["error"] <= 2 * case.trusted or time.perf_counter() - begin > sizes.seconds:
            return


def measure(case, peers, sizes):
    """Rows with the shortest times of all rounds."""
    best = {}
    for number in range(sizes.rounds):
        for peer in peers:
            for row in curve(case, peer, sizes):
                key = (peer.name, row["tolerance"])
                if key not in best or row.get("seconds", math.inf) < best[key].get("seconds", math.inf):
                    best[key] = row
                print(f"{number + 1}/{sizes.rounds} {line(row)}", flush=True)
    order = [peer.name for peer in peers]
    return sorted(best.values(), key=lambda row: (order.index(row["who"]), -row["tolerance"]))


def seconds_for(rows, error):
    """Shortest time of a run that is at least as accurate, interpolated between two runs; NaN if there is none."""
    least, before = math.nan, None
    for row in rows:
        if "failure" in row:
            continue
        if row["error"] <= error:
            least = min(row["seconds"], least) if least == least else row["seconds"]
        if before and before["error"] > error >= row["error"] and row["resolved"]:
            part = math.log(before["error"] / error) / math.log(before["error"] / row["error"])
            least = min(least, before["seconds"] * (row["seconds"] / before["seconds"]) ** part)
        before = row
    return least


def comparison(rows):
    """Table of ms for a member against error, and the ratio to the batch of rodas5p."""
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        of = {name: [row for row in rows if row["case"] == case and row["who"] == name]
              for name in dict.fromkeys(row["who"] for row in rows if row["case"] == case)}
        lines += [f"| {case}, ms a member for an error of | " + " | ".join(f"{x:.0e}" for x in TARGETS) + " |",
                  "|---|" + "---|" * len(TARGETS)]
        for name, curve_rows in of.items():
            cells = []
            for error in TARGETS:
                seconds, ours = seconds_for(curve_rows, error), seconds_for(of.get("kalaba rodas5p", []), error)
                ratio = "" if name == "kalaba rodas5p" or ours != ours else f" ({seconds / ours:.2g})"
                cells.append("–" if seconds != seconds else f"{1e3 * seconds:.3g}{ratio}")
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def line(row):
    head = f"{row['case']:<9} {row['who']:<25} {row['tolerance']:7.0e}"
    if "failure" in row:
        return f"{head} failed: {row['failure'].splitlines()[0][:80]}"
    resolved = "" if row["resolved"] else "  (below the resolved errors)"
    figures = f"{1e3 * row['seconds']:10.3f} ms a member {row['steps']:9.0f} steps  error {row['error']:.1e}"
    return f"{head} {figures}{resolved}"


def processor():
    for each in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if each.startswith("model name"):
            return each.partition(":")[2].strip()
    return platform.machine()


def commit():
    words = ["git", "-C", HERE, "describe", "--always", "--abbrev=40", "--dirty"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--only", nargs="+", help="these cases or solvers alone, for example chain cvode")
    parser.add_argument("--tiny", action="store_true", help="few members and tolerances, to test the code")
    arguments = parser.parse_args()
    sizes = Sizes(arguments.tiny)
    with tempfile.TemporaryDirectory() as folder:
        library, sundials = compile_equations(folder)
    if not sundials:
        print("SUNDIALS is not measured: there is no libsundials-dev in /usr or build/sundials")
    peers = KALABA + (PEERS if sundials else []) + SCIPY
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    document = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "processor": processor(),
        "load": list(os.getloadavg()), "compiler": f"g++ {compiler}", "flags": " ".join(FLAGS),
        "kalaba": kalaba.__version__, "commit": commit(), "sundials": sundials, "scipy": scipy.__version__,
        "tiny": arguments.tiny, "trusted": {}, "rows": [],
    }  # fmt: skip
    for case in cases(sizes):
        chosen = [peer for peer in peers if case.name in peer.cases and
                  (not arguments.only or {case.name, *peer.name.split()} & set(arguments.only))]  # fmt: skip
        if not chosen:
            continue
        case.prepare(library)
        case.solve()
        document["trusted"][case.name] = case.trusted
        print(f"{case.name}: SciPy's Radau and DOP853 at 1e-12 differ by {case.trusted:.1e}", flush=True)
        document["rows"] += measure(case, chosen, sizes)
    document["load"] += os.getloadavg()
    print("\n" + comparison(document["rows"]))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
