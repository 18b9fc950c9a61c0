"""The Python function that a model is recorded of: a plain one, a partial, a method, a decorated one, an object."""

from __future__ import annotations

import functools
import inspect

from ._errors import InputError


def without_partials(function):
    """Function that partials call, which has the name and the docstring."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def name_of(function):
    """Its own; of an object that is called its class's."""
    function = without_partials(function)
    return getattr(function, "__name__", type(function).__name__)


def code_of(function):
    """Code object of a function."""
    function = inspect.unwrap(without_partials(function))
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    if code is None:
        raise InputError(f"expected a Python function of (p, q, v, t), found {function!r}")
    return code


def first_taken(function, arguments):
    """The most of the arguments that a call may begin with."""
    is_partial = isinstance(function, functools.partial)  # its function takes arguments that it supplies
    signature = inspect.signature(function, follow_wrapped=not is_partial)
    for count in range(len(arguments), 0, -1):
        try:
            return signature.bind(*arguments[:count]).args
        except TypeError:
            pass
    raise TypeError(f"expected a function of (p, q, v, t): parameters, coordinates, rates, time; found {signature}")
