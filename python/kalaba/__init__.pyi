"""Types of the package for type checkers and editors; the docstrings are in the code."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

_Path: TypeAlias = str | os.PathLike[str]
_Doubles: TypeAlias = NDArray[np.float64]
_Number: TypeAlias = float | Expression
_Declared: TypeAlias = Mapping[str, str | float | Mapping[str, Any]] | Sequence[str]
_Input: TypeAlias = float | str | Distribution | Mapping[str, Any] | ArrayLike

class _Table(Protocol):  # of pandas or polars
    @property
    def columns(self) -> Any: ...
    def __getitem__(self, name: Any, /) -> Any: ...

class _ArrowTable(Protocol):
    @property
    def column_names(self) -> Any: ...
    def __getitem__(self, name: Any, /) -> Any: ...

_Inputs: TypeAlias = Mapping[str, _Input] | _Table | _ArrowTable | NDArray[np.void]
_Kind: TypeAlias = Literal[
    "fan", "lines", "path", "phase", "histogram", "density", "heatmap", "scatter", "events", "sensitivity"
]  # fmt: skip

__version__: str
plotting: ModuleType
jax: ModuleType
torch: ModuleType

# ---- exceptions ----

class Error(Exception):
    code: int

class InputError(Error, ValueError): ...

class ModelError(InputError):
    filename: str | None
    lineno: int | None
    text: str | None
    def __init__(
        self, message: str, filename: str | None = None, lineno: int | None = None, text: str | None = None
    ) -> None: ...

class FileError(Error, OSError): ...
class BackendError(Error, RuntimeError): ...
class InternalError(Error, RuntimeError): ...

class MembersFailed(Error, RuntimeError):
    result: Result
    def __init__(self, message: str, result: Result | None = None) -> None: ...

class TracingError(TypeError): ...

# ---- expressions ----

class Expression:
    head: str
    arguments: tuple[Expression, ...]
    binds: int
    place: tuple[Any, int, int] | None
    def __init__(self, head: str, arguments: tuple[Expression, ...] = (), binds: int = 5) -> None: ...
    def __add__(self, other: _Number) -> Expression: ...
    def __radd__(self, other: _Number) -> Expression: ...
    def __sub__(self, other: _Number) -> Expression: ...
    def __rsub__(self, other: _Number) -> Expression: ...
    def __mul__(self, other: _Number) -> Expression: ...
    def __rmul__(self, other: _Number) -> Expression: ...
    def __truediv__(self, other: _Number) -> Expression: ...
    def __rtruediv__(self, other: _Number) -> Expression: ...
    def __pow__(self, other: _Number) -> Expression: ...
    def __rpow__(self, other: _Number) -> Expression: ...
    def __neg__(self) -> Expression: ...
    def __pos__(self) -> Expression: ...
    def __abs__(self) -> Expression: ...
    def __lt__(self, other: _Number) -> Expression: ...
    def __le__(self, other: _Number) -> Expression: ...
    def __gt__(self, other: _Number) -> Expression: ...
    def __ge__(self, other: _Number) -> Expression: ...
    def __and__(self, other: Expression) -> Expression: ...
    def __or__(self, other: Expression) -> Expression: ...
    def __invert__(self) -> Expression: ...

class Equation:
    left: Expression
    right: Expression
    meaning: str
    holds: str
    def __init__(self, left: Expression, right: Expression, meaning: str = "", holds: str = "") -> None: ...

class _Ideal:
    def __getattr__(self, name: str) -> Expression: ...
    def __getitem__(self, name: str) -> Expression: ...

ideal: _Ideal

def equal(left: _Number, right: _Number, meaning: str = "", while_: str | Expression = "") -> Equation: ...
def quantity(value: float, unit: str) -> Expression: ...
def where(condition: Expression | bool, a: Any, b: Any) -> Any: ...
def clamp(x: _Number, low: _Number, high: _Number) -> Expression: ...
def minimum(*arguments: _Number) -> Expression: ...
def maximum(*arguments: _Number) -> Expression: ...
def norm(*arguments: _Number) -> Expression: ...

# These return an expression for an expression, a number for a number and an array for an array.
def sqrt(x: Any, /) -> Any: ...
def sin(x: Any, /) -> Any: ...
def cos(x: Any, /) -> Any: ...
def tan(x: Any, /) -> Any: ...
def asin(x: Any, /) -> Any: ...
def acos(x: Any, /) -> Any: ...
def atan(x: Any, /) -> Any: ...
def atan2(y: Any, x: Any, /) -> Any: ...
def tanh(x: Any, /) -> Any: ...
def exp(x: Any, /) -> Any: ...
def log(x: Any, /) -> Any: ...
def sign(x: Any, /) -> Any: ...

# ---- models ----

class _Variable(NamedTuple):
    name: str
    unit: str
    value: float
    meaning: str

class _Variables(Sequence[_Variable]):
    names: list[str]
    @overload
    def __getitem__(self, which: int | str) -> _Variable: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[_Variable, ...]: ...
    def __len__(self) -> int: ...
    def require(self, names: Iterable[str]) -> None: ...

class _Terms(dict[str, Any]):
    G: _Doubles
    force: _Doubles
    A: _Doubles
    b: _Doubles
    K: _Doubles
    phi: _Doubles
    psi: _Doubles
    rate: _Doubles
    multipliers: _Doubles
    constraint_force: _Doubles
    rank: int
    energy: float
    status: str

class _Report:
    failed: int
    verdicts: list[dict[str, Any]]
    def __bool__(self) -> bool: ...

class Model:
    @classmethod
    def catalogue(cls, name: str, **structure: int) -> Model: ...
    @classmethod
    def read(
        cls,
        path: _Path,
        *,
        parameters: Iterable[str] = (),
        floating: bool = False,
        limits: bool = False,
        contacts: bool = False,
        keyframe: str | None = None,
    ) -> Model: ...
    @classmethod
    def parse(cls, text: str, name: str = "model") -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def formulation(self) -> Literal["lagrange", "hamilton", "kane"]: ...
    @property
    def structure(self) -> dict[str, int]: ...
    @property
    def equations(self) -> str: ...
    @property
    def sizes(self) -> str: ...
    @property
    def parameters(self) -> _Variables: ...
    @property
    def coordinates(self) -> _Variables: ...
    @property
    def rates(self) -> _Variables: ...
    @property
    def constraints(self) -> _Variables: ...
    @property
    def invariants(self) -> _Variables: ...
    @property
    def notes(self) -> list[str]: ...
    def with_structure(self, **structure: int) -> Model: ...
    def to_toml(self, path: _Path | None = None) -> str: ...
    def latex(self) -> str: ...
    def terms(
        self,
        q: ArrayLike | Mapping[str, float] | None = None,
        w: ArrayLike | Mapping[str, float] | None = None,
        t: float = 0.0,
        **p: float,
    ) -> _Terms: ...
    def check(self, long: bool = False) -> _Report: ...

@overload
def model(
    function: None = None,
    *,
    parameters: _Declared | None = None,
    discrete: _Declared | None = None,
    coordinates: _Declared,
    rates: _Declared | None = None,
    momenta: _Declared | None = None,
    quasi_velocities: _Declared | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Mapping[str, Any]]], Model]: ...
@overload
def model(
    function: Callable[..., Mapping[str, Any]],
    *,
    parameters: _Declared | None = None,
    discrete: _Declared | None = None,
    coordinates: _Declared,
    rates: _Declared | None = None,
    momenta: _Declared | None = None,
    quasi_velocities: _Declared | None = None,
    name: str | None = None,
) -> Model: ...
def catalogue() -> list[str]: ...

class Body:
    name: str
    def __init__(self, name: str) -> None: ...

class Mechanism:
    def __init__(
        self,
        name: str = "mechanism",
        *,
        gravity: Sequence[float | str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        poses: str | Sequence[Body | str] | None = None,
        coordinates: Literal["joint", "body"] | None = None,
        impacts: Literal["simultaneous", "sequential"] | None = None,
        summary: str | None = None,
        source: str | None = None,
        note: str | None = None,
    ) -> None: ...
    def body(
        self,
        name: str,
        *,
        mass: float | str | None = None,
        com: Sequence[float | str] | None = None,
        inertia: Sequence[float | str] | None = None,
        **shape: Any,
    ) -> Body: ...
    def joint(self, name: str, type: str, *, child: Body | str, parent: Body | str | None = None, **words: Any) -> None: ...
    def hinge(
        self, name: str, *, child: Body | str, axis: Sequence[float | str], parent: Body | str | None = None, **words: Any
    ) -> None: ...
    def slide(
        self, name: str, *, child: Body | str, axis: Sequence[float | str], parent: Body | str | None = None, **words: Any
    ) -> None: ...
    def ball(self, name: str, *, child: Body | str, parent: Body | str | None = None, **words: Any) -> None: ...
    def free(self, name: str, *, child: Body | str, parent: Body | str | None = None, **words: Any) -> None: ...
    def weld(self, name: str, *, child: Body | str, parent: Body | str | None = None, **words: Any) -> None: ...
    def connect(self, name: str, *, child: Body | str, parent: Body | str | None = None, **words: Any) -> None: ...
    def couple(self, name: str, equation: str) -> None: ...
    def motor(self, name: str, joint: str, *, torque: float | str | None = None, force: float | str | None = None) -> None: ...
    def force(
        self,
        name: str,
        body: Body | str,
        *,
        at: Sequence[float | str] | None = None,
        force: Sequence[float | str] | None = None,
        torque: Sequence[float | str] | None = None,
    ) -> None: ...
    def spring(
        self,
        name: str,
        start: Sequence[Any],
        end: Sequence[Any],
        *,
        stiffness: float | str | None = None,
        length: float | str | None = None,
        damping: float | str | None = None,
    ) -> None: ...
    def point(self, name: str, body: Body | str, at: Sequence[float | str] = (0, 0, 0)) -> None: ...
    def contact(
        self,
        name: str,
        gap: str,
        *,
        restitution: float | str | None = None,
        law: Literal["newton", "poisson"] | None = None,
        friction: float | str | None = None,
        slip: str | Sequence[str] | None = None,
        meaning: str | None = None,
    ) -> None: ...
    def output(self, name: str, expression: str) -> None: ...
    def start(self, **values: Any) -> None: ...
    def table(self, name: str, **entries: Any) -> None: ...
    def parameter(self, name: str, value: Any) -> None: ...
    def to_toml(self) -> str: ...
    def model(self) -> Model: ...

# ---- inputs ----

class Distribution:
    words: dict[str, Any]
    def __init__(self, words: dict[str, Any]) -> None: ...

class Correlated:
    means: dict[str, float]
    words: dict[str, Any]
    def __init__(self, means: dict[str, float], words: dict[str, Any]) -> None: ...
    def table(self) -> dict[str, Any]: ...

class Event:
    name: str
    when: str
    direction: str
    action: str
    set: dict[str, str | float] | None
    def __init__(
        self,
        name: str,
        when: str,
        direction: str = "any",
        action: str = "stop",
        set: dict[str, str | float] | None = None,
    ) -> None: ...
    def table(self) -> dict[str, Any]: ...

class Clock:
    name: str
    every: float
    set: dict[str, str | float]
    offset: float
    delay: int
    def __init__(
        self, name: str, every: float, set: dict[str, str | float], offset: float = 0.0, delay: int = 0
    ) -> None: ...
    def table(self) -> dict[str, Any]: ...

def uniform(low: float, high: float) -> Distribution: ...
def normal(mean: float, sd: float, within: tuple[float, float] | None = None) -> Distribution: ...
def log_uniform(low: float, high: float) -> Distribution: ...
def discrete(values: Iterable[float], weights: Iterable[float] | None = None) -> Distribution: ...
def linspace(first: float, last: float, points: int) -> Distribution: ...
def values(points: Iterable[float]) -> Distribution: ...
def column(file: _Path, name: str | None = None) -> Distribution: ...
def correlated(
    means: Mapping[str, float],
    *,
    covariance: ArrayLike | None = None,
    std: ArrayLike | None = None,
    correlation: ArrayLike | None = None,
) -> Correlated: ...
def event(
    name: str,
    when: str | Expression,
    direction: Literal["rising", "falling", "any"] | None = None,
    action: Literal["stop", "record"] | None = None,
    set: Mapping[str, str | float | Expression] | None = None,
) -> Event: ...
def clock(
    name: str,
    every: float,
    set: Mapping[str, str | float | Expression],
    offset: float = 0.0,
    delay: int = 0,
) -> Clock: ...

class Ensemble:
    model: Model
    def __init__(
        self,
        model: Model | str,
        members: int | None = None,
        *,
        seed: int | None = None,
        design: Literal["independent", "latin_hypercube", "sobol", "one_at_a_time", "saltelli"] | None = None,
        parameters: _Inputs | None = None,
        initial: _Inputs | None = None,
        project: bool | Literal["keep_given", "keep_varied", "refuse"] | None = None,
        grid: Sequence[str] | None = None,
        correlated: Correlated | Sequence[Correlated] = (),
        agents: Sequence[Mapping[str, Any]] = (),
        structure: Mapping[str, int] | None = None,
    ) -> None: ...
    @classmethod
    def from_arrays(
        cls,
        model: Model | str,
        q: ArrayLike | Mapping[str, ArrayLike] | None = None,
        w: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        project: bool | Literal["keep_given", "keep_varied", "refuse"] | None = None,
        **parameters: ArrayLike,
    ) -> Ensemble: ...
    @property
    def members(self) -> int: ...
    @property
    def inputs(self) -> Any: ...
    def parameter(self, name: str) -> _Doubles: ...
    def initial(self, name: str) -> _Doubles: ...
    def restart(self) -> Ensemble: ...
    def to_toml(self, path: _Path | None = None, **options: Any) -> str: ...

def read(path: _Path) -> Ensemble: ...

# ---- runs ----

class Dataset(Mapping[str, NDArray[Any]]):
    dims: dict[str, tuple[str, ...]]
    attrs: dict[str, Any]
    def __init__(
        self,
        arrays: Mapping[str, Callable[[], NDArray[Any]]],
        dims: Mapping[str, tuple[str, ...]],
        variable_attrs: Mapping[str, Mapping[str, Any]],
        attrs: Mapping[str, Any],
    ) -> None: ...
    @property
    def units(self) -> dict[str, str]: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __getattr__(self, name: str) -> NDArray[Any]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Summary(dict[str, Any]):
    text: str
    def __init__(self, text: str, content: Mapping[str, Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Result:
    files: list[str]
    complete: bool
    summary: Summary
    @property
    def path(self) -> str | None: ...
    @property
    def dataset(self) -> Any: ...
    def grid(self) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def transition_matrix(self) -> _Doubles: ...
    def motion(self, member: int = 0) -> Any: ...
    @property
    def failed_members(self) -> int: ...
    @property
    def failed(self) -> Any: ...
    @property
    def statistics(self) -> Any: ...
    @property
    def events(self) -> Any: ...
    def sobol(self, *variables: str, over_time: bool = False) -> Any: ...
    def save(self, path: _Path) -> Result: ...
    def resume(self, **options: Any) -> Result: ...
    def report(self, path: _Path | None = None) -> str: ...
    def explore(self, path: _Path | None = None, points: Sequence[Sequence[str | float]] | None = None) -> str: ...
    def to_parquet(self, path: _Path, *, table: Literal["members", "events"] = "members") -> str: ...
    def plot(
        self,
        *variables: str,
        kind: _Kind | None = None,
        by: str | None = None,
        over: Sequence[str] | None = None,
        member: int | Sequence[int] | None = None,
        ax: Any = None,
        **style: Any,
    ) -> Any: ...
    def animate(
        self, points: Sequence[tuple[Any, Any]] | None = None, member: int = 0, ax: Any = None, **options: Any
    ) -> Any: ...

class _Options(TypedDict, total=False):  # the options of `kalaba list --options`, and what else a run takes
    start: float
    end: float
    dt: float
    save_every: Any
    save_at: Any
    backend: Literal["auto", "cuda", "cpu", "reference"]
    precision: Literal["double", "single"]
    integrator: Literal["rk4", "dopri5", "dop853", "taylor", "rodas5p"]
    pseudo_inverse: Literal["svd", "qr", "ldlt", "cusolver", "auto"]
    relative_tolerance: float
    absolute_tolerance: float
    largest_step: float
    smallest_step: float
    max_steps: int
    max_changes: float
    rank_tolerance: float
    consistency_tolerance: float
    stabilization: Any
    compile: Literal["auto", "never", "always"]
    threads: int
    block_members: int
    memory: float
    devices: Any
    threads_per_member: int
    pair_sum: Literal["auto", "all_pairs", "cells", "multipole"]
    pair_tolerance: float
    fields: Any
    statistics: Any
    quantiles: Any
    histogram: Any
    group_by: Any
    compression: int
    trajectories: bool
    events: Any
    clocks: Any
    sensitivities: Any
    lyapunov: bool
    tolerance: float

def run(
    ensemble: Ensemble | Model | str,
    *,
    out: _Path | None = None,
    progress: Literal["auto"] | bool | Callable[[int, int], None] | None = "auto",
    resume: bool = False,
    restart: bool = False,
    shard: tuple[int, int] | None = None,
    client: Any = None,
    shards: int | None = None,
    on_failure: Literal["keep", "raise"] = "keep",
    **options: Unpack[_Options],
) -> Result: ...
def sweep(
    model: Model | str,
    members: int | None = None,
    *,
    seed: int | None = None,
    design: Literal["independent", "latin_hypercube", "sobol", "one_at_a_time", "saltelli"] | None = None,
    parameters: _Inputs | None = None,
    initial: _Inputs | None = None,
    project: bool | Literal["keep_given", "keep_varied", "refuse"] | None = None,
    grid: Sequence[str] | None = None,
    correlated: Correlated | Sequence[Correlated] = (),
    agents: Sequence[Mapping[str, Any]] = (),
    structure: Mapping[str, int] | None = None,
    out: _Path | None = None,
    progress: Literal["auto"] | bool | Callable[[int, int], None] | None = "auto",
    resume: bool = False,
    restart: bool = False,
    shard: tuple[int, int] | None = None,
    client: Any = None,
    shards: int | None = None,
    on_failure: Literal["keep", "raise"] = "keep",
    **options: Unpack[_Options],
) -> Result: ...
def simulate(
    model: Model | str,
    *,
    parameters: Mapping[str, float] | None = None,
    initial: Mapping[str, float] | None = None,
    **options: Any,
) -> Any: ...

class Fit:
    values: dict[str, float]
    errors: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    correlation: _Doubles
    converged: bool
    determined: bool
    complaints: list[str]
    residuals: dict[str, tuple[_Doubles, _Doubles]]
    starts: dict[str, int]
    minima: list[dict[str, Any]]
    figures: dict[str, Any]
    @property
    def ensemble(self) -> Ensemble: ...

def fit(
    ensemble: Ensemble | Model | str,
    data: _Path | Mapping[str, ArrayLike],
    free: str | Iterable[str],
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    sigma: float | Mapping[str, float] | None = None,
    columns: Sequence[str] | None = None,
    starts: int = 1,
    iterations: int = 100,
    progress: Callable[[int, int, float], object] | None = None,
    **options: Any,
) -> Fit: ...
def merge(results: Iterable[Result | _Path], out: _Path | None = None) -> Result: ...
def submit(
    ensemble: Ensemble | Model | str,
    shards: int,
    out: _Path,
    *,
    time: str | None = None,
    scheduler: Literal["slurm", "pbs"] = "slurm",
    scheduler_options: Sequence[str] = (),
    dry_run: bool = False,
    **options: Any,
) -> None: ...
def open(path: _Path) -> Result: ...
