"""The metric that a recorded model states: its diagonal, a symmetric matrix, or the lower triangle of one."""

from __future__ import annotations

import functools

import numpy as np

from . import _expressions
from ._expressions import TracingError, expression
from ._writing import in_order

_STATES = 32  # random states at which entries by different formulas are compared
_ROUNDING = 1e-10  # largest difference of equal entries, relative to the diagonal
_OPERATIONS = {
    "+": np.add, "-": lambda *a: np.subtract(*a) if len(a) == 2 else np.negative(*a), "*": np.multiply, "/": np.divide,
    "^": np.power, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "and": np.logical_and,
    "or": np.logical_or, "not": np.logical_not, "abs": np.abs, "min": lambda *a: functools.reduce(np.minimum, a),
    "max": lambda *a: functools.reduce(np.maximum, a), "clamp": np.clip, "where": np.where,
    "norm": lambda *a: np.sqrt(sum(each * each for each in a)),
}  # fmt: skip


def metric(key, thing):
    """(form, expressions): the diagonal, or the lower triangle by rows, with {} in the form for each text."""
    if not _has_entries(thing):
        found = type(thing).__name__
        raise TracingError(f"{key}: expected the diagonal, a symmetric matrix or its lower triangle, found {found}")
    rows = [*thing]
    if not any(_has_entries(each) for each in rows):
        return _list('"{}"' for _ in rows), [_entry(f"{key}[{i}]", each) for i, each in enumerate(rows)]
    lower = _lower_triangle(key, rows)
    return _list(_list('"{}"' for _ in row) for row in lower), [each for row in lower for each in row]


def _has_entries(thing):
    is_one = isinstance(thing, (str, set, frozenset)) or getattr(thing, "ndim", 1) == 0
    return hasattr(thing, "__len__") and not is_one


def _list(texts):
    return "[" + ", ".join(texts) + "]"


def _entry(key, thing):
    try:
        return expression(thing)
    except TracingError as error:
        raise TracingError(f"{key}: {error}") from None


def _lower_triangle(key, rows):
    """Lower triangle of a symmetric matrix; a triangle is returned unchanged."""
    sizes = [len(row) if _has_entries(row) else 0 for row in rows]
    is_full = sizes[0] == len(rows)
    for i, size in enumerate(sizes):
        expected = f"{len(rows)} (a symmetric matrix)" if is_full else f"{i + 1} (the lower triangle)"
        if size != (len(rows) if is_full else i + 1):
            or_full = f" or {len(rows)} (a symmetric matrix)" if i == 0 else ""
            found = size if _has_entries(rows[i]) else type(rows[i]).__name__
            raise TracingError(f"{key}[{i}]: expected a row of {expected}{or_full}, found {found}")
    matrix = [[_entry(f"{key}[{i}][{j}]", each) for j, each in enumerate(row)] for i, row in enumerate(rows)]
    if is_full:
        _check_symmetry(key, matrix)
    return [row[: i + 1] for i, row in enumerate(matrix)]


@np.errstate(all="ignore")
def _check_symmetry(key, matrix):
    values = iter(_at_random_states([each for row in matrix for each in row]))
    values = [[next(values) for _ in row] for row in matrix]
    for i, row in enumerate(values):
        for j, lower in enumerate(row[:i]):
            between = np.sqrt(np.abs(row[i][1] * values[j][j][1]))
            if not _agree(lower, values[j][i], between):
                raise TracingError(
                    f"{key}: expected a symmetric matrix, or its lower triangle by rows; "
                    f"found {matrix[j][i]} at [{j}][{i}] and {matrix[i][j]} at [{i}][{j}]"
                )


def _at_random_states(roots):
    """For each expression a pair: a number that equal recordings share, and its values."""
    random, known, found = np.random.default_rng(0), {}, {}
    for node in in_order(roots)[0]:
        numbers, values = zip(*(found[id(each)] for each in node.arguments)) if node.arguments else ((), ())
        like = (node.head, *numbers)
        if like not in known:
            known[like] = len(known), np.asarray(_value(node.head, values, random), dtype=float)
        found[id(node)] = known[like]
    return [found[id(each)] for each in roots]


def _value(head, values, random):
    if values:
        return (_OPERATIONS.get(head) or _expressions.BY_NAME[head])(*values)
    if head.lstrip("-")[0].isdigit():
        return float(head.partition("[")[0])  # without its unit
    signs = np.where(np.arange(_STATES) % 2, random.choice([-1, 1], _STATES), 1)  # half the states are all positive
    return signs * random.uniform(0.1, 2, _STATES)


def _agree(one, other, between):
    """True if two are recorded alike, or equal wherever both have a value; `between`: scale from the diagonal."""
    if one[0] == other[0]:
        return True
    difference = np.abs(one[1] - other[1])
    size = np.fmax(np.fmax(np.abs(one[1]), np.abs(other[1])), np.where(np.isfinite(between), between, 0))
    has_values = np.isfinite(difference)
    return has_values.any() and np.all(~has_values | (difference <= _ROUNDING * size))
