"""The scripts of examples/python run as they stand, each in an empty folder, and draw their picture."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("*.py"))
SAID = {
    "first_sweep": ["2,000 ok", "correlation of L and the mean height: 0.97"],
    "own_mechanism": ["A is (3, 4), of rank 3", "60 ok"],
    "grid_and_events": ["stopped at 'turns'", "of 4096 turn over within 6 s"],
    "swarm": ["c = 2.00 m: root mean square distance from the centre 1.29"],
    "from_scipy": ["100 ok", "Kalaba, again"],
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_script_runs_as_it_stands(script, tmp_path):
    if script.stem == "from_scipy" and importlib.util.find_spec("scipy") is None:
        pytest.skip("SciPy is not installed")
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
