"""Kalaba: ensembles of constrained mechanical systems.

    import kalaba

    @kalaba.model(parameters=dict(m="1 kg", L="1 m", g="9.81 m/s^2"), coordinates=dict(x="m", z="m"))
    def pendulum(p, q, v, t):
        return dict(
            lagrangian=p.m * (v.x**2 + v.z**2) / 2 - p.m * p.g * q.z,
            holonomic=dict(rod=kalaba.equal(q.x**2 + q.z**2, p.L**2)),
            start=dict(x=p.L),
        )

    result = kalaba.sweep(pendulum, 1000, parameters=dict(L=kalaba.uniform(0.5, 2)), end=5)
    print(result.summary)
    result.plot("x")

A model (`model`, `Model`) and what its members get (`Ensemble`) make a run (`run`, `sweep`, `simulate`), and that a
`Result`. All words are those of scenario files, docs/scenario.md; docs/python.md describes more.
"""

from . import _compiler, _kalaba
from ._dataset import Dataset
from ._distributions import (
    Clock,
    Correlated,
    Distribution,
    Event,
    clock,
    column,
    correlated,
    discrete,
    event,
    linspace,
    log_uniform,
    normal,
    uniform,
    values,
)
from ._ensemble import Ensemble, read
from ._errors import BackendError, Error, FileError, InputError, InternalError, MembersFailed, ModelError
from ._expressions import FUNCTIONS, Expression, TracingError, clamp, norm, quantity, where
from ._fit import Fit, fit
from ._mechanism import Body, Mechanism
from ._model import Model, catalogue, model
from ._result import Result, Summary
from ._run import merge, open, run, simulate, submit, sweep
from ._tracing import Equation, equal, ideal

_compiler.offer()
__version__ = _kalaba.version

globals().update(FUNCTIONS)

__all__ = sorted([
    "BackendError", "Body", "Clock", "Correlated", "Dataset", "Distribution", "Ensemble", "Equation", "Error", "Event", "Expression",
    "FileError", "Fit", "InputError", "InternalError", "Mechanism", "MembersFailed", "Model", "ModelError", "Result", "Summary",
    "TracingError", "catalogue", "clamp", "clock", "column", "correlated", "discrete", "equal", "event", "fit", "ideal", "linspace",
    "log_uniform", "merge", "model", "norm", "normal", "open", "quantity", "read", "run", "simulate", "submit", "sweep",
    "uniform", "values", "where", *FUNCTIONS,
])  # fmt: skip

# Messages and help name the public module.
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__


def __getattr__(name):
    if name in ("plotting", "jax", "torch"):  # which import optional packages
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'kalaba' has no attribute {name!r}{_errors.nearest(name, __all__)}")


from . import _errors
