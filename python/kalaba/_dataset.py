"""The numbers of a run by the names of docs/output.md: an xarray.Dataset where xarray is installed, else a Dataset."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping

import numpy as np

from . import _kalaba
from ._errors import nearest, translated


@functools.cache
def _xarray():
    """The module, where it is installed; it takes long to import, so that this waits until it is needed."""
    try:
        import xarray
    except ModuleNotFoundError:
        return None
    return xarray


class Dataset(Mapping):
    """NumPy arrays by name, in place of an xarray.Dataset where xarray is not installed.

    dataset["q"] and dataset.q are an array, dataset.dims["q"] the names of its dimensions, dataset.units its units.
    """

    def __init__(self, arrays, dims, variable_attrs, attrs):
        self._arrays, self.dims, self._variable_attrs, self.attrs = arrays, dims, variable_attrs, attrs

    def __getitem__(self, name):
        return self._arrays[name]()

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._arrays:
            raise AttributeError(f"there is no {name}{nearest(name, self.__dict__.get('_arrays', ()))}")
        return self[name]

    def __iter__(self):
        return iter(self._arrays)

    def __len__(self):
        return len(self._arrays)

    def __dir__(self):
        return [*super().__dir__(), *self._arrays]

    @property
    def units(self):
        """The unit of each, by name; "" where it has none."""
        return {name: attrs.get("units", "") for name, attrs in self._variable_attrs.items()}

    def __repr__(self):
        rows = (f"  {name}({', '.join(self.dims[name])})" for name in self)
        return "kalaba.Dataset (install xarray for more)\n" + "\n".join(rows)

    def __reduce__(self):
        return _restored, ({name: self[name] for name in self}, self.dims, self._variable_attrs, self.attrs)


def _restored(arrays, dims, variable_attrs, attrs):
    return Dataset({name: _keeper(each) for name, each in arrays.items()}, dims, variable_attrs, attrs)


def _keeper(array):
    return lambda: array


class MemorySource:
    """A run's numbers in memory: NumPy's views of them, without a copy."""

    def __init__(self, dataset):
        self.dimensions, self.variables, self.attributes = (
            dict(dataset.dimensions),
            dataset.variables,
            dataset.attributes,
        )
        self._arrays = {name: np.asarray(dataset.array(name)) for name in self.variables}
        self.dataset = dataset

    def array(self, name):
        return self._arrays[name]

    lazy = array

    def __reduce__(self):
        return MemorySource, (self.dataset,)


class FileSource:
    """Numbers of a file, read on access."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        with translated():
            self._file = _kalaba.DatasetFile(str(path))
        self.dimensions, self.variables = dict(self._file.dimensions), self._file.variables
        self.attributes = self._file.attributes

    def array(self, name):
        _, shape, *_ = self.variables[name]
        return self.read(name, [0] * len(shape), shape)

    def read(self, name, start, count):
        kind = self.variables[name][2]
        with translated():
            numbers = self._file.read(name, list(start), list(count))
        return np.array(numbers) if kind == "text" else np.asarray(numbers).astype(kind, copy=False)

    def lazy(self, name):
        from ._lazy import lazy_array  # brings xarray

        return self.array(name) if self.variables[name][2] == "text" else lazy_array(self, name)

    def __reduce__(self):
        return FileSource, (self.path,)


_UNDER_THEIR_OWN = ("q", "w", "invariants", "joint_reactions", "lyapunov_exponents")


def components(source):
    """Components over time and members by name, "x", "energy" or "multipliers_wire": (field, dimension, index); dimension
    and index are None for fields without components."""
    found = {}
    for field, (dims, _, kind, _) in source.variables.items():
        if kind != "float64" or tuple(dims[:1]) != ("time",) or tuple(dims[-1:]) != ("member",):
            continue
        if len(dims) == 2:
            found[field] = (field, None, None)
        elif len(dims) == 3 and dims[1] in source.variables:
            for i, label in enumerate(source.array(dims[1])):
                found.setdefault(_component_name(field, dims[1], label), (field, dims[1], i))
    return found


def refusal(source, name, others=()):
    """Message for a name that is no component: the run did not save it, or it is unknown."""
    known = [*components(source), *others]
    dims = [dim for dim in ("coordinate", "rate", "invariant") if dim in source.variables]
    labels = {str(each) for dim in dims for each in source.array(dim)}
    if name in labels:
        return f"{name} is not saved; add it to fields (there are {', '.join(known)})"
    return f"there is no {name}{nearest(name, known)} (there are {', '.join(known)})"


def _component_name(field, dim, label):
    if dim == "sensitivity":
        return f"sensitivity_{field.removesuffix('_sensitivity')}_to_{label}"
    return str(label) if field in _UNDER_THEIR_OWN else f"{field}_{label}"


def unit_of(source, field, dim, index):
    """Unit of a component; "" if it has none."""
    if dim is None:
        return source.variables[field][3].get("units", "")
    return str(source.array(f"{dim}_unit")[index]) if field in _UNDER_THEIR_OWN else ""


def component_of(source, dataset, name):
    """A component (time, member) as the dataset has arrays; None where there is none of that name."""
    field, dim, index = components(source).get(name, (None, None, None))
    if field is None:
        return None
    if _xarray() is None:
        return dataset[field] if dim is None else dataset[field][:, index, :]
    if dim is None:
        return dataset[field]
    unit = unit_of(source, field, dim, index)
    found = dataset[field].isel({dim: index}, drop=True).rename(name)
    return found.assign_attrs(units=unit) if unit else found


def _variable(xarray, dims, array, attrs):
    """Variable without xarray's checks, which import Dask if it is installed."""
    return xarray.Variable(dims, array, attrs, fastpath=True)


def dataset_of(source):
    """Dataset of a source; that of a file reads on access."""
    shown = [name for name, (_, _, kind, _) in source.variables.items() if kind != "uint8"]
    xarray = _xarray()
    if xarray is None:
        arrays = {name: (lambda name=name: source.array(name)) for name in shown}
        dims = {name: tuple(source.variables[name][0]) for name in shown}
        attrs = {name: source.variables[name][3] for name in shown}
        return Dataset(arrays, dims, attrs, source.attributes)
    coordinates = {name for name in shown if tuple(source.variables[name][0]) == (name,)}
    variables = {}
    for name in shown:
        dims, _, _, attrs = source.variables[name]
        attrs = dict(attrs)
        coordinates.update(attrs.pop("coordinates", "").split())
        array = source.array(name) if name in dims else source.lazy(name)
        variables[name] = _variable(xarray, dims, array, attrs)
    return xarray.Dataset(
        {name: each for name, each in variables.items() if name not in coordinates},
        {name: each for name, each in variables.items() if name in coordinates},
        dict(source.attributes),
    )


def from_columns(columns, attrs, dim="member"):
    """A dataset of NAME -> (values, unit), each along one dimension; a column of its name is its coordinate."""
    return from_arrays({name: ((dim,), values, unit) for name, (values, unit) in columns.items()}, attrs)


def from_arrays(arrays, attrs):
    """A dataset of NAME -> (dimensions, values, unit); what is along a dimension of its own name is its coordinate."""
    arrays = {
        name: (dims, np.asarray(values), {"units": unit} if unit else {})
        for name, (dims, values, unit) in arrays.items()
    }
    xarray = _xarray()
    if xarray is None:
        return Dataset(
            {name: _keeper(values) for name, (_, values, _) in arrays.items()},
            {name: dims for name, (dims, _, _) in arrays.items()},
            {name: each for name, (_, _, each) in arrays.items()},
            attrs,
        )
    variables = {name: _variable(xarray, *each) for name, each in arrays.items()}
    coordinates = {name: each for name, each in variables.items() if each.dims == (name,)}
    return xarray.Dataset(
        {name: each for name, each in variables.items() if name not in coordinates}, coordinates, attrs
    )
