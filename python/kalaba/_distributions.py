"""How an input is spread over the members, in the words of a scenario."""

from __future__ import annotations

import os
from dataclasses import dataclass

from . import _toml
from ._errors import InputError
from ._inputs import refuse_masked, whole


@dataclass(frozen=True)
class Distribution:
    """How the values of one input are spread over the members: as a scenario states it, e.g. {"uniform": [0, 1]}."""

    words: dict

    def __repr__(self):
        return _toml.value(self.words)

    def __hash__(self):
        return hash(repr(self))


def uniform(low, high):
    """Evenly from low to high."""
    return Distribution({"uniform": [float(low), float(high)]})


def normal(mean, sd, within=None):
    """Normal; `within` = (low, high): cut off there."""
    words = {"normal": [float(mean), float(sd)]}
    return Distribution(words if within is None else {**words, "within": [float(each) for each in within]})


def log_uniform(low, high):
    """Evenly in the logarithm."""
    return Distribution({"log_uniform": [float(low), float(high)]})


def discrete(values, weights=None):
    """One of the values, at random; equal weights where none are given."""
    refuse_masked("discrete", values)
    words = {"discrete": _list(values)}
    return Distribution(words if weights is None else {**words, "weights": [float(each) for each in weights]})


def linspace(first, last, points):
    """An axis of the grid that the members make: as many points, evenly from the first to the last."""
    return Distribution({"linspace": [float(first), float(last), whole("linspace", points)]})


def values(points):
    """An axis of the grid that the members make: these points."""
    refuse_masked("values", points)
    return Distribution({"values": _list(points)})


def _list(numbers):
    """Numbers as a list; one number is a list of one."""
    return [float(each) for each in (numbers if hasattr(numbers, "__iter__") else [numbers])]


def column(file, name=None):
    """A row for every member of a CSV file, or a variable over members of a netCDF file. A relative path is one from the
    present folder, wherever the ensemble is used."""
    words = {"file": os.path.abspath(file)}
    return Distribution(words if name is None else {**words, "column": name})


@dataclass(frozen=True)
class Correlated:
    """Normals that are drawn together."""

    means: dict
    words: dict

    def table(self):
        """Returns its form in a scenario's [[correlated]]."""
        means = self.means
        return {"variables": [*means], "mean": [float(each) for each in means.values()], **self.words}


def correlated(means, *, covariance=None, std=None, correlation=None):
    """Normals that are drawn together, for `Ensemble(correlated=...)`.

    Parameters
    ----------
    means : dict of "parameters.L" or "initial.x" -> mean
    covariance : matrix, positive semi-definite; or
    std, correlation : standard deviations, and the matrix of correlations
    """
    words = {"covariance": covariance, "std": std, "correlation": correlation}
    return Correlated(dict(means), {name: _rows(each) for name, each in words.items() if each is not None})


def _rows(matrix):
    if hasattr(matrix, "tolist"):
        return matrix.tolist()
    return [[float(x) for x in row] if hasattr(row, "__len__") else float(row) for row in matrix]


@dataclass(frozen=True)
class Event:
    """Zero crossing of an expression of a member's state; see `event`."""

    name: str
    when: str
    direction: str | None = None
    action: str = "stop"
    set: dict | None = None

    def table(self):
        """Returns its form in a scenario's [[events]]."""
        table = {"name": self.name, "when": self.when, "direction": self.direction, "action": self.action, "set": self.set}
        return {key: value for key, value in table.items() if value}


def event(name, when, direction=None, action=None, set=None):
    """A member stops, is recorded, or is changed where an expression of its state goes through zero.

    Parameters
    ----------
    when : expression of coordinates, rates, parameters and t, e.g. "x - 0.5", or a condition, e.g. "x > 0.5 and v > 0"
    direction : "rising", "falling" or "any". Left out: "rising" of a condition, which is where it begins to hold, else
        "any"
    action : "stop": the member keeps its state from then on; "record": time and state are recorded. Left out: "stop",
        or "record" with `set`
    set : dict of a coordinate, rate or discrete variable -> expression of its new value, computed from the state before
        the event: {"v": "-e*v"}
    """
    if callable(when):
        raise InputError(f'event {name}: when is an expression as text, e.g. "x - 0.5"; found {when!r}')
    values = _new_values(f"event {name}", set)
    return Event(name, str(when), direction, action or ("record" if values else "stop"), values)


@dataclass(frozen=True)
class Clock:
    """Change of a member at equal times; see `clock`."""

    name: str
    every: float
    set: dict
    offset: float = 0.0
    delay: int = 0

    def table(self):
        """The table of a scenario's [[clocks]]."""
        return {"name": self.name, "every": self.every, "offset": self.offset, "delay": self.delay, "set": self.set}


def clock(name, every, set, offset=0.0, delay=0):
    """A member changes at the times offset + k every, k = 0, 1, ...: sampled control with a zero-order hold.

    Parameters
    ----------
    every : s
    set : dict of a coordinate, rate or discrete variable -> expression of its new value: {"u": "-k*x"}
    delay : ticks from the computation of a value to its use; the targets are then discrete variables
    """
    values = _new_values(f"clock {name}", set)
    if values is None:
        raise InputError(f'clock {name}: expected set to be a dict such as {{"u": "-k*x"}}, found None')
    return Clock(name, every, values, offset, delay)


def _new_values(what, given):
    if given is None:
        return None
    if not isinstance(given, dict):
        raise InputError(f'{what}: expected set to be a dict such as {{"v": "-v"}}, found {given!r}')
    return {name: each if isinstance(each, (int, float)) else str(each) for name, each in given.items()}
