"""The indices of Sobol' of a run of the design "saltelli"."""

from __future__ import annotations

import numpy as np

from . import _kalaba
from ._dataset import components, from_arrays
from ._errors import InputError

_PARTS = ("first", "first_error", "total", "total_error")


def sobol(result, variables, over_time):
    from ._numbers import Numbers  # the words for numbers of members

    numbers = Numbers(result)
    inputs = numbers.source.attributes.get("saltelli")
    if not inputs:
        raise InputError('the indices of Sobol\' are of a run of the design "saltelli", found another')
    inputs = [str(each) for each in inputs]
    together = len(inputs) + 2
    before = int(numbers.source.attributes.get("first_member", 0))  # a shard may begin within a point
    known = components(numbers.source)
    own = [each for each in (*numbers.labels("coordinate"), *numbers.labels("rate")) if each in known]
    variables = list(variables) or own or numbers.usual(len(known))
    if not variables:
        raise InputError("sobol: expected a run with variables over time, found none; name one such as time(event)")
    rows = [_rows(numbers, name, over_time)[:, -before % together :] for name in variables]
    found = [[_kalaba.sobol_indices(np.ascontiguousarray(row), len(inputs)) for row in each] for each in rows]
    arrays = {"variable": (("variable",), np.array(variables), ""), "input": (("input",), np.array(inputs), "")}
    dims = ("time", "variable") if over_time else ("variable",)

    def of(part):
        values = np.array([[getattr(each, part) for each in times] for times in found])
        return values.swapaxes(0, 1) if over_time else values[:, 0]

    if over_time:
        arrays["time"] = (("time",), np.asarray(numbers.times), "s")
    for part in _PARTS:
        arrays[part] = ((*dims, "input"), of(part), "")
    for part in ("points", "left_out"):
        arrays[part] = (dims, of(part), "")
    return from_arrays(arrays, {"system": numbers.source.attributes.get("system", "")})


def _rows(numbers, name, over_time):
    """A number a member, at the last saved time or at every one: [time][member]."""
    if over_time:
        return numbers.over_time(name)[0]
    return numbers.of_members(name)[0][None, :]
