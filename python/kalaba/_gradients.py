"""Motions of a model and their derivatives as functions of arrays, for kalaba.jax and kalaba.torch."""

from __future__ import annotations

import functools
import re
import warnings

import numpy as np

from . import _kalaba, _toml
from ._dataset import MemorySource
from ._ensemble import Ensemble
from ._errors import SCENARIO, InputError, MembersFailed, refuse_unknown, translated
from ._inputs import inputs_by_name
from ._model import Model
from ._progress import shown
from ._run import OPTIONS, run, tables_of

KEYWORDS = (*OPTIONS["time"], *OPTIONS["solver"], "tolerance", "events", "fields")

# Fields that have derivatives, and the dimension of their components.
FIELDS = {"q": "coordinate", "w": "rate", "energy": None, "invariants": "invariant", "multipliers": "constraint"}

MOST_COLUMNS = 16  # variables of differentiation of one run


class Motions:
    """Motions of a model as a function of some of its inputs.

    Attributes
    ----------
    names : inputs, "parameters.L", in the order of the values
    outputs : dict of output -> shape behind the members, (times,) or ()
    times : array, saved times, s
    """

    def __init__(self, what, model, parameters, initial, project, on_failure, options):
        model = Model.catalogue(model) if isinstance(model, str) else model
        if not isinstance(model, Model):
            raise TypeError(f"model: expected a kalaba.Model or a name, found {type(model).__name__}: {model!r}")
        if on_failure not in ("raise", "nan"):
            raise InputError(f'on_failure: expected "raise" or "nan", found {on_failure!r}')
        given, options = inputs_by_name(model, parameters, initial, options)
        inputs = (*model.parameters.names, *model.coordinates.names, *model.rates.names)
        refuse_unknown(options, (*KEYWORDS, *inputs, "parameters", "initial", "project", "on_failure"), what)
        fields = options.pop("fields", None) or ["q", "w"]
        self.fields = [fields] if isinstance(fields, str) else list(fields)
        for each in self.fields:
            if each not in FIELDS:
                raise InputError(f"fields: expected fields with derivatives, {', '.join(FIELDS)}, found {each!r}")
        self.model, self.on_failure, self.options = model, on_failure, options
        self.names = [f"{table}.{name}" for table, inputs in given.items() for name in inputs]
        self.values = [each for inputs in given.values() for each in inputs.values()]
        for name, each in zip(self.names, self.values):
            if isinstance(each, (str, dict)) or each is None:
                raise InputError(f"{name}: expected numbers, found {each!r}")
        Ensemble(model, parameters=dict.fromkeys(given["parameters"], 1.0), initial=dict.fromkeys(given["initial"], 0.0))
        self._warned = set()
        self._plan(project)

    def _plan(self, project):
        """Finds the saved times, the shapes of the outputs, and the projection of the starts, which does not depend on
        whether derivatives are computed."""
        ensemble = Ensemble(self.model, 1, project=project)
        self.project = project
        if project is None:
            inputs = [f"parameters.{each}" for each in self.model.parameters.names]
            inputs += [f"initial.{each}" for each in self.model.coordinates.names]
            text = ensemble._text(tables_of(ensemble, {**self.options, "sensitivities": inputs[:1]}))
            with translated():
                self.project = _toml.loads(_kalaba.Scenario(text, SCENARIO, {}).text)["initial"]["project"]
        options = {**self.options, "fields": self.fields}
        if "backend" not in options:
            options["compile"] = "never"
        self.times, self.outputs = _layout(ensemble._text(tables_of(ensemble, options)), tuple(self.fields))

    def __call__(self, values, of=()):
        """Runs one ensemble for every `MOST_COLUMNS` of the inputs `of`.

        Parameters
        ----------
        values : arrays (members), in the order of `names`
        of : indices of the inputs of differentiation

        Returns
        -------
        motions : dict of output -> array (members, ...)
        columns : dict of output -> array (members, inputs of differentiation, ...)
        """
        groups = [of[i : i + MOST_COLUMNS] for i in range(0, len(of), MOST_COLUMNS)] or [()]
        parts = [self._run(values, group) for group in groups]
        joined = {name: np.concatenate([columns[name] for _, columns in parts], axis=1) for name in self.outputs}
        return parts[0][0], joined

    def _run(self, values, of):
        """Motions and columns of one run; those of members that fail, or whose inputs are not finite, are NaN."""
        members = len(values[0]) if values else 1
        is_kept = np.ones(members, dtype=bool)
        if self.on_failure == "nan" and values:
            is_kept = np.isfinite(values).all(axis=0)
        motions = {name: np.full((members, *shape), np.nan) for name, shape in self.outputs.items()}
        columns = {name: np.full((members, len(of), *shape), np.nan) for name, shape in self.outputs.items()}
        if not is_kept.any():
            return motions, columns
        inputs = {"parameters": {}, "initial": {}}
        for name, each in zip(self.names, values):
            table, own = name.split(".", 1)
            inputs[table][own] = each[is_kept]
        ensemble = Ensemble(self.model, int(is_kept.sum()), **inputs, project=self.project)
        options = {**self.options, "fields": list(self.fields)}
        if of:
            options["sensitivities"] = [self.names[i] for i in of]
            options["fields"] += [f"{field}_sensitivity" for field in self.fields]
        result = run(ensemble, progress=None, **options)
        is_good = self._judged(result)
        is_kept[is_kept] = is_good
        source = result._source
        for name, (variable, event, component) in _places(source, self.fields).items():
            motions[name][is_kept] = _members_first(source.array(variable), event, component)[is_good]
            if of:
                derivatives = source.array(f"{variable}_sensitivity")
                columns[name][is_kept] = _members_first(derivatives, event, component, has_columns=True)[is_good]
        return motions, columns

    def _judged(self, result):
        """Members that did not fail, (members) bool. Raises MembersFailed if some did and on_failure is "raise". Warns of
        each kind of warning in the summaries once."""
        if result.failed_members and self.on_failure == "raise":
            raise MembersFailed(
                f'{result.failed_members:,} members failed; on_failure="nan" makes their numbers NaN\n{result.summary.text}',
                result,
            )
        if not result.complete:
            raise KeyboardInterrupt
        for each in result.summary.warnings:
            kind = re.sub(r"[-+\d.,e]+", "", each)
            if kind not in self._warned:
                self._warned.add(kind)
                warnings.warn(f"{self.model.name}: {each}", UserWarning, stacklevel=2)
        is_good = np.ones(result._source.dimensions["member"], dtype=bool)
        if result.failed_members:
            is_good[np.asarray(result.failed["member"])] = False
        return is_good


@functools.lru_cache(maxsize=64)
def _layout(text, fields):
    """Saved times, and shapes of the outputs, of the motion of a scenario."""
    with translated(), shown(None) as report:
        outcome = _kalaba.run(text, SCENARIO, {}, "", "", False, True, report)
    source = MemorySource(outcome.dataset)
    times = np.array(source.array("time"))
    outputs = {name: times.shape if event is None else () for name, (_, event, _) in _places(source, fields).items()}
    return times, outputs


def _places(source, fields):
    """Output -> (variable, event, component): components of fields over time, then of the first occurrence of events."""
    found = {}
    for field in fields:
        dim = FIELDS[field]
        if dim is None:
            found[field] = (field, None, None)
            continue
        for i, label in enumerate(source.array(dim)):
            found[f"{field}_{label}" if field == "multipliers" else str(label)] = (field, None, i)
    for i, event in enumerate(source.array("event") if "event" in source.variables else ()):
        found[f"event_time_{event}"] = ("event_time", i, None)
        for variable, dim in (("event_q", "coordinate"), ("event_w", "rate")):
            for j, label in enumerate(source.array(dim)):
                found[f"event_{label}_{event}"] = (variable, i, j)
    return found


def _members_first(array, event, component, has_columns=False):
    """Part of a variable (time or event, column, component, member) as (member, column, time); without the dimensions
    that it does not have."""
    array = np.moveaxis(array, -1, 0)
    if component is not None:
        array = array[..., component]
    if has_columns:
        array = np.swapaxes(array, 1, 2)
    if event is not None:
        array = array[..., event]
    return np.array(array, dtype=np.float64, order="C")
