"""Threads that use the package at once."""

import threading

import kalaba
from conftest import quick


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_files_are_read_in_any_thread_without_a_word(bead, capfd):
    quick(bead, 4, out="read.nc")
    capfd.readouterr()
    found = []
    in_a_thread(lambda: found.append(kalaba.open("read.nc").dataset.q.values))
    assert found[0].shape[-1] == 4
    assert capfd.readouterr().err == ""


def test_files_are_written_in_any_thread_without_a_word(bead, capfd):
    in_a_thread(lambda: quick(bead, 4, out="written.nc"))
    assert "HDF5" not in capfd.readouterr().err
    assert kalaba.open("written.nc").complete
