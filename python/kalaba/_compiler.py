"""The compiler of the package `ziglang` (pip install 'kalaba[compiler]'), for machines that have none of their own."""

import importlib.util
import os

from . import _kalaba

_ADVICE = "pip install 'kalaba[compiler]' brings one"


def offer():
    """Registers the compiler with the library, which compiles models with it if there is no other."""
    _kalaba.set_spare_compiler(_words(), _ADVICE)


def _words():
    """Its command; models need no library, not even that of C, which zig would first have to build."""
    found = importlib.util.find_spec("ziglang")
    program = os.path.join(os.path.dirname(found.origin), "zig") if found is not None and found.origin else ""
    return [program, "c++", "-nostdlib"] if os.access(program, os.X_OK) else []
