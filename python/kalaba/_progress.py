"""Progress of a run in one line, on a terminal or in a notebook."""

from __future__ import annotations

import contextlib
import sys
import time

_FIRST = 0.5  # s, before which nothing is shown
_PAUSE = 0.2  # s, between two lines


@contextlib.contextmanager
def shown(progress):
    """Function of (steps done, steps in all, seconds) that shows progress: a line, the caller's callable, or None."""
    if callable(progress):
        yield lambda done, total, seconds: progress(done, total)
        return
    if progress not in ("auto", None, False, True):
        raise TypeError(f'progress: expected "auto", None or a callable of (done, total), found {progress!r}')
    in_notebook = "ipykernel" in sys.modules
    stream = sys.stdout if in_notebook else sys.stderr
    if progress in (None, False) or not (in_notebook or progress is True or stream.isatty()):
        yield lambda done, total, seconds: None
        return
    line = _Line(stream)
    try:
        yield line.update
    finally:
        line.clear()


class _Line:
    def __init__(self, stream):
        self._stream, self._width, self._last = stream, 0, time.monotonic() + _FIRST - _PAUSE

    def update(self, done, total, seconds):
        now = time.monotonic()
        if now - self._last < _PAUSE or total <= 0:
            return
        self._last = now
        share = done / total
        left = seconds * (1 - share) / share if share > 0 else float("inf")
        bar = "#" * int(30 * share)
        self._write(f"{100 * share:5.1f} % [{bar:<30}] {_rate(done, seconds)} steps/s, {left:.0f} s left")

    def clear(self):
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, text):
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)


def _rate(done, seconds):
    rate = done / seconds if seconds > 0 else 0
    for size, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if rate >= size:
            return f"{rate / size:.3g}{prefix}"
    return f"{rate:.3g}"
