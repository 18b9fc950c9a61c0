"""Records a Python function as a model: calls it once with expressions, and writes the table [model] from its result."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from . import _kalaba, _toml
from ._errors import SCENARIO, nearest
from ._expressions import Expression, TracingError, expression
from ._function import code_of, first_taken, without_partials
from ._metric import metric
from ._source_lines import at_line, explained, model_error
from ._writing import share, write

_NUMBERS = ("lagrangian", "hamiltonian", "energy", "valid")
_BY_NAME = ("force", "velocity", "non_ideal", "gain", "start", "let")
_EQUATIONS = ("holonomic", "nonholonomic")
_PLAIN = ("time", "events", "clocks", "stabilization", "figures", "singular_metric", "impacts", "source", "note", "summary")
_KEYS = (*_NUMBERS, *_BY_NAME, *_EQUATIONS, *_PLAIN, "mass", "metric", "actuation", "invariants", "outputs", "unilateral", "noise")
_OF_CONTACT = ("gap", "restitution", "friction", "slip")


@dataclass(frozen=True)
class Equation:
    """left = right, a constraint."""

    left: Expression
    right: Expression
    meaning: str = ""
    holds: str = ""


def equal(left, right, meaning="", while_=""):
    """The constraint left = right, for `holonomic` and `nonholonomic`; `while_`: the name of a discrete variable that is
    zero while it does not hold."""
    return Equation(expression(left), expression(right), meaning, str(while_))


class Names:
    """Named numbers of a model while it is recorded: q.x, q["x"], q[0]; they come in their order."""

    def __init__(self, what, expressions, aliases=None):
        self._what = what
        self._all = expressions
        self._aliases = aliases or {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name):
        if isinstance(name, slice):
            return [self[each] for each in [*self._all][name]]
        if hasattr(name, "__index__") and -len(self) <= name < len(self):
            name = [*self._all][name]
        found = self._all.get(name, self._aliases.get(name))
        if found is not None:
            return Expression(found)  # a new one, with the place of this use
        known = [*self._all, *self._aliases]
        raise TracingError(f"there is no {self._what} {name}{nearest(name, known)} (there are {', '.join(known)})")

    def __iter__(self):
        return iter([Expression(each) for each in self._all.values()])

    def __len__(self):
        return len(self._all)

    def __dir__(self):
        return [*self._all, *self._aliases]


class Ideal:
    """The ideal constraint forces, for `non_ideal`: kalaba.ideal.x is the one along x, kalaba.ideal.wire the multiplier of
    the constraint wire."""

    __getattr__ = Names.__getattr__

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise TracingError(f"expected the name of a coordinate, as kalaba.ideal.x has, found {name!r}")
        return Expression(f"ideal.{name}")


class Recording:
    """Recording of one call of a function."""

    def __init__(self, function, declarations):
        self.function = function
        self.code = code_of(function)
        self.declarations = declarations
        self.lines = {}  # of the text, from 1 -> the texts there with the spans of their parts
        said = self._call("{}_dot", "p_{}")
        if "hamiltonian" in said:
            said = self._call("p_{}")  # the third argument holds momenta: p_x in place of x_dot
        self._check_keys(said)
        self.text = self._write(said)

    # ---- the call ----

    def _call(self, *rates):
        try:
            arguments = first_taken(self.function, [*self._arguments(rates)])
        except TypeError as error:
            self._fail(error)
        try:
            said = self.function(*arguments)
        except TracingError as error:
            raise at_line(error) from None
        if not isinstance(said, dict):
            self._fail(f"expected the function to return a dict, the table of a model; found {type(said).__name__}")
        return said

    def _arguments(self, forms):
        """`forms`: of the names of rates; v.x is of the first, the others are there by name."""
        coordinates = list(self.declarations["coordinates"])
        own = self.declarations.get("rates") or self.declarations.get("momenta")
        quasi = self.declarations.get("quasi_velocities")
        rates = [*own] if own else [form.format(name) for form in forms for name in coordinates]
        constant = [*self.declarations["parameters"], *self.declarations["discrete"]]
        yield Names("parameter", {name: name for name in constant})
        yield Names("coordinate", {name: name for name in coordinates})
        of_coordinates = dict(zip(coordinates, rates))
        if quasi:
            yield Names("quasi-velocity", {name: name for name in quasi}, {n: f"{n}_dot" for n in coordinates})
        else:
            yield Names("rate", of_coordinates, {name: name for name in rates})
        yield Expression("t")

    def _fail(self, message):
        raise model_error(f"{self.declarations['name']}: {message}", (self.code, -1, self.code.co_firstlineno))

    def _check_keys(self, said):
        for name in said:
            if name not in _KEYS:
                self._fail(f"a model has no {name!r}{nearest(name, _KEYS)} (it may have {', '.join(_KEYS)})")

    # ---- the text ----

    def _write(self, said):
        """A line a key. Every expression is a root; what they share is written once, under let."""
        entries = [*self._entries(said)]
        roots = [node for _, _, _, nodes in entries for node in nodes]
        taken = {*self.declarations["parameters"], *self.declarations["discrete"], *self.declarations["coordinates"], *(said.get("let") or {})}
        names, shared = share(roots, taken)
        lines = ["[model]", *self._head(said)]
        table = None
        by_table = sorted(entries, key=lambda entry: entry[0] != "")  # keys without a table of their own come first
        shared_at = next((i for i, entry in enumerate(by_table) if entry[0]), len(by_table))
        for entry in by_table[:shared_at]:
            self._add(lines, entry, names)
        lines += self._declared()
        lets = [("let", names[id(node)], '"{}"', [node]) for node in shared]
        stated = [entry for entry in by_table[shared_at:] if entry[0] == "let"]
        rest = [entry for entry in by_table[shared_at:] if entry[0] != "let"]
        for entry in [*lets, *stated, *rest]:
            if entry[0] != table:
                table = entry[0]
                lines += ["", f"[model.{table}]"]
            self._add(lines, entry, names, defines=entry in lets)
        lines += self._plain(said)
        return "\n".join(lines) + "\n"

    def _add(self, lines, entry, names, defines=False):
        """`entry`: table, key, a form with {} for each text, the texts' expressions."""
        _, key, form, nodes = entry
        written = [write(node, names, defines) for node in nodes]
        lines.append(f"{key} = " + form.format(*[text for text, _ in written]))
        self.lines[len(lines)] = written

    def _head(self, said):
        name = self.declarations["name"]
        doc = inspect.getdoc(without_partials(self.function)) or ""
        summary = said.get("summary", " ".join(doc.split("\n\n")[0].split()))
        yield f"name = {_toml.value(name)}"
        for word, text in {"summary": summary, "source": said.get("source"), "note": said.get("note")}.items():
            if text:
                yield f"{word} = {_toml.value(text)}"
        for word in ("singular_metric", "stabilization", "impacts"):
            if word in said:
                yield f"{word} = {_toml.value(said[word])}"

    def _declared(self):
        for table in ("parameters", "discrete", "coordinates", "rates", "momenta", "quasi_velocities"):
            declared = self.declarations.get(table)
            if declared:
                yield from ["", f"[model.{table}]"]
                for name, what in declared.items():
                    yield f"{_toml.key(name)} = {_toml.value(what)}"

    def _plain(self, said):
        if "time" in said:
            yield from ["", "[model.time]"]
            yield from (f"{key} = {_toml.value(each)}" for key, each in self._items("time", said["time"]))
        for table in ("events", "clocks", "figures"):
            for each in self._list(table, said.get(table, ())):
                yield from ["", f"[[model.{table}]]"]
                of = each.table() if hasattr(each, "table") else each
                yield from (f"{_toml.key(key)} = {_toml.value(thing)}" for key, thing in self._items(table, of))

    # ---- what was returned, as (table, key, form, expressions) ----

    def _entries(self, said):
        for key, thing in said.items():
            if key in _NUMBERS:
                yield "", key, '"{}"', [self._expression(key, thing)]
            elif key in ("mass", "metric"):
                yield self._metric(key, thing)
            elif key in _BY_NAME:
                for name, each in self._items(key, thing):
                    # A bare number under [model.start] takes the unit of its place.
                    is_bare = key in ("start", "let") and not isinstance(each, Expression)
                    yield key, _toml.key(name), "{}" if is_bare else '"{}"', [self._expression(f"{key}.{name}", each)]
            elif key in _EQUATIONS:
                for name, each in self._items(key, thing):
                    yield self._equation(key, name, each)
            elif key == "actuation":
                for name, column in self._items(key, thing):
                    yield key, _toml.key(name), *self._table(f"{key}.{name}", column)
            elif key == "invariants":
                for name, each in self._items(key, thing):
                    yield self._invariant(name, each)
            elif key == "outputs":
                for name, each in self._items(key, thing):
                    yield key, _toml.key(name), '"{}"', [self._expression(f"{key}.{name}", each)]
            elif key == "unilateral":
                for name, contact in self._items(key, thing):
                    yield self._contact(name, contact)
            elif key == "noise":
                for name, each in self._items(key, thing):
                    yield self._noise(name, each)

    def _items(self, key, thing):
        if not isinstance(thing, dict):
            self._fail(f"{key}: expected a dict of names, found {type(thing).__name__}")
        for name in thing:
            if not isinstance(name, str):
                self._fail(f"{key}: expected names, found {name!r}")
        return thing.items()

    def _list(self, key, thing):
        if isinstance(thing, (dict, str)) or not hasattr(thing, "__iter__"):
            self._fail(f"{key}: expected a list, found {type(thing).__name__}")
        return thing

    def _table(self, key, thing):
        items = self._items(key, thing)
        form = "{{ " + ", ".join(f'{_escaped(_toml.key(name))} = "{{}}"' for name, _ in items) + " }}"
        return form, [self._expression(f"{key}.{name}", each) for name, each in items]

    def _expression(self, key, thing):
        try:
            return expression(thing)
        except TracingError as error:
            self._fail(f"{key}: {error}")

    def _metric(self, key, thing):
        if isinstance(thing, dict):
            return "", key, *self._table(key, thing)
        try:
            return "", key, *metric(key, thing)
        except TracingError as error:
            self._fail(error)

    def _noise(self, name, each):
        key = _toml.key(name)
        if name == "every":
            return "noise", key, _toml.value(each), []
        if isinstance(each, dict):
            return "noise", key, *self._table(f"noise.{name}", each)
        return "noise", key, '"{}"', [self._expression(f"noise.{name}", each)]

    def _equation(self, key, name, each):
        if not isinstance(each, Equation):
            each = Equation(self._expression(f"{key}.{name}", each), expression(0))
        form = '"{} = {}"'
        more = {"meaning": each.meaning, "while": each.holds}
        if any(more.values()):
            words = [f"{word} = {_escaped(_toml.value(text))}" for word, text in more.items() if text]
            form = "{{ is = " + ", ".join([form, *words]) + " }}"
        return key, _toml.key(name), form, [each.left, each.right]

    def _contact(self, name, contact):
        parts, nodes = [], []
        for word, each in self._items(f"unilateral.{name}", contact):
            if word in _OF_CONTACT:
                several = word == "slip" and isinstance(each, (list, tuple))
                texts = list(each) if several else [each]
                form = ", ".join(['"{}"'] * len(texts))
                parts.append(f"{word} = [{form}]" if several else f"{word} = {form}")
                nodes += [self._expression(f"unilateral.{name}.{word}", text) for text in texts]
            else:
                parts.append(f"{_escaped(_toml.key(word))} = {_escaped(_toml.value(each))}")
        return "unilateral", _toml.key(name), "{{ " + ", ".join(parts) + " }}", nodes

    def _invariant(self, name, each):
        kind = None
        if isinstance(each, tuple) and len(each) == 2:
            each, kind = each
        form = '"{}"' if kind is None else '{{ is = "{}", kind = ' + _escaped(_toml.value(kind)) + " }}"
        return "invariants", _toml.key(name), form, [self._expression(f"invariants.{name}", each)]


def _escaped(text):
    return text.replace("{", "{{").replace("}", "}}")


ideal = Ideal()


def check(text, recording):
    """Reads the recorded text; its errors are at the function's lines."""
    try:
        return _kalaba.Scenario(text, SCENARIO, {})
    except _kalaba.Error as error:
        raise explained(error.args[1], recording.lines, recording.code) from None
