"""Builder of mechanisms: bodies and joints in Python, the tables of docs/mechanisms.md as data."""

from __future__ import annotations

from . import _toml
from ._errors import InputError
from ._model import Model

_WORDS = ("name", "summary", "source", "note")


class Body:
    """A body of a mechanism, by its name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Body({self.name!r})"


def _named(body):
    return body.name if isinstance(body, Body) else body


class Mechanism:
    """Bodies and joints from which `model` makes a `Model`. The words are those of the tables of a model as text.

    Numbers are numbers, texts with a unit such as "0.2 kg", or expressions of parameters. `poses`: "all", or the names
    of bodies whose positions and orientations are outputs. `coordinates`: "joint" (default) or "body". `impacts`:
    "simultaneous" (default) or "sequential".
    """

    def __init__(
        self,
        name="mechanism",
        *,
        gravity=None,
        parameters=None,
        poses=None,
        coordinates=None,
        impacts=None,
        summary=None,
        source=None,
        note=None,
    ):
        words = dict(zip(_WORDS, (name, summary, source, note)))
        self._head = {key: value for key, value in words.items() if value is not None}
        if gravity is not None:
            self._head["gravity"] = list(gravity)
        if coordinates is not None:
            self._head["coordinates"] = coordinates
        if impacts is not None:
            self._head["impacts"] = impacts
        if poses is not None:
            self._head["poses"] = poses if isinstance(poses, str) else [_named(each) for each in poses]
        self._tables = {"parameters": dict(parameters or {})}

    def _add(self, table, name, entry):
        entries = self._tables.setdefault(table, {})
        if name in entries:
            raise InputError(f"{table} has {name!r} already; choose another name")
        entries[name] = {key: value for key, value in entry.items() if value is not None}

    def body(self, name, *, mass=None, com=None, inertia=None, **shape):
        """Adds a body; `shape`: box, sphere, cylinder, capsule, rod, axes. Returns it for `parent` and `child`."""
        self._add("bodies", name, {"mass": mass, "com": com, "inertia": inertia, **shape})
        return Body(name)

    def joint(self, name, type, *, child, parent=None, **words):
        """Adds a joint; `words`: at, child_at, quat, axis, axis2, pitch, length, stiffness, rest, damping, armature, cut,
        limits, limit_restitution. `limits`: (lower, upper), or a dict with one of them."""
        limits = words.get("limits")
        if isinstance(limits, (list, tuple)) and any(each is None for each in limits):
            if len(limits) != 2 or all(each is None for each in limits):
                raise InputError(f"joint {name!r}: expected limits=(lower, upper), one of them possibly None, found {limits!r}")
            words["limits"] = {key: each for key, each in zip(("lower", "upper"), limits) if each is not None}
        self._add("joints", name, {"parent": _named(parent), "child": _named(child), "type": type, **words})

    def hinge(self, name, *, child, axis, parent=None, **words):
        """Adds a hinge about `axis`."""
        self.joint(name, "hinge", child=child, parent=parent, axis=axis, **words)

    def slide(self, name, *, child, axis, parent=None, **words):
        """Adds a slide along `axis`."""
        self.joint(name, "slide", child=child, parent=parent, axis=axis, **words)

    def ball(self, name, *, child, parent=None, **words):
        """Adds a ball joint."""
        self.joint(name, "ball", child=child, parent=parent, **words)

    def free(self, name, *, child, parent=None, **words):
        """Adds a joint that constrains nothing."""
        self.joint(name, "free", child=child, parent=parent, **words)

    def weld(self, name, *, child, parent=None, **words):
        """Adds a rigid connection."""
        self.joint(name, "weld", child=child, parent=parent, **words)

    def connect(self, name, *, child, parent=None, **words):
        """Closes a loop: one point of both bodies coincides."""
        self.joint(name, "connect", child=child, parent=parent, **words)

    def couple(self, name, equation):
        """Adds a constraint between coordinates, such as "elbow = 2*pin"."""
        self._tables.setdefault("couplings", {})[name] = equation

    def motor(self, name, joint, *, torque=None, force=None):
        """Adds a torque (a force, along a slide) of a joint."""
        self._add("forces", name, {"joint": joint, "torque": torque, "force": force})

    def force(self, name, body, *, at=None, force=None, torque=None):
        """Adds a force and a torque on a body at a point of its frame, along the axes of the world."""
        self._add("forces", name, {"body": _named(body), "at": at, "force": force, "torque": torque})

    def spring(self, name, start, end, *, stiffness=None, length=None, damping=None):
        """Adds a spring between two points, (body, x, y, z) each."""
        ends = [[_named(point[0]), *point[1:]] for point in (start, end)]
        self._add("forces", name, {"from": ends[0], "to": ends[1], "stiffness": stiffness, "length": length, "damping": damping})

    def point(self, name, body, at=(0, 0, 0)):
        """Names a point of a body; expressions use NAME.x, NAME.y, NAME.z, NAME.vx, NAME.vy, NAME.vz."""
        self._add("points", name, {"body": _named(body), "at": at})

    def contact(self, name, gap, *, restitution=None, law=None, friction=None, slip=None, meaning=None):
        """Adds a contact: `gap`, an expression such as "foot.z" of a named point, stays at least 0. `friction`: the
        coefficient of Coulomb friction along `slip`, a velocity of the contact such as "foot.vx", or in the plane of
        two, ["foot.vx", "foot.vy"]."""
        entry = {"gap": gap, "restitution": restitution, "law": law, "friction": friction, "slip": slip, "meaning": meaning}
        self._add("unilateral", name, entry)

    def output(self, name, expression):
        """Names an expression of the state that is saved with the field `invariants`."""
        self._tables.setdefault("outputs", {})[name] = expression

    def start(self, **values):
        """Sets initial values by coordinate and rate; a run moves the others so that the loops close."""
        for name, value in values.items():
            self._once("start", name, value)

    def _once(self, table, name, value):
        entries = self._tables.setdefault(table, {})
        if name in entries:
            raise InputError(f"{table} has {name!r} already")
        entries[name] = value

    def table(self, name, **entries):
        """Adds entries to another table of the model, such as let, force, holonomic or invariants."""
        self._tables.setdefault(name, {}).update(entries)

    def parameter(self, name, value):
        """Adds a parameter."""
        self._once("parameters", name, value)

    def to_toml(self):
        """The table [model] as text."""
        lines = ["[model]", *(f"{key} = {_toml.value(each)}" for key, each in self._head.items())]
        for name, entries in self._tables.items():
            if entries:
                lines += ["", f"[model.{name}]"]
                lines += [f"{_toml.key(key)} = {_toml.value(each)}" for key, each in entries.items()]
        return "\n".join(lines) + "\n"

    def model(self):
        """The model: a `Model` like every other."""
        return Model(self.to_toml(), name=self._head["name"])
