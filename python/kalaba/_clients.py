"""Runs divided into shards on the workers of a pool or a cluster."""

from __future__ import annotations

import concurrent.futures
import glob
import os
import re
import tempfile
import time
import warnings

from ._errors import BackendError, FileError, InputError, MembersFailed
from ._inputs import whole

SHARDS_OF_A_WORKER = 4  # so that workers that finish early take more of them
PACK = 8  # members of a SIMD pack
LEAF = 4096  # members of a leaf of the statistics, which a shard contains as a whole
MOST_ATTEMPTS = 3  # runs of a shard whose worker is lost


def run_on(client, ensemble, tables, *, out, report, resume, restart, shards, on_failure, options):
    """Runs every shard on the workers of `client` and merges them: the bits of the undivided run.

    tables : of the scenario, as `run` states them
    report : called with (steps done, steps in all, seconds) when a shard is finished

    Returns
    -------
    Result
    """
    from ._run import merge, run

    workers = _workers_of(client)
    if out is not None and not os.fspath(out).endswith(".nc"):
        raise InputError(f"out: expected a name that ends in .nc, which shards are merged to, found {os.fspath(out)}")
    out = None if out is None else os.path.abspath(out)
    if resume and os.path.exists(out):  # the run is complete
        return run(ensemble, out=out, resume=True, on_failure=on_failure, **options)
    if shards is None:
        shards = (_begun_division(out) if resume else None) or _division(ensemble, tables, workers.count)
    shards = whole("shards", shards)
    if "threads" not in ensemble._tables.get("solver", {}):
        options = {"threads": 1, **options}
    options = {**options, "out": out, "progress": None}
    with tempfile.TemporaryDirectory(prefix="kalaba-") as folder:
        parts, lost = _run_shards(workers, ensemble, shards, options, resume, restart, folder, report)
        result = merge(parts, out)
    if out is not None:
        for each in parts:
            os.remove(each)
    result._ensemble = ensemble
    result.summary["warnings"] += [f"shards: {each}" for each in lost]
    result.summary.text += "".join(f"\n  shards       {each}" for each in lost)
    if on_failure == "raise" and result.failed_members > 0:
        raise MembersFailed(f"{result.failed_members:,} members failed\n{result.summary.text}", result)
    return result


def _division(ensemble, tables, workers):
    """Number of shards: several for each worker, with at least one pack of members if there are enough."""
    said = {**ensemble._tables.get("output", {}), **tables.get("output", {})}
    if said.get("statistics"):
        return max(1, min(SHARDS_OF_A_WORKER * workers, -(-ensemble.members // LEAF)))
    least = min(workers, ensemble.members)
    return max(1, least, min(SHARDS_OF_A_WORKER * workers, ensemble.members // PACK))


def _begun_division(out):
    """Number of shards of an unfinished run to `out`; None if there is none."""
    stem = out.removesuffix(".nc")
    names = glob.glob(f"{glob.escape(stem)}.*-of-*.nc")
    found = {int(each[1]) for each in (re.search(r"\.\d+-of-(\d+)(\.partial)?\.nc$", name) for name in names) if each}
    if len(found) > 1:
        raise InputError(f"resume: expected parts of one division beside {out}, found those of {sorted(found)} shards")
    return found.pop() if found else None


def _shard(ensemble, shard, options):
    """Runs one shard on a worker. Returns its Result, without the ensemble, and its number of steps."""
    from ._run import run

    steps = [0]

    def look(done, total):
        steps[0] = total

    result = run(ensemble, shard=shard, **{**options, "progress": look})
    result._ensemble = result._options = None
    return result, steps[0]


def _run_shards(workers, ensemble, shards, options, resume, restart, folder, report):
    """Runs every shard, those that are lost again. Returns the paths of their files, and a text for each that was lost."""
    begun, steps, total, lost = time.monotonic(), 0, 0, []
    parts, attempts, waiting = [None] * shards, [0] * shards, {}
    shared = workers.share(ensemble)

    def start(i):
        again = {"resume": resume or attempts[i] > 0, "restart": restart and attempts[i] == 0} if options["out"] else {}
        attempts[i] += 1
        waiting[workers.submit(_shard, shared, (i, shards), {**options, **again})] = i

    try:
        for i in range(shards):
            start(i)
        while waiting:
            task = workers.first(list(waiting))
            i = waiting.pop(task)
            try:
                part, own = workers.result(task)
                reason = "it was interrupted" if not part.complete else ""
            except workers.lost as error:
                reason = str(error) or type(error).__name__
            if reason:
                if attempts[i] == MOST_ATTEMPTS:
                    raise BackendError(f"shard {i + 1} of {shards} was lost {attempts[i]} times; the last time: {reason}")
                lost.append(f"{i + 1} of {shards} was lost and ran again: {reason}")
                warnings.warn(f"shards: {lost[-1]}", UserWarning, stacklevel=4)
                start(i)
                continue
            parts[i] = _file_of(part, i, folder)
            steps += own
            members = part._source.dimensions.get("member")  # statistics alone have no members
            total = max(total, own * ensemble.members / members if members else own * shards)
            report(steps, steps if not waiting else max(total, steps), time.monotonic() - begun)
    except BaseException:
        workers.cancel(list(waiting))
        raise
    finally:
        workers.close()
    return parts, lost


def _file_of(part, i, folder):
    """The file of a shard; numbers in memory are written to `folder`."""
    if part.path is None:
        path = os.path.join(folder, f"{i}.nc")
        part.save(path)
        return path
    if not os.path.exists(part.path):
        raise FileError(f"{part.path}: cannot be read here; out names a folder that all workers share, found one of a worker")
    return part.path


# ---- workers, one class for each kind of client ----


def _workers_of(client):
    modules = {each.__module__.split(".")[0] for each in type(client).__mro__}
    if "distributed" in modules and hasattr(client, "submit") and not isinstance(client, concurrent.futures.Executor):
        return _Dask(client)
    if getattr(client, "__name__", "") == "ray" and hasattr(client, "remote"):
        return _Ray(client)
    if isinstance(client, concurrent.futures.Executor):
        return _Pool(client)
    raise TypeError(
        "client: expected an executor of concurrent.futures, a Client of dask.distributed or the module ray, found "
        f"{type(client).__name__}: {client!r}"
    )


class _Pool:
    """An executor of concurrent.futures.

    Attributes
    ----------
    count : workers
    lost : exceptions of a task whose worker is lost
    """

    lost = (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError)

    def __init__(self, pool):
        self._pool, self._own = pool, []
        self.count = getattr(pool, "_max_workers", None) or os.cpu_count() or 1

    def share(self, thing):
        """Stands for an argument that all tasks have."""
        return thing

    def submit(self, function, *arguments):
        try:
            return self._pool.submit(function, *arguments)
        except concurrent.futures.BrokenExecutor as error:
            self._pool = self._replacement(error)
            return self._pool.submit(function, *arguments)

    def _replacement(self, error):
        """A pool like the one that a lost process broke."""
        if not isinstance(self._pool, concurrent.futures.ProcessPoolExecutor):
            raise BackendError(f"client: the workers of {self._pool!r} are lost: {error}") from error
        own = {"initializer": "_initializer", "initargs": "_initargs", "mp_context": "_mp_context"}
        given = {name: getattr(self._pool, each) for name, each in own.items() if hasattr(self._pool, each)}
        self._own.append(concurrent.futures.ProcessPoolExecutor(self.count, **given))
        return self._own[-1]

    def first(self, tasks):
        """A finished task, as soon as there is one."""
        return concurrent.futures.wait(tasks, return_when=concurrent.futures.FIRST_COMPLETED).done.pop()

    def result(self, task):
        return task.result()

    def cancel(self, tasks):
        for each in tasks:
            each.cancel()

    def close(self):
        for each in self._own:
            each.shutdown(wait=False, cancel_futures=True)


class _Dask:
    """A Client of dask.distributed. Its scheduler runs the tasks of lost workers again, a bounded number of times."""

    lost = (concurrent.futures.CancelledError,)

    def __init__(self, client):
        import distributed

        if client.asynchronous:
            raise InputError("client: expected a Client of Dask that waits, found one with asynchronous=True")
        self._module, self._client = distributed, client
        self.count = sum(client.nthreads().values())
        if self.count == 0:
            raise BackendError("client: expected a cluster with workers, found none")

    def share(self, thing):
        return self._client.submit(_itself, thing, pure=False)

    def submit(self, function, *arguments):
        return self._client.submit(function, *arguments, pure=False)

    def first(self, tasks):
        return next(iter(self._module.as_completed(tasks)))

    def result(self, task):
        try:
            return task.result()
        except self._module.KilledWorker as error:
            raise BackendError(f"shards: {error}") from None

    def cancel(self, tasks):
        self._client.cancel(tasks)

    def close(self):
        pass


class _Ray:
    """The module ray, after `ray.init()`."""

    def __init__(self, ray):
        if not ray.is_initialized():
            raise InputError("client: expected Ray after ray.init()")
        self._ray = ray
        self.lost = (
            ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.ObjectLostError,
            ray.exceptions.OutOfMemoryError,
        )  # fmt: skip
        self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def share(self, thing):
        return self._ray.put(thing)

    def submit(self, function, *arguments):
        return self._ray.remote(function).options(max_retries=0).remote(*arguments)

    def first(self, tasks):
        return self._ray.wait(tasks, num_returns=1)[0][0]

    def result(self, task):
        try:
            return self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None

    def cancel(self, tasks):
        for each in tasks:
            self._ray.cancel(each)

    def close(self):
        pass


def _itself(thing):
    return thing
