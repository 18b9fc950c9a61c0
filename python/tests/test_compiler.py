"""A machine without a compiler of its own: the package ziglang has one, which the library finds by itself."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import run_without

PROGRAM = """
import numpy as np
import kalaba
result = kalaba.sweep("spherical_pendulum", 50, parameters={"L": kalaba.uniform(0.5, 2)}, end=0.5, progress=None)
print(result.summary)
np.save("q.npy", result.dataset["q"])
"""


def compilers():
    """Every file that a compiler of this machine starts from."""
    folders = {*os.environ["PATH"].split(":"), "/usr/bin", "/usr/local/bin"}
    names = re.compile(r"(.*-)?(c|g|clang)\+\+(-[\d.]+)?|clang(-[\d.]+)?")
    found = (file for folder in folders if os.path.isdir(folder) for file in pathlib.Path(folder).iterdir())
    return sorted({str(file.resolve()) for file in found if names.fullmatch(file.name) and file.exists()})


def run_without_compilers(folder):
    """PROGRAM where all of them are hidden."""
    environment = {name: each for name, each in os.environ.items() if name != "KALABA_CXX"}
    environment |= {"KALABA_CACHE_DIR": str(folder / "cache"), "ZIG_GLOBAL_CACHE_DIR": str(folder / "zig")}
    said = run_without(compilers(), PROGRAM, cwd=folder, env=environment)
    return said, np.load(folder / "q.npy")


def test_its_absence_is_told_in_a_line(tmp_path):
    (tmp_path / "ziglang.py").write_text("", encoding="utf-8")  # hides the package, where it is installed
    said, _ = run_without_compilers(tmp_path)
    assert "no C++ compiler found (KALABA_CXX, clang++, g++); pip install 'kalaba[compiler]' brings one" in said


def test_the_package_s_compiler_is_found(tmp_path):
    """In its place here: a script that hands all but its own words to a copy of this machine's."""
    own = shutil.which("g++")
    if own is None:
        pytest.skip("there is no g++ to stand in for it")
    package = tmp_path / "ziglang"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    shutil.copy(os.path.realpath(own), package / "compiler")
    words = [own, "-print-prog-name=cc1plus"]
    parts = os.path.dirname(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    zig = package / "zig"
    zig.write_text(
        '#!/bin/sh\nfor each; do [ "$each" != --version ] || exec echo "clang version 98.7.6"; done\n'
        '[ "$1 $2" = "c++ -nostdlib" ] || exit 3\nshift 2\nexec "$(dirname "$0")/compiler" -B '
        f'{parts} "$@"\n',
        encoding="utf-8",
    )
    zig.chmod(0o755)
    said, q = run_without_compilers(tmp_path)
    assert "spherical_pendulum: compiled by clang++ 98.7.6 of zig in" in said
    assert np.isfinite(q).all()


def test_the_package_itself_computes_the_same(tmp_path):
    pytest.importorskip("ziglang", reason="the package ziglang is not installed")
    said, q = run_without_compilers(tmp_path)
    assert "of zig in" in said
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, check=True, capture_output=True)
    np.testing.assert_array_equal(q, np.load(tmp_path / "q.npy"))
