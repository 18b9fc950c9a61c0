"""The mass matrix of a recorded model: what is taken of it, and what is refused."""

import numpy as np
import pytest

import kalaba

PARAMETERS = {"m": "1 kg", "M": "2 kg", "l": "1 m", "k": "3 m"}
ANGLES = {"a": "rad", "b": "rad"}


def with_mass(mass, key="mass", **options):
    made = {"parameters": PARAMETERS, "coordinates": ANGLES, "name": "it", **options}
    return kalaba.model(lambda p, q, v, t: {key: mass(p, q)}, **made)


def without_units(mass, key="mass"):
    return with_mass(lambda p, q: mass, key, coordinates=["x", "y"])


def jacobian(p, q, cos=np.cos, sin=np.sin):
    """Jacobian of the two bobs of a double pendulum."""
    first = [[p.l * cos(q.a), 0], [p.l * sin(q.a), 0]]
    return np.array([*first, *[[first[i][0], p.k * each(q.b)] for i, each in enumerate((cos, sin))]])


@pytest.mark.parametrize("key", ["mass", "metric"])
@pytest.mark.parametrize("mass", [[[2], [1, 3]], ((2,), (1, 3)), [[2, 1], [1, 3]], np.array([[2, 1], [1, 3]])], ids=str)
def test_a_symmetric_matrix_and_a_lower_triangle_are_one(mass, key):
    model = without_units(mass, key)
    assert f'{key} = [["2"], ["1", "3"]]' in model.to_toml()
    np.testing.assert_array_equal(model.terms().G, [[2, 1], [1, 3]])


def test_a_matrix_of_numbers_is_symmetric_but_for_rounding():
    model = without_units([[2, 0.3], [0.1 + 0.2, 3]])
    np.testing.assert_array_equal(model.terms().G, [[2, 0.1 + 0.2], [0.1 + 0.2, 3]])


@pytest.mark.parametrize(
    ("mass", "upper", "lower"),
    [
        (np.triu([[2, 1], [1, 2]]), 1, 0),
        (np.tril([[2, 1], [1, 2]]), 0, 1),
        ([[2, 7], [1, 2]], 7, 1),
        ([[2, 1], [1.000001, 2]], 1, 1.000001),
        ([[0, 1], [2, 0]], 1, 2),
    ],
)
def test_what_is_not_symmetric_is_refused(mass, upper, lower):
    with pytest.raises(kalaba.ModelError) as caught:
        without_units(mass)
    expected = "it: mass: expected a symmetric matrix, or its lower triangle by rows"
    assert f"{expected}; found {upper} at [0][1] and {lower} at [1][0]" in str(caught.value)


def test_the_first_pair_that_differs_is_named():
    with pytest.raises(kalaba.ModelError, match=r"found 5 at \[1\]\[2\] and 4 at \[2\]\[1\]"):
        with_mass(lambda p, q: [[9, 1, 2], [1, 9, 5], [2, 4, 9]], coordinates=["x", "y", "z"])


@pytest.mark.parametrize(
    ("mass", "message"),
    [
        ([[2, 1, 5], [1, 2, 9]], "[0]: expected a row of 1 (the lower triangle) or 2 (a symmetric matrix), found 3"),
        ([[2, 1], [1]], "[1]: expected a row of 2 (a symmetric matrix), found 1"),
        ([[2], [1]], "[1]: expected a row of 2 (the lower triangle), found 1"),
        ([[2], [1, 2, 3]], "[1]: expected a row of 2 (the lower triangle), found 3"),
        ([[2], 1], "[1]: expected a row of 2 (the lower triangle), found int"),
        ([1, [0, 1]], "[0]: expected a row of 1 (the lower triangle) or 2 (a symmetric matrix), found int"),
        ([[2], ["a", 1]], "[1][0]: expected a number or an expression of the model, found str: 'a'"),
        ([2, "a"], "[1]: expected a number or an expression of the model, found str: 'a'"),
        ({"x": 1, "y": "a"}, ".y: expected a number or an expression of the model, found str: 'a'"),
        ({0: 1}, ": expected names, found 0"),
        ({1, 2}, ": expected the diagonal, a symmetric matrix or its lower triangle, found set"),
        (np.array(2.0), ": expected the diagonal, a symmetric matrix or its lower triangle, found ndarray"),
        (2, ": expected the diagonal, a symmetric matrix or its lower triangle, found int"),
    ],
)
def test_what_is_no_matrix_says_so(mass, message):
    with pytest.raises(kalaba.ModelError) as caught:
        without_units(mass)
    assert f"it: mass{message}" in str(caught.value)


def test_numbers_of_numpy_make_a_diagonal():
    model = with_mass(lambda p, q: [np.array(2.0), np.array(p.m)], coordinates=["x", "y"])
    assert 'mass = ["2", "m"]' in model.to_toml()


def test_mirrored_entries_may_be_other_formulas_of_one_value():
    def pendulum(p, q):
        share = p.m * p.l * p.k
        return [[3 * p.m * p.l**2, share * np.cos(q.a - q.b)], [share * np.cos(q.b - q.a), 2 * p.m * p.k**2]]

    np.testing.assert_allclose(with_mass(pendulum).terms(q=[0.3, 1]).G, [[3, 3 * np.cos(0.7)], [3 * np.cos(0.7), 18]])

    model = with_mass(lambda p, q: jacobian(p, q).T @ np.diag([p.m, p.m, p.M, p.M]) @ jacobian(p, q))
    a, b = 0.3, 1.1
    of_numbers = np.array([[np.cos(a), 0], [np.sin(a), 0], [np.cos(a), 3 * np.cos(b)], [np.sin(a), 3 * np.sin(b)]])
    np.testing.assert_allclose(model.terms(q=[a, b]).G, of_numbers.T @ np.diag([1, 1, 2, 2]) @ of_numbers)


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (lambda x, y: -(x - y) + 3 / x, lambda x, y: (y * x - x**2 + 3) / x),
        (lambda x, y: kalaba.norm(x, y, 2), lambda x, y: np.sqrt(x**2 + y * y + 4)),
        (lambda x, y: kalaba.minimum(x, y, 1), lambda x, y: -kalaba.maximum(-1, -y, -x)),
        (lambda x, y: kalaba.clamp(x, -1, y), lambda x, y: kalaba.minimum(kalaba.maximum(x, -1), y)),
        (lambda x, y: abs(x), lambda x, y: x * kalaba.sign(x)),
        (lambda x, y: kalaba.where(x > y, 1, x), lambda x, y: kalaba.where(x <= y, x, 1)),
        (lambda x, y: kalaba.where((x >= 0) & (y >= 0), 1, x), lambda x, y: kalaba.where((x < 0) | (y < 0), x, 1)),
        (lambda x, y: kalaba.where(~(x > 0), 1, y), lambda x, y: kalaba.where(x > 0, y, 1)),
        (lambda x, y: np.tan(x), lambda x, y: np.sin(x) / np.cos(x)),
        (lambda x, y: np.arcsin(x) + np.log(np.exp(y)), lambda x, y: np.pi / 2 - np.arccos(x) + y),
        (lambda x, y: np.arctan2(x, abs(y)), lambda x, y: np.arctan(x / abs(y))),
        (lambda x, y: x * kalaba.quantity(2e-3, "1"), lambda x, y: x / 500),
    ],
)
def test_every_operation_has_its_value(upper, lower):
    def both(q, factor):
        return {"mass": [[9, upper(q.x, q.y)], [factor * lower(q.x, q.y), 9]], "start": {"x": 0.5, "y": 0.25}}

    kalaba.model(lambda p, q: both(q, 1), coordinates=["x", "y"])
    with pytest.raises(kalaba.ModelError, match="expected a symmetric matrix"):
        kalaba.model(lambda p, q: both(q, 1.001), coordinates=["x", "y"])


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (lambda x: np.sin(x), lambda x: -np.sin(x)),
        (lambda x: np.abs(x), lambda x: x),  # equal half the time
        (lambda x: kalaba.where(x > 0, 1, 2), lambda x: 1),
        (lambda x: np.sqrt(x - 9), lambda x: np.sqrt(-9 + x)),  # nowhere a value
        (lambda x: 1 / (x - x), lambda x: 2 / (x - x)),
    ],
    ids=["sign", "kink", "branch", "no value", "infinite"],
)
def test_other_values_are_refused(upper, lower):
    with pytest.raises(kalaba.ModelError, match="expected a symmetric matrix"):
        with_mass(lambda p, q: [[9, upper(q.x)], [lower(q.x), 9]], coordinates=["x", "y"])


def test_what_is_recorded_alike_needs_no_value():
    @kalaba.model(coordinates=["x", "y"])
    def far(p, q, v, t):
        return {"mass": [[9, np.sqrt(q.x - 9)], [np.sqrt(q.x - 9), 9]], "start": {"x": 10}}

    np.testing.assert_array_equal(far.terms().G, [[9, 1], [1, 9]])


def test_a_symmetric_matrix_is_written_as_its_lower_triangle():
    def full(p, q):
        return jacobian(p, q).T @ np.diag([p.m, p.m, p.M, p.M]) @ jacobian(p, q)

    assert with_mass(full) == with_mass(lambda p, q: [row[: i + 1] for i, row in enumerate(full(p, q))])
