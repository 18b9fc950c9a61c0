"""Exceptions: what would end the command line with exit code 2, 3, 4 or 70."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import re

from . import _kalaba


class Error(Exception):
    """Base of all errors of Kalaba. `code` is the exit code of the command line."""

    code = 70


class InputError(Error, ValueError):
    """A wrong scenario, model or argument."""

    code = 2


class ModelError(InputError):
    """A wrong model. `filename` and `lineno` say where it was written, `text` what was there."""

    def __init__(self, message, filename=None, lineno=None, text=None):
        super().__init__(message)
        self.filename, self.lineno, self.text = filename, lineno, text


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    code = 3


class BackendError(Error, RuntimeError):
    """A backend that is not here."""

    code = 4


class InternalError(Error, RuntimeError):
    """A fault of Kalaba itself, or too little memory."""


class MembersFailed(Error, RuntimeError):
    """Members failed in a run with on_failure="raise". `result` holds all that was computed."""

    code = 1

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result


_BY_CODE = {2: InputError, 3: FileError, 4: BackendError}

# Name in messages of scenarios that Python wrote; line numbers of these are omitted.
SCENARIO = "<scenario>"
_PLACE = re.compile(rf"(kalaba: )?{re.escape(SCENARIO)}(:\d+)*: ")


def plain(message):
    """A message of the library without the place in a text that Python wrote."""
    return _PLACE.sub("", message).removeprefix("kalaba: ")


@contextlib.contextmanager
def translated():
    """Raises the library's errors as exceptions of this package."""
    try:
        yield
    except _kalaba.Error as error:
        code, message = error.args
        raise _BY_CODE.get(code, InternalError)(plain(message)) from None


def required(module, extra, what):
    """A module of an optional package; raises ModuleNotFoundError with the command that installs the package."""
    package = module.split(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f"{what} requires the package {package}: pip install 'kalaba[{extra}]'", name=error.name
        ) from None


def nearest(word, known):
    """ "; did you mean x?" of the nearest known word, or ""."""
    known = [str(each) for each in known]
    near = [each for each in known if each.casefold() == str(word).casefold()]
    near = near or difflib.get_close_matches(str(word), known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else ""


def refuse_unknown(given, known, what):
    """Raises TypeError for the first unknown keyword."""
    for word in given:
        if word not in known:
            raise TypeError(f"{what} has no argument {word!r}{nearest(word, known)}")
