"""The builder of mechanisms, and files of robots."""

import numpy as np
import pytest

import kalaba as kb


def pendulum():
    m = kb.Mechanism("pendulum", gravity=(0, 0, "-g"), parameters=dict(L="0.3 m", g="9.81 m/s^2"))
    bob = m.body("bob", mass="0.2 kg", com=(0, 0, "-L"))
    m.hinge("pin", child=bob, axis=(1, 0, 0))
    m.start(pin=0.3)
    return m


def test_a_mechanism_is_a_model():
    model = pendulum().model()
    assert [each.name for each in model.coordinates] == ["pin"]
    one = kb.simulate(model, end=0.5)
    other = kb.simulate(kb.Model.parse(pendulum().to_toml()), end=0.5)
    np.testing.assert_array_equal(one["pin"], other["pin"])


def test_a_name_is_given_once():
    m = pendulum()
    with pytest.raises(kb.InputError, match="bodies has 'bob' already"):
        m.body("bob")


MJCF = """<mujoco model="arm"><option gravity="0 0 -9.81"/><worldbody>
<body name="base" pos="0 0 1" quat="1 0 0 1"><inertial mass="2" pos="0.1 0 0.05" diaginertia="0.02 0.03 0.04"/>
<joint name="turn" axis="0 0 1" damping="0.1"/><joint name="tilt" axis="0 1 1" pos="0.02 0 0.1" armature="0.01"/>
<body name="arm" pos="0 0 0.4"><inertial mass="1" pos="0 0 0.2" quat="1 0.2 0.1 0" diaginertia="0.01 0.012 0.005"/>
<joint name="elbow" axis="0 1 0" stiffness="3" springref="0.2" pos="0 0 0.01"/>
<body name="slider" pos="0.1 0 0.3"><inertial mass="0.3" pos="0 0 0" diaginertia="0.001 0.001 0.001"/>
<joint name="reach" type="slide" axis="1 0 1" range="-1 1" limited="true"/>
<body name="hand" pos="0 0 0.1"><inertial mass="0.2" pos="0.01 0.02 0.03" diaginertia="0.001 0.002 0.0015"/>
<joint name="wrist" type="ball"/></body></body></body></body>
<body name="loose" pos="1 0 0"><freejoint name="loose"/><inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.2 0.15"/></body>
</worldbody><actuator><position name="servo" joint="elbow" kp="5"/></actuator></mujoco>"""


def test_a_file_of_mujoco_moves_as_in_mujoco(tmp_path):
    mujoco = pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    model = kb.Model.read(path)
    m = mujoco.MjModel.from_xml_string(MJCF)
    m.opt.timestep, m.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_RK4
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    d = mujoco.MjData(m)
    start = dict(turn=0.3, tilt=-0.4, elbow=0.5, reach=0.1)
    for name, value in start.items():
        d.joint(name).qpos[0] = value
    d.joint("turn").qvel[0] = 1.5
    d.joint("wrist").qvel[:] = (1, -2, 3)
    d.joint("loose").qvel[:] = (0.1, 0.2, 0.3, 1, 2, -1)
    rates = dict(turn_dot=1.5, wrist_wx=1, wrist_wy=-2, wrist_wz=3)
    rates.update(zip(("loose_x_dot", "loose_y_dot", "loose_z_dot", "loose_wx", "loose_wy", "loose_wz"), d.joint("loose").qvel))
    for _ in range(500):
        mujoco.mj_step(m, d)
    one = kb.simulate(model, end=0.5, dt=1e-3, **start, **rates)
    for name in start:
        assert float(np.asarray(one[name])[-1]) == pytest.approx(float(d.joint(name).qpos[0]), abs=1e-9), name
    for k, axis in enumerate("xyz"):
        assert float(np.asarray(one[f"loose_{axis}"])[-1]) == pytest.approx(float(d.joint("loose").qpos[k]), abs=1e-9)


def test_what_is_left_out_is_listed(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    mechanism, report = read_robot(path, ["masses", "lengths", "inertias", "damping"])
    assert ("left out", "limits of joint reach", 7) in report
    assert "base_mass" in [each.name for each in mechanism.model().parameters]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>', "DOCTYPE or entities"),
        ('<mujoco><include file="../other.xml"/></mujoco>', "outside of the file's folder"),
        ("<mujoco>", "is not XML"),
        ("<sdf/>", "expected <robot>"),
        ('<mujoco><worldbody><geom type="mesh" mesh="none"/></worldbody></mujoco>', "none"),
    ],
)
def test_a_file_that_is_refused(tmp_path, text, message):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(kb.InputError, match=message):
        kb.Model.read(path)


LINK = (
    '<link name="{0}"><inertial><origin xyz="{1}"/><mass value="{2}"/>'
    '<inertia ixx="{3}" iyy="{3}" izz="{3}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="continuous"><origin xyz="{1}" rpy="{2}"/><parent link="{3}"/><child link="{4}"/>'
    '<axis xyz="0 0 1"/></joint>'
)


@pytest.mark.parametrize("turned", [0, 1, 2, 3.141592653589793, -3.141592653589793, 1.5707963267948966])
def test_the_loop_of_a_urdf_closes_without_a_turn(tmp_path, turned):
    mujoco = pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    links = [("base", "0 0 0", 1, 1), ("one", "0.2 0 0", 1, 0.01), ("two", "0.2 0 0", 1, 0.01), ("three", "0.2 0 0", 1, 0.01)]
    links += [("left", "0 0 0", 1e-5, 1e-9), ("right", "0 0 0", 1e-5, 1e-9)]
    joints = [
        ("a", "0 0 0", "0 0 1.2", "base", "one"),
        ("b", "0.4 0 0", "0 0 -1.5", "one", "two"),
        ("c", "0.6 0 0", "0 0 1", "base", "three"),
        ("A", "0.4 0 0", "0 0 0.3", "two", "left"),
        ("B", "0.4 0 0", f"0 0 {turned - 1}", "three", "right"),
    ]
    text = "".join(LINK.format(*each) for each in links) + "".join(JOINT.format(*each) for each in joints)
    path = tmp_path / "loop.urdf"
    path.write_text(f'<robot name="loop">{text}</robot>')
    path.with_suffix(".yaml").write_text("closed_loop: [['A', 'B']]\ntype: ['6d']\n")
    result = kb.simulate(kb.Model.read(path), end=0.01)
    m = mujoco.MjModel.from_xml_string(path.read_text())
    d = mujoco.MjData(m)
    for name in "abcAB":
        d.joint(name).qpos[0] = float(np.asarray(result[name])[-1])
        assert abs(d.joint(name).qpos[0]) < 7
    mujoco.mj_kinematics(m, d)
    np.testing.assert_allclose(d.body("left").xpos, d.body("right").xpos, atol=1e-9)
    np.testing.assert_allclose(d.body("left").xmat, d.body("right").xmat, atol=1e-7)
