import math
import sys

import numpy as np
import pytest

import kalaba
from conftest import COORDINATES, PARAMETERS

knows_columns = sys.version_info >= (3, 11)


def kinetic(p, v):
    return p.m * (v.x**2 + v.y**2) / 2


def wrong_units(p, q, v, t):
    return {"lagrangian": p.m * (v.x**2 + v.y) / 2}  # HERE v.x**2 + v.y


def branch(p, q, v, t):
    if q.x > 0:  # HERE q.x > 0
        return {}


def of_math(p, q, v, t):
    return {"lagrangian": kinetic(p, v) * math.sin(q.x)}  # HERE math.sin(q.x)


def unknown(p, q, v, t):
    return {"lagrangian": kinetic(p, v) * q.xx}  # HERE q.xx


def rate_in_holonomic(p, q, v, t):
    wire = p.c * v.x**2  # HERE v.x
    return {"lagrangian": kinetic(p, v), "holonomic": {"wire": kalaba.equal(q.y, wire)}}


def in_a_shared_part(p, q, v, t):
    bad = q.x**2 + p.c * q.y**2  # HERE q.x**2 + p.c * q.y**2
    worse = bad + p.c * p.c * q.x**4 + p.c * p.c * q.x**4
    return {"lagrangian": kinetic(p, v), "energy": worse * worse * worse}


def compared(p, q, v, t):
    return {"lagrangian": kinetic(p, v) if q.x == 1 else 0}  # HERE q.x == 1


def unsupported(p, q, v, t):
    return {"lagrangian": kinetic(p, v) * np.arcsinh(q.x)}  # HERE np.arcsinh(q.x)


CASES = [
    (wrong_units, "lagrangian: these cannot be added: x_dot^2 is m^2/s^2, y_dot is m/s"),
    (branch, "x > 0 is not known while the model is recorded; kalaba.where(x > 0, a, b)"),
    (of_math, "x is not a number while the model is recorded"),
    (unknown, "there is no coordinate xx; did you mean x? (there are x, y)"),
    (rate_in_holonomic, "holonomic.wire: a holonomic constraint is of t and coordinates, found the rate x_dot"),
    (in_a_shared_part, "these cannot be added"),
    (compared, "x == 1 is not known while the model is recorded"),
    (unsupported, "numpy.arcsinh cannot be recorded"),
]


@pytest.mark.parametrize(("function", "message"), CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_errors_are_at_their_own_line(function, message):
    with pytest.raises(kalaba.ModelError) as caught:
        kalaba.model(function, parameters=PARAMETERS, coordinates=COORDINATES)
    text = open(__file__, encoding="utf-8").read().splitlines()
    line = text[caught.value.lineno - 1]
    assert message in str(caught.value)
    assert "# HERE " in line and caught.value.filename == __file__
    if knows_columns:
        shown, carets = str(caught.value).splitlines()[1:3]
        assert shown[carets.index("^") : carets.rindex("^") + 1] == line.split("# HERE ")[1]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"lagrangan": 1}, "a model has no 'lagrangan'; did you mean lagrangian?"),
        ({"lagrangian": "x"}, "lagrangian: expected a number or an expression of the model, found str"),
        ({"lagrangian": float("nan")}, "lagrangian: expected a finite number, found nan"),
        ({"holonomic": [1]}, "holonomic: expected a dict of names, found list"),
        (3, "expected the function to return a dict"),
    ],
)
def test_what_a_function_returns_is_looked_at(said, message):
    with pytest.raises(kalaba.ModelError, match="test_model_errors.py") as caught:
        kalaba.model(lambda p, q, v, t: said, parameters=PARAMETERS, coordinates=COORDINATES, name="it")
    assert message in str(caught.value)


def test_texts_and_files_name_their_lines():
    with pytest.raises(kalaba.InputError, match=r"^wire\.toml:3: model\.lagrangian: there is no z"):
        kalaba.Model.parse('[model]\nname = "a"\nlagrangian = "z"\n[model.coordinates]\nx = "m"\n', name="wire.toml")
    with pytest.raises(kalaba.FileError, match="nowhere.toml"):
        kalaba.Model.read("nowhere.toml")
    with pytest.raises(kalaba.InputError, match="did you mean chain"):
        kalaba.Model.catalogue("chian")
