"""Ensembles: a model, and what its members get."""

from __future__ import annotations

import numbers
import pathlib

import numpy as np

from . import _kalaba, _toml
from ._distributions import Correlated, Distribution
from ._errors import SCENARIO, InputError, nearest, translated
from ._model import Model

_PROJECT = (True, False, "keep_varied", "refuse")


class Ensemble:
    """A model and what each of its members gets: data, which pickles.

    Parameters
    ----------
    model : Model, or the name of a system of the catalogue
    members : int, how many; left out: as many as a grid has points, or arrays have numbers, else 1
    seed : int, of all random numbers
    design : "independent", "latin_hypercube", "sobol", "one_at_a_time" or "saltelli"
    parameters : dict of name -> number, distribution (`kalaba.uniform` …), array (a number a member) or expression
        of others ("2*c")
    initial : dict likewise of coordinates and rates; those left out follow from the parameters
    project : True: starts are put on the constraints; False; "keep_varied"; "refuse". Left out: as the model says
    grid : order of the axes, the last one fastest: ["parameters.L", "parameters.m"]
    correlated : of `kalaba.correlated`, one or several
    agents : of a swarm, agents with a constraint of their own: dicts with the keys of [[agents]] in docs/swarms.md
    structure : dict of counts, as `Model.with_structure`
    """

    def __init__(
        self, model, members=None, *, seed=None, design=None, parameters=None, initial=None, project=None, grid=None,
        correlated=(), agents=(), structure=None,
    ):  # fmt: skip
        model = Model.catalogue(model) if isinstance(model, str) else model
        if not isinstance(model, Model):
            raise TypeError(f"model: expected a kalaba.Model or a name, found {type(model).__name__}: {model!r}")
        self.model = model.with_structure(**structure) if structure else model
        self._columns = {}  # "parameters.L" -> array of a number a member
        self._tables = {}
        ensemble = {"members": _whole("members", members), "seed": _whole("seed", seed), "design": design, "grid": grid}
        self._tables["ensemble"] = {key: each for key, each in ensemble.items() if each is not None}
        self._tables["parameters"] = self._inputs("parameters", parameters)
        self._tables["initial"] = self._inputs("initial", initial)
        if project is not None:
            if project not in _PROJECT:
                raise InputError(f"project: expected one of {_PROJECT}, found {project!r}")
            self._tables["initial"]["project"] = project
        together = [correlated] if isinstance(correlated, Correlated) else list(correlated)
        if together:
            self._tables["correlated"] = [each.table() for each in together]
        if agents:
            self._tables["agents"] = [dict(each) for each in agents]
        self._check()

    @classmethod
    def from_arrays(cls, model, q=None, w=None, *, project=None, **parameters):
        """An ensemble whose members are stated one by one.

        Parameters
        ----------
        q, w : arrays (coordinates, members) and (rates, members), or dicts of name -> (members); left out: the
            starts that follow from the parameters
        **parameters : arrays (members), or numbers

        Arrays are NumPy's, or of any library that speaks DLPack (torch, JAX, CuPy: those on a GPU are copied to the
        host).
        """
        model = Model.catalogue(model) if isinstance(model, str) else model
        initial = {}
        for given, variables, what in ((q, model.coordinates, "q"), (w, model.rates, "w")):
            if isinstance(given, dict):
                initial.update(given)
            elif given is not None:
                rows = _host_array(what, given)
                if rows.ndim != 2 or len(rows) != len(variables):
                    raise InputError(
                        f"{what}: expected an array of {len(variables)} rows ({', '.join(variables.names)}) over the "
                        f"members, found the shape {rows.shape}"
                    )
                initial.update(zip(variables.names, rows))
        return cls(model, parameters=parameters, initial=initial, project=project)

    # ---- inputs ----

    def _inputs(self, table, given):
        variables = self.model.parameters.names
        if table == "initial":
            variables = [*self.model.coordinates.names, *self.model.rates.names]
        stated = {}
        for name, each in dict(given or {}).items():
            is_known = name in variables or name in ("agents", "project") or self.model._info["agents"]
            if self.model._system != "swarm" and not is_known:
                raise InputError(
                    f"{table}: there is no {name}{nearest(name, variables)} (there are {', '.join(variables)})"
                )
            stated[name] = self._stated(f"{table}.{name}", each)
        return stated

    def _stated(self, key, thing):
        """As a scenario says it; the numbers of an array are kept beside it."""
        if isinstance(thing, Distribution):
            return thing.words
        if isinstance(thing, (str, dict, bool)):
            return thing
        if isinstance(thing, numbers.Real):
            return float(thing)
        array = _host_array(key, thing)
        if array.ndim == 0:
            return float(array)
        if array.ndim != 1:
            raise InputError(f"{key}: expected a number a member, found the shape {array.shape}")
        self._columns[key] = array
        return {"array": key}

    @property
    def members(self):
        """How many."""
        return self._scenario.members

    @property
    def inputs(self):
        """What every member gets, before anything is projected: a Dataset of parameters and initial values (member)."""
        from ._dataset import from_columns

        if self._columns:
            self._check()  # they may have been written to
        with translated():
            tables = self._scenario.inputs()
        units = {each.name: each.unit for each in self._variables()}
        columns = {}
        for table, prefix in (("parameters", ""), ("coordinates", "initial_"), ("rates", "initial_")):
            for name, values in tables[table].items():
                columns[prefix + name] = (values, units[name])
        return from_columns(columns, {"system": self.model.name})

    def parameter(self, name):
        """The values of a parameter over the members, an array (members) to read and to write: the members get what it
        holds."""
        return self._column("parameters", name, self.model.parameters)

    def initial(self, name):
        """Likewise the initial values of a coordinate or rate. Those that were never asked for here, nor stated, follow
        from the parameters."""
        variables = self.model.coordinates if name in self.model.coordinates else self.model.rates
        return self._column("initial", name, variables)

    def _column(self, table, name, variables):
        variables.require([name])
        key = f"{table}.{name}"
        if key not in self._columns:
            kind = "parameters" if table == "parameters" else "coordinates"
            kind = "rates" if table == "initial" and name in self.model.rates else kind
            members = self.members
            with translated():
                self._columns[key] = self._scenario.inputs()[kind][name]
            self._tables[table][name] = {"array": key}
            self._tables["ensemble"]["members"] = members
            self._check()
        return self._columns[key]

    def restart(self):
        """Every member starts as the system says for its parameters: initial values that were stated are forgotten."""
        project = {key: each for key, each in self._tables["initial"].items() if key == "project"}
        self._tables["initial"] = project
        self._columns = {key: each for key, each in self._columns.items() if not key.startswith("initial.")}
        self._check()
        return self

    def _variables(self):
        return [*self.model.parameters, *self.model.coordinates, *self.model.rates]

    # ---- as a scenario ----

    def _check(self):
        with translated():
            self._scenario = _kalaba.Scenario(self._text({}), SCENARIO, self._columns)

    def _text(self, tables):
        """The scenario with more tables."""
        merged = {name: each for name, each in self._tables.items() if each}
        for name, each in tables.items():
            merged[name] = {**merged.get(name, {}), **each} if isinstance(each, dict) else each
        return self.model._scenario_text(merged)

    def to_toml(self, path=None, **options):
        """The complete scenario as text, which `kalaba run` and `kalaba.read` take; also written to a file.

        `options` are those of `run`: what the scenario says of it. Arrays stand in a table beside the file,
        NAME.members.csv.
        """
        from ._run import tables_of

        with translated():
            effective = _kalaba.Scenario(self._text(tables_of(self, options)), SCENARIO, self._columns).text
        if not self._columns:
            text = effective
        elif path is None:
            raise InputError(f"{', '.join(self._columns)} are arrays, which a text does not hold: name a file")
        else:
            text = self._with_table(effective, pathlib.Path(path))
        if path is not None:
            pathlib.Path(path).write_text(text, encoding="utf-8")
        return text

    def _with_table(self, text, path):
        table = path.with_suffix(".members.csv")
        names = [*self._columns]
        rows = np.column_stack([self._columns[each] for each in names])
        lines = [",".join(names), *(",".join(repr(float(x)) for x in row) for row in rows)]
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        lines = text.splitlines()
        for i, line in enumerate(lines):
            for name in names:
                if line.endswith(f"= {_toml.value({'array': name})}"):
                    stated = {"file": str(table.resolve()), "column": name}
                    lines[i] = f"{line.split(' = ')[0]} = {_toml.value(stated)}"
        return "\n".join(lines) + "\n"

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["_scenario"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._check()

    def __eq__(self, other):
        if not isinstance(other, Ensemble) or (self.model, self._tables) != (other.model, other._tables):
            return False
        return self._columns.keys() == other._columns.keys() and all(
            np.array_equal(each, other._columns[name]) for name, each in self._columns.items()
        )

    __hash__ = None

    def __repr__(self):
        stated = {**self._tables["parameters"], **self._tables["initial"]}
        shown = ", ".join(f"{name} = {_toml.value(each)}" for name, each in stated.items())
        return f"Ensemble of {self.members:,} members of {self.model.name}" + (f": {shown}" if shown else "")


def read(path):
    """The ensemble of a scenario file, with what it says of the run: `kalaba.run(kalaba.read("sweep.toml"))`."""
    path = pathlib.Path(path)
    with translated():
        try:
            content = path.read_text(encoding="utf-8")
        except OSError as error:
            from ._errors import FileError

            raise FileError(f"{path}: cannot be read: {error.strerror}") from None
        scenario = _kalaba.Scenario(content, str(path), {})
    tables = _toml.loads(scenario.text)
    tables.pop("model", None)
    system, structure = tables.pop("system"), tables.pop("structure", {})
    model = Model(scenario.model, structure=structure, name=str(path)) if scenario.model else None
    ensemble = Ensemble.__new__(Ensemble)
    ensemble.model = model or Model("", system=system, structure=structure)
    ensemble._columns = {}
    ensemble._tables = {"ensemble": {}, "parameters": {}, "initial": {}, **tables}
    ensemble._check()
    return ensemble


def _whole(what, number):
    if number is None:
        return None
    is_whole = isinstance(number, numbers.Real) and not isinstance(number, bool) and float(number).is_integer()
    if not is_whole:
        raise InputError(f"{what}: expected a whole number, found {number!r}")
    return int(number)


def _host_array(what, thing):
    """As an array of doubles in this machine's memory, C order; NumPy's own doubles are not copied."""
    try:
        if not isinstance(thing, np.ndarray) and hasattr(thing, "__dlpack__"):
            thing = thing.get() if hasattr(thing, "get") else np.from_dlpack(thing)
        array = np.asarray(thing)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError(f"{what}: expected numbers, found {type(thing).__name__}: {error}") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what}: expected real numbers, found {type(thing).__name__} of {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)
