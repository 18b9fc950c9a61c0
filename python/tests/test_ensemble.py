"""Inputs of members: the same numbers by every access, and only those that were given."""

import pickle

import numpy as np
import pytest

import kalaba
from conftest import quick, same

PENDULUM = kalaba.Model.catalogue("spherical_pendulum_lagrangian")
UNIFORM = {"L": kalaba.uniform(1, 2), "g": kalaba.uniform(9, 10)}
GRID = {"L": kalaba.values([1, 2]), "g": kalaba.values([9, 10])}
ORDER = ["parameters.g", "parameters.L"]
TOGETHER = kalaba.correlated({"parameters.L": 1, "parameters.g": 9.81, "initial.x": 0.5}, covariance=np.eye(3) * 0.01)
SPREAD = {
    "independent": {"members": 6, "seed": 3, "parameters": UNIFORM},
    "latin_hypercube": {"members": 6, "design": "latin_hypercube", "parameters": UNIFORM},
    "sobol": {"members": 6, "design": "sobol", "parameters": UNIFORM, "initial": {"x_dot": kalaba.normal(0, 0.1)}},
    "saltelli": {"members": 8, "design": "saltelli", "parameters": UNIFORM},
    "one at a time": {"design": "one_at_a_time", "parameters": GRID},
    "grid": {"parameters": {**GRID, "m": "2[kg/m] * L"}},
    "grid in an order": {"members": 8, "parameters": {**GRID, "m": kalaba.uniform(1, 2)}, "grid": ORDER},
    "grid of starts": {"parameters": GRID, "initial": {"x": kalaba.linspace(0.3, 0.5, 3)}},
    "correlated": {"members": 5, "parameters": {"m": kalaba.discrete([1, 2])}, "correlated": TOGETHER},
    "arrays": {"parameters": {"L": [1.0, 1.5, 2.0], "g": kalaba.uniform(9, 10)}},
}


@pytest.fixture(name="ensemble", params=[*SPREAD])
def the_ensemble(request):
    return kalaba.Ensemble(PENDULUM, **SPREAD[request.param])


def test_who_looks_at_inputs_changes_none(ensemble):
    before, text = ensemble.inputs, ensemble.to_toml("before.toml")
    for name in PENDULUM.parameters.names:
        np.testing.assert_array_equal(ensemble.parameter(name), before[name])
    for name in (*PENDULUM.coordinates.names, *PENDULUM.rates.names):
        np.testing.assert_array_equal(ensemble.initial(name), before[f"initial_{name}"])
    same(ensemble.inputs, before)
    assert ensemble.to_toml("before.toml") == text
    assert ensemble.parameter("g") is ensemble.parameter("g")
    same(pickle.loads(pickle.dumps(ensemble)).inputs, before)


def test_who_writes_an_input_changes_no_other(ensemble):
    expected = ensemble.inputs.copy(deep=True)  # no start follows from g
    written = np.linspace(3, 4, ensemble.members)
    ensemble.parameter("g")[:] = written
    expected["g"][:] = written
    assert repr(ensemble).startswith(f"Ensemble of {ensemble.members} members")
    assert 'g = { array = "parameters.g" }' in repr(ensemble)
    same(ensemble.inputs, expected)
    same(pickle.loads(pickle.dumps(ensemble)).inputs, expected)
    result = kalaba.run(ensemble, end=0.01, compile="never", progress=None)
    np.testing.assert_array_equal(result.dataset.g, written)
    ensemble.to_toml("written.toml")
    same(kalaba.read("written.toml").inputs, ensemble.inputs)
    ensemble.parameter("g")[0] = 5
    assert ensemble.inputs.g[0] == 5


def test_starts_that_were_neither_stated_nor_asked_for_follow(bead):
    ensemble = kalaba.Ensemble(bead, 4, parameters={"c": kalaba.uniform(0.3, 0.7), "m": "2[kg m] * c"})
    ensemble.parameter("c")[:] = [1, 2, 3, 4]
    np.testing.assert_array_equal(ensemble.parameter("m"), [2, 4, 6, 8])
    np.testing.assert_array_equal(ensemble.inputs.initial_y, [1, 2, 3, 4])


def test_what_cannot_be_written_is_refused_and_changes_nothing():
    ensemble = kalaba.Ensemble(PENDULUM, parameters=GRID)
    g = ensemble.parameter("g")
    g[1] = np.nan
    with pytest.raises(kalaba.InputError, match=r"parameters.g.*expected finite numbers, found nan at \[1\]"):
        ensemble.inputs  # noqa: B018
    g[1] = 10
    same(ensemble.inputs, kalaba.Ensemble(PENDULUM, parameters=GRID).inputs)
    assert list(quick(PENDULUM, parameters=GRID).dataset.attrs["grid"]) == ["L", "g"]


def test_restarts_change_no_parameter(ensemble):
    before = ensemble.inputs
    inputs = ensemble.restart().inputs
    same(inputs[PENDULUM.parameters.names], before[PENDULUM.parameters.names])
    np.testing.assert_allclose(inputs.initial_x / inputs.L, PENDULUM.coordinates["x"].value)


def test_restarts_forget_starts_and_no_member():
    stated = kalaba.Ensemble.from_arrays(PENDULUM, q=np.ones((3, 7)))
    assert stated.restart().members == 7


def test_arrays_stay_the_callers():
    a = np.array([1.0, 2.0])
    ensemble = kalaba.Ensemble(PENDULUM, parameters={"L": a, "m": a})
    ensemble.parameter("L")[:] = 3
    np.testing.assert_array_equal(a, [1, 2])
    a[:] = 7
    np.testing.assert_array_equal(ensemble.inputs.m, [1, 2])
    q = np.ones((3, 2))
    stated = kalaba.Ensemble.from_arrays(PENDULUM, q=q, w={"x_dot": a}, g=a)
    stated.initial("x")[:] = 0.5
    q[:], a[:] = 9, 9
    np.testing.assert_array_equal(stated.inputs.initial_x, [0.5, 0.5])
    np.testing.assert_array_equal(stated.inputs.initial_y, [1, 1])
    np.testing.assert_array_equal(stated.inputs.g, [7, 7])
    words = {"values": [1.0, 2.0]}
    listed = kalaba.Ensemble(PENDULUM, parameters={"L": words})
    words["values"].append(3.0)
    assert listed.parameter("L").tolist() == [1, 2] and "3.0" not in listed.to_toml().split("[parameters]")[1][:40]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"parameters": {"L": np.ma.masked_greater([1.0, 2.0, 3.0], 1.5)}}, "parameters.L: .* found 2 of 3 masked"),
        ({"parameters": {"L": np.ma.masked}}, "parameters.L: .* found 1 of 1 masked"),
        ({"initial": {"x": np.ma.masked_equal([1, 2], 2)}}, "initial.x: .* found 1 of 2 masked"),
    ],
)
def test_masked_numbers_are_no_inputs(inputs, message):
    with pytest.raises(kalaba.InputError, match=message):
        kalaba.Ensemble(PENDULUM, **inputs)


def test_arrays_with_a_mask_over_nothing_are_inputs():
    L = np.ma.masked_greater([1.0, 2.0], 9)
    np.testing.assert_array_equal(kalaba.Ensemble(PENDULUM, parameters={"L": L}).inputs.L, [1, 2])
    with pytest.raises(kalaba.InputError, match="q: expected numbers, found 2 of 6 masked"):
        kalaba.Ensemble.from_arrays(PENDULUM, q=np.ma.masked_equal(np.arange(6).reshape(3, 2) // 2, 1))
    with pytest.raises(kalaba.InputError, match="save_at: expected numbers, found 1 of 2 masked"):
        kalaba.run(PENDULUM, save_at=np.ma.masked_equal([0.05, 0.1], 0.1))


def test_a_result_is_no_scenario(bead):
    quick(bead, out="run.nc")
    with pytest.raises(kalaba.InputError, match=r"run\.nc: expected a scenario, .* kalaba\.open opens"):
        kalaba.read("run.nc")


def test_points_of_axes_are_whole_numbers_and_none_is_masked():
    with pytest.raises(kalaba.InputError, match="linspace: expected a whole number, found 2.9"):
        kalaba.linspace(1, 2, 2.9)
    for words in (kalaba.values, kalaba.discrete):
        with pytest.raises(kalaba.InputError, match="expected numbers, found 1 of 2 masked"):
            words(np.ma.masked_equal([1, 2], 2))


def tables():
    pandas = pytest.importorskip("pandas")
    columns = {"g": [9.0, 8.0, 7.0], "c": [0.3, 0.4, 0.5]}
    yield pandas.DataFrame(columns, index=[4, 2, 7])
    yield pandas.DataFrame({"c": columns["c"], "g": [9, 8, 7]}).convert_dtypes()
    yield np.array(list(zip(*columns.values())), dtype=[(name, float) for name in columns])
    yield ArrowTable({name: np.array(each) for name, each in columns.items()})


class ArrowTable:
    """As pyarrow.Table: columns by name, and none of a mapping's methods."""

    def __init__(self, columns):
        self._columns, self.column_names = columns, [*columns]

    def __getitem__(self, name):
        return self._columns[name]


def test_tables_are_inputs_by_the_names_of_their_columns(bead):
    for table in tables():
        inputs = kalaba.Ensemble(bead, parameters=table).inputs
        assert inputs.g.values.tolist() == [9, 8, 7]
        assert inputs.c.values.tolist() == [0.3, 0.4, 0.5]


def test_tables_that_are_no_inputs_are_refused_in_words(bead):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": [0.3, 0.4], "k": [1.0, 2.0]})
    with pytest.raises(kalaba.InputError, match="parameters: there is no k"):
        kalaba.Ensemble(bead, parameters=frame)
    with pytest.raises(kalaba.InputError, match="expected columns with the names of inputs, found 0"):
        kalaba.Ensemble(bead, parameters=pandas.DataFrame([[1.0, 2.0]]))
    twice = pandas.DataFrame([[0.3, 0.4]], columns=["c", "c"])
    with pytest.raises(kalaba.InputError, match="expected each column once, found c twice"):
        kalaba.Ensemble(bead, parameters=twice)
    with pytest.raises(kalaba.InputError, match=r"parameters\.c: expected real numbers"):
        kalaba.Ensemble(bead, parameters=pandas.DataFrame({"c": ["a", "b"]}))
    with pytest.raises(kalaba.InputError, match="expected a dict of names, or a table with columns, found int"):
        kalaba.Ensemble(bead, parameters=3)


def test_whole_numbers_that_no_scenario_holds_are_refused_by_their_names(bead):
    seed = 93426518567435142053632900363206824167  # 128 bits, as NumPy's SeedSequence().entropy
    for given in (seed, -seed, 10**400):
        with pytest.raises(kalaba.InputError, match="^seed: expected a whole number up to 9223372036854775807, found"):
            kalaba.Ensemble(bead, 2, seed=given)
    with pytest.raises(kalaba.InputError, match="^ensemble.seed: expected a whole number from 0"):
        kalaba.Ensemble(bead, 2, seed=-1)
    assert kalaba.Ensemble(bead, 2, seed=np.int64(2**63 - 1)).inputs.sizes["member"] == 2
    with pytest.raises(kalaba.InputError, match="time.save_every: expected a whole number up to"):
        kalaba.run(kalaba.Ensemble(bead, 2), save_every=2**70)
    with pytest.raises(kalaba.InputError, match="members: expected a whole number"):
        kalaba.Ensemble(bead, float("inf"))
