import gc
import os
import pickle
import shutil
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import kalaba
from conftest import quick, same


def test_memory_file_and_command_line_have_the_same_bits(bead):
    options = dict(
        seed=3, parameters={"c": kalaba.uniform(0.3, 0.7)}, statistics=["mean", "quantiles"], fields=["q", "energy"]
    )
    in_memory = quick(bead, 100, **options)
    on_disk = quick(bead, 100, out="run.nc", **options)
    same(in_memory.dataset, on_disk.dataset)
    ensemble = kalaba.Ensemble(bead, 100, seed=3, parameters={"c": kalaba.uniform(0.3, 0.7)})
    ensemble.to_toml("sweep.toml")
    words = [sys.executable, "-m", "kalaba", "run", "sweep.toml", "-o", "cli.nc", "--quiet"]
    for key in (
        "time.end=0.2",
        "solver.compile=never",
        'output.statistics=["mean", "quantiles"]',
        'output.fields=["q", "energy"]',
    ):
        words += ["-s", key]
    subprocess.run(words, check=True)
    same(on_disk.dataset, kalaba.open("cli.nc").dataset)
    in_memory.save("saved.nc")
    same(on_disk.dataset, kalaba.open("saved.nc").dataset)
    assert kalaba.open("saved.nc").dataset.attrs["seed"] == on_disk.dataset.attrs["seed"] == 3


def test_the_compiled_run_is_close_to_the_interpreted_one(bead):
    options = {"seed": 1, "initial": {"x": kalaba.uniform(0.5, 1)}, "project": "keep_varied"}
    interpreted = quick(bead, 20, **options)
    compiled = quick(bead, 20, compile="auto", **options)
    np.testing.assert_allclose(compiled.dataset.q, interpreted.dataset.q, atol=1e-12)


def test_numbers_in_memory_are_never_copied(bead):
    result = quick(bead, 50)
    raw = result._source.dataset.array("q")
    shown = result.dataset.q.values
    assert shown.ctypes.data == raw.ctypes.data
    assert result.dataset.q.sel(coordinate="y").values.ctypes.data == raw[:, 1, :].ctypes.data
    before = shown.copy()
    del result, raw
    gc.collect()
    np.testing.assert_array_equal(shown, before)  # they live as long as a view of them


def test_scenarios_come_back(bead):
    ensemble = kalaba.Ensemble(bead, 12, seed=5, design="sobol", parameters={"c": kalaba.normal(0.5, 0.1, within=(0.2, 0.8)), "m": kalaba.discrete([1, 2])})  # fmt: skip
    ensemble.to_toml("sweep.toml")
    again = kalaba.read("sweep.toml")
    assert again.to_toml() == ensemble.to_toml()
    assert pickle.loads(pickle.dumps(ensemble)) == ensemble
    same(again.inputs, ensemble.inputs)
    assert 0.2 <= float(ensemble.inputs.c.min()) and set(ensemble.inputs.m.values) == {1, 2}


def test_arrays_are_inputs(bead):
    c = np.linspace(0.3, 0.7, 9)
    result = quick(bead, parameters={"c": c}, initial={"x_dot": c.astype("float32")}, project="keep_varied")
    np.testing.assert_array_equal(result.dataset.c, c)
    np.testing.assert_array_equal(result.dataset.initial_x_dot, c.astype("float32"))
    ensemble = kalaba.Ensemble(bead, 9)
    ensemble.parameter("c")[:] = c
    same(kalaba.run(ensemble, end=0.1, compile="never").dataset, quick(bead, parameters={"c": c}, end=0.1).dataset)
    ensemble.to_toml("arrays.toml")
    np.testing.assert_array_equal(kalaba.read("arrays.toml").inputs.c, c)
    stated = kalaba.Ensemble.from_arrays(bead, q=np.vstack([c, 0.5 * c**2]), w={"x_dot": np.zeros(9)})
    np.testing.assert_array_equal(stated.inputs.initial_x, c)


class Foreign:
    """An array of another library, which speaks DLPack alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_of_other_libraries_come_by_dlpack(bead):
    c = np.linspace(0.3, 0.7, 5)
    ensemble = kalaba.Ensemble.from_arrays(bead, c=Foreign(c))
    np.testing.assert_array_equal(ensemble.inputs.c, c)
    q = np.from_dlpack(quick(bead, 3).dataset.q.values)
    assert q.shape == (3, 2, 3)


def test_shards_join_to_the_bits_of_the_whole(bead):
    ensemble = kalaba.Ensemble(bead, 9000, seed=2, parameters={"c": kalaba.uniform(0.3, 0.7)})
    options = {"end": 0.02, "statistics": ["mean", "std", "quantiles"], "compile": "never", "progress": None}
    whole = kalaba.run(ensemble, **options)
    parts = [pickle.loads(pickle.dumps(kalaba.run(ensemble, shard=(i, 3), **options))) for i in (2, 0, 1)]
    same(kalaba.merge(parts).dataset, whole.dataset)
    files = [kalaba.run(ensemble, shard=(i, 2), out="run.nc", **options) for i in range(2)]
    assert [each.path for each in files] == [os.path.abspath("run.1-of-2.nc"), os.path.abspath("run.2-of-2.nc")]
    same(kalaba.merge(files, "merged.nc").dataset, whole.dataset)
    with pytest.raises(kalaba.InputError, match="missing: 2/3"):
        kalaba.merge([parts[1], parts[0]])
    one = kalaba.merge([kalaba.run(ensemble, shard=(0, 1), **options)])
    same(one.dataset, whole.dataset)
    assert "\n  file " not in one.summary.text
    assert isinstance(one.summary.warnings, list)


def test_results_are_read_in_any_folder(bead, tmp_path, monkeypatch):
    ensemble = kalaba.Ensemble(bead, 4, parameters={"c": kalaba.uniform(0.3, 0.7)})
    options = {"end": 0.02, "compile": "never", "progress": None}
    result = kalaba.run(ensemble, out="run.nc", **options)
    opened = kalaba.open("run.nc")
    ensemble.inputs[["c"]].to_dataframe().to_csv("c.csv", index=False)
    from_table = [
        kalaba.Ensemble(bead, 4, parameters={"c": each}) for each in (kalaba.column("c.csv", "c"), {"file": "c.csv"})
    ]
    kept = pickle.dumps((result, opened, from_table))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    for each in (result, opened, *pickle.loads(kept)[:2]):
        same(each.dataset, kalaba.open("../run.nc").dataset)
        assert each.files == [str(tmp_path / "run.nc")]
    for each in (*from_table, *pickle.loads(kept)[2]):
        np.testing.assert_array_equal(each.inputs.c, ensemble.inputs.c)
    same(kalaba.merge([kalaba.run(ensemble, out="part.nc", shard=(0, 1), **options)]).dataset, result.dataset)


COMPRESSED = {
    "seed": 3, "parameters": {"c": kalaba.uniform(0.3, 0.7), "m": kalaba.discrete([1, 2])}, "end": 0.4, "save_every": 20,
    "statistics": ["mean", "quantiles", "histogram"], "fields": ["q", "w", "energy", "multipliers"],
    "events": [kalaba.event("low", "x - 0.99", action="record")],
}  # fmt: skip


def same_files(one, other):
    """All content of two files of one run but their scenarios and times of writing."""
    same(one.dataset, other.dataset)
    for name, (dims, shape, kind, attrs) in one._source.variables.items():
        assert (dims, shape, kind, attrs) == tuple(other._source.variables[name]), name
    assert list(one._source.variables) == list(other._source.variables)
    differing = {"scenario", "created", "wall_seconds", "computing_seconds"}
    attributes = [{name: each for name, each in r._source.attributes.items() if name not in differing} for r in (one, other)]
    assert attributes[0].keys() == attributes[1].keys()
    assert {name for name in attributes[0] if attributes[0][name] != attributes[1][name]} == set()


def test_compressed_files_have_the_same_content(bead):
    import xarray

    plain = quick(bead, 5000, out="plain.nc", **COMPRESSED)
    small = quick(bead, 5000, out="small.nc", compression=4, **COMPRESSED)
    assert sorted(os.listdir()) == ["plain.nc", "small.nc"]
    assert os.path.getsize("small.nc") < 0.85 * os.path.getsize("plain.nc")
    same_files(plain, small)
    assert xarray.open_dataset("small.nc", engine="h5netcdf").q.equals(xarray.open_dataset("plain.nc", engine="h5netcdf").q)
    quick(bead, 5000, compression=4, **COMPRESSED).save("saved.nc")
    assert abs(os.path.getsize("saved.nc") - os.path.getsize("small.nc")) < 1000
    same(kalaba.open("saved.nc").dataset, small.dataset)
    tiny = quick(bead, 1, out="tiny.nc", compression=9, end=0.1)
    same(tiny.dataset, quick(bead, 1, end=0.1).dataset)
    with pytest.raises(kalaba.InputError, match="output.compression: expected a whole number from 0 to 9, found 10"):
        quick(bead, compression=10)


def test_shards_and_resumed_runs_are_compressed(bead):
    inputs = {name: COMPRESSED[name] for name in ("seed", "parameters")}
    ensemble = kalaba.Ensemble(bead, 9000, **inputs)
    options = {name: each for name, each in COMPRESSED.items() if name not in inputs}
    options |= {"compile": "never", "progress": None, "threads": 1}
    whole = kalaba.run(ensemble, out="whole.nc", **options)
    parts = [kalaba.run(ensemble, out="small.nc", compression=1, shard=(i, 3), **options) for i in range(3)]
    merged = kalaba.merge(parts, "small.nc")
    same(merged.dataset, whole.dataset)
    assert os.path.getsize("small.nc") < 0.85 * os.path.getsize("whole.nc")

    def stop(done, total):
        if done > 0:
            raise KeyboardInterrupt

    begun = kalaba.run(ensemble, out="run.nc", block_members=512, **{**options, "compression": 4, "progress": stop})
    assert not begun.complete and os.path.exists("run.partial.nc") and not os.path.exists("run.nc")
    done = begun.resume(progress=None)
    assert done.complete and not os.path.exists("run.partial.nc")
    same(done.dataset, whole.dataset)
    assert os.path.getsize("run.nc") < 0.85 * os.path.getsize("whole.nc")
    assert "is complete" in begun.resume(progress=None).summary.text


def test_damage_to_a_compressed_file_is_found(bead):
    quick(bead, 3000, out="run.nc", compression=4, **COMPRESSED)
    with open("run.nc", "rb") as file:
        whole = file.read()
    places = np.random.default_rng(1).integers(0, len(whole), 40)
    for place in (0, 60, len(whole) // 2, len(whole) - 1, *places):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(place) % 8
        with open("damaged.nc", "wb") as file:
            file.write(damaged)
        with pytest.raises(kalaba.FileError):
            kalaba.open("damaged.nc").dataset.load()
        os.remove("damaged.nc")
    with open("cut.nc", "wb") as file:
        file.write(whole[:-1])
    with pytest.raises(kalaba.FileError, match="is damaged"):
        kalaba.open("cut.nc")


def test_counts_are_integers(bead):
    options = {
        "integrator": "dopri5", "end": 0.2, "compile": "never", "progress": None,
        "events": [kalaba.event("low", "x - 0.99", action="record")],
    }  # fmt: skip
    ensemble = kalaba.Ensemble(bead, 6, parameters={"c": kalaba.uniform(0.3, 0.7)})
    for out in (None, "run.nc"):
        result = kalaba.run(ensemble, out=out, **options)
        dataset = result.dataset
        for name in ("status", "event_count", "rank_changes", "singular_passages", "accepted_steps", "rejected_steps"):
            assert dataset[name].dtype.kind == "i", (out, name)
        assert dataset.event_count.values.tolist() == [[1] * 6]
        for name in ("member_steps", "rejected_steps", "svd_stages"):
            assert isinstance(result.summary[name], int), (out, name)
        assert isinstance(result.summary["events"][0]["crossings"], int)
    for name in ("member_steps", "rejected_steps", "svd_stages", "event_low_crossings"):
        assert isinstance(kalaba.open("run.nc").summary[name], int), name
    import xarray

    for name in ("event_count", "accepted_steps"):
        assert xarray.open_dataset("run.nc", engine="h5netcdf")[name].dtype.kind == "i"


def test_repetitions_of_a_grid_are_integers(bead):
    result = quick(bead, 6, parameters={"c": kalaba.values([0.4, 0.5, 0.6])})
    assert result.dataset.repetition.dtype.kind == "i"
    assert result.dataset.repetition.values.tolist() == [0, 0, 0, 1, 1, 1]
    assert result.grid().q.sizes["repetition"] == 2


def test_saved_times_are_those_asked_for(bead):
    asked = [0, 0.3, 0.6, 0.65, 0.7, 1.0]
    for out in (None, "run.nc"):
        result = quick(bead, dt=0.1, end=1, save_at=asked, out=out)
        assert result.dataset.time.values.tolist() == asked
        assert result.dataset.q.sel(time=0.7).shape == (2, 1)
        grid = quick(bead, dt=0.1, end=1, save_every=1, out=out)
        assert grid.dataset.time.values.tolist() == [i / 10 for i in range(11)]


def test_one_thing_is_a_list_of_one(bead):
    ensemble = kalaba.Ensemble(bead, 3, parameters={"c": kalaba.values(0.5), "m": kalaba.discrete(2)}, grid="c")
    assert ensemble == kalaba.Ensemble(
        bead, 3, parameters={"c": kalaba.values([0.5]), "m": kalaba.discrete([2])}, grid=["parameters.c"]
    )
    event = kalaba.event("low", "x - 0.99", action="record")
    options = {"compile": "never", "progress": None, "end": 0.2}
    one = kalaba.run(
        ensemble, fields="q", statistics="quantiles", quantiles=0.5, save_at=0.1, events=event, sensitivities="c", **options
    )
    several = kalaba.run(
        ensemble, fields=["q"], statistics=["quantiles"], quantiles=[0.5], save_at=[0.1], events=[event],
        sensitivities=["c"], **options,
    )  # fmt: skip
    same(one.dataset, several.dataset)
    same(kalaba.run(ensemble, fields="x", **options).dataset, kalaba.run(ensemble, fields=["x"], **options).dataset)


def test_members_stay_where_their_number_grows(bead):
    inputs = {"c": kalaba.uniform(0.3, 0.7), "m": kalaba.normal(1, 0.1), "g": kalaba.log_uniform(1, 10)}
    for design, few, many in (
        ("independent", 5, 7), ("sobol", 5, 7), ("saltelli", 25, 35), ("latin_hypercube", 6, 12), ("latin_hypercube", 6, 48),
    ):  # fmt: skip
        small, large = (kalaba.Ensemble(bead, n, seed=5, design=design, parameters=inputs).inputs for n in (few, many))
        for name in inputs:
            np.testing.assert_array_equal(small[name], large[name][:few], err_msg=f"{design} {few} {many}")


def test_agents_of_a_swarm_have_constraints_of_their_own():
    swarm = kalaba.Model.catalogue("swarm", agents=12)
    leader = {"which": [3], "constraint": "circle", "radius": 2.0, "angular_speed": 0.5}
    result = kalaba.sweep(swarm, agents=[leader], parameters={"strength": 0.1}, end=0.5, save_every=10, progress=None)
    x, y = result.dataset.q[:, :, 3, 0].values.T
    np.testing.assert_allclose(np.hypot(x, y), 2.0, rtol=1e-12)
    with pytest.raises(kalaba.InputError, match="did you mean circle"):
        kalaba.Ensemble(swarm, agents=[{**leader, "constraint": "cirkle"}])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameters": {"cc": 1}}, "there is no cc; did you mean c?"),
        ({"members": -3}, "ensemble.members: expected a whole number from 1"),
        ({"members": 2.5}, "members: expected a whole number, found 2.5"),
        ({"members": 5, "parameters": {"c": np.ones(4)}}, "found 5"),
        ({"parameters": {"c": np.array([1.0, np.nan])}}, r"expected finite numbers, found nan at \[1\]"),
        ({"parameters": {"c": np.ones((2, 2))}}, r"found the shape \(2, 2\)"),
        ({"parameters": {"c": np.ones(2, dtype=complex)}}, "expected real numbers"),
        ({"parameters": {"c": ["a", "b"]}}, "expected real numbers"),
        ({"end": -1}, "time.end: expected an end after the start"),
        ({"fields": ["qq"]}, 'unknown field "qq"; did you mean q?'),
        ({"out": "nowhere/run.nc"}, "there is no folder nowhere"),
        ({"out": "run.txt"}, r"ends in \.nc or \.csv"),
        ({"shard": (2, 2)}, "shard: expected"),
        ({"shard": (0.9, 2.9)}, "shard: expected a whole number, found 0.9"),
        ({"events": [kalaba.event("a", "zz")]}, r"events\[1\]\.when"),
        ({"events": ["x"]}, "events: expected a list of kalaba.event, found 'x'"),
        ({"sensitivities": [3]}, "sensitivities: expected the name of a parameter or start, found 3"),
        ({"tolerance": "fine"}, "tolerance: expected real numbers, found str"),
        ({"parameters": {"c": [0.5, 0.6], "m": [1, 2, 3]}}, "expected 3 rows, as parameters.m has, found 2"),
        ({"project": "maybe"}, "project: expected one of"),
        ({"on_failure": "shout"}, "on_failure: expected"),
        ({"fields": ["q"], "end": 1e3, "save_every": 1, "members": 10_000_000}, "the result takes .* of memory"),
    ],
)
def test_bad_input_is_refused_in_its_place(bead, options, message):
    members = options.pop("members", None)
    with pytest.raises(kalaba.Error, match=message):
        quick(bead, members, **options)


def test_unknown_words_have_a_nearest_one(bead):
    with pytest.raises(TypeError, match="run has no argument 'edn'; did you mean end?"):
        kalaba.run(bead, edn=3)
    with pytest.raises(TypeError, match="simulate has no argument 'cc'; did you mean c?"):
        kalaba.simulate(bead, cc=3)
    with pytest.raises(TypeError, match=r"expected a kalaba\.Ensemble"):
        kalaba.run(3)
    with pytest.raises(kalaba.BackendError, match="cuda"):
        if shutil.which("nvidia-smi"):
            pytest.skip("there is a GPU")
        kalaba.run(bead, backend="cuda")


def test_what_a_run_notes_is_in_its_summary():
    def body(p, q, v, t):
        return {"mass": [1.0], "force": {"x": -np.sign(v.x)}, "holonomic": {"there": kalaba.equal(q.x**2, 4)}}

    off = kalaba.model(body, coordinates={"x": ""}, name="off")
    assert off.notes == [
        "there is off by -4 there (x = 0);\n    initial.project = true moves the start onto the constraints",
        "model.holonomic.there: its gradient vanishes at the start, so that it holds nothing there: x = 0\n"
        "    x^2 = 4\n    ^^^^^^^",
    ]
    assert off.notes[0] in repr(off)
    with pytest.raises(kalaba.MembersFailed, match="there is off by -4"):
        kalaba.simulate(off, end=0.1)
    result = quick(off)
    assert "  note         model.force.x: sign has kinks" in str(result.summary)
    assert any(each.startswith("note: model.force.x: sign has kinks") for each in result.summary.warnings)


def test_warnings_are_a_list(bead):
    assert quick(bead, 4).summary.warnings == []
    moved = quick(bead, 4, initial={"y": 0.6}, integrator="rk4", dt=0.2, end=4).summary
    assert [each.split(":")[0] for each in moved.warnings] == ["starts", "energy"]
    assert all(each.split(": ", 1)[1] in moved.text for each in moved.warnings)


def test_an_event_is_a_text():
    with pytest.raises(kalaba.InputError, match="event top: when is an expression as text"):
        kalaba.event("top", lambda q: q.x)


def test_members_that_fail_are_data():
    @kalaba.model(parameters={"m": "1 kg", "a": "1 m/s^2"}, coordinates={"x": "m"})
    def leaving(p, q, v, t):
        return {"mass": [p.m], "force": {"x": p.m * p.a}, "valid": q.x < kalaba.quantity(0.5, "m"), "holonomic": {}}

    result = quick(leaving, parameters={"a": [0.1, 2.0, 100.0]}, end=1.0)
    assert result.failed_members == 2 == result.summary["failed_members"]
    assert result.failed.member.values.tolist() == [1, 2]
    assert result.failed.a.values.tolist() == [2.0, 100.0]
    assert result.failed.reason.values.tolist() == ["singular_constraints"] * 2
    np.testing.assert_allclose(result.failed.time, [np.sqrt(0.5), 0.1], atol=2e-3)
    with pytest.raises(kalaba.MembersFailed) as caught:
        quick(leaving, parameters={"a": [100.0]}, end=1.0, on_failure="raise")
    assert caught.value.result.failed_members == 1


def test_the_first_result_of_a_new_model_is_there_at_once(bead):
    text = bead.to_toml().replace("bead", "other_bead")
    kalaba.simulate(bead, end=0.1)  # xarray takes its time to be imported, once
    begin = time.perf_counter()
    kalaba.simulate(kalaba.Model.parse(text), end=2.0)
    assert time.perf_counter() - begin < 0.3 * (4 if os.environ.get("CI") else 2)


def test_a_first_result_does_not_import_what_it_does_not_need():
    program = """
import sys, kalaba
kalaba.simulate("spherical_pendulum", end=0.1)
print([name for name in ("dask.array", "matplotlib", "scipy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lyapunov_exponents_and_the_transition_matrix(bead):
    result = quick(bead, 2, lyapunov=True)
    largest, least = (np.asarray(result[name])[-1] for name in ("lyapunov_1", "lyapunov_2"))
    assert np.isfinite(largest).all() and (largest > least).all()
    assert np.isnan(np.asarray(result["lyapunov_3"])).all()
    assert result.summary["lyapunov"]["directions"] == 2
    matrix = quick(bead, 1, sensitivities=["initial.*"]).transition_matrix()
    start = matrix[0, :, :, 0]
    assert start.shape == (4, 4)
    np.testing.assert_allclose(start @ start, start, atol=1e-8)  # the projection onto what the constraint allows
    assert round(np.trace(start)) == 2
    with pytest.raises(kalaba.InputError, match="transition_matrix: expected"):
        quick(bead, 1, sensitivities=["initial.x"]).transition_matrix()


def test_what_a_start_was_moved_by_is_told_of_one_motion_too():
    pendulum = kalaba.Model.catalogue("spherical_pendulum_lagrangian")
    with pytest.warns(UserWarning, match="spherical_pendulum_lagrangian: starts: 1 member moved onto .* from 0.4 to"):
        motion = kalaba.simulate(pendulum, x=0.4, z=0.2, end=0.1)
    assert "1 member moved onto" in motion.attrs["run_summary"]
    with pytest.warns(UserWarning, match="energy: drifts by .*; warning: "):
        kalaba.simulate(pendulum, dt=0.1, end=2.0)
    kinked = kalaba.Model.parse(
        '[model]\nname = "kinked"\n[model.coordinates]\nx = ""\n[model.mass]\nx = "1"\n[model.force]\nx = "-sign(x_dot)"\n'
    )
    with pytest.warns(UserWarning, match="kinked: note: model.force.x: sign has kinks"):
        kalaba.simulate(kinked, end=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet = kalaba.simulate(pendulum, end=0.1)
    assert "1 ok" in quiet.attrs["run_summary"]
    with pytest.raises(kalaba.InputError, match="L: expected once, found 1 and 2"):
        kalaba.simulate(pendulum, parameters={"L": 1}, L=2)


def test_a_run_leaves_its_ensemble_as_it_was(bead):
    kalaba.Ensemble(bead, 2).to_toml("sweep.toml", end=0.2, dt=1e-3, save_at=[0.05, 0.1], integrator="dop853")
    ensemble = kalaba.read("sweep.toml")
    options = {"compile": "never", "progress": None}
    saved = ({}, {"save_every": 100}, {"save_at": [0.2]}, {})
    times = [kalaba.run(ensemble, **options, **each).dataset.time.values.tolist() for each in saved]
    assert times == [[0.05, 0.1], [0, 0.1, 0.2], [0.2], [0.05, 0.1]]
    assert ensemble == kalaba.read("sweep.toml")
    assert "dop853, tolerances 1e-06" in str(kalaba.run(ensemble, tolerance=1e-6, **options).summary)


def test_sensitivities_come_where_they_are_asked_for(bead):
    assert "sensitivity" not in quick(bead, lyapunov=False).dataset.sizes
    assert quick(bead, sensitivities="c", lyapunov=False).dataset.sensitivity.values.tolist() == ["parameters.c"]
    kalaba.Ensemble(bead, 2).to_toml("sweep.toml", end=0.2, sensitivities=["initial.x"])
    ensemble = kalaba.read("sweep.toml")
    for is_wanted in (False, True):
        found = kalaba.run(ensemble, lyapunov=is_wanted, fields=["q"], progress=None, compile="never").dataset
        assert found.sensitivity.values.tolist() == ["initial.x"] and ("lyapunov_exponents" in found) == is_wanted


def test_a_summary_has_the_failures_of_each_status():
    @kalaba.model(parameters={"a": "1 m/s^2", "b": "1", "m": "1 kg"}, coordinates={"x": "m"})
    def leaving(p, q, v, t):
        limit = kalaba.quantity(0.5, "m")
        return {"mass": [p.m], "force": {"x": p.m * p.a * kalaba.sqrt(p.b)}, "valid": q.x < limit, "holonomic": {}}

    result = quick(leaving, parameters={"a": [0.1, 1.0, 2.0, 3.0], "b": [1.0, -1.0, 1.0, 1.0]}, end=1.0, out="run.nc")
    opened = kalaba.open("run.nc").summary
    for summary in (result.summary, opened):
        kinds = [(each["status"], each["members"], each["first"]) for each in summary.failures]
        assert kinds == [("singular_constraints", 2, 2), ("non_finite", 1, 1)]
        assert "\n  failure      2 singular_constraints, the first is member 2" in str(summary)
        assert "\n  failure      1 non_finite, member 1: the force along x_dot is nan at t = 0 s\n" in str(summary)
    assert result.summary.failures == opened.failures


def test_a_complete_run_tells_what_it_came_to():
    @kalaba.model(parameters={"a": "1 m/s^2"}, coordinates={"x": "m"})
    def leaving(p, q, v, t):
        return {"mass": [1.0], "force": {"x": p.a}, "valid": q.x < kalaba.quantity(0.5, "m"), "holonomic": {}}

    options = {"parameters": {"a": [0.1, 2.0, 100.0]}, "end": 1.0}
    quick(leaving, out="run.nc", **options)
    again = quick(leaving, out="run.nc", resume=True, **options)
    assert again.failed_members == 2 and "is complete" in str(again.summary)
    with pytest.raises(kalaba.MembersFailed, match="2 members failed"):
        quick(leaving, out="run.nc", resume=True, on_failure="raise", **options)
    quick(leaving, out="run.csv", **options)
    with pytest.raises(kalaba.InputError, match=r"run\.csv: was complete before; a text file does not contain"):
        quick(leaving, out="run.csv", resume=True, on_failure="raise", **options)
