import os
import pathlib
import signal
import subprocess
import sys

import matplotlib
import numpy as np
import pytest

import kalaba

matplotlib.use("Agg")
signal.signal(signal.SIGINT, signal.default_int_handler)  # which what runs in the background is begun without

PARAMETERS = {"m": "1 kg", "c": "0.5 1/m", "g": "9.81 m/s^2"}
COORDINATES = {"x": "m", "y": "m"}


@kalaba.model(parameters=PARAMETERS, coordinates=COORDINATES)
def bead(p, q, v, t):
    """Bead on a parabolic wire."""
    return {
        "lagrangian": p.m * (v.x**2 + v.y**2) / 2 - p.m * p.g * q.y,
        "holonomic": {"wire": kalaba.equal(q.y, p.c * q.x**2)},
        "start": {"x": 1.0, "y": p.c * q.x**2},
    }


@pytest.fixture(name="bead")
def the_bead():
    return bead


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Every test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def run_without(files, program, **options):
    """A program of Python's where these files cannot be seen; skips where a process may not have mounts of its own."""
    hide = "; ".join(f"mount --bind /dev/null {each}" for each in files)
    words = ["unshare", "-rm", "sh", "-ec", f'{hide}; exec "$0" "$@"', sys.executable, "-c"]
    if subprocess.run([*words, ""], capture_output=True, check=False).returncode != 0:
        pytest.skip("files cannot be hidden from a process here (unshare -rm)")
    done = subprocess.run([*words, program], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def quick(model, members=None, **options):
    """A short run, interpreted."""
    inputs = {
        name: options.pop(name) for name in ("seed", "design", "parameters", "initial", "project") if name in options
    }
    ensemble = kalaba.Ensemble(model, members, **inputs)
    return kalaba.run(ensemble, **{"end": 0.2, "compile": "never", "progress": None, **options})


def same(one, other):
    """Every number of the two datasets, to the bit."""
    assert set(one.variables) == set(other.variables)
    for name in one.variables:
        a, b = np.asarray(one[name]), np.asarray(other[name])
        np.testing.assert_array_equal(a, b, err_msg=name)
        if a.dtype == np.float64:
            np.testing.assert_array_equal(np.signbit(a), np.signbit(b), err_msg=name)


def run_program(text):
    """Runs a Python program in a process of its own, in the present folder; it can import this file."""
    pathlib.Path("program.py").write_text(text, encoding="utf-8")
    path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
