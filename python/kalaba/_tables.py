"""Small tables that models show: variables with their units, terms of an equation."""

from __future__ import annotations

import html
from typing import NamedTuple

from ._errors import InputError, nearest


class Variable(NamedTuple):
    """A named number of a system."""

    name: str
    unit: str
    value: float
    meaning: str


class Variables(tuple):
    """Named numbers of a system, in their order; variables["L"] or variables[0]."""

    def __new__(cls, entries):
        return super().__new__(cls, (Variable(**each) for each in entries))

    @property
    def names(self):
        return [each.name for each in self]

    def __getitem__(self, which):
        if not isinstance(which, str):
            return super().__getitem__(which)
        for each in self:
            if each.name == which:
                return each
        raise KeyError(f"there is no {which}{nearest(which, self.names)}")

    def __contains__(self, which):
        return which in self.names if isinstance(which, str) else super().__contains__(which)

    def require(self, names):
        """Raises InputError at the first of the names that none of them has."""
        for name in names:
            if name not in self.names:
                known = ", ".join(self.names)
                raise InputError(f"there is no {name}{nearest(name, self.names)} (there are {known})")

    def __repr__(self):
        rows = [(each.name, f"{each.value:.6g}", each.unit, each.meaning) for each in self]
        widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
        return "\n".join(
            ("  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]])).rstrip()
            for row in rows
        )

    def _repr_html_(self):
        cells = "".join(
            f"<tr><td>{html.escape(each.name)}</td><td>{each.value:.6g}</td><td>{html.escape(each.unit)}</td>"
            f"<td style='text-align:left'>{html.escape(each.meaning)}</td></tr>"
            for each in self
        )
        return f"<table>{cells}</table>"


class Terms(dict):
    """Terms of the equation of motion at one state; terms.G is terms["G"]."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name}{nearest(name, self)} (there are {', '.join(self)})") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __repr__(self):
        return "\n".join(f"{name} = {value!r}" for name, value in self.items())
