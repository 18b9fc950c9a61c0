"""Models: data, from the catalogue, a text, or a Python function."""

from __future__ import annotations

import functools
import html
import json
import pathlib
import re
import warnings

import numpy as np

from . import _kalaba, _toml
from ._errors import SCENARIO, InputError, nearest, plain, translated
from ._function import name_of, without_partials
from ._tables import Terms, Variables
from ._tracing import Recording
from ._tracing import check as check_recording


def _table(name, meaning):
    return property(lambda self: Variables(self._info[name]), doc=f"Table of name, default, unit, meaning: {meaning}")


class Model:
    """A constrained mechanical system.

    Made by `Model.catalogue`, `Model.read`, `Model.parse` or the decorator `kalaba.model`. It is data: it pickles,
    compares and hashes as its text, and stores no function.

    Its equation of motion, at every state q (nq), w (nw) and time t:

        w' = a + G^-1/2 (B^+ (b - A a) + (I - B^+ B) G^-1/2 C),   B = A G^-1/2,   q' = K(q, w, t)
    """

    def __init__(self, text, *, system=None, structure=None, name=SCENARIO, scenario=None):
        self._text = text  # of the table [model]; "" of the catalogue's
        self._system = system
        self._structure = dict(structure or {})
        if scenario is None:
            with translated():
                scenario = _kalaba.Scenario(self._scenario_text(), name, {})
        self._scenario = scenario
        self._info = scenario.info

    # ---- where it comes from ----

    @classmethod
    def catalogue(cls, name, **structure):
        """The system of that name (`kalaba.catalogue()` lists them); `structure`: sizes, e.g. links=8."""
        known = _kalaba.catalogue()
        if name not in known:
            raise InputError(
                f"the catalogue has no {name!r}{nearest(name, known)}; kalaba.catalogue() lists what it has"
            )
        return cls("", system=name, structure=structure)

    @classmethod
    def read(cls, path, *, parameters=(), floating=False, limits=False, contacts=False, keyframe=None):
        """The model in a file: a text, which has the table [model] alone, or a URDF or MJCF file (.urdf, .xml).

        Of the latter `parameters` names the numbers that become parameters: masses, lengths, inertias, damping; with
        `floating` the root link of a URDF moves freely; with `limits` those of hinges and slides are kept, as contacts;
        with `contacts` those of spheres, capsules and boxes with the planes of an MJCF file, and those of two spheres.
        `keyframe` names that of an MJCF file at which the model starts. A warning lists what is left out. MuJoCo's
        compiler reads them (pip install kalaba[mujoco]).
        """
        path = pathlib.Path(path)
        if path.suffix.lower() in (".urdf", ".xml"):
            from ._robots import model_of, read_robot

            mechanism, report = read_robot(path, parameters, floating, limits, contacts, keyframe)
            for outcome, feature, _ in report:
                if outcome == "approximated" and feature.startswith("inertia"):
                    warnings.warn(f"{path}: {feature}", stacklevel=2)
            lost = [f"\n  {feature}" for outcome, feature, _ in report if outcome == "left out"]
            if lost:
                warnings.warn(f"{path}: left out:{''.join(lost)}", stacklevel=2)
            return model_of(mechanism, path)
        if floating:
            raise InputError(f"{path}: floating is for URDF files")
        if keyframe is not None:
            raise InputError(f"{path}: the start of a model as text is under [model.start]; keyframe is for MJCF files")
        if contacts:
            raise InputError(f"{path}: the contacts of a model as text are under [model.unilateral]; contacts is for MJCF files")
        if limits:
            raise InputError(f"{path}: the limits of a model as text are those of its joints; limits is for URDF and MJCF files")
        if parameters:
            raise InputError(f"{path}: the parameters of a model as text are those of [model.parameters]")
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            from ._errors import FileError

            raise FileError(f"{path}: cannot be read: {error.strerror}") from None
        return cls(text, name=str(path))

    @classmethod
    def parse(cls, text, name="model"):
        """A model from its text, which messages call `name`."""
        return cls(text, name=name)

    # ---- what it is ----

    @property
    def name(self):
        """Its name."""
        return self._info["name"]

    @property
    def summary(self):
        """Description in one line."""
        return self._info["summary"]

    @property
    def formulation(self):
        """ "lagrange": the rates are velocities; "hamilton": momenta; "kane": quasi-velocities."""
        return self._info["formulation"]

    @property
    def structure(self):
        """Counts by name, e.g. {"links": 4}."""
        return dict(self._info["structure"])

    @property
    def equations(self):
        """The equations of motion as plain text, an equation a line."""
        return self._info["equations"]

    parameters = _table("parameters", "Parameters p, with their defaults.")
    coordinates = _table("coordinates", "Coordinates q (nq), with their default start.")
    rates = _table("rates", "Velocities, momenta or quasi-velocities w (nw), with their default start.")
    constraints = _table("constraints", "Constraints, one a row of A (m, nw); multipliers are in this order.")
    invariants = _table("invariants", "What the exact motion keeps, beside the energy.")

    @property
    def sizes(self):
        """Sizes, what is constant, where A is zero, operations a stage; "" of the catalogue's."""
        return self._scenario.sizes

    @property
    def notes(self):
        """Constraints that the default start violates, a text each; a run projects starts onto the constraints."""
        return [plain(each).removeprefix("model: ") for each in self._scenario.start_notes]

    def with_structure(self, **structure):
        """This model with other counts, e.g. links=12."""
        name = SCENARIO if self._system else self.name
        return Model(self._text, system=self._system, structure={**self._structure, **structure}, name=name)

    def to_toml(self, path=None):
        """The table [model] as text; also written to a file where `path` names one."""
        if not self._text:
            raise InputError(f"{self.name} is a struct of the catalogue, and no text; its equations: Model.equations")
        if path is not None:
            pathlib.Path(path).write_text(self._text, encoding="utf-8")
        return self._text

    def latex(self):
        """The derived equations, the lines of an align* environment; "" of the catalogue's."""
        return self._scenario.latex

    # ---- numbers ----

    def terms(self, q=None, w=None, t=0.0, **p):
        """The terms of the equation of motion at one state, by the reference.

        Parameters
        ----------
        q, w : array of the coordinates and of the rates, or dict by name; what is left out starts as the model states
            it, of these parameters and of what is given
        t : float, s
        **p : parameters; those left out have their defaults

        Returns
        -------
        Terms
            of G (nw, nw), force (nw), A (m, nw), b (m), K = q' (nq), phi, psi, rate = w' (nw), multipliers (m),
            constraint_force (nw), rank, energy.
        """
        self.parameters.require(p)
        parameters = [float(p.get(each.name, each.value)) for each in self.parameters]
        given_q, numbers_q = self._given(q, self.coordinates)
        given_w, numbers_w = self._given(w, self.rates)
        with translated():
            state = [
                each.tolist() for each in self._scenario.start(parameters, given_q + given_w, numbers_q, numbers_w)
            ]
        with translated():
            return Terms(self._scenario.terms(parameters, *state, float(t)))

    @staticmethod
    def _given(asked, variables):
        """Which of the variables are given, 1 or 0 each, and their numbers."""
        if asked is None:
            asked = {}
        if isinstance(asked, dict):
            variables.require(asked)
            given = [float(each.name in asked) for each in variables]
            return given, [float(asked.get(each.name, 0.0)) for each in variables]
        values = np.asarray(asked, dtype=float)
        if values.shape != (len(variables),):
            raise InputError(
                f"expected {len(variables)} numbers ({', '.join(variables.names)}), found the shape {values.shape}"
            )
        return [1.0] * len(variables), values.tolist()

    def check(self, long=False):
        """Compares the default run with its figures, invariants, constraints and the reference; see `kalaba check`."""
        with translated():
            failed, table, verdicts = self._scenario.check(long)
        return Report(failed, table, json.loads(verdicts))

    # ---- as data ----

    def _scenario_tables(self):
        tables = {"system": self._system} if self._system else {}
        if self._structure:
            tables["structure"] = dict(self._structure)
        return tables

    def _scenario_text(self, tables=None):
        """A scenario's text: the model, whose lines keep their numbers, and these tables."""
        keys, tables = _toml.parts({**self._scenario_tables(), **(tables or {})})
        return keys + self._text + tables

    def __reduce__(self):
        return _rebuilt, (self._text, self._system, self._structure)

    def __eq__(self, other):
        return isinstance(other, Model) and self.__reduce__()[1] == other.__reduce__()[1]

    def __hash__(self):
        return hash((self._text, self._system, tuple(sorted(self._structure.items()))))

    # ---- for people ----

    def __repr__(self):
        parts = [f"{self.name}: {self.summary}" if self.summary else self.name]
        titles = ("parameters", "coordinates", "rates", "constraints", "invariants")
        parts += [f"{title}\n{table}" for title in titles if (table := repr(getattr(self, title)))]
        parts += [f"equations\n{_indented(self.equations)}"]
        return "\n\n".join([*parts, *self.notes])

    def _repr_latex_(self):
        return self.latex() or None

    def _repr_html_(self):
        title = f"<b>{html.escape(self.name)}</b> {html.escape(self.summary)}"
        equations = self._repr_latex_() or f"<pre>{html.escape(self.equations)}</pre>"
        names = ("parameters", "coordinates", "rates", "constraints")
        tables = "".join(f"<p>{name}</p>{getattr(self, name)._repr_html_()}" for name in names if getattr(self, name))
        return f"<div>{title}<div>{equations}</div>{tables}</div>"


def _rebuilt(text, system, structure):
    return Model(text, system=system, structure=structure)


def _indented(text):
    return "\n".join("  " + line for line in text.splitlines())


class Report:
    """Result of `Model.check`. True if nothing failed; `verdicts` has every check."""

    def __init__(self, failed, table, content):
        self.failed, self._table, self.verdicts = failed, table, content.get("verdicts", content)

    def __bool__(self):
        return self.failed == 0

    def __repr__(self):
        return self._table.rstrip()


def model(
    function=None, *, parameters=None, discrete=None, coordinates, rates=None, momenta=None, quasi_velocities=None,
    name=None,
):  # fmt: skip
    """Makes a model of a Python function of (p, q, v, t): parameters, coordinates, rates, time.

    The function is called once, with expressions in place of numbers, and returns a dict, the table [model]:
    lagrangian or hamiltonian, or mass and force; holonomic and nonholonomic constraints (`kalaba.equal`); start; noise;
    and what else docs/models.md lists. Loops, closures, helper functions and NumPy's functions work; `if` of an expression
    cannot: `kalaba.where`.

    Parameters
    ----------
    parameters : dict of name -> default with its unit, "9.81 m/s^2" or 9.81, or {"default": ..., "meaning": ...}
    discrete : dict of name -> start, 0, or {"start": "...", "unit": ..., "meaning": ...}: numbers that events and clocks
        set, names of p too
    coordinates : dict of name -> unit, or {"unit": ..., "meaning": ...}
    rates, momenta, quasi_velocities : dict likewise, at most one; left out, v.x is x_dot (of a Hamiltonian p_x)
    name : of the model; left out: the function's
    """
    if function is None:
        return functools.partial(
            model, parameters=parameters, discrete=discrete, coordinates=coordinates, rates=rates, momenta=momenta,
            quasi_velocities=quasi_velocities, name=name,
        )  # fmt: skip
    declarations = {
        "parameters": _declared("parameters", parameters or {}),
        "discrete": _declared("discrete", discrete or {}),
        "coordinates": _declared("coordinates", coordinates),
        "rates": _declared("rates", rates or {}),
        "momenta": _declared("momenta", momenta or {}),
        "quasi_velocities": _declared("quasi_velocities", quasi_velocities or {}),
        "name": name or re.sub(r"\W", "", name_of(function)).strip("_") or "model",
    }
    recording = Recording(function, declarations)
    made = Model(recording.text, scenario=check_recording(recording.text, recording))
    function = without_partials(function)
    functools.update_wrapper(made, function, assigned=("__doc__", "__module__", "__qualname__", "__name__"), updated=())
    del made.__wrapped__  # a model is data: it keeps no function
    return made


def _declared(what, declared):
    if not isinstance(declared, dict):
        declared = {each: "" for each in declared} if isinstance(declared, (list, tuple)) else declared
    if not isinstance(declared, dict):
        raise TypeError(f"{what}: expected a dict of names, found {type(declared).__name__}")
    for name, each in declared.items():
        if not isinstance(each, (str, int, float, dict, np.number)):
            raise TypeError(f"{what}: expected a text or a number for {name}, found {type(each).__name__}")
    return declared


def catalogue():
    """The names of the catalogue's systems."""
    return list(_kalaba.catalogue())
