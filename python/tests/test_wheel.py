"""A wheel brings netCDF along (./dev wheel, and that of ./dev test)."""

import pathlib
import subprocess

import pytest
from conftest import run_without

import kalaba

FOLDER = pathlib.Path(kalaba.__file__).parent
LIBRARIES = FOLDER.parent / "kalaba.libs"

PROGRAM = """
import kalaba
result = kalaba.sweep("spherical_pendulum", 20, parameters={"L": kalaba.uniform(0.5, 2)}, end=0.5, out="swept.nc",
                      compile="never", progress=None)
print(result.dataset["q"].shape, open("/proc/self/maps").read())
"""


@pytest.fixture(name="own")
def libraries():
    """Those of the wheel."""
    if not LIBRARIES.is_dir():
        pytest.skip("what is installed was built for this machine, by pip alone")
    return sorted(each.name for each in LIBRARIES.iterdir())


def test_it_runs_where_there_is_no_netcdf(own, tmp_path):
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    names = ("libnetcdf", "libhdf5", "libsz", "libaec", "libcurl", "libxml2")
    hidden = {str(pathlib.Path(line.split()[-1]).resolve()) for line in listed.splitlines() if line.strip().startswith(names)}
    said = run_without(sorted(hidden), PROGRAM, cwd=tmp_path)
    assert all(name in said for name in own if name.startswith(("libnetcdf", "libhdf5")))
    assert (tmp_path / "swept.nc").stat().st_size > 0


def test_it_brings_nothing_that_talks_to_other_machines(own):
    assert any(name.startswith("libnetcdf") for name in own)
    sizes = {name: (LIBRARIES / name).stat().st_size for name in own if name.startswith(("libcurl", "libcrypto"))}
    assert all(size < 100_000 for size in sizes.values()), sizes
    assert not [name for name in own if name.startswith(("libssl", "libgnutls", "libldap", "libkrb5"))]
