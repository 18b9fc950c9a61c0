"""Import of URDF and MJCF files: MuJoCo's compiler reads them (pip install kalaba[mujoco]), this writes a Mechanism."""

from __future__ import annotations

import pathlib
import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from . import _kalaba
from ._errors import FileError, InputError, nearest
from ._mechanism import Mechanism
from ._model import Model

NOISE = 1e-12  # numbers of a file below this share of the largest beside them are rounding noise
KINDS = ("masses", "lengths", "inertias", "damping")
_LARGEST_FILE = 16 << 20


def _mujoco():
    try:
        import mujoco
    except ModuleNotFoundError:
        raise InputError(
            "URDF and MJCF files are read by MuJoCo's compiler, which is not installed; pip install mujoco "
            "(or kalaba[mujoco])"
        ) from None
    if not hasattr(mujoco.MjSpec, "delete"):
        raise InputError(f"URDF and MJCF files need MuJoCo 3.3.4 or later, found {mujoco.__version__}; pip install --upgrade mujoco")
    return mujoco


def _read_text(path):
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST_FILE:
        raise InputError(f"{path}: expected at most {_LARGEST_FILE >> 20} MiB, found {len(data) >> 20} MiB")
    text = data.decode("utf-8", errors="replace")
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text):
        raise InputError(f"{path}: XML with a DOCTYPE or entities is refused; write the values in their places")
    return text


def _root(path, text):
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: is not XML: {error}") from None


def _check_includes(path, root, folder, seen):
    """Refuses includes outside of the file's folder, at any depth. Paths are relative to the first file."""
    for each in root.iter("include"):
        name = each.get("file", "")
        target = (folder / name).resolve()
        if not target.is_relative_to(folder):
            raise InputError(f"{path}: the include {name!r} is outside of the file's folder; move it there")
        if target not in seen:
            seen.add(target)
            _check_includes(target, _root(target, _read_text(target)), folder, seen)


def _without_pictures(mujoco, spec):
    """Removes meshes, textures and materials that no inertia is computed from, so that their files are not needed.
    Geometries and sites keep their names, which pairs, sensors and tendons refer to: spheres replace their meshes. Returns
    the names of these geometries."""
    replaced = set()
    shapes = (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_SDF, mujoco.mjtGeom.mjGEOM_HFIELD)
    has_inertia = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    for skin in list(spec.skins):
        spec.delete(skin)
    drawn = [geom for geom in spec.geoms if geom.parent == spec.worldbody or (geom.parent.explicitinertial and not has_inertia)]
    for each in [*drawn, *spec.sites]:
        if each.type in shapes or getattr(each, "meshname", ""):
            each.type, each.size = mujoco.mjtGeom.mjGEOM_SPHERE, [1, 1, 1]
            each.name = each.name or f"mesh {len(replaced) + 1}"
            replaced.add(each.name)
            for key in ("meshname", "hfieldname"):
                if hasattr(each, key):
                    setattr(each, key, "")
            if hasattr(each, "plugin"):
                each.plugin.active = False
    if spec.flexes:
        return replaced
    for each in [*spec.geoms, *spec.sites, *spec.tendons, *spec.meshes]:
        if hasattr(each, "material"):
            each.material = ""
    for light in spec.lights:
        if hasattr(light, "texture"):
            light.texture = ""
    if not any(geom.meshname or geom.hfieldname for geom in spec.geoms):
        for each in [*spec.meshes, *spec.hfields]:
            spec.delete(each)
    for each in [*spec.materials, *spec.textures]:
        spec.delete(each)
    return replaced


def _numbers(element, key, count, place, default=None):
    """The numbers of an attribute of an XML element."""
    words = element.get(key, default)
    try:
        values = [float(each) for each in words.split()]
    except (AttributeError, ValueError):
        values = []
    if len(values) != count or not np.all(np.isfinite(values)):
        expected = "a number" if count == 1 else f"{count} numbers"
        raise InputError(f"{place}: expected {key} of <{element.tag}> as {expected}, found {words!r}")
    return np.array(values)


def _turn_of(rpy):
    """The rotation of roll, pitch and yaw of a URDF."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def _take_inertials(path, root):
    """Inertias of the links of a URDF: link -> (mass, mass centre, inertia about it along the axes of the link). Unit
    ones take their place: MuJoCo refuses links without mass, which Kalaba permits, and inertias that are off by rounding."""
    found = {}
    for link in root.iter("link"):
        name = link.get("name", "")
        inertial = link.find("inertial")
        if inertial is not None:
            place = f"{path}: link {name}"
            parts = {tag: inertial.find(tag) for tag in ("mass", "inertia", "origin")}
            for tag in ("mass", "inertia"):
                if parts[tag] is None:
                    raise InputError(f"{place}: its <inertial> has no <{tag}>")
            entries = [_numbers(parts["inertia"], key, 1, place, default="0")[0] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
            xx, yy, zz, xy, xz, yz = entries
            at, turn = np.zeros(3), np.eye(3)
            if parts["origin"] is not None:
                at = _numbers(parts["origin"], "xyz", 3, place, default="0 0 0")
                turn = _turn_of(_numbers(parts["origin"], "rpy", 3, place, default="0 0 0"))
            inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
            found[name] = float(_numbers(parts["mass"], "value", 1, place)[0]), at, inertia
            link.remove(inertial)
        unit = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(unit, "mass", value="1")
        ElementTree.SubElement(unit, "inertia", ixx="1", iyy="1", izz="1", ixy="0", ixz="0", iyz="0")
    return found


def _spec(path):
    """The file as a specification of MuJoCo, without what it takes to draw; its text; the inertias of the links of a
    URDF, None for an MJCF file; and the names of geometries whose shape is left out."""
    mujoco = _mujoco()
    text = _read_text(path)
    root = _root(path, text)
    _check_includes(path, root, path.resolve().parent, {path.resolve()})
    try:
        if root.tag == "robot":
            for link in root.iter("link"):
                for tag in ("visual", "collision"):
                    for each in link.findall(tag):
                        link.remove(each)
            extension = root.find("mujoco")
            if extension is None:
                extension = ElementTree.SubElement(root, "mujoco")
            compiler = extension.find("compiler")
            if compiler is None:
                compiler = ElementTree.SubElement(extension, "compiler")
            compiler.set("fusestatic", "false")
            inertials = _take_inertials(path, root)
            return mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode")), text, inertials, set()
        if root.tag == "mujoco":
            spec = mujoco.MjSpec.from_file(str(path))
            replaced = _without_pictures(mujoco, spec)
            return spec, text, None, replaced
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    raise InputError(f"{path}: expected <robot> (URDF) or <mujoco> (MJCF), found <{root.tag}>")


def _clean(values, scale=None):
    """Numbers without rounding noise; whole numbers of these stay whole."""
    values = np.array(values, dtype=float)
    scale = float(np.max(np.abs(values), initial=0)) if scale is None else scale
    values[np.abs(values) <= NOISE * scale] = 0
    return [int(x) if x == int(x) and abs(x) < 1e9 else float(x) for x in values]


def _quaternion(e):
    """A quaternion divided by its largest component, so that quarter turns are exact; None: no rotation."""
    e = np.array(e, dtype=float)
    e = e / e[np.argmax(np.abs(e))]
    for value in (-1.0, 0.0, 1.0):
        e[np.abs(e - value) < NOISE] = value
    return None if not np.any(e[1:]) else _clean(e)


def _word(name):
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if word and not word[0].isdigit() else "b" + word


WORDS = ("t", "pi", "ideal", "sum", "table", "in", "and", "or", "not", "clamp", "where", "norm", "dot")  # of every expression
COLUMNS = ("time", "member", "status", "energy", "residual", "violation", "rank", "sigma_kept", "sigma_dropped")  # of outputs


class Names:
    """Names of a file as names of a model, all different and different from `taken`."""

    def __init__(self, taken=()):
        self._taken = {"world", *taken}

    def new(self, name, suffixes=()):
        """A new name. The name with each of the suffixes, such as that of a rate, is new as well."""
        base, count = _word(name), 1
        words = [base, *(base + each for each in suffixes)]
        while not self._taken.isdisjoint(words):
            count += 1
            words = [f"{base}_{count}", *(f"{base}_{count}{each}" for each in suffixes)]
        self._taken.update(words)
        return words[0]


_QUATERNION, _SPIN = ("_e0", "_e1", "_e2", "_e3"), ("_wx", "_wy", "_wz")
FREE = ("_x", "_y", "_z", *_QUATERNION)  # coordinates of a free joint
VARIABLES = {  # coordinates and rates of a joint NAME, besides NAME
    "free": (*FREE, "_x_dot", "_y_dot", "_z_dot", *_SPIN),
    "ball": (*_QUATERNION, *_SPIN),
    "slide": ("_dot", "_lower", "_upper"),
    "hinge": ("_dot", "_lower", "_upper"),
}
ROWS = ("_x", "_y", "_z", "_a1", "_a2", "_a3")  # of a joint that closes a loop


def _said(raw, name):
    """A name of the file, and the name in the model where it is another one."""
    return raw if raw == name else f"{raw}, named {name}"


def _list(values):
    """Numbers as text, without zeros at the end."""
    values = [float(each) for each in np.atleast_1d(values)]
    while len(values) > 1 and values[-1] == 0:
        values.pop()
    return " ".join(f"{each:g}" for each in values)


def _sum(terms):
    """Terms (factor, text) as an expression; an empty text stands for 1."""
    return " + ".join(f"({factor!r})*{text}" if text else repr(factor) for factor, text in terms if factor) or "0"


class Report(list):
    """Rows (outcome, feature, line) of an import: what was kept, approximated and left out."""

    def __init__(self, text):
        super().__init__()
        self._lines = text.splitlines()

    def note(self, outcome, feature, name=None):
        line = next((i for i, each in enumerate(self._lines, 1) if name and f'name="{name}"' in each), None)
        self.append((outcome, feature, line))

    def __str__(self):
        return "\n".join(f"{outcome:13} {feature}" + (f" (line {line})" if line else "") for outcome, feature, line in self)


_YAML_WORDS = re.compile(r"""\s*(?:([\[\],])|"([^"]*)"|'([^']*)'|([^\s\[\],"']+))""")


_DEEPEST = 8  # lists within lists of YAML


def _refuse_depth(place):
    raise InputError(f"{place}: expected at most {_DEEPEST} lists within one another")


def _flow_list(text, place):
    """A list of lists of words in brackets, of YAML."""
    stack, end, at = [[]], len(text.rstrip()), 0
    while at < end:
        match = _YAML_WORDS.match(text, at)
        if match is None:
            raise InputError(f"{place}: expected a list such as [a, b], found {text.strip()[:60]!r}")
        at = match.end()
        mark, *words = match.groups()
        if mark == "[":
            if len(stack) > _DEEPEST:
                _refuse_depth(place)
            stack.append([])
        elif mark == "]" and len(stack) > 1:
            last = stack.pop()
            stack[-1].append(last)
        elif mark is None:
            stack[-1].append(next(each for each in words if each is not None))
        elif mark != ",":
            raise InputError(f"{place}: a bracket is closed that was not opened")
    if len(stack) != 1 or len(stack[0]) != 1:
        raise InputError(f"{place}: expected one list in brackets, found {text.strip()[:60]!r}")
    return stack[0][0]


def _block_list(lines, place, depth):
    """A list of YAML whose items begin with a dash, within `depth` others."""
    if depth == _DEEPEST:
        _refuse_depth(place)
    indent = len(lines[0]) - len(lines[0].lstrip())
    items = []
    for line in lines:
        if line[:indent].strip() or (len(line) - len(line.lstrip()) == indent and line[indent] != "-"):
            raise InputError(f"{place}: expected an item that begins with - , found {line.strip()!r}")
        if line[indent] == "-":
            items.append([" " * (indent + 1) + line[indent + 1 :]])
        else:
            items[-1].append(line)
    return [_yaml_value(each, place, depth + 1) for each in items]


def _yaml_value(lines, place, depth=0):
    lines = [each for each in lines if each.strip()]
    if lines and lines[0].lstrip().startswith("- "):
        return _block_list(lines, place, depth)
    return _flow_list(" ".join(lines), place) if lines and lines[0].lstrip().startswith("[") else " ".join(lines).strip(" '\"")


def _yaml_lists(path, keys):
    """The lists under these keys of a YAML file."""
    found, key = {}, None
    for line in _read_text(path).splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).replace("\t", " ")
        match = re.match(r"(\w+):(.*)", line)
        if match:
            key = match[1]
            found[key] = [" " + match[2]]
        elif key is not None:
            found[key].append(line)
    return {each: _yaml_value(found[each], f"{path}: {each}") for each in keys if each in found}


def _beside(path):
    """Loops (frame, frame, type) and types of joints {name: type} of a YAML file beside a URDF, with the keys closed_loop
    and type, joint_name and joint_type."""
    beside = path.with_suffix(".yaml")
    if not beside.exists():
        return [], {}
    found = _yaml_lists(beside, ("closed_loop", "type", "joint_name", "joint_type"))
    pairs = found.get("closed_loop", [])
    if not isinstance(pairs, list) or not all(isinstance(each, list) and [type(name) for name in each] == [str, str] for each in pairs):
        raise InputError(f"{beside}: expected closed_loop: [[FRAME, FRAME], ...], found {pairs!r}")
    kinds = found.get("type", ["6d"] * len(pairs))
    if not isinstance(kinds, list) or len(kinds) != len(pairs):
        raise InputError(f"{beside}: expected a type for each of the {len(pairs)} pairs of closed_loop, found {kinds!r}")
    names, types = found.get("joint_name", []), found.get("joint_type", [])
    if not all(isinstance(each, list) and all(isinstance(word, str) for word in each) for each in (names, types)) or len(names) != len(types):
        raise InputError(f"{beside}: expected joint_name and joint_type as lists of the same length, found {names!r}, {types!r}")
    for kind in types:
        if not re.fullmatch(r"SPHERICAL|FIXED|UJOINT_(XY|XZ|YX|YZ|ZX|ZY)", kind):
            raise InputError(f"{beside}: joint_type: expected SPHERICAL, FIXED or UJOINT_XY, found {kind!r}")
    return [(a, b, str(kind).lower()) for (a, b), kind in zip(pairs, kinds)], dict(zip(names, types))


DISABLED = ("CONSTRAINT", "EQUALITY", "LIMIT", "FRICTIONLOSS", "CONTACT", "SPRING", "DAMPER", "PASSIVE", "GRAVITY", "CLAMPCTRL", "ACTUATION")


class Importer:
    """Writes the compiled model of MuJoCo as a Mechanism."""

    def __init__(self, path, parameters=(), floating=False, limits=False, contacts=False, keyframe=None):
        self.mujoco = _mujoco()
        self.path = pathlib.Path(path)
        unknown = [each for each in parameters if each not in KINDS]
        if unknown:
            raise InputError(f"parameters are of {', '.join(KINDS)}, found {unknown[0]!r}")
        self.parameters = set(parameters)
        spec, text, self.inertials, self.replaced = _spec(self.path)
        self.is_urdf, self.text = self.inertials is not None, text
        if floating and not self.is_urdf:
            raise InputError(f"{self.path}: floating is for URDF files; an MJCF file states a freejoint")
        if contacts and self.is_urdf:
            raise InputError(f"{self.path}: contacts is for MJCF files, which state the planes that bodies touch")
        if keyframe is not None and self.is_urdf:
            raise InputError(f"{self.path}: keyframe is for MJCF files, which state keyframes")
        self.floating = floating
        self.takes_limits, self.takes_contacts = limits, contacts
        self.largest_inertia = max((float(np.max(np.abs(each[2]))) for each in (self.inertials or {}).values()), default=0)
        self.loops, self.joint_types = _beside(self.path) if self.is_urdf else ([], {})
        self.report = Report(text)
        self.set_types(spec)
        if self.is_urdf:
            for key, usual in (("boundmass", 0), ("boundinertia", 0), ("settotalmass", -1), ("balanceinertia", False)):
                value = getattr(spec.compiler, key, usual)
                if value != usual:
                    self.report.note("left out", f"{key} of the compiler ({value:g})")
        try:
            self.m = spec.compile()
        except ValueError as error:
            raise InputError(f"{self.path}: {error}") from None
        self.key_names = [self.m.key(k).name or str(k) for k in range(self.m.nkey)]
        if keyframe is not None and keyframe not in self.key_names:
            known = ", ".join(self.key_names) or "none"
            raise InputError(f"{self.path}: there is no keyframe {keyframe!r}{nearest(keyframe, self.key_names)} (there are {known})")
        self.key = None if keyframe is None else self.key_names.index(keyframe)
        # of coordinates, parameters and constraints
        self.names = Names([*WORDS, *COLUMNS, *(each[0] for each in _kalaba.functions())])
        self.names_of_bodies = Names()
        self.body_names, self.joint_names, self.pairs, self.drives = {0: "world"}, {}, [], {}
        self.start = self.mujoco.MjData(self.m)
        if self.m.nbody < 2:
            raise InputError(f"{self.path}: there is no body in this file")
        self.apply_flags()
        gravity = _clean(self.m.opt.gravity)
        self.out = Mechanism(_word(spec.modelname or self.path.stem), gravity=list(gravity), source=self.path.name)

    def apply_flags(self):
        """Removes what the file disables (`<option><flag spring="disable"/></option>`) from the compiled model."""
        m, bits = self.m, self.mujoco.mjtDisableBit
        off = {each for each in DISABLED if m.opt.disableflags & int(getattr(bits, f"mjDSBL_{each}", 0))}
        if off & {"CONSTRAINT", "EQUALITY"}:
            self.clear("eq_active0")
        if off & {"CONSTRAINT", "LIMIT"}:
            self.clear("jnt_limited", "tendon_limited")
        if off & {"CONSTRAINT", "FRICTIONLOSS"}:
            self.clear("dof_frictionloss", "tendon_frictionloss")
        if off & {"SPRING", "PASSIVE"}:
            self.clear("jnt_stiffness", "jnt_stiffnesspoly", "tendon_stiffness", "tendon_stiffnesspoly")
        if off & {"DAMPER", "PASSIVE"}:
            self.clear("dof_damping", "dof_dampingpoly", "tendon_damping", "tendon_dampingpoly")
            self.clear("actuator_damping", "actuator_dampingpoly")
        if "PASSIVE" in off or {"SPRING", "DAMPER"} <= off:
            self.clear("body_gravcomp")
        if "GRAVITY" in off:
            m.opt.gravity[:] = 0
        if off & {"CONSTRAINT", "CONTACT"}:
            self.clear("geom_contype", "geom_conaffinity")
        if "CLAMPCTRL" in off:
            self.clear("actuator_ctrllimited")
        self.n_actuators = int(self.field("nactuator", m.nu))
        self.actuates = "ACTUATION" not in off
        self.collides = not off & {"CONSTRAINT", "CONTACT"}
        for each in sorted(off):
            self.report.note("kept", f"flag: {each.lower()} is disabled")

    def clear(self, *names):
        for name in names:
            if hasattr(self.m, name):
                getattr(self.m, name)[:] = 0

    def field(self, name, default):
        """A field of the compiled model that not every version of MuJoCo has."""
        return getattr(self.m, name, default)

    def polynomial(self, name, i):
        """The coefficients of a damping or stiffness, the linear one first."""
        higher = self.field(name + "poly", None)
        first = np.atleast_1d(getattr(self.m, name)[i])
        return np.array(first if higher is None else [*first, *np.atleast_1d(higher[i])], dtype=float)

    def carried(self, kinds, i):
        """Armature, and coefficients of damping, that actuators with a transmission of these kinds add to their object i."""
        m = self.m
        armature, damping = 0.0, np.zeros(1)
        if not hasattr(m, "actuator_armature"):
            return armature, damping
        for a in range(self.n_actuators):
            if int(m.actuator_trntype[a]) in kinds and int(m.actuator_trnid[a][0]) == i:
                square = float(m.actuator_gear[self.output(a)][0]) ** 2
                armature += square * float(m.actuator_armature[a])
                damping = damping + square * self.polynomial("actuator_damping", a)
        return armature, damping

    def output(self, a):
        """The place of the first force of actuator a."""
        return int(self.field("actuator_outadr", range(self.n_actuators))[a])

    def set_types(self, spec):
        """Gives joints the types that the YAML file states."""
        for name, stated in self.joint_types.items():
            joint = next((each for each in spec.joints if each.name == name), None)
            if joint is None:
                self.report.note("left out", f"joint_type of {name}: no joint that moves has this name")
                continue
            is_limited = joint.limited != self.mujoco.mjtLimited.mjLIMITED_FALSE and joint.range[0] < joint.range[1]
            if is_limited and stated != "FIXED":
                self.report.note("left out", f"limits of joint {name}", name)
            joint.limited = self.mujoco.mjtLimited.mjLIMITED_FALSE
            if stated == "FIXED":
                spec.delete(joint)
            elif stated == "SPHERICAL":
                joint.type = self.mujoco.mjtJoint.mjJNT_BALL
            else:
                first, second = ([float(each == axis) for each in "XYZ"] for axis in stated[-2:])
                joint.axis = first
                joint.parent.add_joint(name=f"{name}_2", type=self.mujoco.mjtJoint.mjJNT_HINGE, axis=second, pos=joint.pos, damping=joint.damping)
            self.report.note("kept", f"type {stated} of joint {name}, of the YAML file")

    def number(self, kind, name, value):
        """A number, or the parameter that stands for it."""
        value = float(value)
        if kind not in self.parameters or value == 0:
            return int(value) if value == int(value) and abs(value) < 1e9 else value
        name = self.names.new(name)
        self.out.parameter(name, value)  # without a unit, as the other numbers of the file, such as a servo's gain
        return name

    def lengths(self, name, values):
        return [self.number("lengths", f"{name}_{axis}", x) for axis, x in zip("xyz", _clean(values))]

    def mechanism(self):
        for b in range(1, self.m.nbody):
            self.body(b)
        for e in range(self.m.neq):
            self.equality(e)
        for a, b, kind in self.loops:
            self.loop(a, b, kind)
        self.close_loops()
        for a in range(self.n_actuators):
            self.actuator(a)
        for j in self.drives:
            self.drive(j)
        for i in range(self.m.ntendon):
            self.tendon(i)
        if self.takes_contacts:
            from ._robot_contacts import Contacts

            Contacts(self).add()
        self.left_out()
        return self.out

    def body(self, b):
        m = self.m
        raw = m.body(b).name or f"body{b}"
        name = self.body_names[b] = self.names_of_bodies.new(raw)
        entry = self.inertia(b, raw, name)
        self.out.body(name, **entry)
        self.report.note("kept", f"body {_said(raw, name)}", raw)
        if m.body_plugin[b] >= 0:
            self.report.note("left out", f"plugin of body {raw}", raw)
        if m.body_mocapid[b] >= 0:
            self.report.note("left out", f"mocap of body {raw}, which stands still", raw)
        if m.body_gravcomp[b] and "mass" in entry and self.is_lifted(b, raw):
            lift = [-float(m.body_gravcomp[b] * g) for g in m.opt.gravity]
            force = [f"{g!r}*{entry['mass']}" if g else 0 for g in lift]
            self.out.force(self.names.new(f"{name}_gravcomp"), name, at=entry.get("com", [0, 0, 0]), force=force)
            self.report.note("kept", f"gravcomp of body {raw}, as a force", raw)
        parent = self.body_names[int(m.body_parentid[b])]
        joints = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        at = np.array(m.body_pos[b])
        rotation = np.zeros(9)
        self.mujoco.mju_quat2Mat(rotation, m.body_quat[b])
        rotation = rotation.reshape(3, 3)
        quat = _quaternion(m.body_quat[b])
        if len(joints) == 0 and self.floating and parent == "world":
            self.out.free(self.names.new(f"{name}_free", VARIABLES["free"]), child=name)
            return
        if len(joints) == 0:
            words = {"at": self.lengths(f"{name}_at", at), "quat": quat}
            self.out.weld(self.names.new(f"{name}_weld"), child=name, parent=None if parent == "world" else parent, **words)
            return
        for place, j in enumerate(joints):
            is_last = place + 1 == len(joints)
            child = name if is_last else self.names_of_bodies.new(f"{name}_frame{place + 1}")
            if not is_last:
                self.out.body(child)
            self.joint(j, parent, child, at, rotation, quat, is_first=place == 0)
            parent, at, rotation, quat = child, np.zeros(3), np.eye(3), None

    def is_lifted(self, b, raw):
        """True if gravcomp acts on a body. Joints leave it to actuators (`actuatorgravcomp`), which may be disabled or missing."""
        m = self.m
        if self.actuates and self.n_actuators:
            return True
        joints = []
        ancestor = b
        while ancestor:
            joints += range(m.body_jntadr[ancestor], m.body_jntadr[ancestor] + m.body_jntnum[ancestor])
            ancestor = int(m.body_parentid[ancestor])
        by_actuators = [j for j in joints if m.jnt_actgravcomp[j]]
        if joints and len(by_actuators) == len(joints):
            self.report.note("kept", f"gravcomp of body {raw}, by actuators, none of which acts: no force", raw)
            return False
        for j in by_actuators:
            said = f"actuatorgravcomp of joint {m.joint(j).name or f'joint{j}'} (true): gravcomp of body {raw} acts on it without actuators"
            self.report.note("left out", said, m.joint(j).name)
        return True

    def inertia(self, b, raw, name):
        """The keys of a body's mass and inertia."""
        m = self.m
        if self.is_urdf:
            mass, com, inertia = self.inertials.get(raw, (0.0, np.zeros(3), np.zeros((3, 3))))
            inertia = self.possible(inertia, raw)
            inertia = np.array([inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
            axes = None
        else:
            mass, com, inertia, axes = float(m.body_mass[b]), m.body_ipos[b], m.body_inertia[b], _quaternion(m.body_iquat[b])
        entry = {}
        if mass < 0:
            raise InputError(f"{self.path}: body {raw}: its mass is {mass:g}, which is negative")
        if mass > 0:
            entry["mass"] = self.number("masses", f"{name}_mass", mass)
        com = _clean(com, scale=max(1e-3, float(np.max(np.abs(com)))))
        if mass > 0 and any(com):
            entry["com"] = com
        if np.any(inertia):
            inertia = _clean(inertia)
            words = ("xx", "yy", "zz", "xy", "xz", "yz") if len(inertia) == 6 and any(inertia[3:]) else ("x", "y", "z")
            entry["inertia"] = [self.number("inertias", f"{name}_I{axis}", x) for axis, x in zip(words, inertia)]
            if axes:
                entry["axes"] = axes
        return entry

    def possible(self, inertia, raw):
        """The inertia, or one near it that a body can have: no principal value is larger than the sum of the other two."""
        values, axes = np.linalg.eigh(inertia)
        largest = np.max(np.abs(values))
        if largest <= NOISE * self.largest_inertia:
            return np.zeros((3, 3))
        small, middle = np.maximum(values[:2], 0)
        lack = max(0.0, values[2] - small - middle)
        if np.all(np.abs(values - (small, middle, values[2])) <= NOISE * largest) and lack <= NOISE * largest:
            return inertia
        nearest = np.array([small + lack / 2, middle + lack / 2, values[2]])
        said = [", ".join(f"{each:.4g}" for each in three) for three in (values, nearest)]
        self.report.note("approximated", f"inertia of link {raw}: its principal values {said[0]} are those of no body; now {said[1]}", raw)
        return axes @ np.diag(nearest) @ axes.T

    def joint(self, j, parent, child, at, rotation, quat, is_first):
        m = self.m
        raw = m.joint(j).name or f"joint{j}"
        kind = ("free", "ball", "slide", "hinge")[int(m.jnt_type[j])]
        name = self.joint_names[j] = self.names.new(raw, VARIABLES[kind])
        own = np.array(m.jnt_pos[j])
        dof, address = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        turns = kind in ("hinge", "slide")
        words = {"quat": quat}
        if kind == "free":
            # the coordinates of MuJoCo are those of the body in the world
            words = {}
            if self.key is None:
                self.out.start(**dict(zip((name + each for each in FREE), _clean(m.qpos0[address : address + 7]))))
        else:
            place = at + rotation @ own if is_first else own
            words["at"] = self.lengths(f"{name}_at", place)
            if np.any(own):
                words["child_at"] = self.lengths(f"{name}_child_at", own)
        if self.key is not None:
            self.start_at_key(name, kind, address, dof)
        stiffness, rest = self.polynomial("jnt_stiffness", j), float(m.qpos_spring[address] - m.qpos0[address])
        armature, damping = self.carried(self.transmissions("JOINT", "JOINTINPARENT"), j)
        armature += float(m.dof_armature[dof])
        own_damping = self.polynomial("dof_damping", dof)
        damping = np.pad(damping, (0, len(own_damping) - len(damping))) + own_damping
        if turns:
            words["axis"] = _clean(m.jnt_axis[j])
            if stiffness[0]:
                words["stiffness"], words["rest"] = float(stiffness[0]), rest
            if armature:
                words["armature"] = armature
        if damping[0] and kind == "free":
            factor = self.number("damping", f"{name}_damping", damping[0])
            rates = [f"{name}_{axis}_dot" for axis in "xyz"] + [f"{name}_w{axis}" for axis in "xyz"]
            self.out.table("force", **{each: f"-({factor})*{each}" for each in rates})
        elif damping[0]:
            words["damping"] = self.number("damping", f"{name}_damping", damping[0])
        limited = bool(m.jnt_limited[j])
        if limited and self.takes_limits and turns:
            # the coordinate is zero where the joint stands in the file
            words["limits"] = [float(each - m.qpos0[address]) for each in m.jnt_range[j]]
        self.out.joint(name, kind, child=child, parent=None if parent == "world" else parent, **words)
        zero = float(m.qpos0[address]) if turns else 0.0
        less = f"; its coordinate is that of the file less its ref, {zero:g}" if zero else ""
        self.report.note("kept", f"joint {_said(raw, name)} ({kind}){less}", raw)
        if turns:
            self.curves(j, name, stiffness[1:], rest, damping[1:])
        if "limits" in words:
            self.report.note("kept", f"limits of joint {raw}, hard and without a bounce", raw)
        elif limited:
            self.report.note("left out", f"limits of joint {raw}", raw)
        lost = {
            "friction loss": m.dof_frictionloss[dof],
            "plastic yield threshold (springyield) of the spring": self.field("jnt_springyield", np.zeros(m.njnt))[j] * np.any(stiffness),
            "margin of the limits": m.jnt_margin[j] * ("limits" in words),
            "armature": armature * (not turns),
            "stiffness": stiffness * (not turns),
            "nonlinear part of the damping": damping[1:] * (not turns),
            "limits of the force of actuators": np.array(m.jnt_actfrcrange[j]) * bool(m.jnt_actfrclimited[j] and not turns),
        }
        for key, value in lost.items():
            if np.any(value):
                of = f"{key} of the {kind} joint {raw}" if not turns else f"{key} of joint {raw}"
                self.report.note("left out", f"{of} ({_list(value)})", raw)

    def start_at_key(self, name, kind, address, dof):
        """Starts a joint as the keyframe has it."""
        positions, rates = {"free": (FREE, VARIABLES["free"][7:]), "ball": (_QUATERNION, _SPIN)}.get(kind, (("",), ("_dot",)))
        q = np.array(self.m.key_qpos[self.key][address : address + len(positions)])
        v = self.m.key_qvel[self.key][dof : dof + len(rates)]
        if kind in ("hinge", "slide"):
            q -= self.m.qpos0[address]
        else:
            self.mujoco.mju_normalize4(q[-4:])
        values = [*zip(positions, q), *((rate, x) for rate, x in zip(rates, v) if x)]
        self.out.start(**{name + suffix: float(x) for suffix, x in values})

    def curves(self, j, name, stiffness, rest, damping):
        """Adds the nonlinear parts of the spring and of the damper of a hinge or slide: -k x^(i+2) and -d v |v|^(i+1)."""
        x = f"({name} - ({rest!r}))" if rest else name
        terms = [(-float(k), f"{x}^{i + 2}") for i, k in enumerate(stiffness)]
        terms += [(-float(d), f"{name}_dot" + f"*abs({name}_dot)" * (i + 1)) for i, d in enumerate(damping)]
        if any(factor for factor, _ in terms):
            self.push(j, self.names.new(f"{name}_curve"), _sum(terms))

    def push(self, j, name, text):
        """Adds a force along a slide or a torque about a hinge."""
        self.out.motor(name, self.joint_names[j], **{"force" if self.m.jnt_type[j] == 2 else "torque": text})

    def transmissions(self, *names):
        return [int(getattr(self.mujoco.mjtTrn, f"mjTRN_{each}")) for each in names]

    def equality(self, e):
        m, kinds = self.m, self.mujoco.mjtEq
        raw = m.equality(e).name or f"equality{e}"
        if not m.eq_active0[e]:
            self.report.note("left out", f"equality {raw}, which is not active", raw)
            return
        kind, first, second, data = kinds(int(m.eq_type[e])), int(m.eq_obj1id[e]), int(m.eq_obj2id[e]), np.array(m.eq_data[e])
        is_site = int(m.eq_objtype[e]) == int(self.mujoco.mjtObj.mjOBJ_SITE)
        is_weld = kind == kinds.mjEQ_WELD and data[10] != 0  # one without torquescale leaves the rotation free
        name = self.names.new(raw, ROWS)
        if kind in (kinds.mjEQ_JOINT, kinds.mjEQ_TENDON):
            if kind == kinds.mjEQ_JOINT:
                y, x = (self.joint_names[each] if each >= 0 else None for each in (first, second))
            else:
                y, x = (self.change_of_length(each) if each >= 0 else None for each in (first, second))
                spatial = [each for each, length in ((first, y), (second, x)) if each >= 0 and length is None]
                if spatial:
                    said = " and ".join(m.tendon(each).name or f"tendon{each}" for each in spatial)
                    self.report.note("left out", f"equality {raw}: {said} is a spatial tendon", raw)
                    return
            powers = [float(c) for c in data[:5]]
            if x is None:
                right = repr(powers[0])
            else:
                terms = [f"{c!r}" + (f"*{x}^{k}" if k > 1 else f"*{x}" if k else "") for k, c in enumerate(powers) if c]
                right = " + ".join(terms) or "0"
            self.out.couple(name, f"{y} = {right}")
        elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            at, child_at, turn = data[0:3], data[3:6], data[6:10]
            if is_site:
                at, child_at, turn, back = m.site_pos[first], m.site_pos[second], np.zeros(4), np.zeros(4)
                self.mujoco.mju_negQuat(back, m.site_quat[second])
                self.mujoco.mju_mulQuat(turn, m.site_quat[first], back)
                first, second = int(m.site_bodyid[first]), int(m.site_bodyid[second])
            elif kind == kinds.mjEQ_WELD:
                at, child_at = child_at, at
            words = {"at": _clean(at), "child_at": _clean(child_at)}
            if is_weld:
                words["quat"] = _quaternion(turn)
            pair = self.body_names[first], self.body_names[second]
            if pair[1] == "world":
                self.out.joint(name, "weld" if is_weld else "connect", child="world", parent=pair[0], **words)
            else:
                self.out.joint(
                    name, "weld" if is_weld else "connect", child=pair[1],
                    parent=None if pair[0] == "world" else pair[0], cut=True, **words,
                )  # fmt: skip
        else:
            self.report.note("left out", f"equality {raw} of a kind that is not supported", raw)
            return
        self.report.note("approximated", f"equality {_said(raw, name)}: soft in the file, exact here", raw)

    def loop(self, a, b, kind):
        known = {self.m.body(i).name: self.body_names[i] for i in range(1, self.m.nbody)}
        for joint in ElementTree.fromstring(self.text).iter("joint"):  # its frame is that of its child
            child = joint.find("child")
            if child is not None and child.get("link") in known:
                known.setdefault(joint.get("name"), known[child.get("link")])
        for each in (a, b):
            if each not in known:
                raise InputError(f"{self.path.with_suffix('.yaml')}: there is no frame {each!r} in {self.path.name}")
        if kind not in ("6d", "3d"):
            raise InputError(f"{self.path.with_suffix('.yaml')}: expected the type 6d or 3d, found {kind!r}")
        name = self.names.new(f"loop_{a}", ROWS)
        self.out.joint(name, "weld" if kind == "6d" else "connect", child=known[b], parent=known[a], cut=True)
        self.report.note("kept", f"loop {a} - {b} ({kind})")
        bodies = {own: i for i, own in self.body_names.items()}
        self.pairs.append((bodies[known[a]], bodies[known[b]], kind))

    def gaps(self, q):
        """Distances of the frames of the loops at these positions, in lengths of the robot and in radians, and their slopes."""
        m, d = self.m, self.start
        d.qpos[:] = q
        self.mujoco.mj_kinematics(m, d)
        self.mujoco.mj_comPos(m, d)
        size = max(float(np.max(np.abs(d.xpos))), 1e-3)
        gaps, slopes = [], []
        places, turns = np.zeros((2, 3, m.nv)), np.zeros((2, 3, m.nv))
        back, turn, vector = np.zeros(4), np.zeros(4), np.zeros(3)
        for a, b, kind in self.pairs:
            for i, body in enumerate((a, b)):
                self.mujoco.mj_jacBody(m, d, places[i], turns[i], body)
            gaps.append((d.xpos[b] - d.xpos[a]) / size)
            slopes.append((places[1] - places[0]) / size)
            if kind == "6d":
                self.mujoco.mju_negQuat(back, d.xquat[a])
                self.mujoco.mju_mulQuat(turn, d.xquat[b], back)
                self.mujoco.mju_quat2Vel(vector, turn, 1)
                gaps.append(vector.copy())
                slopes.append(turns[1] - turns[0])
        return np.concatenate(gaps), np.concatenate(slopes)

    def moved(self, q, step):
        q = np.array(q)
        self.mujoco.mj_integratePos(self.m, q, step, 1)
        return q

    def closed(self, q):
        """Positions nearby at which the loops are closed, by Levenberg and Marquardt's steps; None if none is found."""
        gaps, slopes = self.gaps(q)
        weight = 1e-2
        for _ in range(300):
            if np.max(np.abs(gaps)) < 1e-12:
                return q
            step = np.linalg.solve(slopes.T @ slopes + weight * np.eye(self.m.nv), -slopes.T @ gaps)
            step *= min(1.0, 0.5 / max(np.max(np.abs(step)), 1e-300))
            other = self.gaps(self.moved(q, step))
            if np.linalg.norm(other[0]) < np.linalg.norm(gaps):
                q, (gaps, slopes), weight = self.moved(q, step), other, max(weight / 4, 1e-14)
            elif weight > 1e8:
                break
            else:
                weight *= 5
        return q if np.max(np.abs(gaps)) < 1e-9 else None

    def start_at(self, name, kind, q):
        kinds = self.mujoco.mjtJoint
        if kind == kinds.mjJNT_BALL:
            self.out.start(**{f"{name}_e{k}": float(q[k]) for k in range(4)})
        elif abs(q[0]) > NOISE:
            self.out.start(**{name: float(np.arctan2(np.sin(q[0]), np.cos(q[0])) if kind == kinds.mjJNT_HINGE else q[0])})

    def close_loops(self):
        """Starts the joints such that the loops of a URDF, which may be open in the file, are closed."""
        m = self.m
        if not self.pairs:
            return
        first = np.array(self.start.qpos)
        if np.max(np.abs(self.gaps(first)[0])) < 1e-9:
            return
        bits = np.random.default_rng(1)
        for attempt in range(12):  # the first from the file's own positions, others farther and farther from them
            found = self.closed(self.moved(first, bits.normal(size=m.nv) * 0.1 * attempt))
            if found is not None:
                for j in range(m.njnt):
                    self.start_at(self.joint_names[j], m.jnt_type[j], found[int(m.jnt_qposadr[j]) :])
                self.report.note("approximated", f"start of {m.njnt} joints, at which the loops are closed")
                return
        self.report.note("approximated", "no start was found at which the loops are closed")

    def actuator(self, a):
        m = self.m
        raw = m.actuator(a).name or f"actuator{a}"
        group = int(m.actuator_group[a])
        if not self.actuates:
            self.report.note("left out", f"actuator {raw}, which is disabled", raw)
            return
        if 0 <= group <= 30 and m.opt.disableactuator >> group & 1:
            self.report.note("left out", f"actuator {raw}, whose group {group} is disabled", raw)
            return
        unsupported = self.unsupported(a)
        if unsupported:
            self.report.note("left out", f"actuator {raw}: not supported: {', '.join(unsupported)}", raw)
            return
        name = self.names.new(raw)
        control = value = self.names.new(f"{name}_ctrl")
        moved = int(m.actuator_trnid[a][0])
        if self.pulls_tendon(a):
            q, rate = self.change_of_length(moved), self.change_of_length(moved, "_dot")
            arms, zero = self.arms(moved), float(m.tendon_length0[moved])
        else:
            q = self.joint_names[moved]
            rate = f"{q}_dot"
            arms, zero = [(moved, 1.0)], float(m.qpos0[m.jnt_qposadr[moved]])
        place = int(self.field("actuator_ctrladr", range(m.nu))[a])
        self.out.parameter(control, 0.0 if self.key is None else float(m.key_ctrl[self.key][place]))
        if m.actuator_ctrllimited[place]:
            low, high = (float(x) for x in m.actuator_ctrlrange[place])
            value = f"clamp({control}, {low!r}, {high!r})"
        gear, gain = float(m.actuator_gear[self.output(a)][0]), float(m.actuator_gainprm[a][0])
        affine = int(m.actuator_biastype[a]) == int(self.mujoco.mjtBias.mjBIAS_AFFINE)
        constant, length, speed = (float(x) for x in m.actuator_biasprm[a][:3]) if affine else (0.0, 0.0, 0.0)
        limited = bool(m.actuator_forcelimited[a])
        for k, (j, arm) in enumerate(arms):
            lever = gear * arm
            factor = 1.0 if limited else lever
            bias = factor * (constant + length * gear * zero)
            text = _sum([(factor * gain, value), (bias, ""), (factor * gear * length, q), (factor * gear * speed, rate)])
            if limited:
                low, high = (float(x) for x in m.actuator_forcerange[a])
                text = f"({lever!r})*clamp({text}, {low!r}, {high!r})"
            own = name if k == 0 else self.names.new(f"{name}_{self.joint_names[j]}")
            self.drives.setdefault(j, []).append((own, text))
        self.report.note("kept", f"actuator {_said(raw, name)}; its control is the parameter {control}", raw)
        delay = float(self.field("actuator_delay", np.zeros(self.n_actuators))[a])
        if delay:
            self.report.note("left out", f"delay of actuator {raw} ({delay:g})", raw)

    def drive(self, j):
        """Adds the forces of the actuators of a joint, within the limits of their sum."""
        m = self.m
        if not m.jnt_actfrclimited[j]:
            for name, text in self.drives[j]:
                self.push(j, name, text)
            return
        low, high = (float(x) for x in m.jnt_actfrcrange[j])
        total = " + ".join(text for _, text in self.drives[j])
        self.push(j, self.names.new(f"{self.joint_names[j]}_drive"), f"clamp({total}, {low!r}, {high!r})")
        raw = m.joint(j).name or f"joint{j}"
        self.report.note("kept", f"limits of the force of actuators on joint {raw}", raw)

    def pulls_tendon(self, a):
        return int(self.m.actuator_trntype[a]) in self.transmissions("TENDON")

    def unsupported(self, a):
        """The parts of an actuator that no force of a model states, in the words of the file."""
        m, found = self.m, []

        def word(kinds, value):
            return kinds(int(value)).name.split("_", 1)[1].lower()

        kinds = self.mujoco
        transmission, moved = word(kinds.mjtTrn, m.actuator_trntype[a]), int(m.actuator_trnid[a][0])
        if self.pulls_tendon(a):
            if self.arms(moved) is None:
                found.append(f"transmission by the spatial tendon {m.tendon(moved).name or f'tendon{moved}'}")
        elif transmission not in ("joint", "jointinparent"):
            found.append(f"transmission {transmission}")
        elif m.jnt_type[moved] < 2:
            found.append(f"transmission to the {word(kinds.mjtJoint, m.jnt_type[moved])} joint {m.joint(moved).name or f'joint{moved}'}")
        for key, enum, values, supported in (
            ("dyntype", kinds.mjtDyn, m.actuator_dyntype, ("none",)),
            ("gaintype", kinds.mjtGain, m.actuator_gaintype, ("fixed",)),
            ("biastype", kinds.mjtBias, m.actuator_biastype, ("none", "affine")),
        ):
            if word(enum, values[a]) not in supported:
                found.append(f"{key} {word(enum, values[a])}")
        if m.actuator_plugin[a] >= 0:
            found.append("plugin")
        if any(int(self.field(each, np.ones(m.nu))[a]) != 1 for each in ("actuator_ctrlnum", "actuator_outnum")):
            found.append("several controls or forces")
        return found

    def arms(self, i):
        """Pairs (joint, coefficient) of a fixed tendon; None for a spatial one."""
        m = self.m
        wraps = range(m.tendon_adr[i], m.tendon_adr[i] + m.tendon_num[i])
        if any(int(m.wrap_type[k]) != int(self.mujoco.mjtWrap.mjWRAP_JOINT) for k in wraps):
            return None
        return [(int(m.wrap_objid[k]), float(m.wrap_prm[k])) for k in wraps]

    def change_of_length(self, i, suffix=""):
        """The length of a fixed tendon less that at the start, or with the suffix _dot its rate, as an expression; None
        for a spatial tendon."""
        arms = self.arms(i)
        return None if arms is None else f"({_sum([(arm, self.joint_names[j] + suffix) for j, arm in arms])})"

    def tendon(self, i):
        m = self.m
        raw = m.tendon(i).name or f"tendon{i}"
        armature, damping = self.carried(self.transmissions("TENDON"), i)
        own_damping = self.polynomial("tendon_damping", i)
        stiffness = self.polynomial("tendon_stiffness", i)
        damping = np.pad(damping, (0, len(own_damping) - len(damping))) + own_damping
        arms = self.arms(i)
        if arms is None:
            parts = {"stiffness": stiffness, "damping": damping}
        else:
            parts = {}
            self.pull(i, arms, stiffness, damping)
            said = ", ".join(f"{key} {_list(value)}" for key, value in (("stiffness", stiffness), ("damping", damping)) if np.any(value))
            self.report.note("kept", f"fixed tendon {raw}" + (f" ({said})" if said else ""), raw)
        parts |= {
            "armature": armature + float(self.field("tendon_armature", np.zeros(m.ntendon))[i]),
            "frictionloss": m.tendon_frictionloss[i],
            "springyield": self.field("tendon_springyield", np.zeros(m.ntendon))[i],
            "range": np.array(m.tendon_range[i]) * bool(m.tendon_limited[i]),
            "actuatorfrcrange": np.array(self.field("tendon_actfrcrange", np.zeros((m.ntendon, 2)))[i])
            * bool(self.field("tendon_actfrclimited", np.zeros(m.ntendon))[i]),
        }
        said = ", ".join(f"{key} {_list(value)}" for key, value in parts.items() if np.any(value))
        if arms is None:
            self.report.note("left out", f"spatial tendon {raw}" + (f" ({said})" if said else ""), raw)
        elif said:
            self.report.note("left out", f"of fixed tendon {raw}: {said}", raw)

    def pull(self, i, arms, stiffness, damping):
        """Adds the forces of the spring and of the damper of a fixed tendon: -k x^(i+1) beyond its range of lengths without
        a force, and -d v |v|^i."""
        length, rate = self.change_of_length(i), self.change_of_length(i, "_dot")
        low, high = (float(each - self.m.tendon_length0[i]) for each in self.m.tendon_lengthspring[i])
        slack = f"clamp({length}, {low!r}, {high!r})" if low < high else repr(low)
        x = length if low == high == 0 else f"({length} - ({slack}))"
        terms = [(-float(k), x if n == 0 else f"{x}^{n + 1}") for n, k in enumerate(stiffness)]
        terms += [(-float(d), rate + f"*abs({rate})" * n) for n, d in enumerate(damping)]
        if not any(factor for factor, _ in terms):
            return
        name = _word(self.m.tendon(i).name or f"tendon{i}")
        for j, arm in arms:
            self.push(j, self.names.new(f"{name}_{self.joint_names[j]}"), _sum([(arm * factor, text) for factor, text in terms]))

    def left_out(self):
        m = self.m
        for count, what in ((m.nsensor, "sensors"), (m.nflex, "flexible bodies")):
            if count:
                self.report.note("left out", f"{count} {what}")
        for k, raw in enumerate(self.key_names):
            if k != self.key:
                self.report.note("left out", f'keyframe {raw}; --keyframe {raw} (keyframe="{raw}") starts there', raw)
                continue
            self.report.note("kept", f"keyframe {raw}: start and controls", raw)
            parts = {"time": m.key_time[k], "act": m.key_act[k], "mpos": m.key_mpos[k], "mquat": m.key_mquat[k] * bool(m.nmocap)}
            said = ", ".join(f"{key} {_list(value)}" for key, value in parts.items() if np.any(value))
            if said:
                self.report.note("left out", f"of keyframe {raw}: {said}", raw)
        kinds = [int(self.mujoco.mjtJoint.mjJNT_SLIDE), int(self.mujoco.mjtJoint.mjJNT_HINGE)]
        limited = sum(bool(m.jnt_limited[j]) and m.jnt_type[j] in kinds for j in range(m.njnt))
        if limited and not self.takes_limits:
            self.report.note("left out", f"limits of hinges and slides ({limited}); --limits (limits=True) keeps them")
        acts = self.actuates and self.n_actuators
        lifting = acts and np.any(m.body_gravcomp) and np.any(m.opt.gravity)
        for j in range(m.njnt):
            if lifting and m.jnt_actgravcomp[j] and m.jnt_actfrclimited[j]:
                raw = m.joint(j).name or f"joint{j}"
                self.report.note("left out", f"actuatorfrcrange of joint {raw} ({_list(m.jnt_actfrcrange[j])}) for its gravcomp", raw)
        if m.opt.density or m.opt.viscosity:
            said = f"density {m.opt.density:g}, viscosity {m.opt.viscosity:g}, wind {_list(m.opt.wind)}"
            self.report.note("left out", f"drag of the medium ({said})")
        if m.opt.enableflags & int(getattr(self.mujoco.mjtEnableBit, "mjENBL_SLEEP", 0)):
            self.report.note("left out", "flag: sleep is enabled")
        colliding = int(np.sum((m.geom_contype != 0) | (m.geom_conaffinity != 0))) if m.ngeom else 0
        if colliding and not self.takes_contacts:
            self.report.note("left out", f"contacts of {colliding} geometries; --contacts (contacts=True) keeps those with planes and of spheres")
        if self.collides and m.npair and not self.takes_contacts:
            self.report.note("left out", f"contacts of {m.npair} pairs of geometries")


def read_robot(path, parameters=(), floating=False, limits=False, contacts=False, keyframe=None):
    """The Mechanism of a URDF or MJCF file, and the Report of what was kept, approximated and left out."""
    importer = Importer(path, parameters, floating, limits, contacts, keyframe)
    return importer.mechanism(), importer.report


def model_of(mechanism, path):
    """The model of an imported file; errors name the file."""
    return Model(mechanism.to_toml(), name=f"{path} as a model")


def command_line(words):
    """Does `kalaba import FILE -o MODEL.toml`. Raises Error."""
    import argparse
    import sys

    parser = argparse.ArgumentParser(
        prog="kalaba import", description="Write a URDF or MJCF file as a model",
        epilog="Example: kalaba import gripper.xml -o gripper.toml --parameters masses,lengths",
    )  # fmt: skip
    parser.add_argument("file", help="a file that holds <robot> or <mujoco>")
    parser.add_argument("-o", "--output", help="file to write; default: standard output")
    parser.add_argument("--parameters", default="", help=f"make parameters of {', '.join(KINDS)}")
    parser.add_argument("--floating", action="store_true", help="the root link of a URDF moves freely; default: it is fixed")
    parser.add_argument("--limits", action="store_true", help="keep the limits of joints, as contacts; default: they are left out")
    parser.add_argument("--contacts", action="store_true", help="keep the contacts of spheres, capsules and boxes with planes, and of two spheres; default: they are left out")
    parser.add_argument("--keyframe", metavar="NAME", help="start at this keyframe of an MJCF file; default: where the file places the bodies")
    request = parser.parse_args(words)
    parameters = [each for each in request.parameters.split(",") if each]
    mechanism, report = read_robot(request.file, parameters, request.floating, request.limits, request.contacts, request.keyframe)
    text = mechanism.to_toml()
    model_of(mechanism, request.file)  # an error is one of the file's
    if request.output:
        target = pathlib.Path(request.output)
        try:
            with target.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise InputError(f"{target}: exists already; choose another name") from None
        except OSError as error:
            raise FileError(f"{target}: cannot be written: {error.strerror}") from None
    else:
        print(text, end="")
    print(report, file=sys.stderr)
