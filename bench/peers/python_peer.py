"""Protocol of the peers in Python, over standard input and output.

In: a line "SYSTEM MEMBERS STEPS DT PARAMETERS COORDINATES RATES TOLERANCE", then doubles [parameter, coordinate, rate][member].
For each line "run": out a line with the CPU seconds that the run took, then doubles [coordinate][member], of a
problem with a tolerance [coordinate, rate][member]."""

import os
import sys
import time
from dataclasses import dataclass

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before any library counts the cores

import numpy as np  # noqa: E402


@dataclass
class Problem:
    system: str
    steps: int
    dt: float
    p: np.ndarray  # [parameter][member]
    q: np.ndarray  # [coordinate][member]
    w: np.ndarray  # [rate][member]
    tolerance: float

    @property
    def end(self):
        return self.steps * self.dt


def read_problem():
    words = sys.stdin.buffer.readline().split()
    members, steps, parameters, coordinates, rates = (int(words[i]) for i in (1, 2, 4, 5, 6))
    count = (parameters + coordinates + rates) * members
    data = np.frombuffer(sys.stdin.buffer.read(8 * count)).reshape(-1, members)
    p, q, w = np.split(data, [parameters, parameters + coordinates])
    return Problem(words[0].decode(), steps, float(words[3]), p, q, w, float(words[7]))


def serve(solve):
    """solve() returns the coordinates at the end, [coordinate][member]; what it compiles, it compiles at its first call."""
    assert solve().dtype == np.float64
    while sys.stdin.buffer.readline().strip() == b"run":
        begin = time.process_time()
        ends = np.ascontiguousarray(solve())
        seconds = time.process_time() - begin
        sys.stdout.buffer.write(b"%.9g\n" % seconds + ends.tobytes())
        sys.stdout.buffer.flush()
