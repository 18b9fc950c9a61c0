"""Fits recover values, and report errors."""

import math

import numpy as np
import pytest

import kalaba

QUICK = dict(end=1.0, dt=0.01, backend="reference")


def measured(noise=0.0):
    """Motion of a chain of two links with L = 0.9 m and g = 9.6 m/s^2, with some numbers missing."""
    chain = kalaba.Model.catalogue("chain", links=2)
    motion = kalaba.simulate(chain, L=0.9, g=9.6, end=1.0, dt=0.01, save_every=4, backend="reference")
    random = np.random.default_rng(1)
    data = {"t": np.asarray(motion["time"])}
    for name in ("x1", "y2"):
        data[name] = np.asarray(motion[name]) + noise * random.standard_normal(len(data["t"]))
    data["x1"][3] = math.nan
    return chain, data


def test_values_come_back_with_their_errors():
    chain, data = measured(1e-3)
    reports = []
    fit = kalaba.fit(chain, data, ["L", "parameters.g"], sigma=1e-3, progress=lambda *each: reports.append(each), **QUICK)
    assert fit.converged and fit.determined and not fit.complaints
    for name, value in (("parameters.L", 0.9), ("parameters.g", 9.6)):
        assert abs(fit.values[name] - value) < 4 * fit.errors[name] < 0.2
        assert fit.intervals[name][0] < fit.values[name] < fit.intervals[name][1]
    assert fit.correlation.shape == (2, 2) and fit.correlation[0, 0] == pytest.approx(1)
    times, residuals = fit.residuals["x1"]
    assert len(times) == len(residuals) == len(data["t"]) - 1
    assert 0.5e-3 < residuals.std() < 2e-3
    assert "parameters.L" in repr(fit) and "standard error" in repr(fit)
    assert [each[0] for each in reports] == list(range(len(reports))) and len(reports) > 2
    again = kalaba.run(fit.ensemble, end=1.0, dt=0.01, backend="reference", progress=None)
    assert np.asarray(again.dataset["L"])[0] == fit.values["parameters.L"]


def test_files_and_starts(tmp_path):
    chain, data = measured()
    path = tmp_path / "m.csv"
    rows = zip(*data.values())
    path.write_text("t,x1,y2\n" + "\n".join(",".join(map(repr, map(float, row))) for row in rows) + "\n")
    fit = kalaba.fit(chain, path, "L", bounds={"L": (0.5, 2)}, starts=3, columns=["x1"], **QUICK)
    assert fit.starts["count"] == 3 and fit.starts["agree"] >= 1
    assert list(fit.residuals) == ["x1"]


def test_what_is_not_determined_is_a_warning():
    chain, data = measured()
    with pytest.warns(RuntimeWarning, match="do not determine all variables: to change parameters.m"):
        fit = kalaba.fit(chain, data, ["m", "g", "L"], **QUICK)
    assert not fit.determined and math.isnan(fit.errors["parameters.m"])


def test_what_is_wrong_is_told():
    chain, data = measured()
    with pytest.raises(kalaba.InputError, match='unknown variable "initial.l"'):
        kalaba.fit(chain, data, ["l"], **QUICK)
    with pytest.raises(kalaba.InputError, match='expected one column "t"'):
        kalaba.fit(chain, {"x1": [1.0]}, ["L"], **QUICK)
    with pytest.raises(kalaba.InputError, match='column "z": expected a coordinate or rate'):
        kalaba.fit(chain, {"t": [0.1], "z": [1.0]}, ["L"], **QUICK)
    with pytest.raises(kalaba.InputError, match="found 1.04 s|found 5 s"):
        kalaba.fit(chain, {"t": [5.0], "x1": [1.0]}, ["L"], **QUICK)
    with pytest.raises(TypeError, match="fit has no argument 'iteration'"):
        kalaba.fit(chain, data, ["L"], iteration=3, **QUICK)


TOGETHER = kalaba.correlated({"parameters.g": 9.6, "parameters.m": 1}, std=[0.1, 0.1], correlation=[[1, 0.5], [0.5, 1]])


@pytest.mark.parametrize(
    "inputs",
    [
        {"seed": 7, "parameters": {"g": kalaba.normal(9.6, 0.1)}},
        {"parameters": {"g": np.full(5, 9.6)}, "initial": {"x1": np.full(5, 0.9)}},
        {"parameters": {"g": kalaba.linspace(9.6, 10, 5)}},
        {"correlated": TOGETHER},
    ],
    ids=["drawn", "arrays", "grid", "correlated"],
)
def test_the_ensemble_is_the_motion_that_was_fitted(inputs):
    chain, data = measured()
    ensemble = kalaba.Ensemble(chain, 5, **inputs)
    first = ensemble.inputs.isel(member=0)
    fit = kalaba.fit(ensemble, data, ["L"], **QUICK)
    ensemble.parameter("g")[:] = 1  # which comes too late
    fitted = fit.ensemble
    assert fitted.members == 1 and fitted.inputs.L.item() == fit.values["parameters.L"]
    stated = ["g", "m", *(f"initial_{name}" for name in inputs.get("initial", ()))]
    assert [fitted.inputs[name].item() for name in stated] == [first[name].item() for name in stated]
    motion = kalaba.run(fitted, end=1.0, dt=0.01, save_every=4, backend="reference", progress=None)["y2"]
    np.testing.assert_allclose(np.asarray(motion)[:, 0] - data["y2"], fit.residuals["y2"][1], atol=1e-12)


def test_the_ensemble_of_a_scenario_keeps_what_moves_it():
    chain, data = measured()
    ensemble = kalaba.Ensemble(chain, 3, parameters={"g": kalaba.discrete([9.6, 9.7])})
    ensemble.to_toml("sweep.toml", **QUICK, integrator="dopri5", statistics=["mean"], group_by="g")
    fit = kalaba.fit(kalaba.read("sweep.toml"), data, ["L"])
    result = kalaba.run(fit.ensemble, progress=None)
    assert np.asarray(result.dataset["time"])[-1] == 1.0 and "reference" in result.summary["device"]
    assert "dopri5" in str(result.summary)


def test_masked_numbers_are_missing():
    chain, data = measured()
    masked = {name: np.ma.masked_invalid(column).filled(1e9) for name, column in data.items()}
    masked["x1"] = np.ma.masked_greater(masked["x1"], 1e8)
    fits = [kalaba.fit(chain, each, ["L"], **QUICK) for each in (data, masked)]
    assert fits[0].values == fits[1].values
    assert len(fits[1].residuals["x1"][0]) == len(data["t"]) - 1
    masked["t"] = np.ma.masked_less(data["t"], 0.01)
    with pytest.raises(kalaba.InputError, match="row 0: expected a time in s, found none"):
        kalaba.fit(chain, masked, ["L"], **QUICK)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": np.array([0.1, 0.2])}, "sigma: expected a standard deviation, or a dict .*, found ndarray"),
        ({"sigma": {"x1": [0.1, 0.2], "y2": 1}}, r"sigma: x1: expected a number, found the shape \(2,\)"),
        ({"bounds": {"L": 2}}, r"bounds: L: expected \(low, high\), found 2"),
        ({"bounds": {"L": (np.ma.masked, 2)}}, "bounds: L: expected numbers, found 1 of 1 masked"),
        ({"starts": 1.5}, "starts: expected a whole number, found 1.5"),
        ({"iterations": 2.5}, "iterations: expected a whole number, found 2.5"),
        ({"free": [3]}, "free: expected the name of a parameter or start, found 3"),
        ({"columns": ["x1", "x1"]}, "columns: expected each once, found 'x1' twice"),
        ({"data": [1, 2]}, "data: expected a path, or a dict or DataFrame of columns, found list"),
        ({"data": {"t": [0.1], "x1": ["one"]}}, "data: column x1: expected numbers, found could not convert"),
        ({"data": {"t": [0.1], "x1": [1j]}}, "data: column x1: expected numbers, found complex numbers"),
        ({"data": {"t": [0.1, 0.2], "x1": np.ones((1, 2))}}, r"data: column x1: .* found the shape \(1, 2\)"),
    ],
)
def test_what_is_no_number_is_refused_in_its_place(options, message):
    chain, data = measured()
    with pytest.raises(kalaba.InputError, match=message):
        kalaba.fit(chain, **{"data": data, "free": ["L"], **QUICK, **options})


def test_columns_that_are_not_read_may_be_texts():
    chain, data = measured()
    fit = kalaba.fit(chain, {**data, "label": ["a"] * len(data["t"])}, "L", columns="x1", **QUICK)
    assert list(fit.residuals) == ["x1"]
