"""Fields of MuJoCo's compiled model: each acts as in MuJoCo, or the report of the import lists it."""

import ast
import pathlib
import re
import warnings

import numpy as np
import pytest

import kalaba as kb

mujoco = pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")

from kalaba import _robots  # noqa: E402

ARM = """<mujoco><compiler angle="radian"/><option {option}>{flag}</option><worldbody>
<body name="a" gravcomp="{lift}"><joint name="j" axis="0 1 0" ref="0.2" {j}/><geom size="0.1" pos="0.2 0.1 0"/>
<body name="b" pos="0.3 0 0" gravcomp="{lift}"><joint name="k" type="slide" axis="1 0 1" {k}/><geom size="0.1" pos="0.2 0 0.1"/>
</body></body></worldbody><actuator>{actuators}</actuator></mujoco>"""


def arm(**words):
    return ARM.format(**{**dict(option="", flag="", lift=0, j="", k="", actuators=""), **words})


def read(tmp_path, text):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    mechanism, report = _robots.read_robot(path)
    return mechanism.model(), report


def expected(text, q, w, control):
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:], d.ctrl[:] = q, w, control
    mujoco.mj_forward(m, d)
    return np.array(d.qacc)


def accelerations(model, q, w, control):
    controls = {each.name: control for each in model.parameters if each.name.endswith("_ctrl")}
    terms = model.terms(q, w, **controls)
    return np.array(terms.rate)


def tendon(words, actuators="", equality="", **others):
    """The arm with a fixed tendon along both joints."""
    text = f'<tendon><fixed name="rope" {words}><joint joint="j" coef="1.5"/><joint joint="k" coef="-0.5"/></fixed></tendon>'
    return arm(actuators=actuators, **others).replace("<actuator>", text + f"<equality>{equality}</equality><actuator>")


OFF = '<flag actuation="disable"/>'
MOTOR = '<motor joint="j" gear="2" {}/>'.format
BY_ACTUATORS = 'actuatorgravcomp="true"'
ACT = {
    "armature and damping of an actuator": arm(actuators=MOTOR('armature="0.5" damping="0.7"')),
    "those of two actuators of a joint": arm(
        j='armature="0.1" damping="0.2"',
        actuators=MOTOR('armature="0.5" damping="0.7"') + '<motor joint="j" gear="-3" armature="0.2" damping="0.1"/>',
    ),
    "those of an actuator on a slide": arm(actuators='<position joint="k" kp="3" kv="0.4" gear="0.5" armature="2" damping="1"/>'),
    "those of an actuator in the frame of the parent": arm(actuators='<motor jointinparent="j" gear="2" armature="1" damping="0.3"/>'),
    "those of a disabled actuator": arm(flag=OFF, actuators=MOTOR('armature="0.5" damping="0.7"')),
    "those of an unsupported actuator": arm(flag=OFF, actuators='<muscle joint="j" armature="0.5" damping="0.7"/>'),
    "damping that is disabled": arm(flag='<flag damper="disable"/>', actuators=MOTOR('armature="0.5" damping="0.7 1"')),
    "nonlinear damping": arm(j='damping="0.1 0.2 0.3"', k='damping="0 0.5"', actuators=MOTOR('damping="0.7 0.3 0.2"')),
    "nonlinear stiffness": arm(j='stiffness="3 2 1" springref="0.5"', k='stiffness="0 7 4" springref="-0.1"'),
    "negative damping": arm(j='damping="-0.3"', k='damping="0.2 -0.1"'),
    "nonlinear parts that are disabled": arm(
        flag='<flag spring="disable" damper="disable"/>', j='stiffness="3 2 1" damping="1 1 1"', k='stiffness="1 7 4"'
    ),
    "a disabled group": arm(
        option='actuatorgroupdisable="1 3"', actuators='<position joint="j" kp="5" group="1"/><motor joint="j" group="2"/>'
    ),
    "gravcomp": arm(lift=0.5, j=BY_ACTUATORS, k=BY_ACTUATORS, actuators=MOTOR("")),
    "gravcomp without actuation": arm(lift=0.5, j=BY_ACTUATORS, k=BY_ACTUATORS, flag=OFF, actuators=MOTOR("")),
    "gravcomp without actuators": arm(lift=0.5, j=BY_ACTUATORS, k=BY_ACTUATORS),
    "gravcomp of a disabled group": arm(
        lift=0.5, j=BY_ACTUATORS, k=BY_ACTUATORS, option='actuatorgroupdisable="0"', actuators=MOTOR("")
    ),
    "gravcomp by bodies": arm(lift=0.5, flag=OFF, actuators=MOTOR("")),
    "range of a control": arm(actuators=MOTOR('ctrlrange="-0.1 0.15"')),
    "range of a control, disabled": arm(flag='<flag clampctrl="disable"/>', actuators=MOTOR('ctrlrange="-0.1 0.15"')),
    "range of a force": arm(actuators='<position joint="j" kp="30" gear="2" forcerange="-1 2"/>'),
    "range of a force that holds": arm(actuators='<position joint="j" kp="3" kv="1" gear="-2" forcerange="-100 200"/>'),
    "range of the forces on a joint": arm(
        j='actuatorfrcrange="-0.4 0.3"', actuators='<position joint="j" kp="30" gear="2"/><motor joint="j" gear="7"/>'
    ),
    "a spring of a tendon": tendon('stiffness="3 2 1"'),
    "a spring of a tendon with slack": tendon('stiffness="3 2 1" springlength="0.05 0.3"'),
    "a taut spring of a tendon": tendon('stiffness="300" springlength="0.01"'),
    "a damper of a tendon": tendon('damping="0.7 0.3 0.2"'),
    "a spring and a damper that are disabled": tendon('stiffness="3" damping="1"', flag='<flag spring="disable" damper="disable"/>'),
    "a motor of a tendon": tendon("", actuators='<motor tendon="rope" gear="2" ctrlrange="-0.1 0.15"/>'),
    "a servo of a tendon": tendon("", actuators='<position tendon="rope" kp="30" kv="2" gear="-2"/>'),
    "a servo of a tendon with little force": tendon("", actuators='<position tendon="rope" kp="30" gear="2" forcerange="-1 2"/>'),
    "limits of the forces on a joint of a tendon": tendon(
        "", j='actuatorfrcrange="-0.4 0.3"', actuators='<position tendon="rope" kp="30" gear="2"/><motor joint="j" gear="7"/>'
    ),
    "damping of an actuator of a tendon": tendon('damping="0.2"', actuators='<motor tendon="rope" gear="2" damping="0.7 0.3"/>'),
}


@pytest.mark.parametrize("text", ACT.values(), ids=ACT)
@pytest.mark.parametrize("sign", [1, -1])
def test_fields_act_as_in_mujoco(tmp_path, text, sign):
    model, report = read(tmp_path, text)
    q, w = np.array([0.2 + 0.4 * sign, 0.3 * sign]), np.array([0.5, -0.7]) * sign
    found = accelerations(model, {"j": 0.4 * sign, "k": q[1]}, {"j_dot": w[0], "k_dot": w[1]}, 0.3)
    right = expected(text, q, w, 0.3)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * np.max(np.abs(right)))
    lost = {feature for outcome, feature, _ in report if outcome == "left out"}
    assert all(re.match("contacts|actuator .* disabled|actuator .* group", each) for each in lost), lost


def test_the_sum_of_gravcomp_and_actuators_is_listed_where_it_is_limited(tmp_path):
    text = arm(lift=0.5, j=BY_ACTUATORS + ' actuatorfrcrange="-0.4 0.3"', actuators=MOTOR(""))
    _, report = read(tmp_path, text)
    assert "actuatorfrcrange of joint j (-0.4 0.3) for its gravcomp" in [each[1] for each in report if each[0] == "left out"]


def test_gravcomp_that_some_joints_leave_to_actuators_is_listed(tmp_path):
    _, report = read(tmp_path, arm(lift=0.5, k=BY_ACTUATORS))
    assert [each[1] for each in report if "actuatorgravcomp" in each[1]] == [
        "actuatorgravcomp of joint k (true): gravcomp of body b acts on it without actuators"
    ]


def test_an_actuator_behind_one_of_three_forces(tmp_path):
    ball = '</body><body name="c"><joint name="ball" type="ball" damping="0.2"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>'
    actuators = '<orientation joint="ball" kp="1"/><position name="last" joint="k" kp="3" gear="5" ctrlrange="-0.5 0.5"/>'
    text = arm(actuators=actuators).replace("</body></body></worldbody>", ball)
    try:
        m = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this MuJoCo has no actuators of several forces")
    assert m.nu > m.nactuator == 2
    model, report = read(tmp_path, text)
    assert any(re.match("actuator actuator0: not supported: .*several controls or forces", each[1]) for each in report)
    found = model.terms({"k": 0.3}, last_ctrl=0.4).force
    other = model.terms({"k": 0.3}, last_ctrl=0.9).force
    # the gain 3 and the gear 5 by the control, which is at most 0.5
    assert np.max(np.abs(np.array(other) - np.array(found))) == pytest.approx(15 * 0.1, rel=1e-12)


def test_damping_of_an_actuator_on_a_ball_acts(tmp_path):
    text = """<mujoco><worldbody><body name="a"><joint name="j" type="ball" damping="0.2"/><geom size="0.1" pos="0.2 0 0"/></body>
<body name="c" pos="2 0 0"><freejoint name="f"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
<actuator><motor joint="j" damping="0.7" gear="2 0 0"/><motor joint="f" damping="0.3" gear="3 1 0"/></actuator></mujoco>"""
    model, report = read(tmp_path, text)
    names = [each.name for each in model.rates]
    w = np.array([0.5, 0.2, -0.3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    found = accelerations(model, {}, dict(zip(names, w)), 0.0)
    right = expected(text, mujoco.MjModel.from_xml_string(text).qpos0, w, 0.0)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * np.max(np.abs(right)))


EQUALITIES = {
    "weld": ('<weld body1="a" body2="b" anchor="0.1 0.2 0.3"/>', 6),
    "weld, scaled": ('<weld body1="a" body2="b" anchor="0.1 0.2 0.3" torquescale="1e-9"/>', 6),
    "weld without torque": ('<weld body1="a" body2="b" anchor="0.1 0.2 0.3" torquescale="0"/>', 3),
    "connect": ('<connect body1="a" body2="b" anchor="0.1 0.2 0.3"/>', 3),
    "weld of sites": ('<weld site1="s" site2="r"/>', 6),
    "weld of sites without torque": ('<weld site1="s" site2="r" torquescale="0"/>', 3),
    "connect of sites": ('<connect site1="s" site2="r"/>', 3),
    "weld of a site to the world": ('<weld site1="r" site2="w"/>', 6),
    "weld of the world to a site": ('<weld site1="w" site2="r"/>', 6),
}


@pytest.mark.parametrize(("equality", "rows"), EQUALITIES.values(), ids=EQUALITIES)
def test_equalities_leave_the_motions_free_that_mujoco_leaves(tmp_path, equality, rows):
    # the sites coincide at the start
    text = f"""<mujoco><compiler angle="radian"/><worldbody><site name="w" pos="0.4 0.2 1" euler="0.2 0.3 0.4"/>
<body name="a" pos="0 0 1"><freejoint name="a"/><geom size="0.1" pos="0.2 0 0"/><site name="s" pos="0.4 0.2 0" euler="0.2 0.3 0.4"/></body>
<body name="b" pos="0.4 0.2 1" euler="0.2 0.3 0.4"><freejoint name="b"/><geom size="0.1" pos="0.2 0 0"/><body name="c" pos="0.1 0 0">
<geom size="0.1" pos="0 0.1 0"/><site name="r" pos="-0.1 0 0"/></body></body></worldbody><equality>{{}}</equality></mujoco>"""
    text = text.format(equality)
    model, report = read(tmp_path, text)
    assert any(outcome == "approximated" and "equality" in feature for outcome, feature, _ in report)
    terms = model.terms()
    assert np.max(np.abs(terms.phi)) < 1e-12
    A = np.array(terms.A)
    assert A.shape[0] == rows and np.linalg.matrix_rank(A, 1e-8) == rows
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    jacobian = d.efc_J.reshape(d.nefc, m.nv)
    largest = np.abs(jacobian).max(axis=1, keepdims=True)
    jacobian = jacobian / np.where(largest, largest, 1)
    assert np.linalg.matrix_rank(np.vstack([A, jacobian]), 1e-8) == rows


LOST = """<mujoco><compiler angle="radian"/><option density="1.2" wind="1 0 0"><flag sleep="enable"/></option><worldbody><body name="a">
<joint name="j" axis="0 1 0" stiffness="5" springyield="0.3" frictionloss="0.25"/><geom size="0.1" pos="0.2 0 0" contype="0" conaffinity="0"/>
<body name="b"><joint name="ball" type="ball" armature="0.125" stiffness="1 2" damping="1 0.5"/><geom name="g" size="0.1"/></body></body>
<geom name="h" size="0.1" contype="0" conaffinity="0"/></worldbody>
<contact><pair geom1="g" geom2="h"/></contact>
<tendon><fixed name="rope" stiffness="3" damping="2" frictionloss="0.5" range="-1 2" limited="true" armature="0.75">
<joint joint="j" coef="1"/></fixed></tendon>
<actuator><motor joint="j" name="m" delay="0.01" nsample="10"/><motor name="t" tendon="rope" gear="2" damping="1"/></actuator></mujoco>"""


def test_fields_that_do_not_act_are_listed_with_their_values(tmp_path):
    _, report = read(tmp_path, LOST)
    assert sorted(feature for outcome, feature, _ in report if outcome == "left out") == [
        "armature of the ball joint ball (0.125)",
        "contacts of 1 geometries; --contacts (contacts=True) keeps those with planes and of spheres",
        "contacts of 1 pairs of geometries",
        "delay of actuator m (0.01)",
        "drag of the medium (density 1.2, viscosity 0, wind 1)",
        "flag: sleep is enabled",
        "friction loss of joint j (0.25)",
        "nonlinear part of the damping of the ball joint ball (0.5)",
        "of fixed tendon rope: armature 0.75, frictionloss 0.5, range -1 2",
        "plastic yield threshold (springyield) of the spring of joint j (0.3)",
        "stiffness of the ball joint ball (1 2)",
    ]
    assert "fixed tendon rope (stiffness 3, damping 6)" in [feature for outcome, feature, _ in report if outcome == "kept"]


UNSUPPORTED = {
    '<general joint="j" dyntype="filter" dynprm="0.1" gainprm="2"/>': "dyntype filter",
    '<position joint="j" kp="3" timeconst="0.2"/>': "dyntype filterexact",
    '<intvelocity joint="j" kp="3" actrange="-1 1"/>': "dyntype integrator",
    '<damper joint="j" kv="3" ctrlrange="0 1"/>': "gaintype affine",
    '<muscle joint="j"/>': "dyntype muscle, gaintype muscle, biastype muscle",
    '<motor site="s"/>': "transmission site",
    '<motor tendon="string"/>': "transmission by the spatial tendon string",
    '<motor joint="root" gear="1 0 0 0 0 0"/>': "transmission to the free joint root",
    '<general site="s" dyntype="filter" dynprm="0.1"/>': "transmission site, dyntype filter",
    '<adhesion body="a" ctrlrange="0 1"/>': "transmission body",
}


@pytest.mark.parametrize(("actuator", "parts"), UNSUPPORTED.items(), ids=UNSUPPORTED.values())
def test_the_parts_of_an_actuator_that_are_not_supported_are_named(tmp_path, actuator, parts):
    more = """<site name="r" pos="0 0 1"/><body name="c" pos="3 0 0"><freejoint name="root"/><geom size="0.1"/><site name="s"/></body></worldbody>
<tendon><spatial name="string"><site site="s"/><site site="r"/></spatial></tendon>"""
    text = arm(actuators=actuator.replace("/>", ' name="drive"/>')).replace("</worldbody>", more)
    _, report = read(tmp_path, text)
    assert f"actuator drive: not supported: {parts}" in [feature for outcome, feature, _ in report if outcome == "left out"]


# ---- couplings by tendons ----

FINGERS = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
<body name="left" pos="-0.02 0 0"><joint name="left" axis="0 1 0" ref="0.1"/><geom size="0.01" pos="0.01 0 0.05"/></body>
<body name="right" pos="0.02 0 0"><joint name="right" axis="0 1 0"/><geom size="0.01" pos="0.02 0 0.06"/></body>
<body name="slider" pos="0 1 0"><joint name="slider" type="slide" axis="0 0 1" damping="3"/><geom size="0.02"/></body></worldbody>
<tendon><fixed name="split"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.7"/></fixed>
<fixed name="rack"><joint joint="slider" coef="20"/></fixed></tendon>
<equality>{equality}</equality>
<actuator><position name="close" tendon="split" kp="2" ctrlrange="0 1"/></actuator></mujoco>"""
COUPLINGS = {
    "length of one tendon": ('<tendon tendon1="split" polycoef="0 0 0 0 0"/>', "(0.5)*left + (0.7)*right", "0.0"),
    "two tendons": ('<tendon name="gear" tendon1="split" tendon2="rack"/>', "(0.5)*left + (0.7)*right", "1.0*((20.0)*slider)"),
    "a polynomial": (
        '<tendon tendon1="split" tendon2="rack" polycoef="0.01 2 0.5 0 0"/>',
        "(0.5)*left + (0.7)*right", "0.01 + 2.0*((20.0)*slider) + 0.5*((20.0)*slider)^2",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("equality", "left", "right"), COUPLINGS.values(), ids=COUPLINGS)
def test_equalities_of_fixed_tendons_are_couplings(tmp_path, equality, left, right):
    text = FINGERS.format(equality=equality)
    path = tmp_path / "robot.xml"
    path.write_text(text)
    mechanism, report = _robots.read_robot(path)
    name = "gear" if "gear" in equality else "equality0"
    assert f'{name} = "({left}) = {right}"' in mechanism.to_toml()
    assert any(outcome == "approximated" and feature.startswith(f"equality {name}: soft") for outcome, feature, _ in report)
    assert not any(outcome == "left out" and "contacts" not in feature for outcome, feature, _ in report)
    q = {"left": 0.2, "right": -0.1, "slider": 0.003}
    terms = mechanism.model().terms(q, {"left_dot": 0.3, "right_dot": 0.2, "slider_dot": 0.1}, close_ctrl=0.4)
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    d = mujoco.MjData(m)
    d.qpos[:] = np.array([0.2, -0.1, 0.003]) + m.qpos0
    d.qvel[:] = [0.3, 0.2, 0.1]
    d.ctrl[:] = 0.4
    mujoco.mj_forward(m, d)
    np.testing.assert_allclose(np.array(terms.phi).ravel(), d.efc_pos[:1], atol=1e-14)
    np.testing.assert_allclose(np.array(terms.A).ravel(), d.efc_J.reshape(d.nefc, 3)[0], atol=1e-14)


def test_the_equality_of_a_spatial_tendon_is_left_out_by_name(tmp_path):
    more = """<site name="s"/><site name="r" pos="0 0 1"/></worldbody><tendon><spatial name="string"><site site="s"/><site site="r"/></spatial></tendon>"""
    text = FINGERS.format(equality='<tendon name="gear" tendon1="split" tendon2="string"/>').replace("</worldbody>", more)
    _, report = read(tmp_path, text)
    lost = [feature for outcome, feature, _ in report if outcome == "left out"]
    assert "equality gear: string is a spatial tendon" in lost and "spatial tendon string" in lost


def test_reading_warns_of_what_is_left_out(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(LOST)
    with pytest.warns(UserWarning, match="left out") as caught:
        kb.Model.read(path)
    said = str(caught[0].message)
    assert len(caught) == 1 and "friction loss of joint j (0.25)" in said and "of fixed tendon rope: armature 0.75" in said
    path.write_text(KEYS.replace("<keyframe>", "<!--").replace("</keyframe>", "-->"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kb.Model.read(path)


def test_what_the_compiler_of_a_urdf_would_change_is_listed(tmp_path):
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'.format
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r"><mujoco><compiler settotalmass="5"/></mujoco>{link("a")}{link("b")}{joint}</robot>')
    _, report = _robots.read_robot(path)
    assert ("left out", "settotalmass of the compiler (5)", None) in report


# ---- all fields ----

UNREAD = set("""
actuator_acc0 actuator_actadr actuator_actnum actuator_history actuator_historyadr actuator_length0 actuator_lengthrange
body_bvhadr body_bvhnum body_conaffinity body_contype body_dofadr body_dofnum body_geomadr body_geomnum body_invweight0 body_margin
body_rootid body_sameframe body_simple body_subtreemass body_treeid body_weldid
dof_M0 dof_Madr dof_bodyid dof_invweight0 dof_jntid dof_length dof_parentid dof_simplenum dof_treeid flg_gravcomp
jnt_actuatorid jnt_bodyid jnt_group jnt_plasticadr mapD2M mapM2D mapM2M paths signature stat vis
""".split())  # derived from other fields, addresses, or drawn
UNREAD |= set("""
actuator_actearly actuator_actlimited actuator_actrange actuator_cranklength actuator_ctrlspec actuator_dynprm
""".split())  # of actuators whose kinds are left out
UNREAD |= set("""dof_solimp dof_solref eq_solimp eq_solref jnt_solimp jnt_solref""".split())  # softness: constraints are exact here
UNREAD |= set("""
flg_adhesion flg_surfacevel geom_aabb geom_adhesion geom_bodyid geom_castshadow geom_condim geom_dataid geom_fluid geom_friction
geom_gap geom_group geom_margin geom_matid geom_plugin geom_pos geom_priority geom_quat geom_rbound geom_rgba geom_sameframe geom_size
geom_solimp geom_solmix geom_solref geom_surfacevel geom_type
""".split())  # contacts and drag, which are left out
UNREAD |= set("""
tendon_actuatorid tendon_group tendon_invweight0 tendon_margin tendon_matid
tendon_plasticadr tendon_rgba tendon_solimp_fri tendon_solimp_lim tendon_solref_fri tendon_solref_lim tendon_treeid tendon_treenum
tendon_type tendon_width
""".split())  # of tendons: derived from other fields, drawn, and of limits and friction loss, which are left out
UNREAD_OPTIONS = set("""
apirate ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian ls_iterations ls_tolerance magnetic noslip_iterations
noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance
""".split())  # of MuJoCo's solver and steps, of contacts, and of sensors
UNREAD_FLAGS = set("""
WARMSTART FILTERPARENT REFSAFE SENSOR MIDPHASE EULERDAMP AUTORESET NATIVECCD ISLAND MULTICCD
OVERRIDE ENERGY FWDINV INVDISCRETE DIAGEXACT IPC SPECULATIVE
""".split())  # of MuJoCo's solver and steps, of contacts, and of sensors
# assets, names, sizes, sparsity patterns, what a user stores, and what is left out as a whole
FAMILIES = re.compile(
    "(mesh|hfield|tex|mat|cam|light|skin|text|tuple|numeric|name|bvh|oct|key|flex|flexedge|flexvert|efm0|efmC|sensor|site|exclude|pair|wrap"
    "|plugin|tree|ten_J|[BCDM])_|n[A-Za-z0-9]+(_[a-z]+)?$|names_map$|[a-z]+_user$"
)


def unread(names, known):
    """Names that the import does not read and that are not known to leave the motion as it is."""
    read = set()
    for node in ast.walk(ast.parse(pathlib.Path(_robots.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            read.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            read |= {node.value, node.value.removeprefix("mjENBL_")}
    curves = {"jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly", "actuator_dampingpoly"}
    read |= {each for each in curves if each.removesuffix("poly") in read and "polynomial" in read}
    return sorted(each for each in names if each not in read | known)


def fields(thing):
    return [each for each in dir(thing) if not each.startswith("_") and not callable(getattr(thing, each))]


def test_every_field_of_the_compiled_model_is_read_or_known():
    m = mujoco.MjModel.from_xml_string(arm())
    names = [each for each in fields(m) if not FAMILIES.match(each)]
    assert "dof_damping" in names and "jnt_actgravcomp" in names
    assert unread(names, UNREAD) == []
    assert unread(fields(m.opt), UNREAD_OPTIONS) == []
    assert unread(["jnt_new"], UNREAD) == ["jnt_new"]  # a field of a later version is found
    for new in ("jnt_new", "actuator_new", "dof_new", "eq_new", "tendon_new", "body_new", "geom_new", "flg_new"):
        assert not FAMILIES.match(new)


def test_every_flag_is_read_or_known():
    flags = [*mujoco.mjtDisableBit.__members__, *mujoco.mjtEnableBit.__members__]
    words = [each.split("_", 1)[1] for each in flags if "_" in each]
    assert "SPRING" in words and "SLEEP" in words
    assert unread(words, UNREAD_FLAGS) == []


# ---- names ----


def words_of(path, name):
    """The words of an array of the sources."""
    text = (pathlib.Path(__file__).parents[2] / "src" / path).read_text(encoding="utf-8")
    return re.findall(r'"(\w+)"', re.search(rf"array {name} = {{(.*?)}}", text, re.DOTALL)[1])


def test_joints_with_reserved_names_get_a_suffix(tmp_path):
    from kalaba import _kalaba

    words = [*words_of("formula/graph/functions.cpp", "reserved"), *words_of("scenario/model/variables.cpp", "columns")]
    words += [each[0] for each in _kalaba.functions()] + ["clamp", "where", "norm", "dot", "world"]
    assert {"sin", "not", "energy", "pi"} <= set(words)
    joint = '<body name="{0}" pos="0 0 0.1"><joint name="{0}" axis="0 1 0"/><geom size="0.1"/>'.format
    text = "".join(joint(each) for each in words if each != "world") + "</body>" * (len(words) - 1)
    kinds = '<body name="q1"><joint name="{}" type="slide"/><geom size="0.1"/></body>'.format("world")
    model, report = read(tmp_path, f"<mujoco><worldbody>{text}{kinds}</worldbody></mujoco>")
    assert [each.name for each in model.coordinates] == [f"{each}_2" for each in words]
    assert "joint sin, named sin_2 (hinge)" in [each[1] for each in report]


def test_names_of_joints_do_not_meet_those_of_rates(tmp_path):
    body = '<body pos="0.2 0.1 0.3"><joint name="{}" axis="1 1 0"/><geom size="0.1" pos="0.2 0 0.1"/>'.format
    chain = '<body><joint name="b" type="ball"/><geom size="0.1"/>' + body("b_e0") + body("b_wx") + body("h") + body("h_dot") + 5 * "</body>"
    free = body("f_x") + '</body><body pos="2 0 0"><freejoint name="f"/><geom size="0.1"/></body>'
    model, _ = read(tmp_path, f"<mujoco><worldbody>{chain}{free}</worldbody></mujoco>")
    names = [each.name for each in [*model.coordinates, *model.rates]]
    assert {"b_e0", "b_e0_2", "b_wx_2", "h_dot_2", "f_x", "f_2_x"} <= set(names) and len(set(names)) == len(names)


def test_an_old_mujoco_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(mujoco, "MjSpec", object)  # the class without the method that the import needs
    with pytest.raises(kb.InputError, match="need MuJoCo 3.3.4 or later, found"):
        read(tmp_path, arm())


# ---- meshes that are only drawn ----


def test_names_of_shapes_that_are_only_drawn_are_known(tmp_path):
    body = (
        '<body name="{0}" pos="0 0 1"><inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/><joint name="{0}" axis="0 1 0"/>'
        '<geom name="g{0}" type="mesh" mesh="shell" material="wood"/></body>'
    ).format
    text = f"""<mujoco><asset><mesh name="shell" file="none.stl"/><texture name="wood" type="2d" file="none.png"/>
<material name="wood" texture="wood"/><hfield name="hill" file="none.png" size="1 1 1 1"/></asset><worldbody>
<geom name="floor" type="hfield" hfield="hill"/><site name="s" material="wood"/><site name="r" pos="1 0 0"/>{body("a")}{body("b")}</worldbody>
<contact><pair geom1="floor" geom2="ga"/><pair geom1="ga" geom2="gb"/></contact>
<deformable><skin name="cover" file="none.skn" material="wood"/></deformable>
<tendon><spatial name="rope" material="wood"><site site="s"/><site site="r"/></spatial></tendon>
<sensor><distance geom1="ga" geom2="gb"/></sensor></mujoco>"""
    model, report = read(tmp_path, text)
    assert [each.name for each in model.coordinates] == ["a", "b"]
    assert ("left out", "contacts of 2 pairs of geometries", None) in report
    inertial = text.replace("<mujoco>", '<mujoco><compiler inertiafromgeom="true"/>')
    with pytest.raises(kb.InputError, match=r"none\.stl"):  # whose inertias are those of the meshes
        read(tmp_path, inertial)


def test_the_zero_of_a_coordinate_is_stated(tmp_path):
    _, report = read(tmp_path, arm())
    stated = [feature for outcome, feature, _ in report if outcome == "kept"]
    assert "joint j (hinge); its coordinate is that of the file less its ref, 0.2" in stated
    assert "joint k (slide)" in stated


KEYS = """<mujoco><compiler angle="radian"/><worldbody>
<body name="base" pos="0 0 1" euler="0.3 0 0"><freejoint name="root"/><inertial mass="2" pos="0 0 0" diaginertia="0.008 0.008 0.008"/>
<body name="arm" pos="0.1 0 0" euler="0 0.4 0"><joint name="elbow" axis="0 1 0" ref="0.2"/>
<inertial mass="1" pos="0.1 0 0" diaginertia="0.01 0.02 0.02"/>
<body name="hand" pos="0.3 0 0" quat="0.9 0.1 0 0"><joint name="wrist" type="ball"/>
<inertial mass="0.5" pos="0.05 0 0" diaginertia="0.001 0.001 0.002"/></body></body></body></worldbody>
<actuator><motor name="drive" joint="elbow"/></actuator><keyframe><key name="home" qpos="0 0 0.5 1 0 0 0 0.1 1 0 0 0"/>
<key time="2" qpos="0.1 0.2 0.3 0.8 0.2 0.1 -0.3 -0.5 0.9 0.3 -0.2 0.1" qvel="1 2 3 0.4 0.5 0.6 -0.7 0.3 0.2 0.1" ctrl="0.25"/>
</keyframe></mujoco>"""


def test_a_model_starts_at_a_keyframe_as_in_mujoco(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(KEYS)
    mechanism, report = _robots.read_robot(path, keyframe="1")
    assert "kept          keyframe 1: start and controls" in str(report)
    assert "left out      of keyframe 1: time 2" in str(report)
    assert 'left out      keyframe home; --keyframe home (keyframe="home") starts there (line 7)' in str(report)
    at = [0.07, -0.02, 0.1]
    mechanism.point("tip", "hand", at)
    model = mechanism.model()
    assert next(each.value for each in model.parameters if each.name == "drive_ctrl") == 0.25
    m = mujoco.MjModel.from_xml_string(KEYS)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 1)
    mujoco.mj_forward(m, d)
    hand = m.body("hand").id
    place = d.xpos[hand] + d.xmat[hand].reshape(3, 3) @ at
    slopes = np.zeros((3, m.nv))
    mujoco.mj_jac(m, d, slopes, None, place, hand)
    run = kb.simulate(model, end=1e-3, dt=1e-3, compile="never", fields=["q", "w", "invariants"])
    np.testing.assert_allclose([run[f"tip.{axis}"][0] for axis in "xyz"], place, atol=1e-12)
    np.testing.assert_allclose([run[f"tip.v{axis}"][0] for axis in "xyz"], slopes @ d.qvel, atol=1e-12)


def test_keyframes_are_refused_by_name(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(KEYS)
    with pytest.raises(kb.InputError, match=r"there is no keyframe 'hom'; did you mean home\? \(there are home, 1\)"):
        kb.Model.read(path, keyframe="hom")
    assert 'keyframe 1; --keyframe 1 (keyframe="1") starts there' in str(_robots.read_robot(path)[1])
    urdf = tmp_path / "robot.urdf"
    urdf.write_text('<robot name="a"><link name="b"/></robot>')
    with pytest.raises(kb.InputError, match="keyframe is for MJCF files"):
        kb.Model.read(urdf, keyframe="home")
    text = tmp_path / "model.toml"
    text.write_text("[model]")
    with pytest.raises(kb.InputError, match=r"the start of a model as text is under \[model.start\]"):
        kb.Model.read(text, keyframe="home")
