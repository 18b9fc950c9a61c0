"""Changes by events and clocks."""

import math

import numpy as np
import pytest

import kalaba as kb

BALL = """
[model]
name = "ball"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
[model.coordinates]
y = "m"
[model.start]
y = 1
"""


def test_a_ball_bounces():
    bounce = kb.event("bounce", when="y", direction="falling", set={"y_dot": "-0.8*y_dot"})
    assert bounce.action == "record"
    result = kb.run(kb.Model.parse(BALL), end=2.0, dt=0.01, events=[bounce], compile="never")
    first = math.sqrt(2 / 9.81)
    times = result.dataset
    assert float(np.ravel(times["event_time"])[0]) == pytest.approx(first, abs=1e-12)
    assert float(np.ravel(times["event_last_time"])[0]) == pytest.approx(first * (1 + 2 * (0.8 + 0.64)), abs=1e-11)


def test_a_condition_is_an_event_where_it_begins_to_hold():
    ball = kb.Model.parse(BALL)
    window = kb.event("window", when="y < 0.75 and y > 0.5", action="record")
    result = kb.run(ball, end=0.5, dt=0.01, events=[window], compile="never")
    assert int(np.ravel(result.dataset["event_count"])[0]) == 1  # not where it ceases to hold
    assert window.table() == {"name": "window", "when": "y < 0.75 and y > 0.5", "action": "record"}
    assert kb.event("e", "y", direction="any").table()["direction"] == "any"


def test_a_clock_holds_a_command():
    @kb.model(parameters={"k": "3 1/s^2"}, discrete={"u": {"start": 0, "unit": "m/s^2"}}, coordinates={"x": "m"})
    def cart(p, q, v, t):
        return {
            "mass": {"x": 1}, "force": {"x": p.u}, "start": {"x": 1},
            "clocks": [kb.clock("controller", every=0.1, set={"u": "-k*x - 2[1/s]*x_dot"})],
        }  # fmt: skip

    result = kb.run(cart, end=1.0, dt=0.01, save_every=10, fields=["q", "w", "invariants"], compile="never")
    x, v = 1.0, 0.0
    for _ in range(10):
        u = -3 * x - 2 * v
        x, v = x + v * 0.1 + u * 0.005, v + u * 0.1
    assert float(np.ravel(result.dataset["q"])[-1]) == pytest.approx(x, abs=1e-13)
    assert "u" not in cart.parameters.names


def test_a_clock_without_new_values_is_refused():
    with pytest.raises(kb.InputError, match="clock c: expected set to be a dict such as .*, found None"):
        kb.clock("c", every=1, set=None)


def test_a_constraint_holds_while_a_discrete_variable_is_not_zero():
    @kb.model(parameters={"L": "1 m"}, discrete={"taut": 1}, coordinates={"x": "m", "y": "m"})
    def rope(p, q, v, t):
        return {
            "mass": {"x": 1, "y": 1}, "force": {"y": -kb.quantity(9.81, "m/s^2")}, "start": {"x": 1},
            "holonomic": {"rope": kb.equal(q.x**2 + q.y**2, p.L**2, while_="taut")},
            "events": [kb.event("cut", when="t - 0.2", set={"taut": 0})],
        }  # fmt: skip

    result = kb.run(rope, end=0.4, dt=0.01, save_every=1, fields=["q", "rank"], compile="never")
    rank = np.ravel(result.dataset["rank"])
    assert rank[0] == 1 and rank[-1] == 0


@pytest.mark.parametrize(
    "change, message",
    [
        ({"z": "0"}, "there is no coordinate, rate or discrete variable z"),
        ({"m": "1[kg]"}, "m is a parameter"),
        ({"y_dot": "y"}, "y_dot is in m/s, and this is in m"),
    ],
)
def test_a_wrong_change_is_refused(change, message):
    with pytest.raises(kb.InputError, match=message):
        kb.run(kb.Model.parse(BALL), end=1.0, events=[kb.event("e", when="y", set=change)])
    with pytest.raises(kb.InputError, match="expected set to be a dict"):
        kb.event("e", when="y", set="y_dot = 0")


def test_a_function_states_contacts_with_friction():
    @kb.model(
        parameters={"m": "2 kg", "g": "9.81 m/s^2", "al": "0.3 rad", "mu": 0.2, "e": 0.5},
        coordinates={"x": "m", "y": "m"},
    )
    def block(p, q, v, t):
        return dict(
            lagrangian=p.m * (v.x**2 + v.y**2) / 2 - p.m * p.g * (q.x * np.sin(p.al) + q.y * np.cos(p.al)),
            start=dict(x_dot=3),
            unilateral=dict(floor=dict(gap=q.y, restitution=p.e, friction=p.mu, slip=[v.x])),
            outputs=dict(height=q.x * np.sin(p.al)),
            impacts="simultaneous",
        )

    result = kb.run(block, end=1.0, dt=0.01, backend="reference")
    up = 9.81 * (np.sin(0.3) + 0.2 * np.cos(0.3))
    down = 9.81 * (np.sin(0.3) - 0.2 * np.cos(0.3))
    x = 4.5 / up - down / 2 * (1 - 3 / up) ** 2
    assert result["x"][-1, 0] == pytest.approx(x, abs=1e-11)
    assert result["height"][-1, 0] == pytest.approx(x * np.sin(0.3), abs=1e-11)
    assert result["floor_slides"][-1, 0] == -1

    @kb.model(parameters={"m": "2 kg", "g": "9.81 m/s^2", "mu": 0.2}, coordinates={"x": "m", "y": "m", "z": "m"})
    def puck(p, q, v, t):
        return dict(
            lagrangian=p.m * (v.x**2 + v.y**2 + v.z**2) / 2 - p.m * p.g * q.z,
            start=dict(x_dot=3, y_dot=-4),
            unilateral=dict(ice=dict(gap=q.z, friction=p.mu, slip=[v.x, v.y])),
        )

    result = kb.run(puck, end=3.0, dt=0.01, backend="reference")
    path = 25 / (2 * 0.2 * 9.81)
    assert (result["x"][-1, 0], result["y"][-1, 0]) == pytest.approx((0.6 * path, -0.8 * path), abs=1e-11)
    assert result["ice_sticks"][-1, 0] == 1
    with pytest.raises(kb.InputError, match="slip is missing"):
        @kb.model(parameters={"m": "1 kg"}, coordinates={"x": "m", "y": "m"})
        def without(p, q, v, t):
            return dict(lagrangian=p.m * (v.x**2 + v.y**2) / 2, unilateral=dict(floor=dict(gap=q.y, friction=0.1)))

        kb.run(without, end=0.1)


BLOCK = """
[model]
name = "block"
lagrangian = "m*(x_dot^2 + z_dot^2)/2 - m*g*z"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
z = "m"
[model.start]
z = 1
x_dot = 1
[model.unilateral]
floor = { gap = "z" }
"""


def test_discrete_variables_are_drawn_as_steps(tmp_path):
    model = kb.Model.parse(BLOCK)
    options = {"end": 1.0, "dt": 0.01, "save_every": 10, "fields": ["q", "w", "invariants"], "compile": "never", "progress": None}
    for out in (None, tmp_path / "run.nc"):
        result = kb.run(kb.Ensemble(model, parameters={"g": [5.0, 9.81]}), out=out, **options)
        styles = [line.get_drawstyle() for ax in result.plot("floor_closed", "z") for line in ax.lines]
        assert styles == ["steps-post"] * 2 + ["default"] * 2, out
    fan = result.plot("floor_closed", kind="fan")
    assert fan.lines[0].get_drawstyle() == "steps-post"
    edges = fan.collections[0].get_paths()[0].vertices  # of a band: each horizontal or vertical
    assert np.all(np.min(np.abs(np.diff(edges, axis=0)), axis=1) == 0)
    assert result.plot("floor_closed", kind="fan", by="g").lines[0].get_drawstyle() == "steps-post"
    assert result.plot("x", "floor_closed", kind="path").lines[0].get_drawstyle() == "steps-post"
    assert result.plot("floor_closed", "x", kind="path").lines[0].get_drawstyle() == "steps-pre"
    assert result.plot("x", "z", kind="path").lines[0].get_drawstyle() == "default"
    styled = result.plot("floor_closed", kind="lines", member=0, drawstyle="default")
    assert styled.lines[0].get_drawstyle() == "default"


PLANK = """
[model]
name = "plank"
lagrangian = "(y_dot^2 + 0.3*a_dot^2)/2 - 9.81*y"
[model.parameters]
e = 0.5
[model.coordinates]
y = ""
a = ""
[model.start]
y = 0.6
[model.unilateral]
left = { gap = "y - 0.5*a", restitution = "e" }
right = { gap = "y + 0.5*a", restitution = "e" }
"""


def test_lost_derivatives_are_counted(tmp_path):
    options = {"end": 0.5, "dt": 0.01, "compile": "always", "backend": "cpu", "out": str(tmp_path / "run.nc")}
    plank = kb.Ensemble(kb.Model.parse(PLANK), 2, initial={"y": [0.6, 3.0]})  # the second does not fall flat in this time
    result = kb.run(plank, sensitivities=["initial.a"], **options)
    assert np.isnan(result.dataset["q_sensitivity"][-1].values).any(axis=(0, 1)).tolist() == [True, False]
    lost = [each for each in result.summary.warnings if each.startswith("derivatives: ")]
    assert len(lost) == 1 and "not known (NaN) at the end of 1 member:" in lost[0]
    assert result.summary.members_without_derivatives == 1
    assert kb.open(options["out"]).dataset.attrs["members_without_derivatives"] == 1
