"""Runs that are interrupted, watched, forked, and made by several threads."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import kalaba
from conftest import quick, same


def test_ctrl_c_returns_what_is_done(bead):
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    begin = time.monotonic()
    result = quick(bead, 64, end=1000.0, save_every=1000)
    assert time.monotonic() - begin < 10
    assert not result.complete and result.summary["interrupted"]
    q = result.dataset.q.sel(coordinate="x").values
    assert np.isfinite(q[0]).all() and np.isnan(q[-1]).all()
    assert set(result.dataset.status.values) == {7}


def test_ctrl_c_ends_the_compiler(bead, tmp_path, monkeypatch):
    compiler = tmp_path / "slow++"
    compiler.write_text('#!/bin/sh\ncase "$*" in --version) echo "slow++ 1.2.3"; exit 0;; esac\nsleep 60\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("KALABA_CXX", str(compiler))
    monkeypatch.setenv("KALABA_CACHE_DIR", str(tmp_path / "cache"))
    times = np.linspace(0, 0.1, 5)
    for work in (
        lambda: quick(bead, 64, end=0.1, compile="always"),
        lambda: kalaba.fit(kalaba.Ensemble(bead, 1), {"time": times, "x": np.ones(5)}, free=["c"], compile="always"),
    ):
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.monotonic() - begin < 10


def test_an_interrupted_file_is_gone_on_with(bead):
    ensemble = kalaba.Ensemble(bead, 256, seed=1, parameters={"c": kalaba.uniform(0.3, 0.7)})
    # Long enough that progress, reported a few times a second, is reported before the end.
    options = {"end": 200.0, "save_every": 4000, "compile": "never", "block_members": 64}

    def stop(done, total):
        if done > 0.4 * total:
            signal.raise_signal(signal.SIGINT)

    broken = kalaba.run(ensemble, out="run.nc", progress=stop, **options)
    assert not broken.complete and os.path.basename(broken.path) == "run.partial.nc" and not os.path.exists("run.nc")
    options["save_every"] = 1  # the result remembers
    broken = pickle.loads(pickle.dumps(broken))
    with pytest.raises(kalaba.InputError, match="cannot be resumed as another run: .*dt"):
        broken.resume(progress=None, dt=2e-3)
    whole = broken.resume(progress=None)
    assert whole.complete and os.path.basename(whole.path) == "run.nc"
    options["save_every"] = 4000
    same(whole.dataset, kalaba.run(ensemble, progress=None, **options).dataset)


def test_an_interrupted_shard_is_gone_on_with(bead):
    ensemble = kalaba.Ensemble(bead, 9000, seed=1, parameters={"c": kalaba.uniform(0.3, 0.7)})
    options = {"end": 4.0, "save_every": "final", "compile": "never", "block_members": 512, "shard": (1, 2)}

    def stop(done, total):
        if done > 0.4 * total:
            signal.raise_signal(signal.SIGINT)

    events = (kalaba.event(name, "x", action="record") for name in ["bottom"])
    broken = kalaba.run(ensemble, out="run.nc", progress=stop, on_failure="raise", events=events, **options)
    assert not broken.complete and os.path.basename(broken.path) == "run.2-of-2.partial.nc"
    whole = broken.resume(progress=None)
    assert whole.complete and os.path.basename(whole.path) == "run.2-of-2.nc" and list(whole.dataset.event) == ["bottom"]


def test_progress_is_told_and_its_errors_come_out(bead):
    seen = []
    quick(bead, 200, end=0.5, progress=lambda done, total: seen.append(done / total))
    assert seen == sorted(seen) and seen[-1] == 1

    def fail(done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        quick(bead, 200, end=0.5, progress=fail)


def test_other_threads_run_meanwhile(bead):
    counts = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counts.append(None)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    quick(bead, 100, end=100.0, save_every=10000)
    stop.set()
    thread.join()
    assert len(counts) > 20


def test_several_threads_run_at_once_and_write_files(bead):
    results = {}

    def work(i):
        results[i] = quick(
            bead, 40, seed=i, parameters={"c": kalaba.uniform(0.3, 0.7)}, out=f"{i}.nc" if i % 2 else None
        )
        results[i].dataset.q.sum().item()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for i in range(6):
        same(results[i].dataset, quick(bead, 40, seed=i, parameters={"c": kalaba.uniform(0.3, 0.7)}).dataset)


def test_forked_children_run_too(bead):
    quick(bead, 4)
    child = os.fork()
    if child == 0:
        good = quick(bead, 4).complete
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_interpreter_may_end_during_a_run():
    program = """
import threading, time, kalaba
model = kalaba.Model.catalogue("spherical_pendulum")
run = lambda: kalaba.run(model, end=1000.0, compile="never", progress=None)
threading.Thread(target=run, daemon=True).start()
time.sleep(0.3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
