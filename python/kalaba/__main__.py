"""The command line: `kalaba run sweep.toml`, or `python -m kalaba run sweep.toml`."""

import os
import shlex
import sys

from . import _kalaba
from ._errors import BackendError, Error


def command_line(words):
    """Does what `kalaba WORDS...` does; returns its exit code."""
    own = _own_command(words)
    if own is not None:
        try:
            own(words[1:])
        except Error as error:
            print(f"kalaba: {error}", file=sys.stderr)
            return error.code
        except ModuleNotFoundError as error:
            print(f"kalaba: {error}", file=sys.stderr)
            return BackendError.code
        return 0
    os.environ.setdefault("KALABA_PROGRAM", f"{shlex.quote(sys.executable)} -m kalaba")
    return _kalaba.command_line(["kalaba", *words])


def _own_command(words):
    """The function of a command that is written in Python; None for those of the library."""
    if words[:1] == ["import"]:
        from . import _robots

        return _robots.command_line
    if words[:1] == ["report"] and "--interactive" in words:
        from . import _explorer

        return _explorer.command_line
    return None


def main():
    sys.exit(command_line(sys.argv[1:]))


if __name__ == "__main__":
    main()
