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
    with pytest.raises(kb.InputError, match="count 32; keep fewer"):
        both = ball(shape="box", size="0.1 0.1 0.1").replace("</body>", '<geom type="box" size="0.1 0.1 0.2"/></body>')
        read(tmp_path, both)
    with pytest.raises(kb.InputError, match="contacts and limits.* count 26; keep fewer"):
        feet = "".join(f'<geom size="0.1" pos="0 0 {k}"/>' for k in range(11))
        hinged = ball().replace("</body>", feet + '<body><joint range="-1 1" limited="true"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></body>')
        read(tmp_path, hinged, limits=True)
    urdf = tmp_path / "robot.urdf"
    urdf.write_text('<robot name="a"><link name="b"/></robot>')
    with pytest.raises(kb.InputError, match="contacts is for MJCF files"):
        _robots.read_robot(urdf, contacts=True)
