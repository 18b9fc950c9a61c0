"""Numbers of a result for pictures and statistics: over time, or one a member."""

from __future__ import annotations

import re

import numpy as np

from ._dataset import components, refusal, unit_of
from ._errors import InputError, nearest
from ._result import _OUTCOMES

MOST_LINES = 10  # with colours of their own in one picture


def with_unit(name, unit):
    return f"{name} / ({unit})" if "/" in unit or " " in unit else f"{name} / {unit}" if unit and unit != "1" else name


class Numbers:
    """Numbers of a result for pictures."""

    def __init__(self, result):
        self.source = result._require_source()
        self.members = self.source.dimensions.get("member", 0)
        self.times = self.source.array("time")
        self._moves = None

    def labels(self, dim):
        return [str(each) for each in self.source.array(dim)] if dim in self.source.variables else []

    def usual(self, count):
        """The first saved coordinates; without any, other components."""
        known = [name for name in components(self.source) if name not in ("residual", "violation")]
        coordinates = [name for name in self.labels("coordinate") if name in known]
        return (coordinates or known)[:count]

    def is_held(self, name):
        """True for numbers that jump and are constant in between: discrete variables, the rank."""
        return name == "rank" or name in np.atleast_1d(self.source.attributes.get("discrete", []))

    def moves(self):
        """True while a member moves (time, member)."""
        if self._moves is None:
            ends = self.source.array("failure_time")
            self._moves = ~(self.times[:, None] >= ends[None, :])
        return self._moves

    def over_time(self, name):
        """(time, member), NaN where a member does not move any more; and the unit."""
        known = components(self.source)
        if name not in known:
            raise InputError(refusal(self.source, name))
        field, dim, index = known[name]
        shape = self.source.variables[field][1]
        values = self.source.array(field) if dim is None else self._row(field, index, shape)
        return np.where(self.moves(), values, np.nan), unit_of(self.source, field, dim, index)

    def _row(self, field, i, shape):
        if hasattr(self.source, "read"):
            return self.source.read(field, [0, i, 0], [shape[0], 1, shape[2]])[:, 0, :]
        return self.source.array(field)[:, i, :]

    def _refuse(self, name, known):
        raise InputError(f"there is no {name}{nearest(name, known)} (there are {', '.join(known)})")

    def inputs(self):
        """Names of what varies between the members."""
        names = [
            name
            for name, (dims, _, kind, _) in self.source.variables.items()
            if kind == "float64" and tuple(dims) == ("member",) and name not in _OUTCOMES
        ]
        return [name for name in names if np.ptp(self.source.array(name)) > 0]

    def input(self, name):
        table, _, own = name.rpartition(".")
        kinds = {"parameters": ("parameter_", ""), "initial": ("initial_",)}.get(table, ("", "initial_", "parameter_"))
        for kind in kinds:
            found = kind + own
            if found in self.source.variables and tuple(self.source.variables[found][0]) == ("member",):
                return self.source.array(found), self.source.variables[found][3].get("units", "")
        self._refuse(name, self.inputs())

    def of_members_or_input(self, text):
        """As of_members, or an input by its name."""
        if re.fullmatch(r"\w+\(\w+\)", text) or text == "status" or text in components(self.source):
            return self.of_members(text)
        values, unit = self.input(text)
        return values, with_unit(text, unit)

    def of_members(self, text):
        """A number a member, its label with the unit."""
        if text == "status":
            return self.source.array("status").astype(float), "status"
        match = re.fullmatch(r"(\w+)\((\w+)\)", text)
        if match is None:
            values, unit = self.over_time(text)
            return values[-1], with_unit(f"{text} at the end", unit)
        function, name = match.groups()
        if function in _OF_EVENTS:
            events = self.labels("event")
            if name not in events:
                self._refuse(name, events)
            return self.source.array(_OF_EVENTS[function])[events.index(name)], with_unit(
                text, "s" * (function != "count")
            )
        if function not in _OVER_TIME:
            self._refuse(function, [*_OVER_TIME, *_OF_EVENTS])
        values, unit = self.over_time(name)
        with np.errstate(all="ignore"):
            return _OVER_TIME[function](values), with_unit(text, unit)


_OF_EVENTS = {"time": "event_time", "last": "event_last_time", "count": "event_count"}


def _last_finite(values):
    last = len(values) - 1 - np.argmax(np.isfinite(values[::-1]), axis=0)
    return np.take_along_axis(values, last[None], 0)[0]


_OVER_TIME = {
    "min": lambda x: np.fmin.reduce(x),
    "max": lambda x: np.fmax.reduce(x),
    "mean": lambda x: np.nansum(x, 0) / np.isfinite(x).sum(0),
    "std": lambda x: np.sqrt(np.nansum((x - np.nansum(x, 0) / np.isfinite(x).sum(0)) ** 2, 0) / np.isfinite(x).sum(0)),
    "change": lambda x: _last_finite(x) - x[0],
}


def chosen(numbers, member):
    if member is None:
        return np.unique(np.linspace(0, numbers.members - 1, min(numbers.members, MOST_LINES)).astype(int))
    members = np.atleast_1d(member).astype(int)
    if members.min() < 0 or members.max() >= numbers.members:
        raise InputError(f"member: expected 0 to {numbers.members - 1}, found {members.tolist()}")
    return members
