"""bench/stiff_peers.py with few members: all solvers that are installed agree."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[2] / "bench" / "stiff_peers.py"
KALABA = {"kalaba rodas5p", "kalaba rodas5p, 1 member", "kalaba dop853", "kalaba dop853, 1 member"}


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_solvers_of_stiff_systems_agree():
    pytest.importorskip("scipy")
    command = [sys.executable, PROGRAM, "--tiny", "--json", "rows.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(pathlib.Path("rows.json").read_text())
    assert set(document["trusted"]) == {"chain", "governor"}
    assert max(document["trusted"].values()) < 1e-11
    sundials = {"cvode", "ida"} if document["sundials"] else set()
    for case in "chain", "governor":
        rows = [row for row in document["rows"] if row["case"] == case]
        rods = {"ida_rods"} if sundials and case == "chain" else set()
        assert {row["who"] for row in rows} == KALABA | sundials | rods | {"radau", "bdf"}
        for row in rows:
            assert row["error"] < 500 * row["tolerance"], row
            assert row["seconds"] > 0, row
        assert f"| {case}, ms a member for an error of |" in done.stdout
    if not sundials:
        pytest.skip("SUNDIALS is not measured: libsundials-dev is not installed")
