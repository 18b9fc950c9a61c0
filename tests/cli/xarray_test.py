"""Content of a file by name: python3 xarray_test.py README.md, in the folder of xarray.sh's files."""

import re
import sys

import numpy
import xarray


def check(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r} ({sys._getframe(1).f_lineno})")


def check_close(found, expected):
    numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(expected), rtol=1e-11, atol=1e-13)


ds = xarray.open_dataset("pendulum.nc", engine="h5netcdf")
times = ds.sizes["time"]

# Dimensions, their labels and units.
check(ds.q.dims, ("time", "coordinate", "member"))
check(ds.w.dims, ("time", "rate", "member"))
check(ds.energy.dims, ("time", "member"))
check(ds.sizes["member"], 300)
check(list(ds.coordinate.values), ["x", "y", "z"])
check(list(ds.rate.values), ["p_x", "p_y", "p_z"])
check(list(ds.coordinate_unit.values), ["m", "m", "m"])
check((ds.time.attrs["units"], float(ds.time[0]), float(ds.time[-1])), ("s", 0.0, 0.5))
check((ds.q.attrs["units"], ds.energy.attrs["units"], ds.L.attrs["units"], ds.m.attrs["units"]), ("m", "J", "m", "kg"))
check(ds.w.attrs["units"], "kg m/s")
check(ds.q.attrs["long_name"], "coordinates")

# Parameters and status by member.
check(ds.L.dims, ("member",))
check(sorted(set(ds.m.values)), [1.0, 2.0, 4.0])
check(ds.status.attrs["flag_meanings"].split()[0], "ok")
check((int(ds.status.min()), int(ds.status.max())), (0, 0))
check(bool(ds.failure_time.isnull().all()), True)
check_close((ds.q**2).sum("coordinate"), numpy.broadcast_to(ds.L**2, (times, 300)))

# Statistics agree with those that xarray computes from the members.
z, final = ds.q.sel(coordinate="z"), ds.isel(time=-1)
check(ds.q_mean.dims, ("time", "coordinate"))
check_close(ds.q_mean, ds.q.mean("member"))
check_close(ds.q_std, ds.q.std("member"))
check_close(ds.q_min, ds.q.min("member"))
check_close(ds.q_max, ds.q.max("member"))
check(ds.q_mean.attrs["units"], "m")
check(ds.q_quantile.dims, ("quantile", "time", "coordinate"))
check_close(ds.q_quantile.sel(quantile=0.5), ds.q.median("member"))
check(int(ds.ok_members[0]), 300)

check(ds.q_correlation.dims, ("variable", "time", "coordinate"))
check(list(ds["variable"].values), ["parameters.m", "parameters.L"])
check(list(ds.variable_unit.values), ["kg", "m"])
check_close(final.q_correlation.sel(variable="parameters.L", coordinate="z"),
            numpy.corrcoef(ds.L, final.q.sel(coordinate="z"))[0, 1])
check_close(final.energy_correlation.sel(variable="parameters.m"), numpy.corrcoef(ds.m, final.energy)[0, 1])

check(ds.attrs["group_by"], "parameters.m")
check(ds.q_group_mean.dims, ("group", "time", "coordinate"))
check((list(ds.group.values), ds.group.attrs["units"]), ([1.0, 2.0, 4.0], "kg"))
heavy = z.isel(member=ds.m.values == 4)
check_close(ds.q_group_mean.sel(group=4, coordinate="z"), heavy.mean("member"))
check_close(ds.q_group_std.sel(group=4, coordinate="z"), heavy.std("member"))
check(int(ds.q_group_count.sel(group=4, coordinate="z")[0]), 100)

check(ds.q_histogram.dims, ("time", "coordinate", "bin"))
edges = ds.q_bin_edge.sel(coordinate="z")
check((edges.dims, edges.attrs["units"], list(edges.values)), (("bin_edge",), "m", list(numpy.linspace(0, 2, 9))))
counts = numpy.histogram(final.q.sel(coordinate="z"), bins=edges.values)[0]
check(list(final.q_histogram.sel(coordinate="z").values), list(counts))
check(int(final.q_histogram.sel(coordinate="z").sum() + final.q_below.sel(coordinate="z") +
          final.q_above.sel(coordinate="z")), 300)
check(bool(ds.q_bin_edge.sel(coordinate="x").isnull().all()), True)

# Origin of the numbers.
for name in ("scenario", "kalaba_version", "kalaba_commit", "kalaba_compiler", "machine", "device", "created", "source"):
    check(bool(ds.attrs[name]), True)
check((int(ds.attrs["seed"]), ds.attrs["system"], ds.attrs["Conventions"]), (7, "spherical_pendulum", "CF-1.8"))
check("uniform = [0.5, 2.0]" in str(ds.attrs["scenario"]), True)
check(int(ds.attrs["members_ok"]), 300)

# Failed members.
failing = xarray.open_dataset("failing.nc", engine="h5netcdf")
meanings = failing.status.attrs["flag_meanings"].split()
check({meanings[i] for i in failing.status.values}, {"not_assembled"})
check(bool(failing.failure_time.isnull().any()), False)

# A grid: the axes in the order of the scenario, as coordinates.
for repeats in (1, 2):
    grid = xarray.open_dataset(f"grid{repeats}.nc", engine="h5netcdf")
    axes = list(grid.attrs["grid"])
    check((axes, list(grid.attrs["grid_shape"])), (["initial_x", "L"], [3, 2]))
    check(set(axes) <= set(grid.coords), True)
    check(list(grid.L.values[:3]), [1.0, 2.0, 1.0])
    index = axes + (["repetition"] if repeats > 1 else [])
    cube = grid.set_index(member=index).unstack("member")
    check((cube.sizes["initial_x"], cube.sizes["L"]), (3, 2))
    check(bool(cube.q.isnull().any()), False)
    check(list(cube.initial_x.values), [0.1, 0.3, 0.5])
    check(cube.q.dims[2:4], ("initial_x", "L"))

# The guide's lines, unchanged.
snippets = [text for text in re.findall(r"```python\n(.*?)```", open(sys.argv[1]).read(), re.S) if "xarray" in text]
check(len(snippets) > 0, True)
for snippet in snippets:
    exec(compile(snippet, "guide.md", "exec"), {})
