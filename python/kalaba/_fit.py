"""Fits: measured numbers in, parameters and starts with their standard errors out."""

from __future__ import annotations

import json
import math
import numbers
import os
import warnings

import numpy as np

from . import _kalaba
from ._ensemble import Ensemble
from ._errors import InputError, MembersFailed, plain, refuse_unknown, translated
from ._inputs import number, spread, whole, with_inputs
from ._run import OPTIONS, ensemble_of, full_name, names_of, tables_of

_TIMES = ("t", "time")
_OF_THE_MOTION = ("parameters", "initial", "time", "solver", "events")  # tables


class Fit:
    """Result of a fit; printed, it is the table of `kalaba fit`.

    Attributes
    ----------
    values, errors, intervals : dicts by "parameters.NAME" and "initial.NAME": estimates, standard errors and the ends
        of 95 % intervals; NaN where the data do not determine a variable, or a bound holds it
    correlation : array (variable, variable)
    converged, determined : whether a start converged; whether the data determine every variable
    complaints : list of str, what is wrong with it, if anything
    residuals : dict of column -> (times, fitted less measured)
    starts : dict of counts: count, agree, converged, out_of_iterations, stuck, failed
    minima : list of dicts: starts, cost, values; the best one first
    figures : dict, all of it, as `kalaba fit --json` prints it
    """

    def __init__(self, outcome, ensemble):
        self.figures = json.loads(outcome.json)
        self._text = outcome.text
        self._first = _one_member(ensemble, {})  # as it is now
        found = self.figures["variables"]
        self.values = {each["name"]: _number(each["estimate"]) for each in found}
        self.errors = {each["name"]: _number(each["standard_error"]) for each in found}
        self.intervals = {each["name"]: tuple(map(_number, each["interval"])) for each in found}
        self.correlation = np.array([[_number(each) for each in row] for row in self.figures["correlation"]])
        self.converged = self.figures["converged"]
        self.determined = not self.figures["undetermined_directions"]
        self.complaints = list(outcome.complaints)
        self.starts = self.figures["starts"]
        self.minima = self.figures["minima"]
        times, columns = np.array(outcome.times), np.array(outcome.columns, dtype=int)
        residuals = np.array(outcome.residuals)
        self.residuals = {
            name: (times[columns == i], residuals[columns == i]) for i, name in enumerate(self.figures["columns"])
        }

    def __repr__(self):
        return self._text

    @property
    def ensemble(self):
        """One member with the values found."""
        return _one_member(self._first, self.values)


def _one_member(ensemble, values):
    """The first member alone, with these values, "parameters.L" -> number, and the options of its motion in a scenario."""
    ensemble._settle()
    first = ensemble._values()
    tables = {name: each for name, each in ensemble._tables.items() if name in _OF_THE_MOTION}
    numbers_of = {key: float(first[key][0]) for key in spread(ensemble._tables)}
    words = {**numbers_of, **values}
    if any(key.startswith("initial.") for key in words):  # a fit moves its starts as the projection does
        words["initial.project"] = ensemble._tables.get("initial", {}).get("project", True)
    return Ensemble._of(ensemble.model, with_inputs(tables, words))


def fit(ensemble, data, free, *, bounds=None, sigma=None, columns=None, starts=1, iterations=100, progress=None,
        **options):  # fmt: skip
    """Finds parameters and initial values from measured numbers, by least squares with exact derivatives.

    Parameters
    ----------
    ensemble : Ensemble, or a Model: its first member is the first start
    data : path of a CSV file, or a dict or DataFrame of columns: "t" (s), and coordinates, rates, "energy" and invariants
        by their names; NaN, or masked, where a number is missing
    free : names: ["L", "x"], or "parameters.L", "initial.x"; up to 16
    bounds : dict of name -> (low, high)
    sigma : dict of column -> standard deviation, or one for all named columns; left out, the residuals say
    columns : those of `data` to read; left out: all
    starts : how many; those behind the first are drawn within the bounds
    iterations : at most, of a start
    progress : callable of (iteration, starts still searching, least sum of squares)
    end, dt, backend, stabilization, ... : as `run`

    Returns
    -------
    Fit
        Warns where no start converges, or the data do not determine every variable; raises MembersFailed where no
        motion goes through.
    """
    ensemble = ensemble_of(ensemble)
    refuse_unknown(options, (*OPTIONS["time"], *OPTIONS["solver"]), "fit")
    model = ensemble.model
    names = names_of("free", model, free)
    limits = _limits(model, bounds)
    words = ensemble._words(tables_of(ensemble, options))
    counts = whole("starts", starts), whole("iterations", iterations)
    with translated():
        measured, read = _measured(data, columns)
        outcome = _kalaba.fit(*words, measured, names, limits, _sigmas(sigma, read), *counts, progress)
    complaints = [plain(each) for each in outcome.complaints]
    if not outcome.has_estimate:
        raise MembersFailed("\n".join(complaints))
    for each in complaints:
        warnings.warn(each, RuntimeWarning, stacklevel=2)
    return Fit(outcome, ensemble)


def _number(value):
    return math.nan if value is None else value


def _limits(model, bounds):
    limits = []
    for name, each in dict(bounds or {}).items():
        try:
            low, high = each
        except (TypeError, ValueError):
            raise InputError(f"bounds: {name}: expected (low, high), found {each!r}") from None
        ends = (number(f"bounds: {name}", end) for end in (low, high))
        limits.append((full_name("bounds", model, name), *ends))
    return limits


def _measured(data, columns):
    """The numbers as the library takes them, and the names of their columns."""
    wanted = [columns] if isinstance(columns, str) else list(columns or [])
    if isinstance(data, (str, os.PathLike)):
        return _kalaba.FitData(os.fspath(data), wanted, [], []), wanted
    if not hasattr(data, "keys"):
        raise InputError(f"data: expected a path, or a dict or DataFrame of columns, found {type(data).__name__}")
    given = {str(name): name for name in data}
    times = [name for name in given if name in _TIMES]
    if len(times) != 1:
        raise InputError(f'data: expected one column "t", of times in s, found {len(times)} among {", ".join(given)}')
    for name in wanted:
        if name not in given:
            raise InputError(f"columns: expected columns of the data ({', '.join(given)}), found {name!r}")
        if wanted.count(name) > 1:
            raise InputError(f"columns: expected each once, found {name!r} twice")
    wanted = wanted or [name for name in given if name not in _TIMES]
    at, *numbers_of = [_column(name, data[given[name]]) for name in (*times, *wanted)]
    return _kalaba.FitData("", wanted, at, numbers_of), wanted


def _column(name, column):
    """NaN where a number is missing, or masked."""
    try:
        if np.iscomplexobj(column):
            raise TypeError("complex numbers")
        column = np.ma.filled(np.ma.asarray(column, dtype=float), np.nan)
    except (TypeError, ValueError) as error:
        raise InputError(f"data: column {name}: expected numbers, found {error}") from None
    if column.ndim != 1:
        raise InputError(f"data: column {name}: expected a number a time, found the shape {column.shape}")
    return column.tolist()


def _sigmas(sigma, columns):
    if sigma is None:
        return []
    if isinstance(sigma, numbers.Real):
        if not columns:
            raise InputError("sigma: expected a dict of column -> standard deviation, or columns, for a file")
        return [(name, float(sigma)) for name in columns]
    if not hasattr(sigma, "items"):
        raise InputError(
            "sigma: expected a standard deviation, or a dict of column -> standard deviation, "
            f"found {type(sigma).__name__}: {sigma!r}"
        )
    return [(name, number(f"sigma: {name}", each)) for name, each in sigma.items()]
