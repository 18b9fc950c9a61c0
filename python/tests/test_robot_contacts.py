"""Contacts of MJCF files with planes, against closed forms and MuJoCo's own combination of friction."""

import numpy as np
import pytest

import kalaba as kb

pytest.importorskip("mujoco", reason="needs the extra kalaba[mujoco]")

from kalaba import _robots  # noqa: E402

BALL = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="1 1 1" {floor}/>
<body name="ball" pos="0 0 {z}"><freejoint name="root"/><inertial mass="2" pos="0 0 0" diaginertia="0.008 0.008 0.008"/>
<geom name="skin" type="{shape}" size="{size}" {skin}/></body></worldbody></mujoco>"""


def read(tmp_path, text, **words):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    mechanism, report = _robots.read_robot(path, contacts=True, **words)
    return mechanism.model(), report


def ball(**words):
    return BALL.format(**{**dict(floor="", skin="", z=0.1, shape="sphere", size="0.1"), **words})


def test_a_sphere_slides_and_then_rolls_on_a_plane(tmp_path):
    model, report = read(tmp_path, ball(skin='friction="0.3"', floor='friction="0.2"'))
    assert "approximated  contact of geometry skin with a plane: soft in the file" in str(report)
    run = kb.simulate(model, end=1, initial=dict(root_x_dot=1, root_wx=20))
    np.testing.assert_allclose([run["root_x_dot"][-1], run["root_y_dot"][-1]], [1 - 2 / 7, -4 / 7], atol=1e-9)
    assert next(each for each in model.parameters if each.name == "skin_mu").value == 0.3


def test_a_sphere_rolls_down_an_inclined_plane(tmp_path):
    model, _ = read(tmp_path, ball(floor='euler="0 0.2 0"', z=0.1 / np.cos(0.2), skin='friction="1"'))
    run = kb.simulate(model, end=1)
    path = 5 / 7 * 9.81 * np.sin(0.2) / 2
    np.testing.assert_allclose(run["root_x"][-1], path * np.cos(0.2), atol=1e-9)
    np.testing.assert_allclose(run["root_z"][-1], 0.1 / np.cos(0.2) - path * np.sin(0.2), atol=1e-9)


def test_a_box_falls_on_its_corners_and_slides(tmp_path):
    model, report = read(tmp_path, ball(shape="box", size="0.1 0.2 0.05", z=0.05, skin='friction="0.4"', floor='friction="0.1"'))
    assert "with a plane, at 8 points" in str(report)
    run = kb.simulate(model, end=0.6, initial=dict(root_x_dot=0.6, root_y_dot=0.8))
    path = 1 / (2 * 0.4 * 9.81)
    np.testing.assert_allclose([run["root_x"][-1], run["root_y"][-1]], [0.6 * path, 0.8 * path], atol=1e-9)
    np.testing.assert_allclose(run["root_z"][-1], 0.05, atol=1e-12)


def test_frictionless_contacts_and_priorities(tmp_path):
    model, _ = read(tmp_path, ball(skin='condim="1"', floor='condim="1"'))
    assert not any(each.name == "skin_mu" for each in model.parameters)
    model, _ = read(tmp_path, ball(skin='friction="0.3"', floor='friction="0.9" priority="1"'))
    assert next(each for each in model.parameters if each.name == "skin_mu").value == 0.9


def test_what_does_not_touch_a_plane_is_left_out(tmp_path):
    _, report = read(tmp_path, ball(shape="cylinder", size="0.1 0.1"))
    assert "left out      contacts of geometry skin with planes: it is no sphere, capsule or box" in str(report)
    _, report = read(tmp_path, ball(skin='contype="0" conaffinity="0"'))
    assert "with a plane" not in str(report)
    excluded = ball().replace("</mujoco>", '<contact><exclude body1="world" body2="ball"/></contact></mujoco>')
    _, report = read(tmp_path, excluded)
    assert "with a plane" not in str(report)
    paired = ball(skin='contype="0" conaffinity="0"').replace(
        "</mujoco>", '<contact><pair geom1="floor" geom2="skin" friction="0.7 0.7 0.1 0 0"/></contact></mujoco>'
    )
    model, _ = read(tmp_path, paired)
    assert next(each for each in model.parameters if each.name == "skin_mu").value == 0.7
    with pytest.raises(kb.InputError, match="count 64; keep fewer"):
        boxes = "".join(f'<geom type="box" size="0.1 0.1 0.{k}"/>' for k in (2, 3, 4))
        read(tmp_path, ball(shape="box", size="0.1 0.1 0.1").replace("</body>", boxes + "</body>"))
    with pytest.raises(kb.InputError, match="contacts and limits.* count 54; keep fewer"):
        feet = "".join(f'<geom size="0.1" pos="0 0 {k}"/>' for k in range(25))
        hinged = ball().replace("</body>", feet + '<body><joint range="-1 1" limited="true"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></body>')
        read(tmp_path, hinged, limits=True)
    urdf = tmp_path / "robot.urdf"
    urdf.write_text('<robot name="a"><link name="b"/></robot>')
    with pytest.raises(kb.InputError, match="contacts is for MJCF files"):
        _robots.read_robot(urdf, contacts=True)


SPHERES = """<mujoco><compiler angle="radian"/><option gravity="0 0 {g}"/><worldbody>{world}
<body name="a" pos="0 0 1"><freejoint name="one"/><inertial mass="2" pos="0 0 0" diaginertia="0.008 0.008 0.008"/>
<geom name="left" size="0.1" pos="0 0 0" {skin}/></body>{more}</worldbody></mujoco>"""
OTHER = """<body name="b" pos="1 0.12 1"><freejoint name="two"/><inertial mass="1" pos="0 0 0" diaginertia="0.004 0.004 0.004"/>
<geom name="right" size="0.1" condim="1" {skin}/></body>"""


def spheres(g=0, world="", skin='condim="1"', more=OTHER.format(skin="")):
    return SPHERES.format(g=g, world=world, skin=skin, more=more)


def test_spheres_collide_along_their_centres(tmp_path):
    model, report = read(tmp_path, spheres())
    assert "approximated  contact of geometries left and right: soft in the file" in str(report)
    run = kb.simulate(model, end=1, initial=dict(one_x_dot=1))
    normal = np.array([0.16, 0.12]) / 0.2  # at the impact; without a bounce their velocities along it are then equal
    common = 2 * normal[0] / 3
    expected = np.array([1.0, 0]) - normal[0] * normal + common * normal, common * normal
    for name, velocity in zip(("one", "two"), expected):
        found = [run[f"{name}_x_dot"][-1], run[f"{name}_y_dot"][-1], run[f"{name}_z_dot"][-1]]
        np.testing.assert_allclose(found, [*velocity, 0], atol=1e-9)


def test_a_sphere_rests_on_one_of_the_world(tmp_path):
    model, _ = read(tmp_path, spheres(g=-9.81, world='<geom name="post" size="0.2" condim="1" pos="0 0 0.5"/>', more=""))
    run = kb.simulate(model, end=1)
    np.testing.assert_allclose(run["one_z"][-1], 0.8, atol=1e-9)


def test_what_a_contact_of_spheres_leaves_out_is_listed(tmp_path):
    rough = 'friction="0.3" condim="3" margin="0.01"'
    _, report = read(tmp_path, spheres(skin=rough, more=OTHER.format(skin="")))
    assert "left out      friction of geometries left and right (1)" in str(report)
    assert "left out      margin of the contact of geometry left (0.01)" in str(report)
    box = OTHER.format(skin="").replace('name="right" size="0.1"', 'name="right" type="box" size="0.1 0.1 0.1"')
    _, report = read(tmp_path, spheres(more=box))
    assert "contacts of 1 pairs of geometries: neither with a plane that stands still nor of two spheres" in str(report)


def test_a_pair_that_the_file_states_replaces_that_of_two_spheres(tmp_path):
    stated = '<contact><pair geom1="right" geom2="left" condim="1"/></contact></mujoco>'
    _, report = read(tmp_path, spheres(skin="", more=OTHER.format(skin="")).replace("</mujoco>", stated))
    assert str(report).count("contact of geometries") == 1 and "friction of geometries" not in str(report)


WALKER = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="9 9 1" {floor} friction="0.3"/>
<body name="torso" {turned}><joint name="forward" type="slide" axis="1 0 0"/><joint name="up" type="slide" axis="0 0 1"/>
<joint name="pitch" axis="0 1 0"/><inertial mass="2" pos="0 0 0" diaginertia="0.1 0.008 0.1"/>
<geom name="foot" size="0.1" friction="0.2"/><geom name="head" type="capsule" size="0.05" fromto="0 0 0.4 0.1 0 0.4" friction="0.2"/>
</body></worldbody></mujoco>"""
PLANES = {
    "x and z": ('pos="0 0 -0.1"', ""),
    "y and z": ('pos="0 0 -0.1"', 'euler="0 0 1.5707963267948966"'),
    "turned by 0.7": ('pos="0 0 -0.1"', 'euler="0 0 0.7"'),
    "axes of the floor turned": ('pos="0 0 -0.1" euler="0 0 0.4"', 'euler="0 0 0.7"'),
}


@pytest.mark.parametrize(("floor", "turned"), PLANES.values(), ids=PLANES)
def test_a_planar_walker_has_friction_along_a_line(tmp_path, floor, turned):
    model, report = read(tmp_path, WALKER.format(floor=floor, turned=turned))
    assert "contact of geometry foot with a plane" in str(report)
    run = kb.simulate(model, end=0.15, initial=dict(forward_dot=1.0))
    # the foot, a sphere of 2 m R^2/5, slides and then rolls
    np.testing.assert_allclose([run["forward_dot"][-1], run["up"][-1]], [5 / 7, 0], atol=1e-9)
    np.testing.assert_allclose(run["pitch_dot"][-1], 50 / 7, atol=1e-8)


def test_a_geometry_whose_distance_never_changes_has_no_contact(tmp_path):
    slider = WALKER.format(floor='pos="0 0 -0.1"', turned="").replace('type="slide" axis="0 0 1"', 'type="slide" axis="0 1 0"')
    slider = slider.replace('<joint name="pitch" axis="0 1 0"/>', "")
    model, report = read(tmp_path, slider)
    assert "left out      contacts of geometry foot with a plane: no joint changes their distance" in str(report)
    assert not model.constraints
