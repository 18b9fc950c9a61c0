#!/usr/bin/env python3
"""Writes docs/python_api.md from the docstrings of the package that is installed:

    python docs/write_python_api.py >docs/python_api.md
"""

import ast
import importlib
import inspect
import pathlib
import re

import kalaba
from kalaba import plotting

HEAD = """# The Python package, name by name

Written by `docs/write_python_api.py` from the docstrings: do not edit. [From Python](python.md) is the way in. Shapes are in
parentheses, the slowest dimension first; numbers have the units of the model's table, times are in seconds.
"""

# Parts of the page, in its order, and the modules whose names they list.
PARTS = {
    "Models": ["_model"], "Mechanisms": ["_mechanism"], "Formulas": ["_tracing", "_expressions"], "Ensembles": ["_ensemble"],
    "What members get": ["_distributions"], "Runs": ["_run"], "Results": ["_result", "_dataset"],
    "Pictures": ["plotting", "_animation"], "Gradients": [], "Fits": ["_fit"], "Errors": ["_errors"],
}  # fmt: skip


def part_of(name):
    """The part that a public name belongs to, by the module that states it."""
    stating = re.compile(rf"^(def|class) {name}\b|^{name} = ", re.MULTILINE)
    for part, modules in PARTS.items():
        for module in modules:
            if stating.search(inspect.getsource(importlib.import_module(f"kalaba.{module}"))):
                return part
    if name in importlib.import_module("kalaba._expressions").FUNCTIONS:
        return "Formulas"
    raise LookupError(f"no part of the page has {name}")


def signature_of(thing):
    """As a call is written, without types and without self."""
    parameters = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in inspect.signature(thing).parameters.values()
        if each.name not in ("self", "cls")
    ]
    return str(inspect.Signature(parameters))


def entry(name, thing, level):
    """A heading, and what its docstring says."""
    is_called = inspect.isfunction(thing) or inspect.ismethod(thing)
    if inspect.isclass(thing):
        is_called = "__init__" in vars(thing) and not issubclass(thing, Exception)
    heading = f"{'#' * level} `{name}{signature_of(thing) if is_called else ''}`"
    return f"{heading}\n\n```text\n{inspect.getdoc(thing)}\n```\n"


def members_of(name, stated):
    """The public methods and properties of a class, each an entry."""
    for each, thing in vars(stated).items():
        is_method = inspect.isfunction(thing) or isinstance(thing, (property, classmethod))
        if is_method and not each.startswith("_"):
            shown = thing if isinstance(thing, property) else getattr(stated, each)
            yield entry(f"{name}.{each}", shown, 4)


def gradients():
    """Entries of the modules that import JAX and PyTorch, which need not be installed: from their source."""
    for name in ("jax", "torch"):
        source = pathlib.Path(kalaba.__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        stated = next(each for each in ast.parse(source).body if getattr(each, "name", "") == "simulate")
        heading = f"### `kalaba.{name}.simulate({ast.unparse(stated.args)})`"
        yield f"{heading}\n\n```text\n{ast.get_docstring(stated)}\n```\n"


def page():
    """The whole text."""
    parts = {part: [] for part in PARTS}
    public = {f"kalaba.{name}": getattr(kalaba, name) for name in kalaba.__all__}
    public |= {f"kalaba.plotting.{name}": getattr(plotting, name) for name in ("plot", "animate")}
    for name, thing in public.items():
        part = parts[part_of(name.rpartition(".")[2])]
        part.append(entry(name, thing, 3))
        if inspect.isclass(thing) and name != "kalaba.Expression":  # whose methods are operators and NumPy's
            part.extend(members_of(name, thing))
    parts["Gradients"].extend(gradients())
    text = [HEAD]
    for part, entries in parts.items():
        text.append(f"## {part}\n")
        text.extend(entries)
    return "\n".join(text)


if __name__ == "__main__":
    print(page(), end="")
