"""The scripts of the documents run as they stand."""

import difflib
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLE = re.compile(r"<!-- example: (\w+\.py) -->\n```python\n(.*?)```", re.DOTALL)
EXAMPLES = dict(match for page in PAGES for match in EXAMPLE.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["readme.py", "beads.py", "crank.py"])
def test_the_script_runs_as_it_stands(name, tmp_path):
    (tmp_path / name).write_text(EXAMPLES[name], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", name], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if name == "beads.py":
        *_, last = done.stdout.splitlines()
        correlation, reach = (float(word) for word in last.split())
        assert correlation < -0.1 and 1.2 < reach < 1.5
        assert "10,000 ok" in done.stdout and (tmp_path / "beads.html").exists()
    if name == "crank.py":
        assert (tmp_path / "crank.png").stat().st_size > 10_000


GRADIENTS = {"gradients.py": ["jax"], "posterior.py": ["jax", "numpyro"], "design.py": ["jax", "optax"]}


@pytest.mark.parametrize("name", GRADIENTS)
def test_the_examples_of_gradients_run_one_behind_the_other(name):
    for package in GRADIENTS[name]:
        pytest.importorskip(package, reason=f"{package} is not installed")
    script = EXAMPLES["gradients.py"] + ("" if name == "gradients.py" else EXAMPLES[name])
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *_, last = done.stdout.splitlines()
    numbers = [float(word) for word in last.split()]
    if name == "gradients.py":
        assert numbers[0] > 0 and numbers[1] != 0
    if name == "posterior.py":
        assert abs(numbers[0] - 0.6) < 0.03
    if name == "design.py":
        assert numbers[1] < 1e-5


def test_no_example_is_forgotten():
    assert set(EXAMPLES) == {"readme.py", "beads.py", "crank.py", *GRADIENTS}


def test_the_reference_is_what_the_docstrings_say():
    words = [sys.executable, str(ROOT / "docs" / "write_python_api.py")]
    written = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    kept = (ROOT / "docs" / "python_api.md").read_text(encoding="utf-8")
    differences = list(difflib.unified_diff(kept.splitlines(), written.splitlines(), "docs/python_api.md", "written", n=0))
    assert not differences, "docs/write_python_api.py writes it anew:\n" + "\n".join(differences)
