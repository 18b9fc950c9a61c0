"""Ensembles: a model, and what its members get."""

from __future__ import annotations

import copy
import numbers
import os
import pathlib
from collections.abc import Mapping

import numpy as np

from . import _kalaba, _toml
from ._distributions import Correlated, Distribution
from ._errors import SCENARIO, FileError, InputError, nearest, translated
from ._inputs import columns_of, drawn, frozen, host_array, whole, with_table
from ._model import Model

_PROJECT = (True, False, "keep_given", "keep_varied", "refuse")


class Ensemble:
    """A model and what each of its members gets: data, which pickles.

    Parameters
    ----------
    model : Model, or the name of a system of the catalogue
    members : int, how many; left out: as many as a grid has points, or arrays have numbers, else 1
    seed : int, of all random numbers
    design : "independent", "latin_hypercube", "sobol", "one_at_a_time" or "saltelli"
    parameters : dict of name -> number, distribution (`kalaba.uniform` …), array (a number a member) or expression
        of others ("2*c"); or a table whose columns are arrays, by name: a DataFrame of pandas or polars, an Arrow table
    initial : dict likewise of coordinates and rates; those left out follow from the parameters
    project : True: starts are put on the constraints; False; "keep_given"; "keep_varied"; "refuse". Left out: as a
        scenario without it
    grid : order of the axes, the last one fastest: ["L", "m"], or in full ["parameters.L", "parameters.m"]
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
        self._asked = {}  # likewise -> array that was handed out, and its bytes then
        self._tables = {}
        from ._run import names_of

        grid = None if grid is None else names_of("grid", self.model, grid)
        ensemble = {"members": members, "seed": seed, "design": design, "grid": grid}
        stated = {key: each for key, each in ensemble.items() if each is not None}
        stated.update({key: whole(key, stated[key]) for key in ("members", "seed") if key in stated})
        self._tables["ensemble"] = stated
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
        self._take(copy.deepcopy(self._tables), self._columns)  # the caller may go on writing to lists and dicts

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
            if isinstance(given, dict) or hasattr(given, "columns"):
                initial.update(columns_of(what, given))
            elif given is not None:
                rows = host_array(what, given)
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
        own = "" if given is None or isinstance(given, Mapping) else "; pass the columns of inputs alone"
        for name, each in columns_of(table, given).items():
            is_known = name in variables or name in ("agents", "project") or self.model._info["agents"]
            if self.model._system != "swarm" and not is_known:
                raise InputError(
                    f"{table}: there is no {name}{nearest(name, variables)} (there are {', '.join(variables)}){own}"
                )
            stated[name] = self._stated(f"{table}.{name}", each)
        return stated

    def _stated(self, key, thing):
        """Returns its form in a scenario; the numbers of an array are kept beside it."""
        if isinstance(thing, Distribution):
            return thing.words
        if isinstance(thing, dict) and isinstance(thing.get("file"), (str, os.PathLike)):
            return {**thing, "file": os.path.abspath(thing["file"])}
        if isinstance(thing, (str, dict, bool)):
            return thing
        if isinstance(thing, numbers.Real):
            return float(thing)
        array = host_array(key, thing)
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
        """Inputs of all members before any projection: a Dataset of parameters and initial values (member)."""
        from ._dataset import from_columns

        self._settle()
        variables = (*self.model.parameters, *self.model.coordinates, *self.model.rates)
        units = {each.name: each.unit for each in variables}
        columns = {}
        for key, values in self._values().items():
            table, name = key.split(".", 1)
            columns[name if table == "parameters" else f"initial_{name}"] = (values, units[name])
        return from_columns(columns, {"system": self.model.name})

    def parameter(self, name):
        """The values of a parameter over the members, an array (members) to read and to write: the members get what it
        holds. Once it is written to, what is drawn, and axes of a grid, are arrays as well: they keep their numbers."""
        return self._column("parameters", name, self.model.parameters)

    def initial(self, name):
        """Likewise the initial values of a coordinate or rate. Values that were neither accessed here nor stated follow from
        the parameters."""
        variables = self.model.coordinates if name in self.model.coordinates else self.model.rates
        return self._column("initial", name, variables)

    def _column(self, table, name, variables):
        variables.require([name])
        self._settle()
        key = f"{table}.{name}"
        if key not in self._columns and key not in self._asked:
            array = self._values()[key]
            self._asked[key] = (array, array.tobytes())
        return self._columns[key] if key in self._columns else self._asked[key][0]

    def restart(self):
        """Starts every member from the default start of its parameters, and drops the initial values that were stated."""
        self._settle()
        # Parameters are drawn, and lie on a grid, together with the starts; those of a swarm are its agents'.
        together = any(key.startswith("initial.") for key in drawn(self._tables)) and not self.model._info["agents"]
        tables, columns = self._frozen() if together else (self._tables, self._columns)
        tables = {**tables, "ensemble": {**tables["ensemble"], "members": self.members}}
        tables["initial"] = {key: each for key, each in tables["initial"].items() if key == "project"}
        self._take(tables, {key: each for key, each in columns.items() if not key.startswith("initial.")})
        self._asked = {key: each for key, each in self._asked.items() if not key.startswith("initial.")}
        return self

    # ---- what varies ----

    def _values(self):
        """Inputs of all members: "parameters.L" -> array (members)."""
        with translated():
            given = self._scenario.inputs()
        tables = {"parameters": "parameters", "coordinates": "initial", "rates": "initial"}
        return {f"{table}.{name}": each for kind, table in tables.items() for name, each in given[kind].items()}

    def _frozen(self):
        """Its tables and columns, with drawn or accessed quantities replaced by the numbers of the members."""
        asked = {key: array for key, (array, _) in self._asked.items()}
        return frozen(self._tables, {**self._columns, **asked}, self._values(), self.members)

    def _is_written(self):
        return any(array.tobytes() != was for array, was in self._asked.values())

    def _settle(self):
        """Takes what was written to arrays since."""
        if self._is_written():
            self._take(*self._frozen())
        elif self._columns:
            self._take(self._tables, self._columns)

    # ---- as a scenario ----

    @classmethod
    def _of(cls, model, tables):
        ensemble = cls.__new__(cls)
        ensemble.model, ensemble._asked = model, {}
        ensemble._take({"ensemble": {}, "parameters": {}, "initial": {}, **tables}, {})
        return ensemble

    def _take(self, tables, columns):
        """Stores this text; without effect if it is no scenario."""
        text = self.model._scenario_text({name: each for name, each in tables.items() if each})
        with translated():
            self._scenario = _kalaba.Scenario(text, SCENARIO, columns)
        self._tables, self._columns = tables, columns
        self._asked = {key: each for key, each in self._asked.items() if key not in columns}

    def _words(self, tables):
        """The scenario with more tables, as the library takes it: text, its name, columns."""
        self._settle()
        return self._text(tables), SCENARIO, self._columns

    def _text(self, tables):
        """The scenario with more tables; a key that is None in them is left out."""
        merged = {name: each for name, each in self._tables.items() if each}
        for name, each in tables.items():
            if isinstance(each, dict):
                each = {key: value for key, value in {**merged.get(name, {}), **each}.items() if value is not None}
            merged[name] = each
        return self.model._scenario_text(merged)

    def to_toml(self, path=None, **options):
        """The complete scenario as text, which `kalaba run` and `kalaba.read` take; also written to a file.

        `options` are those of `run`, as the scenario states them. Arrays stand in a table beside the file,
        NAME.members.csv.
        """
        from ._run import tables_of

        words = self._words(tables_of(self, options))
        with translated():
            effective = _kalaba.Scenario(*words).text
        if not self._columns:
            text = effective
        elif path is None:
            raise InputError(f"{', '.join(self._columns)} are arrays, which a text does not hold: name a file")
        else:
            text = with_table(effective, self._columns, pathlib.Path(path))
        if path is not None:
            pathlib.Path(path).write_text(text, encoding="utf-8")
        return text

    def __getstate__(self):
        self._settle()
        return {"model": self.model, "_tables": self._tables, "_columns": self._columns, "_asked": {}}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._take(self._tables, self._columns)

    def __eq__(self, other):
        if not isinstance(other, Ensemble):
            return False
        self._settle()
        other._settle()
        if (self.model, self._tables) != (other.model, other._tables):
            return False
        return self._columns.keys() == other._columns.keys() and all(
            np.array_equal(each, other._columns[name]) for name, each in self._columns.items()
        )

    __hash__ = None

    def __repr__(self):
        tables = self._frozen()[0] if self._is_written() else self._tables
        stated = {**tables["parameters"], **tables["initial"]}
        shown = ", ".join(f"{name} = {_toml.value(each)}" for name, each in stated.items())
        return f"Ensemble of {self.members:,} members of {self.model.name}" + (f": {shown}" if shown else "")


def read(path):
    """The ensemble of a scenario file, with the options of its run: `kalaba.run(kalaba.read("sweep.toml"))`."""
    path = pathlib.Path(path)
    with translated():
        try:
            content = path.read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path}: expected a scenario, found no text; kalaba.open opens results") from None
        scenario = _kalaba.Scenario(content, str(path), {})
    tables = _toml.loads(scenario.text)
    tables.pop("model", None)
    system, structure = tables.pop("system"), tables.pop("structure", {})
    model = Model(scenario.model, structure=structure, name=str(path)) if scenario.model else None
    return Ensemble._of(model or Model("", system=system, structure=structure), tables)
