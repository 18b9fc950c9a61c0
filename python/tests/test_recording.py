"""Operations on the names and numbers with which a function is called while it is recorded."""

import functools

import numpy as np
import pytest

import kalaba


def force(expression, **said):
    """Recorded force along x."""

    def function(p, q, v, t):
        return {"mass": [1, 1], "start": {"x": 0.5}, "force": {"x": expression(q)}, **said}

    text = kalaba.model(function, coordinates=["x", "y"]).to_toml()
    return text.split("[model.force]\nx = ")[1].splitlines()[0].strip('"')


def refused(expression):
    with pytest.raises(kalaba.ModelError, match="test_recording.py") as caught:
        force(expression)
    return str(caught.value)


# ---- functions ----


@pytest.mark.parametrize("function", kalaba._kalaba.functions(), ids=lambda function: function[0])
def test_every_function_of_the_table_is_recorded_and_is_numpys_of_numbers(function):
    name, python, numpy, least, most, _ = function
    arguments = [0.3, 0.2][:least]
    expected = getattr(np, numpy)(*arguments)
    text = ", ".join(["x", "0.2"][:least])
    assert force(lambda q: getattr(np, numpy)(q.x, *arguments[1:])) == f"{name}({text})"
    if python == "abs":  # Python's own
        assert force(lambda q: abs(q.x)) == "abs(x)"
        return
    mine = getattr(kalaba, python)
    assert force(lambda q: mine(q.x, *arguments[1:])) == f"{name}({text})"
    assert mine.__doc__
    with pytest.raises(TypeError, match=f"kalaba.{python} takes {least}"):
        mine()
    if least == most:
        assert mine(*arguments) == expected
        assert mine(np.array(arguments[:1]), *arguments[1:]) == expected


# ---- names ----


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda q: q[0], "x"),
        (lambda q: q[-1], "y"),
        (lambda q: -q[np.int64(1)], "-y"),
        (lambda q: 2 * q[0] ** 2, "2*x^2"),
        (lambda q: np.dot(q[:], q[::-1]), "x*y + y*x"),
        (lambda q: sum(q[1:]), "y"),
    ],
)
def test_names_by_number_are_expressions(expression, text):
    assert force(expression) == text


def test_rates_and_parameters_by_number():
    @kalaba.model(parameters={"m": "1 kg"}, coordinates={"x": "m", "y": "m"})
    def free(p, q, v, t):
        return {"lagrangian": p[0] * (v[0] ** 2 + v[-1] ** 2) / 2}

    assert 'lagrangian = "m*(x_dot^2 + y_dot^2)/2"' in free.to_toml()


def test_a_number_that_is_no_name_is_refused():
    for number in (2, -3, np.int64(5)):
        assert f"there is no coordinate {number} (there are x, y)" in refused(lambda q, number=number: q[number])


@pytest.mark.parametrize("expression", [lambda q: sum(kalaba.ideal), lambda q: kalaba.ideal[0]])
def test_ideal_forces_have_names_alone(expression):
    assert "expected the name of a coordinate, as kalaba.ideal.x has, found 0" in refused(expression)


def test_momenta_may_be_called_by_their_names():
    def energy(p, q, v, t):
        return {"hamiltonian": (v.p_x**2 + v.y**2 + v["p_y"] * v.y) / (2 * p.m)}

    options = {"parameters": {"m": "1 kg"}, "coordinates": {"x": "m", "y": "m"}}
    assert 'hamiltonian = "(p_x^2 + p_y^2 + p_y*p_y)/(2*m)"' in kalaba.model(energy, **options).to_toml()
    with pytest.raises(kalaba.ModelError, match=r"there is no rate x_dot \(there are x, y, p_x, p_y\)"):
        kalaba.model(lambda p, q, v, t: {"hamiltonian": v.x_dot**2}, **options)
    with pytest.raises(kalaba.ModelError, match="lagrangian: there is no p_x; there are t, pi, m, x, x_dot"):
        kalaba.model(lambda p, q, v, t: {"lagrangian": v.p_x**2}, **options)


# ---- NumPy ----

THREE = np.array(3.0)  # which has no dimension


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda q: q.x * THREE, "x*3"),
        (lambda q: q.x / THREE - THREE, "x/3 - 3"),
        (lambda q: q.x**THREE + THREE, "x^3 + 3"),
        (lambda q: THREE * q.x, "3*x"),
        (lambda q: q.x * np.array(q.y), "x*y"),
        (lambda q: kalaba.where(q.x > THREE, 1, 2), "where(x > 3, 1, 2)"),
        (lambda q: np.add(q.x, THREE), "x + 3"),
        (lambda q: np.hypot(THREE, q.x), "norm(3, x)"),
        (lambda q: np.add(q.x, [1, q.y])[1], "x + y"),
        (lambda q: kalaba.atan2(q.x, np.array([1, 2]))[1], "atan2(x, 2)"),
        (lambda q: np.polyval([1, 2, 3], q.x), "(1*x + 2)*x + 3"),
        (lambda q: np.polyval([q.y, 2], q.x), "y*x + 2"),
        (lambda q: np.stack([q.x, q.y])[1], "y"),
        (lambda q: np.hstack((q.x, 2.0))[0], "x"),
        (lambda q: np.sum(a=q.x), "x"),
        (lambda q: np.vdot([q.x, q.y], [q.y, 2]), "x*y + y*2"),
        (lambda q: np.conj(q.x), "x"),
        (lambda q: np.linalg.norm([[1, q.x], [q.x, q.y]], axis=1)[1], "sqrt(x*x + y*y)"),
        (lambda q: np.where(q.x > 0, np.array([q.x, q.y]), [1, 2])[1], "where(x > 0, y, 2)"),
        (lambda q: np.clip(q.x, 0, [1, 2])[1], "clamp(x, 0, 2)"),
        (lambda q: kalaba.where(((q.x > 0) & np.array([q.y > 0]))[0], 1, 2), "where((x > 0) and (y > 0), 1, 2)"),
        (lambda q: kalaba.where((np.array([q.y > 0]) | (q.x > 0))[0], 1, 2), "where((y > 0) or (x > 0), 1, 2)"),
    ],
)
def test_arrays_lists_and_numpys_functions_are_recorded(expression, text):
    assert force(expression) == text


def test_the_variance_is_that_of_numpy():
    model = kalaba.model(
        lambda p, q, v, t: {"mass": [1, 1], "force": {"x": np.var([q.x, q.y, 3]), "y": np.std(q[:])}},
        coordinates=["x", "y"], name="varied",
    )  # fmt: skip
    np.testing.assert_allclose(model.terms(q=[0.5, 2]).force, [np.var([0.5, 2, 3]), np.std([0.5, 2])])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (lambda q: q.x * np.bool_(True), "expected a number or an expression of the model, found bool"),
        (lambda q: q.x * np.complex128(1j), "expected a number or an expression of the model, found complex"),
        (lambda q: np.add(q.x, "a"), "expected a number or an expression of the model, found str: 'a'"),
        (lambda q: q.x * np.array("a"), "expected a number or an expression of the model, found str"),
        (lambda q: q.x + np.datetime64(1, "s"), "expected a number or an expression of the model, found datetime"),
        (lambda q: np.sin(q.x, dtype=float), "numpy.sin cannot be recorded with dtype"),
        (lambda q: np.add.outer(q.x, q.y), "numpy.add cannot be recorded with outer"),
    ],
)
def test_what_cannot_be_recorded_says_what_was_found(expression, message):
    assert message in refused(expression)


def test_adding_to_an_array_of_numbers_has_a_way_out():
    def add(q):
        total = np.zeros(2)
        total += q.x
        return total[0]

    assert "numpy.add cannot be recorded with out; write a = a + b in place of a += b" in refused(add)


# ---- numbers with units, messages ----


def test_a_negative_quantity_is_raised_as_a_whole():
    assert force(lambda q: kalaba.quantity(-3, "1") ** 2 * q.x) == "(-3[1])^2*x"
    assert force(lambda q: q.x - kalaba.quantity(-3, "1")) == "x - -3[1]"


def test_an_expression_has_its_unit_already():
    message = refused(lambda q: kalaba.quantity(q.x + 1, "m"))
    assert "expected a number to have the unit m, found the expression x + 1" in message


def test_a_message_of_much_that_is_shared_is_short():
    def branch(q):
        z = q.x
        for _ in range(200):
            z = z * z - z / 3  # of 2^200 parts, written out
        return 1 if z > 0 else 2

    assert "... > 0 is not known while the model is recorded; kalaba.where(... > 0, a, b)" in refused(branch)


# ---- what is called ----


def chain(p, q, v, t, links=1):
    """So many links."""
    return {"lagrangian": links * v.x**2 / 2}


class Chain:
    """A chain that is an object."""

    def __init__(self, links):
        self.links = links

    def __call__(self, p, q, v, t):
        return chain(p, q, v, t, self.links)

    def method(self, p, q):
        return {"mass": [self.links], "start": {"x": 1}}


@functools.wraps(chain)
def wrapped(*arguments, **options):
    return chain(*arguments, **options)


@pytest.mark.parametrize(
    ("function", "part", "summary"),
    [
        (chain, "1*x_dot^2/2", "So many links."),
        (functools.partial(chain, links=3), "3*x_dot^2/2", "So many links."),
        (functools.partial(functools.partial(chain), links=3), "3*x_dot^2/2", "So many links."),
        (functools.update_wrapper(functools.partial(chain, links=3), chain), "3*x_dot^2/2", "So many links."),
        (wrapped, "1*x_dot^2/2", "So many links."),
        (functools.lru_cache(chain), "1*x_dot^2/2", "So many links."),
        (Chain(5), "5*x_dot^2/2", "A chain that is an object."),
        (Chain(5).method, 'mass = ["5"]', ""),
        (lambda *a: chain(*a), "1*x_dot^2/2", ""),
    ],
    ids=["defaults", "partial", "partials", "named partial", "decorated", "cached", "object", "method", "any"],
)
def test_whatever_calls_a_python_function_is_recorded(function, part, summary):
    model = kalaba.model(function, coordinates={"x": "m"}, name="it")
    assert part in model.to_toml() and model.summary == summary


@pytest.mark.parametrize(
    ("function", "name"),
    [(functools.partial(chain, links=3), "chain"), (Chain(5), "Chain"), (Chain(5).method, "method")],
    ids=["partial", "object", "method"],
)
def test_a_model_without_a_name_has_the_functions(function, name):
    model = kalaba.model(function, coordinates=["x"])
    assert model.name == name and (model.__doc__ or "") == model.summary


def test_errors_of_what_is_no_plain_function_have_a_place():
    with pytest.raises(kalaba.ModelError, match=r"test_recording.py:\d+: it: a model has no 'mas'; did you mean mass"):
        kalaba.model(functools.partial(lambda p, q, mas: {"mas": mas}, mas=[1]), coordinates=["x"], name="it")
    with pytest.raises(kalaba.ModelError, match=r"test_recording.py:\d+: model: expected an energy"):
        kalaba.model(functools.partial(lambda p, links: {}, links=1), coordinates=["x"], name="it")


@pytest.mark.parametrize(("function", "found"), [(lambda: 1, r"\(\)"), (lambda a, b, c, d, e: 1, r"\(a, b, c, d, e\)")])
def test_a_function_of_other_arguments_is_refused(function, found):
    with pytest.raises(kalaba.ModelError, match=rf"it: expected a function of \(p, q, v, t\).*; found {found}"):
        kalaba.model(function, coordinates=["x"], name="it")


@pytest.mark.parametrize("function", [dict, print, 3, "x", functools.partial(dict, mass=[1])])
def test_what_is_no_python_function_is_refused(function):
    with pytest.raises(kalaba.InputError, match=r"expected a Python function of \(p, q, v, t\), found"):
        kalaba.model(function, coordinates=["x"], name="it")


# ---- what is returned ----


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"time": 3}, "time: expected a dict of names, found int"),
        ({"events": kalaba.event("low", when="x")}, "events: expected a list, found Event"),
        ({"events": {"low": "x"}}, "events: expected a list, found dict"),
        ({"figures": ["x"]}, "figures: expected a dict of names, found str"),
        ({"force": {0: 1}}, "force: expected names, found 0"),
        ({"actuation": {"motor": {"{": 1}}}, 'actuation.motor."{": expected a name'),
        ({"invariants": {"h": (1, "free", 2)}}, "invariants.h: expected a number or an expression of the model, found"),
    ],
)
def test_tables_of_another_shape_are_refused(said, message):
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.model(lambda p, q, v, t: {"mass": [1, 1], **said}, coordinates=["x", "y"], name="it")
    assert message in str(caught.value)
