"""The command line: `kalaba run sweep.toml`, or `python -m kalaba run sweep.toml`."""

import os
import shlex
import sys

from . import _kalaba


def command_line(words):
    """Does what `kalaba WORDS...` does; returns its exit code."""
    if words[:1] == ["import"]:
        from . import _robots

        return _robots.command_line(words[1:])
    os.environ.setdefault("KALABA_PROGRAM", f"{shlex.quote(sys.executable)} -m kalaba")
    return _kalaba.command_line(["kalaba", *words])


def main():
    sys.exit(command_line(sys.argv[1:]))


if __name__ == "__main__":
    main()
