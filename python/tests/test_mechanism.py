"""The builder of mechanisms, and files of robots."""

import pathlib
import re

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


def test_limits_of_one_side_and_what_is_stated_twice():
    m = kb.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("rod", mass=1, box=[0.1, 0.1, 1])
    m.hinge("pin", child="rod", axis=[0, 1, 0], limits=(None, 0.4))
    assert "limits = { upper = 0.4 }" in m.to_toml()
    assert [each.name for each in m.model().constraints] == ["pin_upper"]
    with pytest.raises(kb.InputError, match="one of them possibly None"):
        m.hinge("other", child="rod", axis=[0, 1, 0], limits=(None, None))
    m.parameter("L", 1)
    with pytest.raises(kb.InputError, match="parameters has 'L' already"):
        m.parameter("L", 2)
    m.start(pin=0.1)
    with pytest.raises(kb.InputError, match="start has 'pin' already"):
        m.start(pin=0.2)


def test_a_point_slides_on_the_floor_and_comes_to_rest():
    m = kb.Mechanism("puck", gravity=(0, 0, "-g"), parameters=dict(g="9.81 m/s^2", mu=0.4))
    m.body("puck", mass="0.2 kg", com=(0, 0, 0))
    m.slide("along", child="puck", axis=(1, 0, 0))
    m.body("foot", mass="0.1 kg", com=(0, 0, 0))
    m.slide("lift", parent="puck", child="foot", axis=(0, 0, 1))
    m.point("toe", "foot")
    m.contact("floor", "toe.z", friction="mu", slip="toe.vx")
    m.start(along_dot=2)
    run = kb.simulate(m.model(), end=3)
    # The floor carries the foot alone: the friction decelerates both bodies by mu g / 3.
    deceleration = 0.4 * 9.81 / 3
    np.testing.assert_allclose(run["along"][-1], 2**2 / (2 * deceleration), rtol=1e-9)
    with pytest.raises(kb.InputError, match="unilateral has 'floor' already"):
        m.contact("floor", "toe.z")


def test_a_ball_rolls_by_its_angular_velocity():
    m = kb.Mechanism("bowl", gravity=(0, 0, "-g"), parameters=dict(g="9.81 m/s^2", M="2 kg", R="0.1 m", mu=0.3))
    m.body("ball", mass="M", com=(0, 0, 0), inertia=["2/5*M*R^2"] * 3)
    m.free("fly", child="ball")
    m.point("centre", "ball")
    m.contact("floor", "centre.z - R", friction="mu", slip=["centre.vx - R*centre.wy", "centre.vy + R*centre.wx"])
    m.start(fly_z="R", fly_x_dot=1, fly_wx=20)
    run = kb.simulate(m.model(), end=1)
    # The slip (1, 2) falls by 7/2 mu g and keeps its direction; 2/7 of it is taken from the velocity of the centre.
    np.testing.assert_allclose([run["fly_x_dot"][-1], run["fly_y_dot"][-1]], [1 - 2 / 7, -4 / 7], atol=1e-9)
    assert run["floor_sticks"][-1] == 1


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


@pytest.mark.parametrize("flag", ["gravity", "spring", "damper", "actuation", "equality", "constraint"])
def test_flags_of_a_file_hold(tmp_path, flag):
    mujoco = pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    flags = f'<option gravity="0 0 -9.81"><flag {flag}="disable"/></option>'
    text = MJCF.replace('<option gravity="0 0 -9.81"/>', flags).replace(
        "</worldbody>", '</worldbody><equality><joint joint1="turn" joint2="tilt" polycoef="0 1 0 0 0"/></equality>'
    )
    if flag not in ("equality", "constraint"):
        text = text.replace("<equality>", "<!--").replace("</equality>", "-->")
    path = tmp_path / "arm.xml"
    path.write_text(text)
    mechanism, report = read_robot(path)
    assert ("kept", f"flag: {flag} is disabled", None) in report
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.timestep, m.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_RK4
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    d = mujoco.MjData(m)
    start = dict(turn=0.3, tilt=-0.4, elbow=0.5, reach=0.1)
    for name, value in start.items():
        d.joint(name).qpos[0] = value
    for _ in range(200):
        mujoco.mj_step(m, d)
    one = kb.simulate(mechanism.model(), end=0.2, dt=1e-3, **start)
    for name in start:
        assert float(np.asarray(one[name])[-1]) == pytest.approx(float(d.joint(name).qpos[0]), abs=1e-8), name


def test_gravity_in_a_urdf_holds(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    hinge = '<axis xyz="0 1 0"/><limit lower="-0.5" upper="0.4" effort="1" velocity="1"/>'
    path = urdf(tmp_path, {"base": "", "arm": inertial(2, 0.01, 0.02, 0.02)}, [("pin", "revolute", "base", "arm", hinge)])
    assert "gravity = [0, 0, -9.81]" in kb.Model.read(path).to_toml()
    path.write_text(path.read_text().replace("</robot>", '<mujoco><option gravity="0 0 -1.62"/></mujoco></robot>'))
    assert "gravity = [0, 0, -1.62]" in kb.Model.read(path).to_toml()


def test_what_is_left_out_is_listed(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    mechanism, report = read_robot(path, ["masses", "lengths", "inertias", "damping"])
    assert ("left out", "limits of joint reach", 7) in report
    assert "base_mass" in [each.name for each in mechanism.model().parameters]


def test_limits_of_joints_are_kept_where_asked(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    path = tmp_path / "arm.xml"
    path.write_text(MJCF.replace('type="slide" axis="1 0 1"', 'type="slide" axis="1 0 1" ref="0.25"'))
    _, report = read_robot(path)
    assert ("left out", "limits of hinges and slides (1); --limits (limits=True) keeps them", None) in report
    assert "reach_upper" not in [each.name for each in kb.Model.read(path).constraints]
    mechanism, report = read_robot(path, limits=True)
    assert ("kept", "limits of joint reach, hard and without a bounce", 7) in report
    assert not any("limits of joint" in feature and outcome == "left out" for outcome, feature, _ in report)
    assert "limits = [-1.25, 0.75]" in mechanism.to_toml()
    names = [each.name for each in kb.Model.read(path, limits=True).constraints]
    assert names == ["reach_lower", "reach_upper"]
    text = tmp_path / "model.toml"
    text.write_text(mechanism.to_toml())
    with pytest.raises(kb.InputError, match="limits is for URDF and MJCF files"):
        kb.Model.read(text, limits=True)


def test_limits_of_a_urdf_hold(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    arm = inertial(2, 0.01, 0.02, 0.02, origin='<origin xyz="0.5 0 0"/>')
    hinge = '<axis xyz="0 1 0"/><limit lower="-0.5" upper="0.4" effort="1" velocity="1"/>'
    path = urdf(tmp_path, {"base": "", "arm": arm}, [("pin", "revolute", "base", "arm", hinge)])
    model = kb.Model.read(path, limits=True)
    result = kb.simulate(model, end=2, fields=["q", "multipliers"], backend="cpu", compile="never")
    assert float(np.asarray(result["pin"])[-1]) == pytest.approx(0.4, abs=1e-12)
    assert float(np.asarray(result["multipliers_pin_upper"])[-1]) == pytest.approx(2 * 9.81 * 0.5 * np.cos(0.4), rel=1e-9)


def test_limits_of_the_builder():
    m = pendulum()
    bob = m.body("other", mass="0.2 kg", com=(0, 0, "-L"))
    m.hinge("swing", child=bob, axis=(1, 0, 0), limits=(-0.5, "0.5 rad"), limit_restitution=0.3)
    m.slide("unused", child=m.body("cart", mass="1 kg"), axis=(1, 0, 0), limits={"upper": "1 m"})
    names = [each.name for each in m.model().constraints]
    assert names == ["swing_lower", "swing_upper", "unused_upper"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>', "DOCTYPE or entities"),
        ('<mujoco><include file="../other.xml"/></mujoco>', "outside of the file's folder"),
        ("<mujoco>", "is not XML"),
        ("<sdf/>", "expected <robot>"),
        ('<mujoco><worldbody><body><geom type="mesh" mesh="none"/></body></worldbody></mujoco>', "none"),
        ('<mujoco><worldbody><geom type="mesh" mesh="none"/></worldbody></mujoco>', "there is no body in this file"),
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


def urdf(tmp_path, links, joints, name="robot"):
    """A URDF of links {name: content of <link>} and joints (name, type, parent, child, content)."""
    text = "".join(f'<link name="{each}">{content}</link>' for each, content in links.items())
    for joint, kind, parent, child, content in joints:
        text += f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{content}</joint>'
    path = tmp_path / f"{name}.urdf"
    path.write_text(f'<robot name="{name}">{text}</robot>')
    return path


def inertial(mass, ixx, iyy, izz, origin='<origin xyz="0.1 0 0.05" rpy="0.3 -0.2 0.5"/>', ixy=0):
    return (
        f'<inertial>{origin}<mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="0" iyz="0"/></inertial>'
    )


def acceleration(model, q, w):
    terms = model.terms(q=q, w=w)
    return dict(zip([each.name for each in model.rates], terms.rate))


def test_links_of_a_urdf_without_mass_and_with_inertia_alone(tmp_path):
    mujoco = pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    axis = '<origin xyz="0 0 0.2" rpy="0.1 0 0"/><axis xyz="{}"/>'.format
    links = {
        "base": "", "one": inertial(1, 0.02, 0.03, 0.04, ixy=0.005), "cross": "", "two": inertial(0.5, 0.01, 0.02, 0.015),
        "rotor": inertial(0, 0.001, 0.002, 0.0015),
    }  # fmt: skip
    joints = [
        ("a", "continuous", "base", "one", axis("0 1 0")), ("b", "continuous", "one", "cross", axis("1 0 0")),
        ("c", "continuous", "cross", "two", axis("0 1 0")), ("d", "fixed", "two", "rotor", ""),
    ]  # fmt: skip
    model = kb.Model.read(urdf(tmp_path, links, joints))
    q, w = dict(a=0.3, b=-0.5, c=0.7), dict(a_dot=1.0, b_dot=-0.5, c_dot=0.2)
    found = acceleration(model, q, w)
    # MuJoCo takes no link without mass: a small one in its place
    small = {
        each: content if content and "0.0015" not in content else inertial(1e-9, 1e-12, 1e-12, 1e-12)
        for each, content in links.items()
    }
    small["two"] = inertial(0.5, 0.01, 0.02, 0.015)
    text = urdf(tmp_path, small, joints, "small").read_text().replace("</robot>", '<mujoco><compiler fusestatic="false"/></mujoco></robot>')
    m = mujoco.MjModel.from_xml_string(text)
    rotor = m.body("rotor").id
    m.body_mass[rotor], m.body_inertia[rotor] = 0, (0.001, 0.002, 0.0015)
    m.body_ipos[rotor] = (0.1, 0, 0.05)
    turn = np.zeros(4)
    mujoco.mju_euler2Quat(turn, np.array([0.3, -0.2, 0.5]), "XYZ")
    m.body_iquat[rotor] = turn
    m.body_sameframe[rotor] = 0
    d = mujoco.MjData(m)
    mujoco.mj_setConst(m, d)
    for each in "abc":
        d.joint(each).qpos[0], d.joint(each).qvel[0] = q[each], w[f"{each}_dot"]
    mujoco.mj_forward(m, d)
    for each in "abc":
        assert found[f"{each}_dot"] == pytest.approx(float(d.joint(each).qacc[0]), rel=1e-6), each


def test_an_inertia_of_no_body_is_enlarged_and_named(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    axis = '<axis xyz="0 0 1"/>'
    path = urdf(tmp_path, {"base": "", "arm": inertial(1, 0.01, 0.01, 0.03, "")}, [("a", "continuous", "base", "arm", axis)])
    _, report = read_robot(path)
    assert any(outcome == "approximated" and "inertia of link arm" in feature for outcome, feature, _ in report)
    with pytest.warns(UserWarning, match="inertia of link arm: .* are those of no body"):
        model = kb.Model.read(path)
    assert model.terms().G[0, 0] == pytest.approx(0.03)


def test_the_root_of_a_urdf_floats_where_asked(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    path = urdf(
        tmp_path, {"base": inertial(1, 0.01, 0.01, 0.01), "arm": inertial(1, 0.01, 0.01, 0.01)},
        [("a", "continuous", "base", "arm", '<axis xyz="0 0 1"/>')],
    )  # fmt: skip
    assert [each.name for each in kb.Model.read(path).rates] == ["a_dot"]
    assert len(kb.Model.read(path, floating=True).rates) == 7
    xml = tmp_path / "arm.xml"
    xml.write_text(MJCF)
    with pytest.raises(kb.InputError, match="floating is for URDF files"):
        kb.Model.read(xml, floating=True)


FOUR_BAR = {
    "flow": "closed_loop: [['A', \"B\"]] # of two frames\ntype: ['6D']\njoint_name: [ball, lock]\njoint_type: ['SPHERICAL', 'FIXED']\n",
    "lines": (
        "# of a robot\nclosed_loop:\n  [\n    [\"A\", \"B\"],  # frames\n  ]\ntype: [\"6d\"]\nname_mot:\n  - a\n"
        "joint_name:\n  - ball\n  - lock\njoint_type: [\n  SPHERICAL,\n  FIXED]\n"
    ),
    "blocks": "closed_loop:\n- - A\n  - B\ntype:\n- 6d\njoint_name: [ball, lock]\njoint_type:\n    - SPHERICAL\n    - 'FIXED'\n",
}


@pytest.mark.parametrize("text", FOUR_BAR.values(), ids=FOUR_BAR)
def test_loops_and_types_of_joints_in_a_yaml_file(tmp_path, text):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    some = inertial(1, 0.01, 0.01, 0.01, "")
    axis = '<origin xyz="{}"/><axis xyz="0 0 1"/>'.format
    links = {"base": some, "one": some, "two": some, "three": some, "A": "", "B": some, "extra": some}
    joints = [
        ("a", "continuous", "base", "one", axis("0 0 0")), ("ball", "continuous", "one", "two", axis("0 0.1 0")),
        ("c", "continuous", "base", "three", axis("0.2 0 0")), ("fa", "fixed", "two", "A", axis("0.2 0 0")),
        ("fb", "continuous", "three", "B", axis("0 0.1 0")), ("lock", "continuous", "three", "extra", axis("0 0 0.1")),
    ]  # fmt: skip
    path = urdf(tmp_path, links, joints)
    path.with_suffix(".yaml").write_text(text)
    model = kb.Model.read(path)
    assert [each.name for each in model.rates] == ["a_dot", "ball_wx", "ball_wy", "ball_wz", "c_dot", "fb_dot"]
    terms = model.terms()  # the import found a start at which the loop is closed
    assert np.max(np.abs(terms.phi)) < 1e-9
    assert all(each.name.startswith("loop_A_") for each in model.constraints)


def test_a_universal_joint_of_a_yaml_file(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    some = inertial(1, 0.02, 0.03, 0.04)
    path = urdf(tmp_path, {"base": "", "arm": some}, [("u", "continuous", "base", "arm", '<axis xyz="0 0 1"/>')])
    path.with_suffix(".yaml").write_text("closed_loop: []\njoint_name: [u]\njoint_type: [UJOINT_ZX]\n")
    model = kb.Model.read(path)
    assert [each.name for each in model.rates] == ["u_dot", "u_2_dot"]
    limited = tmp_path / "limited.urdf"
    text = path.read_text().replace('type="continuous"', 'type="revolute"')
    limited.write_text(text.replace("</joint>", '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'))
    limited.with_suffix(".yaml").write_text(path.with_suffix(".yaml").read_text())
    assert "limits of joint u" in [feature for outcome, feature, line in read_robot(limited)[1] if outcome == "left out"]
    other = tmp_path / "two.urdf"
    other.write_text(path.read_text().replace('<link name="arm">', '<link name="cross"/><link name="arm">').replace(
        '<child link="arm"/><axis xyz="0 0 1"/></joint>',
        '<child link="cross"/><axis xyz="0 0 1"/></joint><joint name="u_2" type="continuous"><parent link="cross"/>'
        '<child link="arm"/><axis xyz="1 0 0"/></joint>',
    ))  # fmt: skip
    q, w = dict(u=0.3, u_2=-0.5), dict(u_dot=1.0, u_2_dot=2.0)
    found, expected = (acceleration(each, q, w) for each in (model, kb.Model.read(other)))
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("closed_loop: [['A', 'B']\n", "expected one list in brackets"),
        ("closed_loop: [['A', 'B']]]\n", "closed that was not opened"),
        ("closed_loop: [A, B]\n", "expected closed_loop"),
        ("closed_loop: []\njoint_name: [a]\njoint_type: []\n", "lists of the same length"),
        ("closed_loop: []\njoint_name: [a]\njoint_type: [HELICAL]\n", "expected SPHERICAL, FIXED"),
        ("closed_loop: [['base', 'arm']]\ntype: ['4d']\n", "expected the type 6d or 3d"),
        ("closed_loop:\n- - base\n x\n", "begins with -"),
        ("closed_loop: " + 3000 * "[" + "\n", "at most 8 lists within one another"),
        ("closed_loop: " + 3000 * "[" + 3000 * "]" + "\n", "at most 8 lists within one another"),
        ("closed_loop:\n  " + 3000 * "- " + "A\n", "at most 8 lists within one another"),
    ],
)
def test_a_yaml_file_that_is_refused(tmp_path, text, message):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    some = inertial(1, 0.01, 0.01, 0.01)
    path = urdf(tmp_path, {"base": some, "arm": some}, [("a", "continuous", "base", "arm", '<axis xyz="0 0 1"/>')])
    path.with_suffix(".yaml").write_text(text)
    with pytest.raises(kb.InputError, match=message):
        kb.Model.read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<inertial><inertia ixx='1'/></inertial>", "link arm: its <inertial> has no <mass>"),
        ("<inertial><mass value='x'/><inertia ixx='1'/></inertial>", "expected value of <mass> as a number, found 'x'"),
        ("<inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>", "its mass is -1, which is negative"),
        ("<inertial><origin xyz='1 2'/><mass value='1'/><inertia/></inertial>", "expected xyz of <origin> as 3 numbers"),
    ],
)
def test_an_inertial_that_is_refused(tmp_path, content, message):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    path = urdf(tmp_path, {"base": "", "arm": content}, [("a", "continuous", "base", "arm", '<axis xyz="0 0 1"/>')])
    with pytest.raises(kb.InputError, match=message):
        kb.Model.read(path)


def test_includes_are_refused_outside_of_the_folder_at_any_depth(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "out.xml").write_text("<mujoco/>")
    (folder / "inner.xml").write_text('<mujoco><include file="../out.xml"/></mujoco>')
    (folder / "robot.xml").write_text('<mujoco><include file="inner.xml"/></mujoco>')
    with pytest.raises(kb.InputError, match=r"inner\.xml: the include '\.\./out\.xml' is outside"):
        kb.Model.read(folder / "robot.xml")
    (folder / "inner.xml").write_text('<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>')
    with pytest.raises(kb.InputError, match=r"inner\.xml: XML with a DOCTYPE or entities"):
        kb.Model.read(folder / "robot.xml")


def test_meshes_that_are_only_drawn_are_not_needed(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    from kalaba._robots import read_robot

    text = """<mujoco><asset><mesh name="shell" file="shell.stl"/><texture name="wood" type="2d" file="wood.png"/>
<material name="wood" texture="wood"/></asset><worldbody><geom type="mesh" mesh="shell" material="wood"/>
<body name="arm" gravcomp="0.25"><inertial mass="2" pos="0.1 0 0" diaginertia="1 1 1"/>{}<geom type="mesh" mesh="shell" material="wood"/>
<joint name="a" axis="0 1 0"/>
<body name="tip"><joint name="tip" type="ball" stiffness="3"/><geom size="0.1" material="wood"/></body></body>
<body name="loose"><freejoint name="loose"/><geom size="0.1"/></body></worldbody></mujoco>"""
    path = tmp_path / "arm.xml"
    path.write_text(text.format(""))
    mechanism, report = read_robot(path)
    assert ("left out", "stiffness of the ball joint tip (3)", 5) in report
    # 2 kg whose centre is 0.1 m off the hinge: three quarters of its weight turn it
    assert mechanism.model().terms(q={"a": 0.0}).force[0] == pytest.approx(0.75 * 2 * 9.81 * 0.1, rel=1e-12)
    path.write_text(text.format("").replace('<inertial mass="2" pos="0.1 0 0" diaginertia="1 1 1"/>', ""))
    with pytest.raises(kb.InputError, match=r"shell\.stl"):  # whose inertia is that of the mesh
        kb.Model.read(path)


def test_points_poses_and_outputs_are_saved():
    m = kb.Mechanism("arm", gravity=(0, 0, -9.81), poses=["rod"])
    rod = m.body("rod", mass=1, rod=(0, 0, -0.5))
    m.hinge("pin", child=rod, axis=(0, 1, 0))
    m.point("tip", rod, (0, 0, -0.5))
    m.output("height", "tip.z + 0.5")
    m.start(pin=0.7)
    result = kb.simulate(m.model(), end=0.3, fields=["q", "invariants"], compile="never")
    angle = np.asarray(result["pin"])
    np.testing.assert_allclose(np.asarray(result["tip.x"]), -0.5 * np.sin(angle), atol=1e-13)
    np.testing.assert_allclose(np.asarray(result["height"]), 0.5 - 0.5 * np.cos(angle), atol=1e-13)
    np.testing.assert_allclose(np.asarray(result["rod.e2"]), np.sin(angle / 2), atol=1e-13)


def test_joint_reactions_are_saved():
    result = kb.simulate(pendulum().model(), end=0.5, fields=["q", "w", "joint_reactions"])
    angle, rate = result["pin"].values, result["pin_dot"].values
    # m (g + a) of the bob, on a circle of 0.3 m about the axis x
    radial = 0.2 * (9.81 * np.cos(angle) + 0.3 * rate**2)
    np.testing.assert_allclose(result["pin.fz"].values, radial * np.cos(angle), rtol=1e-9)
    np.testing.assert_allclose(result["pin.fy"].values, -radial * np.sin(angle), rtol=1e-9)
    swept = kb.sweep(pendulum().model(), 1, end=0.5, fields=["q", "joint_reactions"])
    assert list(swept.dataset["reaction"].values) == ["pin.fx", "pin.fy", "pin.fz", "pin.tx", "pin.ty", "pin.tz"]
    assert list(swept.dataset["reaction_unit"].values) == ["N", "N", "N", "N m", "N m", "N m"]
    np.testing.assert_array_equal(swept["pin.fz"].values[:, 0], result["pin.fz"].values)
    assert "reaction" not in kb.sweep(pendulum().model(), 1, end=0.5).dataset


def test_the_five_bar_of_the_documents(tmp_path):
    pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")
    page = (pathlib.Path(__file__).parents[2] / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    for name in ("five_bar.urdf", "five_bar.yaml"):
        text = re.search(rf"<!-- example: {re.escape(name)} -->\n```\w+\n(.*?)```", page, re.DOTALL)[1]
        (tmp_path / name).write_text(text)
    model = kb.Model.read(tmp_path / "five_bar.urdf", parameters=["masses"])
    assert [each.name for each in model.rates] == ["motor_left_dot", "free_left_dot", "motor_right_dot", "free_right_dot"]
    assert len(model.constraints) == 2
    result = kb.simulate(model, end=0.2, motor_left_dot=1.0, fields=["q", "violation", "energy"], compile="never")
    assert np.max(np.asarray(result["violation"])) < 1e-9
