"""Tables of a result as Parquet files."""

from __future__ import annotations

import os
import pathlib

import numpy as np

from ._dataset import components, unit_of
from ._errors import InputError, required
from ._result import STATUS


def write(result, path, table):
    """Writes a table of a result; see `Result.to_parquet`."""
    arrow = required("pyarrow", "parquet", "result.to_parquet")
    parquet = required("pyarrow.parquet", "parquet", "result.to_parquet")
    tables = {"members": _members, "events": _events}
    if table not in tables:
        raise InputError(f'table: expected "members" or "events", found {table!r}')
    if pathlib.Path(path).suffix != ".parquet":
        raise InputError(f"path: expected a name that ends in .parquet, found {os.fspath(path)}")
    columns = tables[table](result._require_source())
    arrays = [arrow.array(values) for values, _ in columns.values()]
    fields = [
        arrow.field(name, array.type, metadata={"units": unit} if unit else None)
        for array, (name, (_, unit)) in zip(arrays, columns.items())
    ]
    # A file with its final name is complete.
    part = f"{os.fspath(path)}.partial"
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=arrow.schema(fields)), part)
    os.replace(part, path)
    return os.fspath(path)


def _numbers_of_members(source):
    if "status" not in source.variables:
        raise InputError("to_parquet: expected members, found a run without trajectories")
    first = int(source.attributes.get("first_member", 0))
    return np.arange(first, first + source.dimensions["member"])


def _members(source):
    """NAME -> (values, unit), a row for each member."""
    members, status = _numbers_of_members(source), np.asarray(source.array("status"))
    columns = {"member": (members, ""), "status": (np.array(STATUS)[status], "")}
    for name, (dims, _, kind, attrs) in source.variables.items():
        if tuple(dims) == ("member",) and kind != "text" and name != "status":
            columns[name] = (np.asarray(source.array(name)), attrs.get("units", ""))
    arrays = {}
    for name, (field, dim, index) in components(source).items():
        if field not in arrays:
            arrays[field] = _last(source, field)
        values = arrays[field] if dim is None else arrays[field][index]
        columns[f"final_{name}"] = (values, unit_of(source, field, dim, index))
    return columns


def _last(source, field):
    """A field at the last saved time, (component, member) or (member)."""
    _, shape, *_ = source.variables[field]
    if hasattr(source, "read"):
        return source.read(field, [shape[0] - 1, *(0 for _ in shape[1:])], [1, *shape[1:]])[0]
    return source.array(field)[-1]


def _events(source):
    """NAME -> (values, unit), a row for each member and event."""
    if "event" not in source.variables or "event_count" not in source.variables:
        raise InputError("to_parquet: expected a run with events, found none")
    events = [str(each) for each in source.array("event")]
    members = _numbers_of_members(source)
    columns = {"member": (np.repeat(members, len(events)), ""), "event": (np.array(events * len(members)), "")}
    for name, (dims, _, kind, attrs) in source.variables.items():
        if kind == "text" or tuple(dims[:1]) != ("event",) or tuple(dims[-1:]) != ("member",):
            continue
        own, values = name.removeprefix("event_"), np.asarray(source.array(name))
        if len(dims) == 2:
            columns[own] = (values.T.reshape(-1), attrs.get("units", ""))
        elif len(dims) == 3 and dims[1] in ("coordinate", "rate"):
            units = source.array(f"{dims[1]}_unit")
            for i, label in enumerate(source.array(dims[1])):
                columns[str(label)] = (values[:, i].T.reshape(-1), str(units[i]))
        elif len(dims) == 3 and dims[1] == "sensitivity":
            for i, label in enumerate(source.array(dims[1])):
                columns[f"sensitivity_{own.removesuffix('_sensitivity')}_to_{label}"] = (values[:, i].T.reshape(-1), "")
        elif len(dims) == 4 and dims[1] == "sensitivity":
            for i, along in enumerate(source.array(dims[1])):
                for j, label in enumerate(source.array(dims[2])):
                    columns[f"sensitivity_{label}_to_{along}"] = (values[:, i, j].T.reshape(-1), "")
    return columns
