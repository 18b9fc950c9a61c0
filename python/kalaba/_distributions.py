"""How an input is spread over the members, in the words of a scenario."""

from __future__ import annotations

import os
from dataclasses import dataclass

from . import _toml
from ._errors import InputError
from ._inputs import refuse_masked, whole


@dataclass(frozen=True)
class Distribution:
    """How the values of one input are spread over the members: what a scenario says of it, e.g. {"uniform": [0, 1]}."""

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
        """As a scenario's [[correlated]] says it."""
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
    direction: str = "any"
    action: str = "stop"

    def table(self):
        """As a scenario's [[events]] says it."""
        return {"name": self.name, "when": self.when, "direction": self.direction, "action": self.action}


def event(name, when, direction="any", action="stop"):
    """A member stops, or is noted, where an expression of its state goes through zero.

    Parameters
    ----------
    when : expression of coordinates, rates, parameters and t, e.g. "x - 0.5"
    direction : "rising", "falling" or "any"
    action : "stop": the member keeps its state from then on; "record": time and state are noted
    """
    if callable(when):
        raise InputError(f'event {name}: when is an expression as text, e.g. "x - 0.5"; found {when!r}')
    return Event(name, str(when), direction, action)
