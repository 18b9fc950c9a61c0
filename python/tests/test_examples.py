"""The scripts of examples/python run as they stand, each in an empty folder, and draw their picture."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("*.py"))
REQUIRED = {"from_scipy": ["scipy"], "bayesian_fit": ["jax", "numpyro"], "design_by_gradients": ["jax", "optax"]}
SAID = {
    "first_sweep": ["2,000 ok", "correlation of L and the mean height: 0.97"],
    "own_mechanism": ["A is (3, 4), of rank 3", "60 ok"],
    "grid_and_events": ["stopped at 'turns'", "of 4096 turn over within 6 s"],
    "swarm": ["c = 2.00 m: root mean square distance from the centre 1.29"],
    "from_scipy": ["100 ok", "Kalaba, again"],
    "bayesian_fit": ["L = 0.79", "(true: 0.8)"],
    "design_by_gradients": ["the bead is at the bottom after 0.60"],
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_script_runs_as_it_stands(script, tmp_path):
    for package in REQUIRED.get(script.stem, []):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for words in SAID[script.stem]:
        assert words in done.stdout
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 20_000
    if script.stem == "from_scipy":
        off = [
            float(line.split("at most ")[1].split(" m ")[0]) for line in done.stdout.splitlines() if "at most" in line
        ]
        assert len(off) >= 3 and max(off) < 1e-6
