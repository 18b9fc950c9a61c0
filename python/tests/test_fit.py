"""Fits: the values come back, and what is wrong is told."""

import math

import numpy as np
import pytest

import kalaba

QUICK = dict(end=1.0, dt=0.01, backend="reference")


def measured(noise=0.0):
    """What a chain of two links with L = 0.9 m and g = 9.6 m/s^2 does, with some numbers missing."""
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
    told = []
    fit = kalaba.fit(chain, data, ["L", "parameters.g"], sigma=1e-3, progress=lambda *each: told.append(each), **QUICK)
    assert fit.converged and fit.determined and not fit.complaints
    for name, value in (("parameters.L", 0.9), ("parameters.g", 9.6)):
        assert abs(fit.values[name] - value) < 4 * fit.errors[name] < 0.2
        assert fit.intervals[name][0] < fit.values[name] < fit.intervals[name][1]
    assert fit.correlation.shape == (2, 2) and fit.correlation[0, 0] == pytest.approx(1)
    times, residuals = fit.residuals["x1"]
    assert len(times) == len(residuals) == len(data["t"]) - 1
    assert 0.5e-3 < residuals.std() < 2e-3
    assert "parameters.L" in repr(fit) and "standard error" in repr(fit)
    assert [each[0] for each in told] == list(range(len(told))) and len(told) > 2
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
