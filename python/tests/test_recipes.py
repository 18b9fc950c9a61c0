"""The recipes of docs/python.md for other people's pools: the bits of an undivided run."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import bead, run_program, same

import kalaba

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"<!-- recipe: (\w+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))


def ensemble():
    return kalaba.Ensemble(bead, 400, seed=4, parameters={"c": kalaba.uniform(0.3, 0.7)})


@pytest.mark.parametrize(("recipe", "needs"), [("pool", None), ("joblib", "joblib"), ("dask", "distributed")])
def test_the_recipe_has_the_bits_of_one_run(recipe, needs):
    if needs is not None:
        pytest.importorskip(needs, reason=f"{needs} is not installed")
    inputs = "import kalaba as kb\nfrom conftest import bead\n"
    inputs += "ensemble = kb.Ensemble(bead, 400, seed=4, parameters={'c': kb.uniform(0.3, 0.7)})\n"
    body = "".join(f"    {line}\n" for line in RECIPES[recipe].splitlines())
    program = f"{inputs}if __name__ == '__main__':\n{body}    result.save('joined.nc')\n"
    run_program(program)
    whole = kalaba.run(ensemble(), end=1.0, progress=None)
    same(kalaba.open("joined.nc").dataset, whole.dataset)


def test_ranks_of_mpirun_are_shards():
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun (openmpi-bin)")
    ensemble().to_toml("sweep.toml", end=0.2)
    words = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "kalaba", "run"]
    words += ["sweep.toml", "--shard", "auto", "-o", "sweep.nc", "--quiet"]
    subprocess.run(words, check=True, timeout=300)
    files = [f"sweep.{i}-of-3.nc" for i in (1, 2, 3)]
    same(kalaba.merge(files).dataset, kalaba.run(ensemble(), end=0.2, progress=None).dataset)
