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
from ._errors import SCENARIO, InputError, MembersFailed, plain, refuse_unknown, translated
from ._model import Model
from ._run import SOLVER, TIME, full_name, tables_of

_TIMES = ("t", "time")


class Fit:
    """What a fit came to; printed, the table of `kalaba fit`.

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
        self._ensemble = ensemble
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
        given = {"parameters": {}, "initial": {}}
        for table, stated in given.items():
            stated.update({k: v for k, v in self._ensemble._tables[table].items() if k != "project"})
        for name, value in self.values.items():
            table, last = name.split(".", 1)
            given[table][last] = value
        project = self._ensemble._tables["initial"].get("project")
        return Ensemble(self._ensemble.model, 1, project=project, **given)


def fit(ensemble, data, free, *, bounds=None, sigma=None, columns=None, starts=1, iterations=100, progress=None,
        **options):  # fmt: skip
    """Finds parameters and initial values from measured numbers, by least squares with exact derivatives.

    Parameters
    ----------
    ensemble : Ensemble, or a Model: its first member is the first start
    data : path of a CSV file, or a dict or DataFrame of columns: "t" (s), and coordinates, rates, "energy" and invariants
        by their names; NaN where a number is missing
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
    ensemble = Ensemble(ensemble) if isinstance(ensemble, (Model, str)) else ensemble
    if not isinstance(ensemble, Ensemble):
        raise TypeError(f"expected a kalaba.Ensemble or a kalaba.Model, found {type(ensemble).__name__}: {ensemble!r}")
    refuse_unknown(options, (*TIME, *SOLVER), "fit")
    model = ensemble.model
    names = [full_name(model, each) for each in ([free] if isinstance(free, str) else free)]
    limits = [(full_name(model, name), float(low), float(high)) for name, (low, high) in dict(bounds or {}).items()]
    with translated():
        measured, read = _measured(data, columns)
        outcome = _kalaba.fit(
            ensemble._text(tables_of(ensemble, options)), SCENARIO, ensemble._columns, measured, names, limits,
            _sigmas(sigma, read), int(starts), int(iterations), progress,
        )  # fmt: skip
    complaints = [plain(each) for each in outcome.complaints]
    if not outcome.has_estimate:
        raise MembersFailed("\n".join(complaints))
    for each in complaints:
        warnings.warn(each, RuntimeWarning, stacklevel=2)
    return Fit(outcome, ensemble)


def _number(value):
    return math.nan if value is None else value


def _measured(data, columns):
    """The numbers as the library takes them, and the names of their columns."""
    wanted = list(columns or [])
    if isinstance(data, (str, os.PathLike)):
        return _kalaba.FitData(os.fspath(data), wanted, [], []), wanted
    given = {str(name): np.asarray(data[name], dtype=float) for name in data}
    times = [name for name in given if name in _TIMES]
    if len(times) != 1:
        raise InputError(f'data: expected one column "t", of times in s, found {len(times)} among {", ".join(given)}')
    for name in wanted:
        if name not in given:
            raise InputError(f"columns: expected columns of the data ({', '.join(given)}), found {name!r}")
    wanted = wanted or [name for name in given if name not in _TIMES]
    numbers_of = [given[name].ravel().tolist() for name in wanted]
    return _kalaba.FitData("", wanted, given[times[0]].ravel().tolist(), numbers_of), wanted


def _sigmas(sigma, columns):
    if sigma is None:
        return []
    if isinstance(sigma, numbers.Real):
        if not columns:
            raise InputError("sigma: expected a dict of column -> standard deviation, or columns, for a file")
        return [(name, float(sigma)) for name in columns]
    return [(name, float(each)) for name, each in sigma.items()]
