import pickle
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

import kalaba
from conftest import quick

EVENT = kalaba.event("bottom", when="x", direction="falling", action="record")


@pytest.fixture(name="result")
def the_result(bead):
    return quick(
        bead, 60, seed=1, end=2.0, save_every=50, dt=2e-3, parameters={"c": kalaba.uniform(0.3, 0.7), "m": kalaba.discrete([1, 2])},
        events=[EVENT], fields=["q", "w", "energy", "multipliers"], statistics=["mean", "quantiles"], group_by="m",
    )  # fmt: skip


def test_datasets_have_the_schema_of_files(result):
    ds = result.dataset
    assert ds.q.dims == ("time", "coordinate", "member") and ds.q.attrs["units"] == "m"
    assert ds.event_last_time.sel(event="bottom").shape == (60,)
    np.testing.assert_allclose(ds.q_mean.sel(coordinate="x"), ds.q.sel(coordinate="x").mean("member"))
    median = ds.q_quantile.sel(quantile=0.5, coordinate="y")
    np.testing.assert_allclose(median, np.median(ds.q.sel(coordinate="y"), axis=1))
    assert set(result.events) >= {"event_count", "event_time", "event_q"}
    assert "q_mean" in result.statistics and "q" not in result.statistics
    assert len(result.failed.member) == 0
    assert "60 ok" in str(result.summary) and result.summary.members == 60


def test_components_are_saved_alone(bead, tmp_path):
    options = dict(
        seed=1, end=1.0, save_every=50, parameters={"c": kalaba.uniform(0.3, 0.7)}, statistics=["mean", "quantiles"]
    )
    whole = quick(bead, 60, fields=["q", "w", "energy", "multipliers"], **options)
    names = ["y", "x_dot", "energy", "multipliers_wire"]
    some = quick(bead, 60, fields=names, out="some.nc", **options)
    in_memory = quick(bead, 60, fields=names, **options)
    assert in_memory.dataset.identical(kalaba.open("some.nc").dataset.assign_attrs(in_memory.dataset.attrs))
    assert some.dataset.q.dims == ("time", "q_coordinate", "member") and some.dataset.q.shape[1] == 1
    assert some.dataset.q.nbytes * 2 == whole.dataset.q.nbytes
    for name in names:
        np.testing.assert_array_equal(some[name], whole[name])
        np.testing.assert_array_equal(some.motion(7)[name], whole.motion(7)[name])
    assert some["x_dot"].attrs["units"] == "m/s"
    np.testing.assert_array_equal(some.dataset.q_mean.sel(q_coordinate="y"), whole.dataset.q_mean.sel(coordinate="y"))
    frame = some.dataset[["q", "energy"]].to_dataframe()
    assert set(frame.index.names) == {"time", "q_coordinate", "member"}
    parts = [
        kalaba.run(kalaba.Ensemble(bead, 60, seed=1, parameters=options["parameters"]), end=1.0, save_every=50,
                   compile="never", fields=names, out="part.nc", shard=(i, 1)) for i in range(1)
    ]  # fmt: skip
    merged = kalaba.merge(parts, out="merged.nc")
    np.testing.assert_array_equal(merged["y"], whole["y"])
    for plot in (some.plot, lambda: some.plot(kind="lines"), lambda: some.plot("y", "x_dot", kind="path")):
        plot()
        plt.close("all")


def test_what_is_not_saved_is_named(bead):
    result = quick(bead, 3, fields=["y", "energy"])
    with pytest.raises(KeyError, match=r"x is not saved; add it to fields \(there are y, energy, "):
        result["x"]
    with pytest.raises(kalaba.InputError, match="x is not saved; add it to fields"):
        result.animate()
    with pytest.raises(kalaba.InputError, match="x is not saved; add it to fields"):
        result.plot("x")
    with pytest.raises(kalaba.InputError, match='unknown field "enrgy"; did you mean energy?'):
        quick(bead, 3, fields=["y", "enrgy"])
    with pytest.raises(kalaba.InputError, match="expected each once, found"):
        quick(bead, 3, fields=["q", "y"])
    nothing = quick(bead, 3, fields=[])
    assert "q" not in nothing.dataset and list(nothing.dataset.status.values) == [0, 0, 0]
    assert len(nothing.dataset.time) > 1


def test_files_are_read_when_asked_for(bead, result):
    result.save("run.nc")
    lazy = kalaba.open("run.nc")
    assert not lazy.dataset.q.variable._in_memory
    part = lazy.dataset.q.isel(member=slice(50, 10, -7), time=-1).sel(coordinate="y")
    np.testing.assert_array_equal(part, result.dataset.q.isel(member=slice(50, 10, -7), time=-1).sel(coordinate="y"))
    np.testing.assert_array_equal(lazy.dataset.q[[3, 1]][..., [2, 5]], result.dataset.q[[3, 1]][..., [2, 5]])
    assert lazy.dataset.identical(result.dataset)
    data = pickle.loads(pickle.dumps(lazy.dataset))
    assert not data.q.variable._in_memory and data.identical(result.dataset)
    again = pickle.loads(pickle.dumps(lazy))
    assert again.dataset.identical(result.dataset) and again.failed_members == 0
    assert pickle.loads(pickle.dumps(result)).dataset.identical(result.dataset)


def test_results_pickle_with_buffers_outside(result):
    buffers = []
    data = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
    again = pickle.loads(data, buffers=[bytes(each) for each in buffers])  # read-only, as those of Ray
    assert again.dataset.identical(result.dataset)


def test_grids_come_back_unstacked(bead):
    result = quick(bead, parameters={"c": kalaba.linspace(0.3, 0.7, 5), "g": kalaba.values([1, 9.81])})
    grid = result.grid()
    assert dict(grid.q.sizes) == {"time": 3, "coordinate": 2, "c": 5, "g": 2}
    np.testing.assert_array_equal(grid.c, np.linspace(0.3, 0.7, 5))
    member = result.dataset.q.isel(member=3)
    np.testing.assert_array_equal(grid.q.sel(c=result.dataset.c[3], g=result.dataset.g[3]), member)


def test_one_motion_by_its_own_names(result):
    motion = result.motion(7)
    np.testing.assert_array_equal(motion.x, result.dataset.q.sel(coordinate="x").isel(member=7))
    np.testing.assert_array_equal(motion.multipliers_wire, result.dataset.multipliers.isel(constraint=0, member=7))
    assert motion.x_dot.attrs["units"] == "m/s" and motion.x.dims == ("time",)
    with pytest.raises(kalaba.InputError, match="expected a member from 0 to"):
        result.motion(1000)


def test_without_xarray_there_are_arrays_of_numpy():
    program = """
import sys
sys.modules["xarray"] = None
import numpy as np, pickle, kalaba
result = kalaba.sweep("spherical_pendulum", 5, parameters={"L": kalaba.uniform(1, 2)}, end=0.1, compile="never")
ds = result.dataset
assert type(ds) is kalaba.Dataset and ds.q.shape == (3, 3, 5) and ds["q"] is ds.q and ds.dims["q"] == ("time", "coordinate", "member")
assert ds.units["q"] == "m" and len(result.failed["member"]) == 0 and list(result.failed["member"]) == []
assert kalaba.simulate("spherical_pendulum", end=0.1)["x"].shape == (3,)
assert np.array_equal(result["x"], ds.q[:, 0, :])
result.save("a.nc")
assert np.array_equal(kalaba.open("a.nc").dataset.q, ds.q) and "L" in kalaba.Ensemble("spherical_pendulum").inputs
assert np.array_equal(pickle.loads(pickle.dumps(result)).dataset.q, ds.q)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_reports_are_pages(result):
    path = result.report("page.html")
    assert path == "page.html" and "<svg" in open(path, encoding="utf-8").read()


def test_components_go_by_their_own_names(result):
    np.testing.assert_array_equal(result["y"], result.dataset.q.sel(coordinate="y"))
    np.testing.assert_array_equal(result["x_dot"], result.dataset.w.sel(rate="x_dot"))
    assert result["y"].dims == ("time", "member") and result["y"].attrs["units"] == "m" and result["y"].name == "y"
    assert result["c"].dims == ("member",) and result["energy"].dims == ("time", "member")
    with pytest.raises(KeyError, match="there is no yy; did you mean y?"):
        result["yy"]
    with pytest.raises(AttributeError, match=r'a result has no y; its numbers are result\["y"\]'):
        result.y  # noqa: B018
    with pytest.raises(AttributeError, match="a result has no dataseet; did you mean dataset?"):
        result.dataseet  # noqa: B018


def lines_of(ax):
    return {line.get_label(): line.get_ydata() for line in ax.lines}


def test_fans_are_quantiles_over_the_members(result):
    _, ax = plt.subplots()
    assert result.plot("x", ax=ax) is ax
    median = np.median(result.dataset.q.sel(coordinate="x"), axis=1)
    np.testing.assert_allclose(lines_of(ax)["median"], median)
    assert ax.get_ylabel() == "x / m" and ax.get_xlabel() == "t / s"
    ax = result.plot("x", by="m")
    of_two = result.dataset.q.sel(coordinate="x")[:, result.dataset.m == 2]
    np.testing.assert_allclose(lines_of(ax)["m = 2 kg"], np.median(of_two, axis=1))
    plt.close("all")


def test_lines_paths_and_phases_are_motions(result):
    x, y = (result.dataset.q.sel(coordinate=name).values for name in "xy")
    axes = result.plot("x", "energy", kind="lines", member=[3, 4])
    np.testing.assert_array_equal(lines_of(axes[0])["member 4"], x[:, 4])
    ax = result.plot("x", "y", kind="path", member=5)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.column_stack([x[:, 5], y[:, 5]]))
    ax = result.plot("x", kind="phase", member=5)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), result.dataset.w.sel(rate="x_dot")[:, 5])
    plt.close("all")


def test_histograms_count_members(result):
    ax = result.plot("x", kind="histogram")
    assert sum(patch.get_height() for patch in ax.patches) == 60
    axes = result.plot(kind="events")
    assert axes.get_title(loc="left") == "bottom: in 60 of 60"
    result.plot("x", "y", kind="density")
    ax = result.plot("time(bottom)", kind="sensitivity")
    assert {text.get_text() for text in ax.get_yticklabels()} >= {"c", "m"}
    plt.close("all")


LARGE = """[model]
name = "large"
lagrangian = "k*x_dot^2/2"
[model.parameters]
k = 1.0
big = 1.0
[model.coordinates]
x = ""
[model.outputs]
near = "1e15 + k/10"
far = "k/max(3 - k, 0)"
"""


def test_pictures_of_numbers_that_hardly_differ_and_of_huge_ones():
    inputs = {"k": kalaba.values([1, 2, 3]), "big": kalaba.values([1, 1e-300, 1e308])}
    result = quick(kalaba.Model.parse(LARGE), parameters=inputs, fields=["q", "invariants"])
    assert sum(patch.get_height() for patch in result.plot("near", kind="histogram").patches) == 9
    result.plot("near", "x", kind="density")
    cells = result.plot("near", kind="heatmap", over=["k", "big"]).collections[0].get_array()
    np.testing.assert_allclose(cells, np.full((3, 3), 1e15), rtol=1e-15)
    median = result.plot("far", kind="fan").lines[0].get_ydata()  # of the finite numbers, which are 1/2 and 2
    np.testing.assert_allclose(median, 1.25)
    plt.close("all")


def test_a_grid_needs_different_values(bead):
    result = quick(bead, parameters={"c": kalaba.values([0.3, 0.3, 0.7]), "g": kalaba.linspace(1, 9, 2)})
    with pytest.raises(kalaba.InputError, match="grid: expected axes of different values, found one twice among those of c, g"):
        result.grid()


def test_heat_maps_have_a_cell_a_point(bead):
    result = quick(bead, parameters={"c": kalaba.linspace(0.3, 0.7, 5), "g": kalaba.linspace(1, 9, 3)})
    ax = result.plot("max(y)", kind="heatmap")
    cells = ax.collections[0].get_array()
    grid = result.grid().q.sel(coordinate="y").max("time")
    np.testing.assert_allclose(np.asarray(cells).reshape(3, 5), grid.transpose("g", "c"))
    with pytest.raises(kalaba.InputError, match="there is no yy"):
        result.plot("yy", kind="heatmap")
    one = quick(bead, 4, parameters={"c": kalaba.uniform(0.3, 0.7)})
    with pytest.raises(kalaba.InputError, match=r"expected two inputs to draw over, found \['c'\]"):
        one.plot("y", kind="heatmap")
    with pytest.raises(kalaba.InputError, match="did you mean histogram"):
        result.plot("y", kind="histogramm")
    plt.close("all")


def test_the_scale_of_colours_states_a_constant(bead):
    result = quick(bead, parameters={"c": kalaba.linspace(0.3, 0.7, 5), "g": kalaba.linspace(1, 9, 3)})
    scale = result.plot("max(x)", kind="heatmap").figure.axes[-1]
    assert scale.get_ylabel() == "max(x) / m, constant"
    assert [each.get_text() for each in scale.get_yticklabels()] == ["1"]
    scale = result.plot("max(y)", kind="heatmap").figure.axes[-1]
    assert "constant" not in scale.get_ylabel() and len(scale.get_yticks()) > 1
    plt.close("all")


def test_scatters_have_a_point_a_member(bead):
    result = quick(bead, 7, parameters={"c": kalaba.uniform(0.3, 0.7), "g": kalaba.uniform(1, 9)})
    c, g = result["c"], result["g"]
    greatest = result["y"].max("time")
    ax = result.plot("max(y)", kind="scatter")
    np.testing.assert_allclose(ax.collections[0].get_offsets(), np.stack([c, greatest], axis=1))
    ax = result.plot("max(y)", kind="scatter", over=("min(x)", "g"))
    np.testing.assert_allclose(ax.collections[0].get_array(), g)
    least = result["x"].min("time")
    np.testing.assert_allclose(ax.collections[0].get_offsets()[:, 0], least)
    with pytest.raises(kalaba.InputError, match="there is no gg"):
        result.plot("y", kind="scatter", over="gg")
    with pytest.raises(kalaba.InputError, match="expected one or two numbers"):
        result.plot("y", kind="scatter", over=["c", "g", "c"])
    plt.close("all")


def test_animations_move(result):
    animation = result.animate([(0, 0), ("x", "y")], member=2)
    body, *_ = animation._func(4)
    assert body.get_xydata()[1].tolist() == result.dataset.q[4, :, 2].values.tolist()
    animation._draw_was_started = True
    plt.close("all")


def test_sobol_indices_are_of_the_design_saltelli():
    @kalaba.model(parameters={"v": "1 m/s", "angle": "1 rad", "m": "1 kg"}, coordinates={"x": "m"})
    def thrown(p, q, v, t):
        return {"lagrangian": p.m * v.x**2 / 2, "start": {"x": 0.0, "x_dot": p.v * kalaba.cos(p.angle)}}

    inputs = {"v": kalaba.uniform(1, 3), "angle": kalaba.uniform(0, 1.5)}
    result = quick(thrown, 4096, design="saltelli", parameters=inputs, end=1.0, dt=0.5, save_every=1)
    found = result.sobol("x")
    # Indices of a product of independent factors, from their means and variances.
    speed, cosine = (2, 1 / 3), (np.sin(1.5) / 1.5, 0.5 + np.sin(3) / 6 - (np.sin(1.5) / 1.5) ** 2)
    all_of_it = (speed[1] + speed[0] ** 2) * (cosine[1] + cosine[0] ** 2) - (speed[0] * cosine[0]) ** 2
    first = np.array([speed[1] * cosine[0] ** 2, cosine[1] * speed[0] ** 2]) / all_of_it
    assert list(found.input.values) == ["parameters.v", "parameters.angle"]
    np.testing.assert_allclose(found.first.sel(variable="x"), first, atol=5e-3)
    np.testing.assert_allclose(found.total.sel(variable="x"), first + (1 - first.sum()), atol=5e-3)
    assert found.points.item() == 1024 and found.left_out.item() == 0 and (found.total_error > 0).all()
    over_time = result.sobol("x", "x_dot", over_time=True)
    assert over_time.first.dims == ("time", "variable", "input")
    assert np.isnan(over_time.first.sel(variable="x", time=0)).all()  # every member begins at 0
    np.testing.assert_array_equal(over_time.first.sel(variable="x", time=1), found.first.sel(variable="x"))
    with pytest.raises(kalaba.InputError, match="of the design"):
        quick(thrown, 8, parameters=inputs).sobol()
