"""Contacts of the bodies of an MJCF file with its planes, and of two spheres, as contacts of a Mechanism."""

from __future__ import annotations

import itertools

import numpy as np

from ._errors import InputError
from ._robots import _clean

POSITIONS = 4  # at which the motions of a contact are judged
IDLE = 1e-9  # motions below this share of the largest are none
MOST = 52  # events and contacts of a model; a contact with friction counts twice
# names that a contact NAME adds to a model, besides NAME
SUFFIXES = ("_closed", "_sticks", "_slides", "_stick_1", "_stick_2", "_slip", "_mu")


class Pair:
    """A geometry of a moving body and a plane that stands still, or two spheres, with the numbers of their contact."""

    def __init__(self, geom, other, condim, friction, margin):
        self.geom, self.other, self.condim, self.friction, self.margin = geom, other, condim, friction, margin


def _stands_still(m, geom):
    return m.body_weldid[m.geom_bodyid[geom]] == 0


def _combined(m, a, b):
    """Dimension, friction and margin of the contact of two geometries, as MuJoCo combines them."""
    margin = float(max(m.geom_margin[a], m.geom_margin[b]))
    if m.geom_priority[a] != m.geom_priority[b]:
        first = a if m.geom_priority[a] > m.geom_priority[b] else b
        return int(m.geom_condim[first]), np.array(m.geom_friction[first]), margin
    return int(max(m.geom_condim[a], m.geom_condim[b])), np.maximum(m.geom_friction[a], m.geom_friction[b]), margin


def _pairs(mujoco, m, collides):
    """The pairs that are kept, and the number of other pairs that may touch."""
    plane, sphere = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_SPHERE)

    def ordered_pair(a, b):
        """A geometry and a plane that stands still, or two spheres; None for others."""
        if m.geom_type[a] == m.geom_type[b] == sphere:
            return (max(a, b), min(a, b)) if _stands_still(m, min(a, b)) else (min(a, b), max(a, b))
        return next(((x, y) for x, y in ((a, b), (b, a)) if m.geom_type[y] == plane and _stands_still(m, y)), None)

    excluded = {(int(each) >> 16, int(each) & 0xFFFF) for each in m.exclude_signature}
    found, others = {}, 0
    for a, b in itertools.combinations(range(m.ngeom), 2):
        if not (m.geom_contype[a] & m.geom_conaffinity[b] or m.geom_contype[b] & m.geom_conaffinity[a]):
            continue
        bodies = tuple(sorted((int(m.geom_bodyid[a]), int(m.geom_bodyid[b]))))
        welds = tuple(int(m.body_weldid[each]) for each in bodies)
        if welds[0] == welds[1] or bodies in excluded or bodies[::-1] in excluded:
            continue
        parents = tuple(int(m.body_weldid[m.body_parentid[each]]) for each in welds)
        if 0 not in welds and (parents[0] == welds[1] or parents[1] == welds[0]):
            continue
        ordered = ordered_pair(a, b)
        if ordered is None:
            others += 1
        else:
            found[ordered] = Pair(*ordered, *_combined(m, a, b))
    for i in range(m.npair if collides else 0):
        a, b = int(m.pair_geom1[i]), int(m.pair_geom2[i])
        ordered = ordered_pair(a, b)
        if ordered is None:
            others += 1
        else:
            friction = m.pair_friction[i]
            found[ordered] = Pair(*ordered, int(m.pair_dim[i]), np.array([friction[0], friction[2], friction[3]]), float(m.pair_margin[i]))
    return list(found.values()), others


def _balls(mujoco, m, geom):
    """Centres, in the frame of the body, and radius of the balls whose distance from a plane is that of the geometry; none
    for a shape that is not the hull of balls."""
    kinds = mujoco.mjtGeom
    kind, size = int(m.geom_type[geom]), m.geom_size[geom]
    if kind == int(kinds.mjGEOM_SPHERE):
        offsets, radius = np.zeros((1, 3)), float(size[0])
    elif kind == int(kinds.mjGEOM_CAPSULE):
        offsets, radius = np.array([[0, 0, -size[1]], [0, 0, size[1]]]), float(size[0])
    elif kind == int(kinds.mjGEOM_BOX):
        offsets, radius = np.array([np.multiply(size, signs) for signs in itertools.product((-1, 1), repeat=3)]), 0.0
    else:
        return None
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, m.geom_quat[geom])
    return offsets @ rotation.reshape(3, 3).T + m.geom_pos[geom], radius


def _combination(factors, names, constant=0.0):
    """A linear combination of numbers of a model as an expression."""
    terms = [name if factor == 1 else f"({factor!r})*{name}" for factor, name in zip(factors, names) if factor]
    if constant:
        terms.append(f"({constant!r})")
    return " + ".join(terms) or "0"


class Contacts:
    """Adds the contacts of the bodies of an imported file with its planes, and of spheres."""

    def __init__(self, importer):
        self.importer, self.mujoco, self.m = importer, importer.mujoco, importer.m
        self.replaced = importer.replaced

    def add(self):
        pairs, others = _pairs(self.mujoco, self.m, self.importer.collides)
        report, total = self.importer.report, 0
        self.mujoco.mj_kinematics(self.m, self.importer.start)
        for pair in pairs:
            raw = self.raw(pair.geom)
            if int(self.m.geom_type[pair.other]) != int(self.mujoco.mjtGeom.mjGEOM_PLANE):
                total += self.spheres(pair)
                continue
            shape = None if raw in self.replaced else _balls(self.mujoco, self.m, pair.geom)
            if shape is None:
                report.note("left out", f"contacts of geometry {raw} with planes: it is no sphere, capsule or box", raw)
                continue
            if not self.nears(pair):
                report.note("left out", f"contacts of geometry {raw} with a plane: no joint changes their distance", raw)
                continue
            for k, centre in enumerate(shape[0]):
                suffix = f"_{k + 1}" if len(shape[0]) > 1 else ""
                total += self.contact(raw + suffix, pair, centre, shape[1])
            balls = "" if len(shape[0]) == 1 else f", at {len(shape[0])} points"
            report.note("approximated", f"contact of geometry {raw} with a plane{balls}: soft in the file, hard and without a bounce here", raw)
            self.note_margin(pair)
            if pair.condim > 3 and np.any(pair.friction[1:]):
                report.note("left out", f"torsional and rolling friction of geometry {raw}", raw)
        if others:
            report.note("left out", f"contacts of {others} pairs of geometries: neither with a plane that stands still nor of two spheres")
        total += self.limits()
        if total > MOST:
            raise InputError(
                f"{self.importer.path}: a model has at most {MOST} events, contacts and limits, a contact with friction counts twice, "
                f"and those of this file count {total}; keep fewer by contype=\"0\" and conaffinity=\"0\" of geometries"
            )

    def limits(self):
        """Number of the limits that are kept, two for a joint."""
        kinds = self.mujoco.mjtJoint
        turns = [kind in (int(kinds.mjJNT_SLIDE), int(kinds.mjJNT_HINGE)) for kind in self.m.jnt_type]
        return 2 * int(np.sum(turns & self.m.jnt_limited.astype(bool))) if self.importer.takes_limits and any(turns) else 0

    def raw(self, geom):
        return self.m.geom(geom).name or f"geom{geom}"

    def note_margin(self, pair):
        if pair.margin:
            raw = self.raw(pair.geom)
            self.importer.report.note("left out", f"margin of the contact of geometry {raw} ({pair.margin:g})", raw)

    def spheres(self, pair):
        """Adds the contact of two spheres. Returns how often it counts."""
        report, names, m = self.importer.report, self.importer.names, self.m
        raws = [self.raw(each) for each in (pair.geom, pair.other)]
        said = " and ".join(raws)
        if not self.replaced.isdisjoint(raws):
            report.note("left out", f"contact of geometries {said}: not both are spheres", raws[0])
            return 0
        name = names.new("_".join(raws), SUFFIXES)
        ends = [self.place(f"{name}_at{k}", each) for k, each in enumerate((pair.geom, pair.other), 1)]
        apart = ", ".join(f"{a} - ({b!r})" if isinstance(b, float) else f"{a} - {b}" for a, b in zip(*ends))
        radii = float(m.geom_size[pair.geom][0] + m.geom_size[pair.other][0])
        self.importer.out.contact(name, f"norm({apart}) - {radii!r}")
        report.note("approximated", f"contact of geometries {said}: soft in the file, hard and without a bounce here", raws[0])
        self.note_margin(pair)
        if pair.condim > 1 and np.any(pair.friction):
            report.note("left out", f"friction of geometries {said} ({pair.friction[0]:g})", raws[0])
        return 1

    def axes(self, plane):
        """Two directions in a plane, and its normal."""
        return self.importer.start.geom_xmat[plane].reshape(3, 3).T

    def velocities(self, pair, offset):
        """Slopes, by the rates, of the velocity of a point of a geometry, along the axes of its plane, at several positions."""
        m, d = self.m, self.mujoco.MjData(self.m)
        bits, slopes = np.random.default_rng(1), []
        for _ in range(POSITIONS):
            d.qpos[:] = self.importer.moved(m.qpos0, bits.normal(size=m.nv))
            self.mujoco.mj_kinematics(m, d)
            self.mujoco.mj_comPos(m, d)
            body, jacobian = int(m.geom_bodyid[pair.geom]), np.zeros((3, m.nv))
            point = d.xpos[body] + d.xmat[body].reshape(3, 3) @ offset
            self.mujoco.mj_jac(m, d, jacobian, None, point - self.radius(pair) * self.axes(pair.other)[2], body)
            slopes.append(self.axes(pair.other) @ jacobian)
        return np.hstack(slopes)

    def radius(self, pair):
        """Radius of the balls of a geometry."""
        return _balls(self.mujoco, self.m, pair.geom)[1]

    def nears(self, pair):
        """Returns true if some joint changes the distance of the geometry from the plane."""
        slopes = [self.velocities(pair, centre) for centre in _balls(self.mujoco, self.m, pair.geom)[0]]
        return any(np.max(np.abs(each[2]), initial=0) > IDLE * np.max(np.abs(each), initial=0) for each in slopes)

    def directions(self, pair, centre):
        """Orthogonal directions in the plane, by its two axes, along which the lowest point of a ball moves: two, or one in
        a planar mechanism."""
        slopes = self.velocities(pair, centre)
        turn, sizes, _ = np.linalg.svd(slopes[:2])
        moves = sizes > IDLE * np.max(np.abs(slopes), initial=0)
        if np.all(moves):
            return np.eye(2)
        return [_clean(each * np.sign(each[np.argmax(np.abs(each))]), 1.0) for each in turn.T[: int(np.sum(moves))]]

    def place(self, name, geom):
        """Coordinates of the centre of a geometry in the world: of a named point, or numbers where its body stands still."""
        if _stands_still(self.m, geom):
            return [float(each) for each in _clean(self.importer.start.geom_xpos[geom], 1.0)]
        name = self.importer.names.new(name)
        centre = self.m.geom_pos[geom]
        body = self.importer.body_names[int(self.m.geom_bodyid[geom])]
        self.importer.out.point(name, body, _clean(centre, max(float(np.max(np.abs(centre))), 1e-3)))
        return [f"{name}.{axis}" for axis in "xyz"]

    def contact(self, raw, pair, centre, radius):
        """Adds the contact of a ball with a plane. Returns how often it counts."""
        out, names = self.importer.out, self.importer.names
        body = int(self.m.geom_bodyid[pair.geom])
        name = names.new(raw, SUFFIXES)
        point = names.new(f"{name}_at")
        scale = max(float(np.max(np.abs(centre))), 1e-3)
        out.point(point, self.importer.body_names[body], _clean(centre, scale))
        place = np.array(self.importer.start.geom_xpos[pair.other])
        first, second, normal = (_clean(each, 1.0) for each in self.importer.start.geom_xmat[pair.other].reshape(3, 3).T)
        height = float(np.dot(normal, place)) + radius
        height = _clean([height], max(scale, float(np.max(np.abs(place)))))[0]
        gap = _combination(normal, [f"{point}.{axis}" for axis in "xyz"], -height)
        directions = self.directions(pair, centre)
        if pair.condim == 1 or pair.friction[0] == 0 or not len(directions):
            out.contact(name, gap)
            return 1
        mu = f"{name}_mu"
        out.parameter(mu, float(pair.friction[0]))
        velocity = [f"{point}.v{axis}" for axis in "xyz"] + [f"{point}.w{axis}" for axis in "xyz"]
        # the lowest point of a ball moves by - radius omega x normal more than its centre
        parts = np.array([[*first, *(-radius * each for each in second)], [*second, *(radius * each for each in first)]])
        slips = [_combination(_clean(np.array(each) @ parts, 1.0), velocity) for each in directions]
        out.contact(name, gap, friction=mu, slip=slips if len(slips) > 1 else slips[0])
        return 2
