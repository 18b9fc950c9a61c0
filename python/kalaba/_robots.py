"""Import of URDF and MJCF files: MuJoCo's compiler reads them (pip install kalaba[mujoco]), this writes a Mechanism."""

from __future__ import annotations

import ast
import pathlib
import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from ._errors import FileError, InputError
from ._mechanism import Mechanism

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


def _refuse_outside(path, root, tag="include"):
    """Refuses includes outside of the file's folder."""
    folder = path.resolve().parent
    for each in root.iter(tag):
        name = each.get("file", "")
        if not (folder / name).resolve().is_relative_to(folder):
            raise InputError(f"{path}: the include {name!r} is outside of the file's folder; move it there")


def _spec(path):
    """The file as a specification of MuJoCo, without what it takes to draw; its text; and whether it is a URDF."""
    mujoco = _mujoco()
    text = _read_text(path)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: is not XML: {error}") from None
    _refuse_outside(path, root)
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
            return mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode")), text, True
        if root.tag == "mujoco":
            return mujoco.MjSpec.from_file(str(path)), text, False
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


class Names:
    """Names of a file as names of a model, all different."""

    def __init__(self):
        self._taken = {"world", "t", "pi"}

    def new(self, name):
        word = base = _word(name)
        count = 1
        while word in self._taken:
            count += 1
            word = f"{base}_{count}"
        self._taken.add(word)
        return word


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


def _loops_beside(path):
    """Pairs of frames of a YAML file beside a URDF: closed_loop: [['A', 'B'], ...], type: ['6d', ...]."""
    beside = path.with_suffix(".yaml")
    if not beside.exists():
        return []
    found = {}
    for line in _read_text(beside).splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("closed_loop", "type"):
            try:
                found[name.strip()] = ast.literal_eval(value.strip())
            except (SyntaxError, ValueError):
                raise InputError(f"{beside}: expected {name.strip()}: [...] in one line, found {value.strip()}") from None
    pairs = found.get("closed_loop", [])
    is_pair = [isinstance(each, (list, tuple)) and [type(name) for name in each] == [str, str] for each in pairs] \
        if isinstance(pairs, (list, tuple)) else [False]
    if not all(is_pair):
        raise InputError(f"{beside}: expected closed_loop: [['FRAME', 'FRAME'], ...], found {pairs!r}")
    kinds = found.get("type", ["6d"] * len(pairs))
    if not isinstance(kinds, (list, tuple)) or len(kinds) != len(pairs):
        raise InputError(f"{beside}: expected a type for each of the {len(pairs)} pairs of closed_loop, found {kinds!r}")
    return [(a, b, kind) for (a, b), kind in zip(pairs, kinds)]


class Importer:
    """Writes the compiled model of MuJoCo as a Mechanism."""

    def __init__(self, path, parameters=()):
        self.mujoco = _mujoco()
        self.path = pathlib.Path(path)
        unknown = [each for each in parameters if each not in KINDS]
        if unknown:
            raise InputError(f"parameters are of {', '.join(KINDS)}, found {unknown[0]!r}")
        self.parameters = set(parameters)
        spec, text, is_urdf = _spec(self.path)
        self.is_urdf = is_urdf
        self.text = text
        try:
            self.m = spec.compile()
        except ValueError as error:
            raise InputError(f"{self.path}: {error}") from None
        self.report = Report(text)
        self.names = Names()  # of coordinates, parameters and constraints
        self.names_of_bodies = Names()
        self.body_names, self.joint_names = {0: "world"}, {}
        self.start, self.turned = self.mujoco.MjData(self.m), set()  # positions at the start, joints that it turns
        gravity = (0, 0, -9.81) if self.is_urdf else _clean(self.m.opt.gravity)
        self.out = Mechanism(_word(spec.modelname or self.path.stem), gravity=list(gravity), source=self.path.name)

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
        for a, b, kind in _loops_beside(self.path) if self.is_urdf else []:
            self.loop(a, b, kind)
        for a in range(self.m.nu):
            self.actuator(a)
        self.left_out()
        return self.out

    def body(self, b):
        m = self.m
        raw = m.body(b).name or f"body{b}"
        name = self.body_names[b] = self.names_of_bodies.new(raw)
        entry = {}
        if m.body_mass[b] > 0:
            entry["mass"] = self.number("masses", f"{name}_mass", m.body_mass[b])
            com = _clean(m.body_ipos[b], scale=max(1e-3, float(np.max(np.abs(m.body_ipos[b])))))
            if any(com):
                entry["com"] = com
            entry["inertia"] = [self.number("inertias", f"{name}_I{axis}", x) for axis, x in zip("xyz", m.body_inertia[b])]
            axes = _quaternion(m.body_iquat[b])
            if axes:
                entry["axes"] = axes
        self.out.body(name, **entry)
        self.report.note("kept", f"body {raw}", raw)
        parent = self.body_names[int(m.body_parentid[b])]
        joints = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        at = np.array(m.body_pos[b])
        rotation = np.zeros(9)
        self.mujoco.mju_quat2Mat(rotation, m.body_quat[b])
        rotation = rotation.reshape(3, 3)
        quat = _quaternion(m.body_quat[b])
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

    def joint(self, j, parent, child, at, rotation, quat, is_first):
        m = self.m
        raw = m.joint(j).name or f"joint{j}"
        name = self.joint_names[j] = self.names.new(raw)
        kind = ("free", "ball", "slide", "hinge")[int(m.jnt_type[j])]
        own = np.array(m.jnt_pos[j])
        dof, address = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        words = {"quat": quat}
        if kind == "free":
            # the coordinates of MuJoCo are those of the body in the world
            words = {}
            start = dict(zip(("x", "y", "z", "e0", "e1", "e2", "e3"), _clean(m.qpos0[address : address + 7])))
            self.out.start(**{f"{name}_{key}": value for key, value in start.items()})
        else:
            place = at + rotation @ own if is_first else own
            words["at"] = self.lengths(f"{name}_at", place)
            if np.any(own):
                words["child_at"] = self.lengths(f"{name}_child_at", own)
        if kind in ("hinge", "slide"):
            words["axis"] = _clean(m.jnt_axis[j])
            stiffness = float(np.atleast_1d(m.jnt_stiffness[j])[0])
            if stiffness > 0:
                words["stiffness"] = stiffness
                words["rest"] = float(m.qpos_spring[address] - m.qpos0[address])
            if m.dof_armature[dof] > 0:
                words["armature"] = float(m.dof_armature[dof])
        damping = float(np.atleast_1d(m.dof_damping[dof])[0])
        if damping > 0 and kind != "free":
            words["damping"] = self.number("damping", f"{name}_damping", damping)
        elif damping > 0:
            self.report.note("left out", f"damping of the free joint {raw}", raw)
        if kind in ("ball", "free") and m.dof_armature[dof] > 0:
            self.report.note("left out", f"armature of the {kind} joint {raw}", raw)
        self.out.joint(name, kind, child=child, parent=None if parent == "world" else parent, **words)
        self.report.note("kept", f"joint {raw} ({kind})", raw)
        if m.jnt_limited[j]:
            self.report.note("left out", f"limits of joint {raw}", raw)
        if m.dof_frictionloss[dof] > 0:
            self.report.note("left out", f"friction loss of joint {raw}", raw)

    def equality(self, e):
        m, kinds = self.m, self.mujoco.mjtEq
        raw = m.equality(e).name or f"equality{e}"
        if not m.eq_active0[e]:
            self.report.note("left out", f"equality {raw}, which is not active", raw)
            return
        kind, first, second, data = kinds(int(m.eq_type[e])), int(m.eq_obj1id[e]), int(m.eq_obj2id[e]), np.array(m.eq_data[e])
        is_site = int(m.eq_objtype[e]) == int(self.mujoco.mjtObj.mjOBJ_SITE)
        name = self.names.new(raw)
        if kind == kinds.mjEQ_JOINT:
            y = self.joint_names[first]
            powers = [float(c) for c in data[:5]]
            if second < 0:
                right = repr(powers[0])
            else:
                x = self.joint_names[second]
                terms = [f"{c!r}" + (f"*{x}^{k}" if k > 1 else f"*{x}" if k else "") for k, c in enumerate(powers) if c]
                right = " + ".join(terms) or "0"
            self.out.couple(name, f"{y} = {right}")
        elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) and not is_site:
            words = {"at": _clean(data[0:3]), "child_at": _clean(data[3:6])}
            if kind == kinds.mjEQ_WELD:
                words = {"at": _clean(data[3:6]), "child_at": _clean(data[0:3]), "quat": _quaternion(data[6:10])}
            pair = self.body_names[first], self.body_names[second]
            if pair[1] == "world":
                self.out.joint(name, "connect" if kind == kinds.mjEQ_CONNECT else "weld", child="world", parent=pair[0], **words)
            else:
                self.out.joint(
                    name, "connect" if kind == kinds.mjEQ_CONNECT else "weld", child=pair[1],
                    parent=None if pair[0] == "world" else pair[0], cut=True, **words,
                )  # fmt: skip
        else:
            self.report.note("left out", f"equality {raw} of a kind that is not supported", raw)
            return
        self.report.note("approximated", f"equality {raw}: soft in the file, exact here", raw)

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
        name = self.names.new(f"loop_{a}")
        self.out.joint(name, "weld" if kind == "6d" else "connect", child=known[b], parent=known[a], cut=True)
        self.report.note("kept", f"loop {a} - {b} ({kind})")
        if kind == "6d":
            bodies = {own: i for i, own in self.body_names.items()}
            self.turn_towards(bodies[known[a]], bodies[known[b]])

    def turn_towards(self, a, b):
        """Starts the hinge that carries `b`, or else `a`, such that their frames are turned least from each other."""
        m, d = self.m, self.start
        for fixed, body in ((a, b), (b, a)):
            j = int(m.body_jntadr[body])
            if m.body_jntnum[body] != 1 or m.jnt_type[j] != self.mujoco.mjtJoint.mjJNT_HINGE or j in self.turned:
                continue
            self.mujoco.mj_kinematics(m, d)
            turn = d.xmat[fixed].reshape(3, 3).T @ d.xmat[body].reshape(3, 3)
            if np.trace(turn) > 1:  # less than a quarter turn: a run closes the loop
                return
            x, y, z = axis = m.jnt_axis[j]
            # the trace of turn times a rotation about the axis is cos * along + sin * across + constant
            along = np.trace(turn) - axis @ turn @ axis
            across = np.trace(turn @ np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))
            if np.hypot(along, across) < NOISE:
                continue
            angle = float(np.arctan2(across, along))
            d.qpos[m.jnt_qposadr[j]] += angle
            self.turned.add(j)
            self.out.start(**{self.joint_names[j]: angle})
            raw = m.joint(j).name
            self.report.note("approximated", f"start of joint {raw}: {angle:.6g}, so that its loop closes from there", raw)
            return

    def actuator(self, a):
        m = self.m
        raw = m.actuator(a).name or f"actuator{a}"
        joint = int(m.actuator_trntype[a]) == int(self.mujoco.mjtTrn.mjTRN_JOINT)
        j = int(m.actuator_trnid[a][0])
        plain_gain = int(m.actuator_gaintype[a]) == int(self.mujoco.mjtGain.mjGAIN_FIXED)
        plain_bias = int(m.actuator_biastype[a]) in (int(self.mujoco.mjtBias.mjBIAS_NONE), int(self.mujoco.mjtBias.mjBIAS_AFFINE))
        static = int(m.actuator_dyntype[a]) == int(self.mujoco.mjtDyn.mjDYN_NONE)
        if not (joint and plain_gain and plain_bias and static and m.jnt_type[j] >= 2):
            self.report.note("left out", f"actuator {raw} of a kind that is not supported", raw)
            return
        name = self.names.new(raw)
        control = self.names.new(f"{name}_ctrl")
        self.out.parameter(control, 0.0)
        q = self.joint_names[j]
        gear, gain = float(m.actuator_gear[a][0]), float(m.actuator_gainprm[a][0])
        affine = int(m.actuator_biastype[a]) == int(self.mujoco.mjtBias.mjBIAS_AFFINE)
        constant, length, speed = (float(x) for x in m.actuator_biasprm[a][:3]) if affine else (0.0, 0.0, 0.0)
        zero = float(m.qpos0[m.jnt_qposadr[j]])
        terms = [f"{gear * gain!r}*{control}"]
        if constant + length * gear * zero:
            terms.append(repr(gear * (constant + length * gear * zero)))
        if length:
            terms.append(f"({gear * gear * length!r})*{q}")
        if speed:
            terms.append(f"({gear * gear * speed!r})*{q}_dot")
        key = "force" if m.jnt_type[j] == 2 else "torque"
        self.out.motor(name, q, **{key: " + ".join(terms)})
        self.report.note("kept", f"actuator {raw}; its control is the parameter {control}", raw)
        if m.actuator_forcelimited[a] or m.actuator_ctrllimited[a]:
            self.report.note("left out", f"limits of actuator {raw}", raw)

    def left_out(self):
        m = self.m
        for count, what in ((m.ntendon, "tendons"), (m.nsensor, "sensors"), (m.nflex, "flexible bodies"), (m.nmocap, "mocap bodies")):
            if count:
                self.report.note("left out", f"{count} {what}")
        colliding = int(np.sum((m.geom_contype != 0) | (m.geom_conaffinity != 0))) if m.ngeom else 0
        if colliding:
            self.report.note("left out", f"contacts of {colliding} geometries")


def read_robot(path, parameters=()):
    """The Mechanism of a URDF or MJCF file, and the Report of what was kept, approximated and left out."""
    importer = Importer(path, parameters)
    return importer.mechanism(), importer.report


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
    request = parser.parse_args(words)
    mechanism, report = read_robot(request.file, [each for each in request.parameters.split(",") if each])
    text = mechanism.to_toml()
    mechanism.model()  # an error is one of the file's
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
