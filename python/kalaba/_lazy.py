"""Arrays of files that xarray reads on access; imported only if xarray is."""

from __future__ import annotations

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing


def lazy_array(source, name):
    """A variable of a file as xarray takes it."""
    return indexing.LazilyIndexedArray(FileArray(source, name))


class FileArray(BackendArray):
    """A variable of a file. Pickles as the file's path and its name."""

    def __init__(self, source, name):
        self._source, self._name = source, name
        _, shape, kind, _ = source.variables[name]
        self.shape, self.dtype = tuple(shape), np.dtype(kind)

    def __getitem__(self, key):
        support = indexing.IndexingSupport.BASIC
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._read)

    def __reduce__(self):
        return FileArray, (self._source, self._name)

    def _read(self, key):
        start, count, steps = [], [], []
        for each, size in zip(key, self.shape):
            if isinstance(each, slice):
                chosen = range(size)[each]
                low, high = (min(chosen), max(chosen) + 1) if len(chosen) else (0, 0)
                start.append(low)
                count.append(high - low)
                steps.append(slice(None, None, chosen.step))
            else:
                start.append(int(each) % size)
                count.append(1)
                steps.append(0)
        return self._source.read(self._name, start, count)[tuple(steps)]
