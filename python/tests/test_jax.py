"""kalaba.jax: derivatives against finite differences and diffrax, batches, transforms."""

import subprocess
import sys

import numpy as np
import pytest

import kalaba

jax = pytest.importorskip("jax", reason="JAX is not installed")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

import kalaba.jax  # noqa: E402

MOTION = {"end": 1.0, "dt": 0.01, "save_every": 10, "compile": "never"}
EVENTS = {"events": [kalaba.event("bottom", when="x", direction="falling", action="record")]}


def slope(function, x, step=1e-5):
    return (function(x + step) - function(x - step)) / (2 * step)


@pytest.fixture(name="motion")
def the_motion(bead):
    return lambda **inputs: kalaba.jax.simulate(bead, **inputs, **MOTION)


def test_the_motion_is_that_of_simulate(bead, motion):
    expected = kalaba.simulate(bead, c=0.7, **MOTION)
    found = motion(c=0.7)
    assert set(found) == {"time", "x", "y", "x_dot", "y_dot"}
    for name, each in found.items():
        assert each.dtype == np.float64
        np.testing.assert_array_equal(each, expected[name])


@pytest.mark.parametrize("name, at", [("c", 0.7), ("g", 9.81), ("x", 0.8), ("x_dot", 0.1)])
def test_derivatives_are_those_of_finite_differences(motion, name, at):
    given = {} if name != "x_dot" else {"x": 1.0}

    def last(value):
        found = motion(**given, **{name: value})
        return found["x"][-1] + 2 * found["y_dot"][3]

    expected = slope(last, at)
    assert abs(expected) > 1e-3
    for derivative in (jax.grad, jax.jacfwd, jax.jacrev, lambda f: jax.jit(jax.grad(f))):
        np.testing.assert_allclose(derivative(last)(at), expected, rtol=1e-6)


def test_every_output_has_its_derivative(bead):
    def outputs(c):
        fields = ["q", "w", "energy", "multipliers"]
        found = kalaba.jax.simulate(bead, c=c, fields=fields, **EVENTS, **MOTION)
        del found["time"]
        return found

    found, moved = jax.jvp(outputs, (0.7,), (1.0,))
    assert {"energy", "multipliers_wire", "event_time_bottom", "event_x_dot_bottom"} <= set(found)
    step = 1e-5
    above, below = outputs(0.7 + step), outputs(0.7 - step)
    for name in found:
        assert np.isfinite(moved[name]).all(), name
        expected = (above[name] - below[name]) / (2 * step)
        np.testing.assert_allclose(moved[name], expected, rtol=1e-5, atol=1e-6, err_msg=name)


def test_the_time_of_an_event_has_a_gradient(bead):
    def time(c, x):
        return kalaba.jax.simulate(bead, c=c, x=x, **EVENTS, **MOTION)["event_time_bottom"]

    for i, moved in enumerate(jax.grad(time, (0, 1))(0.7, 0.9)):
        expected = slope(lambda value: time(*(value if j == i else at for j, at in enumerate((0.7, 0.9)))), (0.7, 0.9)[i])
        np.testing.assert_allclose(moved, expected, rtol=1e-6)


def test_outputs_after_a_stop_move_with_its_time():
    """x = v t stops at x = L: t = L/v, x t = L^2/v."""
    model = kalaba.Model.parse(
        """
[model]
name = "free"
lagrangian = "x_dot^2/2"
[model.parameters]
L = 1.0
[model.coordinates]
x = ""
[model.start]
x_dot = 2.0
[model.outputs]
time_of = "t"
both = "x*t"
"""
    )
    stop = {"events": [kalaba.event("stop", when="x - L", action="stop")], "fields": ["q", "invariants"]}

    def outputs(L, v):
        found = kalaba.jax.simulate(model, L=L, x_dot=v, **stop, **MOTION)
        return found["time_of"][-1], found["both"][-1]

    found = jax.jacfwd(outputs, (0, 1))(1.0, 2.0)
    np.testing.assert_allclose(found, [[0.5, -0.25], [1.0, -0.25]], rtol=1e-9)


def test_a_batch_is_one_ensemble(bead, monkeypatch):
    members = []
    run = kalaba._gradients.run

    def counted(ensemble, **options):
        members.append(ensemble.members)
        return run(ensemble, **options)

    monkeypatch.setattr(kalaba._gradients, "run", counted)
    curvatures, starts = jnp.linspace(0.4, 0.9, 5), jnp.linspace(0.7, 1.0, 3)

    def last(c, x):
        return kalaba.jax.simulate(bead, c=c, x=x, **MOTION)["x"][-1]

    one_by_one = np.array([[jax.grad(last, (0, 1))(c, x) for x in starts] for c in curvatures])
    assert members == [1] * 15
    members.clear()
    every = jax.vmap(jax.vmap(jax.grad(last, (0, 1)), (None, 0)), (0, None))
    np.testing.assert_array_equal(np.stack(every(curvatures, starts), axis=-1), one_by_one)
    np.testing.assert_array_equal(np.stack(jax.jit(every)(curvatures, starts), axis=-1), one_by_one)
    assert members == [15, 15]
    members.clear()

    def total(c, x):
        return kalaba.jax.simulate(bead, c=c[:, None], x=x, **MOTION)["x"][..., -1].sum()

    by_c, by_x = jax.grad(total, (0, 1))(curvatures, starts)
    assert members == [15]
    np.testing.assert_allclose(by_c, one_by_one[..., 0].sum(1), rtol=1e-14)
    np.testing.assert_allclose(by_x, one_by_one[..., 1].sum(0), rtol=1e-14)


def test_constants_cost_no_column(bead, monkeypatch):
    asked = []
    run = kalaba._gradients.run
    monkeypatch.setattr(kalaba._gradients, "run", lambda *a, **k: (asked.append(k.get("sensitivities")), run(*a, **k))[1])

    def last(c, g):
        return kalaba.jax.simulate(bead, c=c, g=g, **MOTION)["x"][-1]

    for function in (jax.value_and_grad(last), jax.jit(jax.value_and_grad(last)), last, jax.jit(last)):
        jax.block_until_ready(function(0.5, 9.81))
    assert asked == [["parameters.c"], ["parameters.c"], None, None]


def test_more_inputs_than_one_run_differentiates():
    def total(**inputs):
        return kalaba.jax.simulate(chain, end=0.02, dt=0.01, compile="never", initial=inputs)["x8"].sum()

    chain = kalaba.Model.catalogue("chain", links=8)
    names = [*chain.coordinates.names, *chain.rates.names]
    assert len(names) > kalaba._gradients.MOST_COLUMNS
    given = kalaba.simulate(chain, end=0.02, dt=0.01)
    starts = {name: float(given[name][0]) for name in names}
    found = jax.grad(lambda inputs: total(**inputs))(starts)
    for name in (names[0], names[-1], names[17]):
        expected = slope(lambda value, name=name: total(**{**starts, name: value}), starts[name])
        np.testing.assert_allclose(found[name], expected, rtol=1e-5, atol=1e-7)


def test_the_gradient_is_that_of_diffrax():
    diffrax = pytest.importorskip("diffrax", reason="diffrax is not installed")

    @kalaba.model(parameters={"m": "1 kg", "L": "1 m", "g": "9.81 m/s^2"}, coordinates={"x": "m", "z": "m"})
    def pendulum(p, q, v, t):
        return {
            "lagrangian": p.m * (v.x**2 + v.z**2) / 2 - p.m * p.g * q.z,
            "holonomic": {"rod": kalaba.equal(q.x**2 + q.z**2, p.L**2)},
            "start": {"x": p.L},
        }

    def of_kalaba(L):
        return kalaba.jax.simulate(pendulum, L=L, end=2.0, tolerance=1e-10, save_every="final", compile="never")["x"][-1]

    def of_diffrax(L):
        term = diffrax.ODETerm(lambda t, y, L: jnp.array([y[1], -9.81 / L * jnp.sin(y[0])]))
        steps = diffrax.PIDController(rtol=1e-11, atol=1e-12)
        found = diffrax.diffeqsolve(
            term, diffrax.Dopri8(), 0.0, 2.0, 0.01, jnp.array([jnp.pi / 2, 0.0]), args=L, stepsize_controller=steps
        )
        return L * jnp.sin(found.ys[-1, 0])

    ours, theirs = (jax.value_and_grad(each)(1.3) for each in (of_kalaba, of_diffrax))
    np.testing.assert_allclose(ours, theirs, rtol=1e-7)


def test_members_that_fail_raise_or_are_nan(bead):
    def last(c, on_failure):
        return kalaba.jax.simulate(bead, c=c, on_failure=on_failure, **MOTION)["x"][-1]

    with pytest.raises(Exception, match="expected finite numbers, found nan"):
        last(jnp.array(np.nan), "raise").block_until_ready()
    c = jnp.array([0.5, np.nan, 0.6])
    value, moved = jax.vmap(jax.value_and_grad(lambda c: last(c, "nan")))(c)
    assert np.isnan(value).tolist() == np.isnan(moved).tolist() == [False, True, False]
    np.testing.assert_allclose(value[2], last(0.6, "raise"), rtol=1e-13)


def test_failed_members_of_a_run(bead):
    def last(c, on_failure, **options):
        return kalaba.jax.simulate(bead, c=c, on_failure=on_failure, **options, **MOTION)["x"][..., -1]

    few = {"integrator": "dopri5", "max_steps": 3}
    with pytest.raises(Exception, match="2 members failed"):
        last(jnp.array([0.5, 0.6]), "raise", **few).block_until_ready()
    assert np.isnan(jax.grad(last)(0.5, "nan", **few))

    def of_height(y, on_failure):
        found = kalaba.jax.simulate(bead, x=1.0, y=y, project="refuse", on_failure=on_failure, **MOTION)
        return found["x"][..., -1]

    heights = jnp.array([0.5, 5.0])  # the wire is at 0.5
    with pytest.raises(Exception, match="1 members failed"):
        of_height(heights, "raise").block_until_ready()
    assert np.isnan(of_height(heights, "nan")).tolist() == [False, True]


def test_second_derivatives_are_refused(motion):
    def last(c):
        return motion(c=c)["x"][-1]

    for second in (jax.hessian(last), jax.grad(jax.grad(last)), jax.jacfwd(jax.jacfwd(last))):
        with pytest.raises(kalaba.InputError, match="second one"):
            second(0.7)


def test_errors_name_what_was_expected(bead, motion):
    with pytest.raises(kalaba.InputError, match="parameters.c: expected numbers, found '2"):
        motion(c="2*g")
    with pytest.raises(kalaba.InputError, match="parameters.c: expected real numbers, found complex128"):
        motion(c=1j)
    with pytest.raises(TypeError, match="kalaba.jax.simulate has no argument 'xx'; did you mean x?"):
        motion(xx=1.0)
    with pytest.raises(kalaba.InputError, match="there is no L"):
        motion(parameters={"L": 1.0})
    with pytest.raises(kalaba.InputError, match="fields with derivatives, q, w.* found 'residual'"):
        motion(fields=["residual"])
    with pytest.raises(kalaba.InputError, match='expected "raise" or "nan"'):
        motion(on_failure="keep")
    with pytest.raises(TypeError, match="has no argument 'out'"):
        motion(out="a.nc")
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        with pytest.raises(kalaba.InputError, match="jax_enable_x64"):
            motion(c=0.7)


def test_warnings_are_given_once(bead):
    step = jax.jit(lambda c: kalaba.jax.simulate(bead, c=c, end=1.0, dt=0.1, compile="never")["x"])
    with pytest.warns(UserWarning, match="energy") as found:
        for c in (0.5, 0.6, 0.7):
            step(c).block_until_ready()
    assert len(found) == 1


def test_without_jax_the_message_says_what_to_install():
    program = "import sys; sys.modules['jax'] = None; import kalaba; kalaba.jax"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: kalaba.jax requires the package jax: pip install 'kalaba[jax]'" in done.stderr
