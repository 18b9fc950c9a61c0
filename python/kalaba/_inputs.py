"""Inputs of members: numbers that callers give, and the tables of a scenario."""

from __future__ import annotations

import numbers
from collections.abc import Mapping

import numpy as np

from . import _toml
from ._errors import InputError

# ---- what callers give ----


def whole(what, number):
    """A whole number as an int: nothing is rounded, and a scenario can hold it."""
    is_whole = isinstance(number, numbers.Integral) or (isinstance(number, numbers.Real) and float(number).is_integer())
    if not is_whole or isinstance(number, bool):
        raise InputError(f"{what}: expected a whole number, found {number!r}")
    if abs(int(number)) > _toml.MOST_WHOLE:
        raise InputError(f"{what}: expected a whole number up to {_toml.MOST_WHOLE}, found {number!r}")
    return int(number)


def columns_of(what, given):
    """Inputs given by name as a dict: a mapping, or the columns of a table (pandas, polars, Arrow, a structured array) in
    the order of its rows, whatever their index."""
    if given is None:
        return {}
    names = None
    if isinstance(given, Mapping):
        return dict(given)
    if hasattr(given, "collect"):  # lazy frames
        raise InputError(f"{what}: expected a table in memory, found {type(given).__name__}; its collect() returns one")
    if getattr(getattr(given, "dtype", None), "names", None):  # of NumPy
        names = given.dtype.names
    elif hasattr(given, "column_names"):  # of Arrow
        names = given.column_names
    elif hasattr(given, "columns"):  # of pandas and polars
        names = list(given.columns)
    if names is None:
        try:
            return dict(given)
        except (TypeError, ValueError):
            found = type(given).__name__
            raise InputError(f"{what}: expected a dict of names, or a table with columns, found {found}") from None
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{what}: expected columns with the names of inputs, found {name!r}")
        if list(names).count(name) > 1:
            raise InputError(f"{what}: expected each column once, found {name} twice")
    return {name: given[name] for name in names}


def inputs_by_name(model, parameters, initial, options):
    """Inputs stated as tables or by their own names among the options: ({"parameters": ..., "initial": ...}, the other
    options)."""
    found = {"parameters": columns_of("parameters", parameters), "initial": columns_of("initial", initial)}
    states = (*model.coordinates.names, *model.rates.names)
    others = {}
    for name, each in options.items():
        table = "parameters" if name in model.parameters.names else "initial" if name in states else None
        if table is None:
            others[name] = each
        elif name in found[table]:
            raise InputError(f"{name}: expected once, found {found[table][name]!r} and {each!r}")
        else:
            found[table][name] = each
    return found, others


def refuse_masked(what, thing):
    """Raises InputError where numbers of a masked array are hidden."""
    if np.ma.is_masked(thing):
        raise InputError(f"{what}: expected numbers, found {np.ma.count_masked(thing)} of {np.size(thing)} masked")


def host_array(what, thing):
    """A copy as an array of doubles in this machine's memory, C order."""
    refuse_masked(what, thing)
    try:
        if not isinstance(thing, np.ndarray) and hasattr(thing, "__dlpack__"):
            thing = thing.get() if hasattr(thing, "get") else np.from_dlpack(thing)
        array = np.asarray(thing)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError(f"{what}: expected numbers, found {type(thing).__name__}: {error}") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what}: expected real numbers, found {type(thing).__name__} of {array.dtype}")
    return np.array(array, dtype=np.float64, order="C")


def number(what, thing):
    """One number as a double."""
    array = host_array(what, thing)
    if array.ndim != 0:
        raise InputError(f"{what}: expected a number, found the shape {array.shape}")
    return float(array)


# ---- what tables say ----


def spread(tables):
    """Varied quantities: "parameters.L" -> distribution, in the words of a scenario."""
    found = {name: each for each in tables.get("correlated", ()) for name in each["variables"]}
    for table in ("parameters", "initial"):
        found.update({f"{table}.{name}": each for name, each in tables[table].items() if isinstance(each, dict)})
    return found


def drawn(tables):
    """Varied quantities whose numbers depend on the other varied ones: drawn quantities and axes."""
    return [key for key, each in spread(tables).items() if not each.keys() & {"array", "file"}]


def with_inputs(tables, words):
    """The tables with these words of "parameters.L" and its kin in the place of theirs."""
    tables = dict(tables)
    for key, each in words.items():
        table, name = key.split(".", 1)
        tables[table] = {**tables[table], name: each}
    return tables


def frozen(tables, columns, values, members):
    """Tables and columns of the same members, of whom nothing is drawn any more: `values` are what they get."""
    columns = {**{key: values[key] for key in drawn(tables)}, **columns}
    kept = {name: each for name, each in tables.items() if name != "correlated"}
    kept["ensemble"] = {key: each for key, each in tables["ensemble"].items() if key == "seed"} | {"members": members}
    return with_inputs(kept, {key: {"array": key} for key in columns}), columns


def with_table(text, columns, path):
    """A scenario's text whose arrays stand in a table beside `path`, which is written."""
    table = path.with_suffix(".members.csv")
    rows = np.column_stack([*columns.values()])
    lines = [",".join(columns), *(",".join(repr(float(x)) for x in row) for row in rows)]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = text.splitlines()
    for i, line in enumerate(lines):
        for name in columns:
            if line.endswith(f"= {_toml.value({'array': name})}"):
                stated = {"file": str(table.resolve()), "column": name}
                lines[i] = f"{line.split(' = ')[0]} = {_toml.value(stated)}"
    return "\n".join(lines) + "\n"
