"""Results of runs."""

from __future__ import annotations

import json
import os
import tempfile

import numpy as np

from . import _kalaba
from ._dataset import FileSource, component_of, components, dataset_of, from_columns, refusal
from ._errors import InputError, nearest, plain, translated

STATUS = (
    "ok", "non_finite", "not_converged", "inconsistent_constraints", "singular_constraints", "stopped",
    "step_too_small", "interrupted", "not_assembled", "constraints_violated", "too_many_steps", "too_many_changes",
    "painleve",
)  # fmt: skip
_NO_FAILURE = ("ok", "stopped", "interrupted")


class Summary(dict):
    """Summary of a run: `print(result.summary)` prints it as the command line does; numbers by name, e.g.
    summary["failed_members"]."""

    def __init__(self, text, content):
        super().__init__(content)
        self.text = text.rstrip("\n")

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a summary has no {name}{nearest(name, self)} (it has {', '.join(self)})") from None

    def __str__(self):
        return self.text

    __repr__ = __str__

    def __reduce__(self):
        return Summary, (self.text, dict(self))


class Result:
    """Result of a run. Pickles as the path of its file, or with its arrays.

    Attributes
    ----------
    complete : bool, False of a run that was interrupted
    files : list of absolute paths; empty where the numbers lie in memory
    summary : Summary
    """

    def __init__(self, source, text, content, files, complete, ensemble, options=None):
        self._source = source  # None of a run to CSV files
        self._ensemble = ensemble
        self._options = options  # the keywords of the run
        self.files = [os.path.abspath(each) for each in files]  # the result may be read where other names are relative to
        self.complete = bool(complete)
        said = json.loads(content or "{}")
        if "warnings" in said:
            said["warnings"] = [plain(each) for each in said["warnings"]]
        if not said and source is not None:  # of a file that was there before
            said = dict(source.attributes)
            said["failures"] = _failures_of(said)
            text = text + _text_of(said) if content else text or _text_of(said)
        self.summary = Summary(text, said)
        self._dataset = None

    # ---- numbers ----

    @property
    def path(self):
        """Path of the netCDF file; None if the numbers are in memory."""
        return self.files[0] if self.files else None

    @property
    def dataset(self):
        """All numbers by the names of docs/output.md, e.g. q (time, coordinate, member): an xarray.Dataset, which reads
        a file on access; without xarray a kalaba.Dataset. Numbers in memory are views, not copies."""
        if self._dataset is None:
            self._dataset = dataset_of(self._require_source())
        return self._dataset

    def grid(self):
        """The dataset with the axes of the grid as dimensions in place of `member` (needs xarray)."""
        names = self._require_source().attributes.get("grid")
        if not names:
            raise InputError("the members make no grid: give two inputs as kalaba.linspace or kalaba.values")
        names = [names] if isinstance(names, str) else list(names)
        dataset = self.dataset
        if "repetition" in dataset:
            names.append("repetition")
        grid = dataset.set_coords(names).set_index(member=names)
        if not grid.indexes["member"].is_unique:
            raise InputError(f"grid: expected axes of different values, found one twice among those of {', '.join(names)}")
        return grid.unstack("member")

    def __getitem__(self, name):
        """result["x"]: a coordinate, rate or component of a field by its own name (time, member); or a variable of the
        dataset."""
        source = self._require_source()
        if name in self.dataset:
            return self.dataset[name]
        found = component_of(source, self.dataset, name)
        if found is None:
            raise KeyError(refusal(source, name, self.dataset))
        return found

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        is_component = self._source is not None and name in components(self._source)
        hint = f'; its numbers are result["{name}"]' if is_component else nearest(name, known)
        raise AttributeError(f"a result has no {name}{hint}")

    def transition_matrix(self):
        """Derivatives of the state by its starts, (time, state, start, member): both coordinates, then rates; of a run with
        sensitivities=["initial.*"]."""
        source = self._require_source()
        names = [str(each) for each in (*source.array("coordinate"), *source.array("rate"))]
        along = [str(each) for each in source.array("sensitivity")] if "sensitivity" in source.variables else []
        if along != [f"initial.{each}" for each in names] or "q_sensitivity" not in source.variables:
            raise InputError('transition_matrix: expected a run with sensitivities=["initial.*"]')
        columns = np.concatenate([source.array("q_sensitivity"), source.array("w_sensitivity")], axis=2)
        return columns.swapaxes(1, 2)

    def motion(self, member=0):
        """One member's motion: every coordinate, rate and field by its own name, over time."""
        from ._run import motion_of

        self._require_source()
        return motion_of(self, member)

    @property
    def failed_members(self):
        """How many failed; members that an event stopped did not."""
        said = self.summary
        if not said:
            raise InputError(f"{self.path}: was complete before; a text file does not contain the number of members that failed")
        if "failed_members" in said:
            return int(said["failed_members"])
        return sum(int(said.get(f"members_{name}", 0)) for name in STATUS if name not in _NO_FAILURE)

    @property
    def failed(self):
        """The members that failed: a Dataset (member) of status, reason, time and every input that varies."""
        source = self._require_source()
        if "status" not in source.variables:
            raise InputError("a run without trajectories keeps no member's status; its summary counts them")
        status = np.asarray(source.array("status"))
        failed = np.flatnonzero(~np.isin(status, [STATUS.index(name) for name in _NO_FAILURE]))
        first = int(source.attributes.get("first_member", 0))
        columns = {
            "member": (failed + first, ""),
            "status": (status[failed], ""),
            "reason": (np.array([STATUS[each] for each in status[failed]], dtype=str), ""),
            "time": (np.asarray(source.array("failure_time"))[failed], "s"),
        }
        for name, (dims, _, kind, attrs) in source.variables.items():
            is_input = tuple(dims) == ("member",) and kind == "float64" and name not in _OUTCOMES
            if is_input and name not in columns:
                columns[name] = (np.asarray(source.array(name))[failed], attrs.get("units", ""))
        return from_columns(columns, {"system": source.attributes.get("system", "")})

    @property
    def statistics(self):
        """The requested `statistics`: a Dataset of FIELD_mean, FIELD_quantile, ... over time."""
        return self._part(lambda name, dims: "member" not in dims and "event" not in dims)

    @property
    def events(self):
        """Events: a Dataset of event_count, event_time, event_last_time, event_q, ... (event, member)."""
        return self._part(lambda name, dims: "event" in dims)

    def sobol(self, *variables, over_time=False):
        """The indices of Sobol' of a run of the design "saltelli": a Dataset of first, first_error, total and
        total_error (variable, input), and of points and left_out (variable), the points that count and those that do
        not, because one of their members failed.

        variables : as in `plot`: "x" (at the last saved time), "max(x)", "time(e)" of an event e. Left out: every
            coordinate and rate
        over_time : of coordinates, rates and components of fields at every saved time
        """
        from ._sobol import sobol

        return sobol(self, variables, over_time)

    def _part(self, is_of_it):
        dataset = self.dataset
        names = [
            name
            for name, (dims, _, kind, _) in self._source.variables.items()
            if kind != "uint8" and is_of_it(name, dims)
        ]
        if isinstance(dataset, dict) or not hasattr(dataset, "data_vars"):
            return {name: dataset[name] for name in names}
        return dataset[[name for name in names if name in dataset.variables]]

    def _require_source(self):
        if self._source is None:
            raise InputError(f"{self.path} is a text; runs to .nc files, or to memory, have datasets")
        return self._source

    # ---- files ----

    def save(self, path):
        """Writes the results in memory as a netCDF file, the one that `run(out=path)` would have written."""
        source = self._require_source()
        if isinstance(source, FileSource):
            raise InputError(f"{source.path} is a file already")
        if not os.fspath(path).endswith(".nc"):
            raise InputError(f"path: expected a name that ends in .nc, found {os.fspath(path)}")
        stated = {**(self._ensemble._tables.get("output", {}) if self._ensemble else {}), **(self._options or {})}
        with translated():
            source.dataset.write(os.fspath(path))
            if stated.get("compression"):
                _kalaba.compress(os.fspath(path), int(stated["compression"]))
        return self

    def to_parquet(self, path, *, table="members"):
        """Writes a table as a Parquet file, which pandas, polars, Arrow and DuckDB read, and returns its path. It requires
        pyarrow: pip install 'kalaba[parquet]'.

        table : "members": a row for each member: status, reason, every input and number of a member, and its state at the
            last saved time; "events": a row for each member and event: count, first and last time, state at the first

        Units are in the metadata of the columns.
        """
        from ._parquet import write

        return write(self, path, table)

    def resume(self, **options):
        """Continues a run that was interrupted, with its keywords and these in their place; see `run`."""
        from ._run import run

        if self.complete:
            return self
        if self._options is None or self.path is None:
            raise InputError("only a run that wrote a file can be continued: run(..., out=..., resume=True)")
        return run(self._ensemble, **{**self._options, **options, "resume": True})

    def report(self, path=None):
        """Writes a page for a browser: what came of the members, pictures, sensitivities, errors. Returns its path.
        Its pictures are drawn by gnuplot."""
        with tempfile.TemporaryDirectory(prefix="kalaba-") as folder:
            data = self.path
            if data is None:
                if path is None:
                    raise InputError(
                        "report: expected the name of the page, as the run has no file beside which to write"
                    )
                data = os.path.join(folder, f"{self._source.attributes.get('system', 'run')}.nc")
                self.save(data)
            with translated():
                return _kalaba.report(data, os.fspath(path) if path is not None else "")

    def explore(self, path=None, points=None):
        """Writes a page that explores the members in a browser, offline: linked views of inputs, outcomes and motions.
        Returns its path. It requires plotly: pip install 'kalaba[explore]'.

        path : of the page, .html; left out: beside the run's file
        points : list of points of a mechanism that a line goes through, each 2 or 3 names of coordinates or numbers:
            [(0, 0), ("x1", "y1"), ("x2", "y2")]. Left out: the first coordinates
        """
        from ._explorer import explore

        return explore(self, path, points)

    # ---- pictures ----

    def plot(self, *variables, kind=None, by=None, over=None, member=None, ax=None, **style):
        """Draws with matplotlib, into `ax` where one is given; see `kalaba.plotting.plot`."""
        from . import plotting

        return plotting.plot(self, *variables, kind=kind, by=by, over=over, member=member, ax=ax, **style)

    def animate(self, points=None, member=0, ax=None, **options):
        """A member's motion as a matplotlib animation; see `kalaba.plotting.animate`."""
        from . import plotting

        return plotting.animate(self, points, member=member, ax=ax, **options)

    # ---- for people ----

    def __repr__(self):
        return self.summary.text

    def _repr_html_(self):
        import html

        text = f"<pre>{html.escape(self.summary.text)}</pre>"
        if self._source is None or not hasattr(self.dataset, "_repr_html_"):
            return text
        return text + self.dataset._repr_html_()

    def __getstate__(self):
        return {**self.__dict__, "_dataset": None}


_OUTCOMES = ("failure_time", "rank_changes", "singular_passages", "accepted_steps", "rejected_steps", "repetition")


def _failures_of(said):
    """Failures by status, as a run's summary has them, of what a file's attributes say."""
    found = [
        {
            "status": name, "members": int(said[f"members_{name}"]), "first": int(said[f"first_{name}"]),
            "reason": said.get(f"first_{name}_reason", ""),
        }
        for name in STATUS
        if f"first_{name}" in said
    ]  # fmt: skip
    return sorted(found, key=lambda each: -each["members"])


def _text_of(said):
    """A summary of what a file's attributes say."""
    counts = {name: int(said.get(f"members_{name}", 0)) for name in STATUS}
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    text = f"{said.get('system', '')}: {parts or said.get('title', '')}"
    for each in said["failures"]:
        first = f"{'the first is ' * (each['members'] > 1)}member {each['first']}"
        reason = f": {each['reason']}" * bool(each["reason"])
        text += f"\n  failure      {each['members']:,} {each['status']}, {first}{reason}"
    if "device" in said:
        text += f"\n  device       {said['device']}"
    return text
