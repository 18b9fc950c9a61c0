"""Values and tables as TOML text, and back."""

from __future__ import annotations

import json
import math
import numbers
import re

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

from ._errors import InputError

__all__ = ["key", "loads", "parts", "value"]

loads = tomllib.loads

MOST_WHOLE = 2**63 - 1  # which TOML holds

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def key(word):
    """A word of a key, in quotes where TOML needs them."""
    return word if _BARE.fullmatch(word) else json.dumps(word, ensure_ascii=False)


def value(thing):
    """A value in one line."""
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, numbers.Integral):
        if abs(int(thing)) > MOST_WHOLE:
            raise InputError(f"expected a whole number up to {MOST_WHOLE}, found {int(thing)}")
        return str(int(thing))
    if isinstance(thing, numbers.Real):
        number = float(thing)
        return repr(number) if math.isfinite(number) else str(number)
    if isinstance(thing, str):
        return json.dumps(thing, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(thing, dict):
        return "{ " + ", ".join(f"{key(name)} = {value(each)}" for name, each in thing.items()) + " }"
    if hasattr(thing, "tolist"):
        return value(thing.tolist())
    if isinstance(thing, (list, tuple)):
        return "[" + ", ".join(value(each) for each in thing) + "]"
    raise TypeError(f"expected a number, a text, a list or a dict, found {type(thing).__name__}: {thing!r}")


def parts(tables):
    """A scenario's keys and its tables, a key a line: {"time": {"end": 2}} under [time], lists of dicts under [[...]]."""
    keys = [_line(name, name, each) + "\n" for name, each in tables.items() if not _is_table(each)]
    lines = []
    for name, each in tables.items():
        if not _is_table(each):
            continue
        for one in each if isinstance(each, list) else [each]:
            lines.append(f"\n[[{name}]]" if isinstance(each, list) else f"\n[{name}]")
            lines.extend(_line(f"{name}.{word}", word, thing) for word, thing in one.items())
    return "".join(keys), "".join(line + "\n" for line in lines)


def _line(place, word, thing):
    """A key and its value; `place` is what errors call the key."""
    try:
        return f"{key(word)} = {value(thing)}"
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _is_table(thing):
    is_tables = isinstance(thing, list) and len(thing) > 0 and all(isinstance(each, dict) for each in thing)
    return isinstance(thing, dict) or is_tables
