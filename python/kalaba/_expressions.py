"""Expressions: the coordinates, rates and parameters of a model while it is recorded, and results computed from them."""

from __future__ import annotations

import builtins
import math
import numbers
import operator

import numpy as np

from . import _kalaba
from ._places import place_of_caller

# How tightly operations bind, as in the grammar of models (docs/models.md).
MASK, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)


class TracingError(TypeError):
    """An operation that is not possible while a model is recorded."""


class Expression:
    """A number without a value: an operation on other expressions. Operators and NumPy's functions make new ones.

    A comparison makes a condition, for `where` and `valid`. Neither has a value: `if` and `float` raise.
    """

    __slots__ = ("arguments", "binds", "head", "place")
    __hash__ = object.__hash__

    def __init__(self, head, arguments=(), binds=ATOM):
        self.head = head  # the text of an atom, else the operator or function
        self.arguments = arguments
        self.binds = binds
        self.place = place_of_caller()

    # ---- operators ----

    def __add__(self, other):
        return _binary("+", self, other, SUM)

    def __radd__(self, other):
        if _is_zero(other):  # the first term of Python's sum, or a zero of NumPy's
            return self
        return _binary("+", other, self, SUM)

    def __sub__(self, other):
        return _binary("-", self, other, SUM)

    def __rsub__(self, other):
        return _binary("-", other, self, SUM)

    def __mul__(self, other):
        return 0.0 if _is_zero(other) else _binary("*", self, other, PRODUCT)

    def __rmul__(self, other):
        return 0.0 if _is_zero(other) else _binary("*", other, self, PRODUCT)

    def __truediv__(self, other):
        return _binary("/", self, other, PRODUCT)

    def __rtruediv__(self, other):
        return _binary("/", other, self, PRODUCT)

    def __pow__(self, other):
        return _binary("^", self, other, POWER)

    def __rpow__(self, other):
        return _binary("^", other, self, POWER)

    def __neg__(self):
        return Expression("-", (self,), SIGN)

    def __pos__(self):
        return self

    def __abs__(self):
        return call("abs", self)

    def __lt__(self, other):
        return _binary("<", self, other, MASK)

    def __le__(self, other):
        return _binary("<=", self, other, MASK)

    def __gt__(self, other):
        return _binary(">", self, other, MASK)

    def __ge__(self, other):
        return _binary(">=", self, other, MASK)

    def __and__(self, other):
        return _binary("and", self, other, MASK)

    def __or__(self, other):
        return _binary("or", self, other, MASK)

    def __invert__(self):
        return Expression("not", (self,), MASK)

    # ---- conversions, which raise ----

    def __bool__(self):
        raise TracingError(f"{self} is not known while the model is recorded; {_way_out(self)}")

    def __eq__(self, other):
        raise TracingError(
            f"{self} == {other} is not known while the model is recorded; kalaba.equal({self}, {other}) states a constraint"
        )

    def __ne__(self, other):
        raise TracingError(f"{self} != {other} is not known while the model is recorded")

    def __float__(self):
        raise TracingError(
            f"{self} is not a number while the model is recorded; of the functions of math take those of numpy or "
            "kalaba: kalaba.sin in place of math.sin"
        )

    __int__ = __index__ = __float__

    def __iter__(self):
        raise TracingError(f"{self} is one number, not several")

    # ---- NumPy ----

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        function = UFUNCS.get(ufunc.__name__)
        if function is None:
            raise TracingError(f"numpy.{ufunc.__name__} cannot be recorded; there are {', '.join(sorted(UFUNCS))}")
        if method != "__call__" or options:
            found = "out; write a = a + b in place of a += b" if "out" in options else ", ".join(options) or method
            raise TracingError(f"numpy.{ufunc.__name__} cannot be recorded with {found}")
        return _elementwise(function, *inputs)

    def __array_function__(self, function, types, arguments, options):
        known = {np.where: where, np.clip: clamp}
        if function in known and not options:
            return _elementwise(known[function], *arguments)
        return function(*_for_numpy(arguments), **{word: _for_numpy(each) for word, each in options.items()})

    def __str__(self):
        return text_of(self)

    __repr__ = __str__


def _as_objects(thing):
    array = np.empty((), dtype=object)
    if isinstance(thing, Expression):
        array[()] = thing
        return array
    return np.asarray(thing, dtype=object)


def _elementwise(function, *arguments):
    """A function applied to the elements of arrays and lists; without these, its value."""
    return np.frompyfunc(function, len(arguments), 1)(*map(_as_objects, arguments))


def _for_numpy(thing):
    """Arrays in place of expressions, on which NumPy would call __array_function__ again."""
    if isinstance(thing, (list, tuple)):
        return (tuple if isinstance(thing, tuple) else list)(map(_for_numpy, thing))
    return _as_objects(thing) if isinstance(thing, Expression) else thing


def _way_out(condition):
    return f"kalaba.where({condition}, a, b)" if condition.binds == MASK else f"kalaba.where({condition} > 0, a, b)"


def expression(thing):
    """The expression of a number, Python's or NumPy's."""
    if isinstance(thing, Expression):
        return thing
    if isinstance(thing, np.ndarray) and thing.ndim == 0:
        return expression(thing[()])
    if isinstance(thing, bool) or not isinstance(thing, numbers.Real):
        raise TracingError(f"expected a number or an expression of the model, found {type(thing).__name__}: {thing!r}")
    number = float(thing)
    if not math.isfinite(number):
        raise TracingError(f"expected a finite number, found {number}")
    written = repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return Expression(written, (), SIGN if number < 0 or written.startswith("-") else ATOM)


def _is_zero(thing):
    """True for the number zero: products with the zeros of NumPy's matrices have no unit."""
    return isinstance(thing, (int, float, np.number)) and not isinstance(thing, bool) and thing == 0


def _binary(head, left, right, binds):
    for each in (left, right):
        if not isinstance(each, (Expression, numbers.Real, np.ndarray)) or getattr(each, "ndim", 0) > 0:
            return NotImplemented
    return Expression(head, (expression(left), expression(right)), binds)


def call(name, *arguments):
    """A function of the grammar, of numbers and expressions."""
    return Expression(name, tuple(expression(each) for each in arguments))


# ---- functions ----


def _function(name, python, numpy, least, most, meaning):
    """A function of the table in C++ (src/formula/functions): of expressions, and of numbers and arrays as NumPy's."""
    plain = getattr(np, numpy)

    def function(*arguments):
        if not least <= len(arguments) <= most:
            wanted = f"{least} argument{'s' * (least > 1)}" if least == most else f"{least} or more arguments"
            raise TypeError(f"kalaba.{python} takes {wanted}, found {len(arguments)}")
        if least != most:
            return call(name, *arguments)
        is_recorded = any(isinstance(each, Expression) for each in arguments)
        arrays = [each for each in arguments if isinstance(each, np.ndarray)]
        if arrays and (is_recorded or any(each.dtype == object for each in arrays)):
            return _elementwise(function, *arguments)
        return call(name, *arguments) if is_recorded else plain(*arguments)

    function.__name__ = function.__qualname__ = python
    function.__doc__ = f"{meaning}, of numbers and of expressions of a model." if least == most else f"{meaning}."
    return function


_TABLE = [each for each in _kalaba.functions() if not hasattr(builtins, each[1])]  # abs is Python's own
FUNCTIONS = {each[1]: _function(*each) for each in _TABLE}
BY_NAME = {name: FUNCTIONS[python] for name, python, *_ in _TABLE}  # the names in the text of a model


def clamp(x, low, high):
    """x, but no less than low and no more than high."""
    return call("clamp", x, low, high)


def where(condition, a, b):
    """a where the condition holds, else b. Replaces `if` while a model is recorded."""
    if not isinstance(condition, Expression):
        return a if condition else b
    return call("where", condition, a, b)


def norm(*arguments):
    """sqrt(a^2 + b^2 + ...)"""
    return call("norm", *arguments)


def quantity(value, unit):
    """A number with a unit: quantity(6, "1/s")."""
    if isinstance(value, Expression):
        raise TracingError(f"expected a number to have the unit {unit}, found the expression {value}")
    number = expression(value)
    return Expression(f"{number}[{unit}]", (), number.binds)


def _of_expressions(operation):
    return lambda *arguments: operation(*map(expression, arguments))


_OPERATIONS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "float_power": operator.pow, "square": lambda x: x**2, "reciprocal": lambda x: 1 / x,
    "negative": operator.neg, "positive": operator.pos, "conjugate": operator.pos, "absolute": abs, "fabs": abs,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "logical_and": operator.and_, "logical_or": operator.or_, "logical_not": operator.invert,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "invert": operator.invert,
}  # fmt: skip

UFUNCS = {
    **{name: _of_expressions(operation) for name, operation in _OPERATIONS.items()},
    **{numpy: FUNCTIONS[python] for _, python, numpy, *_ in _TABLE},
    "hypot": norm, "fmin": FUNCTIONS["minimum"], "fmax": FUNCTIONS["maximum"],
}  # fmt: skip

# For arrays of objects NumPy calls methods of these names.
for _name in (*(numpy for _, _, numpy, least, most, _ in _TABLE if least == most), "hypot", "square", "conjugate"):
    setattr(Expression, _name, UFUNCS[_name])


def text_of(node):
    """The expression in the grammar of models, without shared parts: for messages."""
    from ._writing import in_order, write

    order, size = in_order([node])[0], {}
    for each in order:
        size[id(each)] = 1 + sum(size[id(part)] for part in each.arguments)
    text = write(node, {id(each): "..." for each in order if size[id(each)] > 1000}, defines=True)[0]
    return text if len(text) <= 60 else text[:57] + "..."
