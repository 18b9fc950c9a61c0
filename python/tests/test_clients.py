"""Runs on the workers of a pool or a cluster."""

import importlib.util
import multiprocessing
import os
import pathlib
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from conftest import bead, run_program, same

import kalaba
from kalaba import _clients

OPTIONS = {"end": 0.2, "compile": "never"}


def ensemble(members=400):
    return kalaba.Ensemble(bead, members, seed=4, parameters={"c": kalaba.uniform(0.3, 0.7)})


@pytest.fixture(name="pool")
def the_pool():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_a_pool_has_the_bits_of_one_run(pool):
    whole = kalaba.run(ensemble(), **OPTIONS)
    reports = []
    result = kalaba.run(ensemble(), client=pool, progress=lambda *each: reports.append(each), **OPTIONS)
    same(result.dataset, whole.dataset)
    assert len(reports) == 8 and reports == sorted(reports) and reports[-1][0] == reports[-1][1]
    single = []
    kalaba.run(ensemble(), progress=lambda *each: single.append(each), **OPTIONS)
    assert {total for _, total in reports} == {single[-1][1]}
    assert result.path is None and result.failed_members == 0 and result.summary.warnings == []
    swept = kalaba.sweep(
        bead, 400, seed=4, parameters={"c": kalaba.uniform(0.3, 0.7)}, client=pool, shards=3, out="sweep.nc", **OPTIONS
    )
    same(swept.dataset, whole.dataset)
    assert swept.path == os.path.abspath("sweep.nc") and os.listdir() == ["sweep.nc"]


def test_statistics_are_divided_into_whole_leaves(pool):
    options = {**OPTIONS, "end": 0.01, "statistics": ["mean", "std", "quantiles"], "trajectories": False}
    whole = kalaba.run(ensemble(9000), **options)
    reports = []
    result = kalaba.run(ensemble(9000), client=pool, progress=lambda *each: reports.append(each), **options)
    same(result.dataset, whole.dataset)
    assert len(reports) == 3


@pytest.mark.parametrize(
    ("members", "workers", "statistics", "shards"),
    [(1, 4, False, 1), (3, 4, False, 3), (40, 4, False, 5), (64, 4, False, 8), (10_000, 4, False, 16), (10_000, 4, True, 3)],
)
def test_shards_are_several_for_each_worker(members, workers, statistics, shards):
    tables = {"output": {"statistics": ["mean"] if statistics else []}}
    assert _clients._division(ensemble(members), tables, workers) == shards


def lose_one(flag):
    """Kills the worker of shard 3 in its run, once."""
    whole = _clients._shard

    def shard(ensemble, part, options):
        if part[0] == 3 and not os.path.exists(flag):
            pathlib.Path(flag).touch()
            kalaba.run(ensemble, shard=part, **{**options, "progress": lambda *_: os._exit(9)})
        return whole(ensemble, part, options)

    _clients._shard = shard


@pytest.mark.parametrize("out", [None, "run.nc"])
def test_the_shard_of_a_killed_worker_runs_again(out):
    whole = kalaba.run(ensemble(), **OPTIONS)
    reports = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context, initializer=lose_one, initargs=(os.path.abspath("flag"),)) as pool:
        with pytest.warns(UserWarning, match=r"shards: \d of 8 was lost and ran again"):
            result = kalaba.run(ensemble(), client=pool, progress=lambda *each: reports.append(each), out=out, **OPTIONS)
    same(result.dataset, whole.dataset)
    assert any("shards: 4 of 8 was lost and ran again" in each for each in result.summary.warnings)
    assert "\n  shards       4 of 8 was lost and ran again: " in str(result.summary)
    assert len(reports) == 8 and reports[-1][0] == reports[-1][1]
    assert sorted(os.listdir()) == ["flag", *(["run.nc"] if out else [])]


def die():
    os._exit(1)


def test_a_shard_that_is_always_lost_ends_the_run():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), initializer=die) as pool:
        with warnings.catch_warnings(), pytest.raises(kalaba.BackendError, match="of 2 was lost 3 times; the last time: "):
            warnings.simplefilter("ignore")
            kalaba.run(ensemble(), client=pool, shards=2, progress=None, **OPTIONS)


def test_an_interrupted_run_goes_on(pool):
    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as first, pytest.raises(Stop):
        kalaba.run(ensemble(), client=first, progress=stop, out="run.nc", shards=5, **OPTIONS)
    assert not os.path.exists("run.nc") and list(pathlib.Path().glob("run.*-of-5.nc"))
    whole = kalaba.run(ensemble(), **OPTIONS)
    same(kalaba.run(ensemble(), client=pool, out="run.nc", resume=True, **OPTIONS).dataset, whole.dataset)
    assert os.listdir() == ["run.nc"]
    again = kalaba.run(ensemble(), client=pool, out="run.nc", resume=True, **OPTIONS)
    assert "is complete" in again.summary.text


def test_threads_are_workers_too():
    with ThreadPoolExecutor(2) as pool:
        result = kalaba.run(ensemble(), client=pool, progress=None, **OPTIONS)
        assert result._ensemble == ensemble()
        with pytest.raises(kalaba.InputError, match='unknown field "qq"'):
            kalaba.run(ensemble(), client=pool, fields=["qq"], **OPTIONS)
        with pytest.raises(TypeError, match="did you mean end"):
            kalaba.run(ensemble(), client=pool, ende=1)
        with pytest.raises(kalaba.InputError, match=r"out: expected a name that ends in \.nc"):
            kalaba.run(ensemble(), client=pool, out="run.csv", **OPTIONS)
        with pytest.raises(kalaba.InputError, match="shard: expected no part in a run with client"):
            kalaba.run(ensemble(), client=pool, shard=(0, 2), **OPTIONS)
        with pytest.raises(kalaba.MembersFailed, match="400 members failed"):
            kalaba.run(ensemble(), client=pool, on_failure="raise", integrator="dopri5", max_steps=2, **OPTIONS)
    same(result.dataset, kalaba.run(ensemble(), **OPTIONS).dataset)
    with pytest.raises(kalaba.InputError, match="shards: expected with client"):
        kalaba.run(ensemble(), shards=3, **OPTIONS)
    with pytest.raises(TypeError, match="client: expected an executor of concurrent.futures, .* found int: 3"):
        kalaba.run(ensemble(), client=3, **OPTIONS)


DASK = """
import os, signal, sys
from dask.distributed import Client, LocalCluster
import kalaba as kb
from conftest import bead
if __name__ == "__main__":
    ensemble = kb.Ensemble(bead, 400, seed=4, parameters={"c": kb.uniform(0.3, 0.7)})
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        reports = []
        def look(done, total):
            if not reports:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            reports.append(done / total)
        result = kb.run(ensemble, client=client, progress=look, end=0.2, compile="never")
    assert len(reports) == 8 and reports[-1] == 1, reports
    result.save("joined.nc")
"""

RAY = """
import os, sys, ray
import kalaba as kb
from conftest import bead
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
ensemble = kb.Ensemble(bead, 400, seed=4, parameters={"c": kb.uniform(0.3, 0.7)})
kb.run(ensemble, client=ray, end=0.2, compile="never", progress=None).save("joined.nc")
try:
    kb.run(ensemble, client=ray, end=0.2, fields=["qq"])
except kb.InputError as error:
    assert "unknown field" in str(error)
else:
    raise AssertionError("accepted")
"""


@pytest.mark.parametrize(("program", "needs"), [(DASK, "distributed"), (RAY, "ray")], ids=["dask", "ray"])
def test_a_cluster_has_the_bits_of_one_run(program, needs):
    found = importlib.util.find_spec(needs)
    if found is None or found.origin is None:  # a folder of that name is no package
        pytest.skip(f"{needs} is not installed")
    run_program(program)
    same(kalaba.open("joined.nc").dataset, kalaba.run(ensemble(), **OPTIONS).dataset)
