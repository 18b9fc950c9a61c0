import pathlib
import pickle

import numpy as np
import pytest

import kalaba
from conftest import COORDINATES, PARAMETERS

MODELS = pathlib.Path(__file__).parents[2] / "examples" / "models"


def test_a_function_becomes_the_text_that_one_would_write(bead):
    assert (
        bead.to_toml()
        == """[model]
name = "bead"
summary = "Bead on a parabolic wire."
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"

[model.parameters]
m = "1 kg"
c = "0.5 1/m"
g = "9.81 m/s^2"

[model.coordinates]
x = "m"
y = "m"

[model.holonomic]
wire = "y = c*x^2"

[model.start]
x = 1
y = "c*x^2"
"""
    )


def test_terms_are_those_of_the_papers(bead):
    x, v, c, g = 0.7, 0.3, 0.8, 9.81
    terms = bead.terms(q=[x, c * x**2], w={"x_dot": v, "y_dot": 2 * c * x * v}, c=c)
    np.testing.assert_allclose(terms.G, np.eye(2))
    np.testing.assert_allclose(terms.force, [0, -g])
    np.testing.assert_allclose(terms.A, [[-2 * c * x, 1]])
    np.testing.assert_allclose(terms.b, [2 * c * v**2])
    np.testing.assert_allclose(terms.A @ terms.rate, terms.b)
    multiplier = np.linalg.solve(terms.A @ terms.A.T, terms.b - terms.A @ terms.force)
    np.testing.assert_allclose(terms.rate, terms.force + terms.A.T @ multiplier)
    assert terms.rank == 1 and terms.energy == pytest.approx((v**2 + (2 * c * x * v) ** 2) / 2 + g * c * x**2)


def test_the_terms_of_the_catalogue_too():
    terms = kalaba.Model.catalogue("spherical_pendulum").terms(q=[0.6, 0, 0.8], w=[0, 0.3, 0])
    np.testing.assert_allclose(terms.A, [[0.6, 0, 0.8]])
    np.testing.assert_allclose(terms.b, [-0.09])


def test_a_model_is_data(bead):
    again = pickle.loads(pickle.dumps(bead))
    assert again == bead and hash(again) == hash(bead) and again.to_toml() == bead.to_toml()
    assert kalaba.Model.parse(bead.to_toml()) == bead
    assert kalaba.Model.catalogue("chain", links=8).structure == {"links": 8}
    assert pickle.loads(pickle.dumps(kalaba.Model.catalogue("chain", links=8))).structure == {"links": 8}


def test_every_model_of_the_examples_reads_and_says_itself():
    paths = sorted(MODELS.glob("*.toml"))
    assert len(paths) > 5
    for path in paths:
        model = kalaba.Model.read(path)
        assert model.name in repr(model) and "<table>" in model._repr_html_() and "align" in model._repr_latex_()
        assert kalaba.Model.parse(model.to_toml()).equations == model.equations


def test_families_are_counts_of_a_text():
    chain = kalaba.Model.read(MODELS / "chain.toml")
    assert len(chain.with_structure(links=7).coordinates) == 14


def same_motion(model, text, **options):
    """The motion of a recorded model has the bits of the text's."""
    one = kalaba.simulate(model, end=0.2, **options)
    other = kalaba.simulate(kalaba.Model.parse(text), end=0.2, **options)
    for name in model.coordinates.names:
        np.testing.assert_array_equal(one[name], other[name])
    assert float(one[model.coordinates[0].name][-1]) != float(one[model.coordinates[0].name][0])


def test_loops_closures_and_helpers():
    links = 3

    def rod(x, y, i, length):
        return kalaba.equal(((x[i] - x[i - 1]) ** 2 + (y[i] - y[i - 1]) ** 2) / 2, length**2 / 2)

    names = {f"{axis}{i}": "m" for i in range(1, links + 1) for axis in "xy"}

    @kalaba.model(parameters={"m": "1 kg", "L": "1 m", "g": "9.81 m/s^2"}, coordinates=names)
    def chain(p, q, v, t):
        x = [0, *(q[f"x{i}"] for i in range(1, links + 1))]
        y = [0, *(q[f"y{i}"] for i in range(1, links + 1))]
        kinetic = sum(p.m * each**2 / 2 for each in v)
        return {
            "lagrangian": kinetic - p.m * p.g * sum(y),
            "holonomic": {f"rod{i}": rod(x, y, i, p.L) for i in range(1, links + 1)},
            "start": {f"x{i}": i * p.L for i in range(1, links + 1)},
        }

    rods = "\n".join(
        f'rod{i} = "((x{i} - {f"x{i - 1}" if i > 1 else 0})^2 + (y{i} - {f"y{i - 1}" if i > 1 else 0})^2)/2 = L^2/2"'
        for i in range(1, links + 1)
    )
    squares = " + ".join(f"m*{axis}{i}_dot^2/2" for i in range(1, links + 1) for axis in "xy")
    starts = "\n".join(f'x{i} = "{i}*L"' for i in range(1, links + 1))
    coordinates = "\n".join(f'{name} = "m"' for name in names)
    text = f"""[model]
name = "chain"
lagrangian = "{squares} - m*g*(y1 + y2 + y3)"
[model.parameters]
m = "1 kg"
L = "1 m"
g = "9.81 m/s^2"
[model.coordinates]
{coordinates}
[model.holonomic]
{rods}
[model.start]
{starts}
"""
    same_motion(chain, text, L=1.3)


def test_numpy_on_expressions():
    @kalaba.model(parameters=PARAMETERS, coordinates=COORDINATES)
    def swinging(p, q, v, t):
        r, w = np.array([q.x, q.y]), np.array([v.x, v.y])
        angle = np.arctan2(q.x, -q.y)
        return {
            "lagrangian": p.m * np.dot(w, w) / 2 - p.m * p.g * r[1] + kalaba.quantity(0.1, "J") * np.cos(2 * angle),
            "holonomic": {"rod": kalaba.equal(np.linalg.norm(r), 1 / p.c)},
            "start": {"x": 1 / p.c},
            "invariants": {"high": (np.where(q.y > -1 / p.c, np.sin(angle), np.abs(angle)), "free")},
        }

    text = swinging.to_toml()
    for part in ("atan2(x, -y)", "sqrt(x*x + y*y)", "where(y > -1/c", "abs(", "cos("):
        assert part in text, text
    x, y = 0.6, -0.8
    terms = swinging.terms(q=[x, y], w=[0, 0], c=1.0)
    np.testing.assert_allclose(terms.A, [[x, y]])
    slope = -0.2 * np.sin(2 * np.arctan2(x, -y))
    np.testing.assert_allclose(terms.force, [-slope * y, -9.81 + slope * x])


def test_shared_parts_are_written_once():
    @kalaba.model(parameters=PARAMETERS, coordinates=COORDINATES)
    def deep(p, q, v, t):
        z = p.c * q.x
        for _ in range(60):
            z = z * z - z / 3  # twice the size each time, written out
        return {"lagrangian": p.m * (v.x**2 + v.y**2) / 2, "start": {"x": 1}, "invariants": {"z": (z, "free")}}

    assert len(deep.to_toml()) < 10_000
    z = 0.5 * 1.0
    for _ in range(60):
        z = z * z - z / 3
    result = kalaba.run(deep, end=1e-3, dt=1e-3, fields=["q", "invariants"], compile="never", progress=None)
    assert float(result.motion()["z"][0]) == z


def test_momenta_and_quasi_velocities_have_their_names():
    @kalaba.model(parameters=PARAMETERS, coordinates=COORDINATES)
    def hamiltonian(p, q, v, t):
        return {
            "hamiltonian": (v.x**2 + v.y**2) / (2 * p.m) + p.m * p.g * q.y,
            "holonomic": {"wire": q.y - p.c * q.x**2},
            "start": {"x": 1, "y": p.c * q.x**2},
        }

    assert hamiltonian.rates.names == ["p_x", "p_y"] and hamiltonian.formulation == "hamilton"
    text = hamiltonian.to_toml().replace("y - c*x^2 = 0", "y = c*x^2")
    same_motion(hamiltonian, text)

    @kalaba.model(parameters={"m": "1 kg"}, coordinates={"x": "m", "y": "m", "phi": "rad"},
                  quasi_velocities={"u": "m/s", "w": "rad/s"})  # fmt: skip
    def rolling(p, q, v, t):
        return {
            "mass": [p.m, p.m * kalaba.quantity(1, "m^2")],
            "velocity": {"x": v.u * np.cos(q.phi), "y": v.u * np.sin(q.phi), "phi": v.w},
            "start": {"u": 1.0, "w": 0.5},
        }

    assert rolling.rates.names == ["u", "w"] and rolling.formulation == "kane"
    end = kalaba.simulate(rolling, end=1.0).isel(time=-1)
    assert float(end.x) == pytest.approx(2 * np.sin(0.5), abs=1e-9)


def test_friction_sees_the_ideal_force():
    @kalaba.model(parameters={**PARAMETERS, "mu": 0.2}, coordinates=COORDINATES)
    def rough(p, q, v, t):
        speed = kalaba.norm(v.x, v.y) + kalaba.quantity(1e-9, "m/s")
        pressure = kalaba.norm(kalaba.ideal.x, kalaba.ideal.y)
        return {
            "lagrangian": p.m * (v.x**2 + v.y**2) / 2 - p.m * p.g * q.y,
            "holonomic": {"wire": kalaba.equal(q.y, p.c * q.x**2)},
            "non_ideal": {"x": -p.mu * pressure * v.x / speed, "y": -p.mu * pressure * v.y / speed},
            "start": {"x": 1.0, "y": p.c * q.x**2},
        }

    energy = kalaba.simulate(rough, end=1.0, save_every=100)["energy"].values
    assert energy[-1] < 0.95 * energy[0]


def ladder(of):
    """A ladder that slides between a wall and a floor, with friction of what `of` gives: its normal forces."""

    @kalaba.model(
        parameters={"m": "8 kg", "L": "3 m", "mu": 0.3, "g": "9.81 m/s^2"},
        coordinates={"x": "m", "y": "m", "th": "rad"},
    )
    def sliding(p, q, v, t):
        wall, floor = of(kalaba.ideal)
        foot, top = -p.mu * floor, p.mu * wall
        return {
            "mass": [p.m, p.m, p.m * p.L**2 / 12],
            "force": {"y": -p.m * p.g},
            "holonomic": {
                "wall": kalaba.equal(q.x, p.L / 2 * kalaba.cos(q.th)),
                "floor": kalaba.equal(q.y, p.L / 2 * kalaba.sin(q.th)),
            },
            "non_ideal": {
                "x": foot, "y": top, "th": p.L / 2 * (top * kalaba.cos(q.th) - foot * kalaba.sin(q.th)),
            },
            "start": {"th": 0.7, "x": p.L / 2 * kalaba.cos(q.th), "y": p.L / 2 * kalaba.sin(q.th)},
        }  # fmt: skip

    return sliding


def test_friction_feels_the_normal_forces_that_it_changes():
    L, g, mu, th = 3, 9.81, 0.3, 0.7
    s, c = L / 2 * np.sin(th), L / 2 * np.cos(th)
    expected = np.linalg.solve(
        [[1, 0, 0, -1, mu], [0, 1, 0, -mu, -1], [0, 0, L**2 / 12, -s - mu * c, c - mu * s], [1, 0, s, 0, 0], [0, 1, -c, 0, 0]],
        [0, -g, 0, 0, 0],
    )
    for of in (lambda ideal: (ideal.x, ideal.y), lambda ideal: (ideal.wall, ideal.floor)):
        terms = ladder(of).terms()
        np.testing.assert_allclose(terms.rate, expected[:3], rtol=1e-12)
        np.testing.assert_allclose(terms.multipliers, 8 * expected[3:], rtol=1e-12)


def test_starts_follow_those_by_which_they_are_stated(bead):
    motion = kalaba.simulate(bead, x=2.0, end=0.01)
    assert float(motion.x[0]) == 2.0 and float(motion.y[0]) == pytest.approx(2.0, abs=1e-14)
    np.testing.assert_allclose(bead.terms(q={"x": 2.0}).phi, 0, atol=1e-14)
    ensemble = kalaba.Ensemble(bead, initial={"x": np.array([1.0, 2.0, 3.0])})
    starts = np.asarray(kalaba.run(ensemble, end=0.01, progress=None)["y"])[0]
    np.testing.assert_allclose(starts, [0.5, 2.0, 4.5], rtol=1e-14)


def test_check_compares_with_the_reference():
    report = kalaba.Model.catalogue("spherical_pendulum").check()
    assert report and "0 failed" in repr(report)


def test_a_lambda_has_a_name():
    made = kalaba.model(lambda p, q, v, t: {"mass": [p.m]}, parameters={"m": 1.0}, coordinates={"x": "m"})
    assert made.name == "lambda"
