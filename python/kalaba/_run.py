"""Runs: an ensemble in, a result out."""

from __future__ import annotations

import copy
import os
import pathlib
import warnings
from collections.abc import Iterator

from . import _kalaba
from ._dataset import FileSource, MemorySource, components, from_columns, unit_of
from ._distributions import Clock, Event
from ._ensemble import Ensemble
from ._errors import InputError, MembersFailed, plain, refuse_unknown, translated
from ._inputs import inputs_by_name, number, refuse_masked, whole
from ._model import Model
from ._progress import shown
from ._result import Result

# The options of a run by their table, each with the type of its value; their keywords are the names.
OPTIONS = {"time": {}, "solver": {}, "output": {}}
for _key, _type in _kalaba.options():
    _table, _name = _key.split(".")
    OPTIONS[_table][_name] = _type
OTHERS = ("events", "clocks", "sensitivities", "lyapunov", "tolerance")
KEYWORDS = (*(name for names in OPTIONS.values() for name in names), *OTHERS)


def run(ensemble, *, out=None, progress="auto", resume=False, restart=False, shard=None, client=None, shards=None,
        on_failure="keep", **options):  # fmt: skip
    """Integrates every member.

    Parameters
    ----------
    ensemble : Ensemble, or a Model: one member of it
    out : path of a netCDF file (.nc), or of a CSV file; left out, the numbers stay in memory
    end, dt, start : s; save_every : steps, or "final"; save_at : times, s
    integrator : "rk4", "dopri5", "dop853", "taylor" or "rodas5p"; `tolerance`: an adaptive one's relative tolerance, dopri5's where none is named
    fields : e.g. ["q", "w", "energy", "multipliers"], or components without the rest of their fields: ["x", "energy",
        "multipliers_wire"]; statistics : e.g. ["mean", "std", "quantiles"]
    events : list of `kalaba.event`; clocks : list of `kalaba.clock`
    sensitivities : e.g. ["L", "x"]: derivatives of the motion along parameters and starts, fields of the dataset;
        ["initial.*"] is every start
    lyapunov : True: of those starts Lyapunov exponents in the place of derivatives, all of them where none is named
    trajectories : False: statistics and events alone, in memory that does not grow with the members
    backend, precision, pseudo_inverse, stabilization, compile, threads, ... : docs/scenario.md, `kalaba list --options`
    progress : "auto": a line on a terminal or in a notebook; None; or a callable of (steps done, steps in all),
        called every 0.05 s and at the end
    resume : True: continues the unfinished run of `out`, or begins it; restart : True: begins it anew
    shard : (i, n): the part i of n, i from 0 to n - 1, which `kalaba.merge` joins
    client : an executor of concurrent.futures, a Client of dask.distributed, or the module ray: its workers run the shards, a
        shard whose worker is lost again, up to 3 times; their merge has the bits of the undivided run. With `out`, all
        workers write to its folder. `threads` is 1 unless stated
    shards : how many a run with `client` has; left out: 4 for each worker, or fewer of few members
    on_failure : "keep": members that fail are `result.failed`; "raise": MembersFailed

    Returns
    -------
    Result
        Ctrl-C ends a run and returns what is done, with `result.complete` False.
    """
    ensemble = ensemble_of(ensemble)
    if on_failure not in ("keep", "raise"):
        raise InputError(f'on_failure: expected "keep" or "raise", found {on_failure!r}')
    options = {name: [*each] if isinstance(each, Iterator) else each for name, each in options.items()}
    if client is None and shards is not None:
        raise InputError("shards: expected with client; shard=(i, n) runs one part")
    if client is not None and shard is not None:
        raise InputError("shard: expected no part in a run with client; shards=n sets their number")
    kept = None if out is None else os.path.abspath(out)  # another process may go on with the run, elsewhere
    said = copy.deepcopy({**options, "out": kept, "shard": shard, "on_failure": on_failure})
    tables = tables_of(ensemble, options)
    if out is not None:
        tables.setdefault("output", {})["file"] = os.fspath(out)
    elif "file" in ensemble._tables.get("output", {}):
        out = ensemble._tables["output"]["file"]
    if resume and out is None:
        raise InputError("resume: expected the file of the run to continue; name it with out")
    if client is not None:
        from ._clients import run_on

        with shown(progress) as report:
            return run_on(client, ensemble, tables, out=out, report=report, resume=resume, restart=restart, shards=shards,
                          on_failure=on_failure, options=options)  # fmt: skip
    part = shard_text(shard)
    is_text = out is not None and pathlib.Path(out).suffix != ".nc"
    words = ensemble._words(tables)
    with shown(progress) as report, translated():
        outcome = _kalaba.run(*words, part, os.fspath(out) if resume else "", restart, out is None, report)
    source = MemorySource(outcome.dataset) if out is None else None
    if out is not None and not is_text:
        source = FileSource(outcome.files[0])
    text = outcome.summary_text + "".join(f"  note         {plain(each)}\n" for each in outcome.notes)
    result = Result(source, text, outcome.summary_json, outcome.files, outcome.complete, ensemble, said)
    if on_failure == "raise" and result.failed_members > 0:
        raise MembersFailed(f"{result.failed_members:,} members failed\n{result.summary.text}", result)
    return result


def sweep(model, members=None, *, seed=None, design=None, parameters=None, initial=None, project=None, grid=None,
          correlated=(), agents=(), structure=None, out=None, progress="auto", resume=False, restart=False, shard=None,
          client=None, shards=None, on_failure="keep", **options):  # fmt: skip
    """An Ensemble and its run in one call; see both."""
    ensemble = Ensemble(
        model, members, seed=seed, design=design, parameters=parameters, initial=initial, project=project, grid=grid,
        correlated=correlated, agents=agents, structure=structure,
    )  # fmt: skip
    return run(ensemble, out=out, progress=progress, resume=resume, restart=restart, shard=shard, client=client,
               shards=shards, on_failure=on_failure, **options)  # fmt: skip


def simulate(model, *, parameters=None, initial=None, **options):
    """One motion, at once: interpreted, without waiting for a compiler.

    Parameters
    ----------
    parameters, initial : dicts of numbers; or by their own names, as keywords: simulate(bead, c=0.7, x=1.2, end=2)
    end, dt, save_every, ... : as `run`

    Returns
    -------
    xarray.Dataset (or kalaba.Dataset)
        of every coordinate, rate and field by its own name, over time; attrs["run_summary"] is the summary of the run.
        Warns where the start was moved onto the constraints, and of what else that summary warns or notes.
    """
    model = Model.catalogue(model) if isinstance(model, str) else model
    inputs, options = inputs_by_name(model, parameters, initial, options)
    states = (*model.coordinates.names, *model.rates.names)
    refuse_unknown(options, (*KEYWORDS, *model.parameters.names, *states, "parameters", "initial"), "simulate")
    if "backend" not in options and options.get("integrator") not in ("taylor", "rodas5p"):  # compiled code
        options.setdefault("compile", "never")
    ensemble = Ensemble(model, 1, **inputs)
    result = run(ensemble, progress=None, **options)
    if result.failed_members:
        raise MembersFailed("\n".join([result.summary.text, *model.notes]), result)
    for each in result.summary.warnings:
        warnings.warn(f"{model.name}: {each}", UserWarning, stacklevel=2)
    motion = motion_of(result)
    motion.attrs["run_summary"] = result.summary.text
    return motion


def motion_of(result, member=0):
    """One member's motion: every coordinate, rate and field by its own name, over time."""
    source = result._source
    count = len(source.array("status")) if "status" in source.variables else 0
    if count and not -count <= member < count:
        raise InputError(f"expected a member from 0 to {count - 1}, found {member}")
    columns, fields = {"time": (source.array("time"), "s")}, {}
    for name, (field, dim, index) in components(source).items():
        if field not in fields:
            fields[field] = source.array(field)[..., member]
        numbers = fields[field] if dim is None else fields[field][:, index]
        columns[name] = (numbers, unit_of(source, field, dim, index))
    for name, (dims, _, kind, _) in source.variables.items():
        if kind == "float64" and len(dims) == 4 and dims[0] == "time" and dims[1] == "sensitivity":
            numbers = source.array(name)[..., member]
            for i, by in enumerate(source.array(dims[1])):
                for j, each in enumerate(source.array(dims[2])):
                    columns[f"sensitivity_{each}_to_{by}"] = (numbers[:, i, j], "")
    return from_columns(columns, {"system": source.attributes.get("system", "")}, "time")


def tables_of(ensemble, options):
    """The scenario's tables that a run's keywords are."""
    refuse_unknown(options, (*KEYWORDS, "out", "progress", "resume", "restart", "shard", "client", "shards", "on_failure"), "run")
    options = {name: each for name, each in options.items() if each is not None}
    for name, each in options.items():
        refuse_masked(name, each)
    tables = {}
    if "tolerance" in options:
        tolerance = number("tolerance", options.pop("tolerance"))
        named = ensemble._tables.get("solver", {}).get("integrator", "rk4")
        steps = {"integrator": "dopri5" if named == "rk4" else named}
        options = {**steps, "relative_tolerance": tolerance, "absolute_tolerance": tolerance / 100, **options}
    for table, keys in OPTIONS.items():
        chosen = {key: options[key] for key in keys if key in options}
        if chosen:
            tables[table] = chosen
    if "group_by" in options:
        tables["output"]["group_by"] = full_name("group_by", ensemble.model, options["group_by"])
    for given, other in (("save_at", "save_every"), ("save_every", "save_at")):
        if given in options and other not in options:
            tables["time"][other] = None  # replaces that of the ensemble
    if "events" in options:
        tables["events"] = _tables_of("events", "event", Event, options["events"])
    if "clocks" in options:
        tables["clocks"] = _tables_of("clocks", "clock", Clock, options["clocks"])
    if "sensitivities" in options:
        tables["sensitivities"] = {"of": names_of("sensitivities", ensemble.model, options["sensitivities"])}
    is_differentiated = "sensitivities" in tables or "sensitivities" in ensemble._tables
    if "lyapunov" in options and (is_differentiated or options["lyapunov"] is not False):
        tables.setdefault("sensitivities", {})["lyapunov"] = options["lyapunov"]
    return tables


def ensemble_of(thing):
    """An Ensemble as it is; of a Model, or of one's name, one member."""
    ensemble = Ensemble(thing) if isinstance(thing, (Model, str)) else thing
    if not isinstance(ensemble, Ensemble):
        raise TypeError(f"expected a kalaba.Ensemble or a kalaba.Model, found {type(ensemble).__name__}: {ensemble!r}")
    return ensemble


def names_of(what, model, given):
    """Full names of several; of one that is given alone, its own."""
    is_one = isinstance(given, str) or not hasattr(given, "__iter__")
    return [full_name(what, model, each) for each in ([given] if is_one else given)]


def _tables_of(what, one, kind, given):
    given = list(given) if hasattr(given, "__iter__") else [given]
    for each in given:
        if not isinstance(each, (kind, dict)):
            raise InputError(f"{what}: expected a list of kalaba.{one}, found {each!r}")
    return [each.table() if isinstance(each, kind) else dict(each) for each in given]


def full_name(what, model, name):
    """ "parameters.m" of "m", "initial.x" of "x"."""
    if not isinstance(name, str):
        raise InputError(f"{what}: expected the name of a parameter or start, found {name!r}")
    if "." in name:
        return name
    return f"parameters.{name}" if name in model.parameters.names else f"initial.{name}"


def shard_text(shard):
    """ "2/4" of (1, 4)."""
    if shard is None:
        return ""
    try:
        index, count = shard
    except (TypeError, ValueError):
        raise InputError(f"shard: expected (i, n), found {shard!r}") from None
    index, count = whole("shard", index), whole("shard", count)
    if not 0 <= index < count:
        raise InputError(f"shard: expected (i, n) with i from 0 to n - 1, found ({index}, {count})")
    return f"{index + 1}/{count}"


def merge(results, out=None):
    """Joins the results of all shards of a run, or their files, in any order: the bits of the undivided run.

    Parameters
    ----------
    results : list of Result or of paths
    out : path of the netCDF file (.nc); left out, where the results lie in memory: a temporary file, read into memory
    """
    import tempfile

    results = list(results)
    if not results:
        raise InputError("merge: expected the results of every shard, found none")
    with tempfile.TemporaryDirectory(prefix="kalaba-") as folder:
        files = []
        for i, each in enumerate(results):
            if not isinstance(each, Result):
                files.append(os.fspath(each))
            elif each.path is not None:
                files.append(each.path)
            else:
                files.append(os.path.join(folder, f"{i}.nc"))
                each.save(files[-1])
        path = os.fspath(out) if out is not None else os.path.join(folder, "merged.nc")
        with translated():
            outcome = _kalaba.merge(files, path, out is not None)
        ensemble = next((each._ensemble for each in results if isinstance(each, Result)), None)
        source = FileSource(path) if out is not None else MemorySource(_kalaba.load(path))
        result = Result(source, outcome.summary_text, "", [path] if out is not None else [], True, ensemble)
        result.summary["warnings"] = outcome.warnings
        return result


def submit(ensemble, shards, out, *, time=None, scheduler="slurm", scheduler_options=(), dry_run=False, **options):
    """Submits a run to a cluster, as `kalaba submit` does: an array of shards, and their merge to `out`.

    Parameters
    ----------
    ensemble, options : as `run`
    shards : how many; out : path of the netCDF file, beside which the scenario and the scripts are written
    time : limit of a job, "90m"; scheduler : "slurm" or "pbs"; scheduler_options : lines for it, ["--partition=long"]
    dry_run : True: prints the scripts and submits nothing
    """
    from .__main__ import command_line

    ensemble = ensemble_of(ensemble)
    out = os.fspath(out)
    scenario = os.path.splitext(out)[0] + ".toml"
    ensemble.to_toml(scenario, **options)
    words = ["submit", scenario, "-o", out, "--shards", str(whole("shards", shards)), "--scheduler", scheduler]
    words += ["--time", time] if time else []
    words += [f"--option={each}" for each in scheduler_options] + ["--dry-run"] * bool(dry_run)
    code = command_line(words)
    if code:
        raise InputError(f"kalaba {' '.join(words)}: exit code {code}; standard error contains the reason")


def open(path):
    """The Result of a file that `kalaba run` or `run(out=...)` wrote; its numbers are read on access."""
    source = FileSource(os.fspath(path))
    return Result(source, "", "", [os.fspath(path)], not source.attributes.get("interrupted", 0), None)
