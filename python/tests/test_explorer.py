"""The page of Result.explore, as a file and in a browser."""

import base64
import json
import pathlib
import re
import subprocess
import sys
import time

import conftest
import numpy as np
import pytest
from browser import Browser, installed

import kalaba
from kalaba import _explorer

pytest.importorskip("plotly", reason="plotly is not installed")

MEMBERS = 60
COMPLETE = "performance.getEntriesByName('complete').length === 1"


def run(members=MEMBERS, **options):
    """A run in which some members fail."""
    return conftest.quick(
        conftest.bead, members, seed=1, initial={"x": kalaba.uniform(0.5, 1)},
        parameters={"c": kalaba.uniform(0.4, 0.8), "m": kalaba.uniform(1, 2)},
        **{"end": 1.0, "save_every": 5, "integrator": "dopri5", "max_steps": 60, "fields": ["q", "w", "energy"], **options},
    )  # fmt: skip


@pytest.fixture(name="result", scope="module")
def the_result():
    result = run()
    assert 0 < result.failed_members < MEMBERS
    return result


@pytest.fixture(name="browser")
def the_browser(tmp_path):
    if installed() is None:
        pytest.skip("no Chromium is installed")
    with Browser(tmp_path / "profile") as browser:
        yield browser


def box(browser, name):
    """Position of an element in the window: left, top, width, height."""
    browser.value(f"at('{name}').scrollIntoView({{block: 'center'}})")
    time.sleep(0.2)
    return browser.value(f"(r => [r.left, r.top, r.width, r.height])(at('{name}').getBoundingClientRect())")


def number(text):
    return int(re.match(r"[\d,]+", text).group().replace(",", ""))


def test_the_page_links_its_views(result, browser, tmp_path):
    page = tmp_path / "page.html"
    assert result.explore(page, points=[(0, 0), ("x", "y")]) == str(page)
    browser.open(page)
    browser.wait_for(COMPLETE)
    failed = int(result.failed_members)
    assert f"{MEMBERS} members, {failed} failed" in browser.value("at('notes').textContent")

    # The table lists failed members with their reasons.
    browser.value("at('only').click()")
    rows = browser.value("[...at('body').rows].map(row => [row.cells[0].textContent, row.cells[1].textContent])")
    assert [int(member) for member, _ in rows] == [int(each) for each in result.failed["member"]]
    assert all(re.fullmatch(r"too many steps at 0\.\d+ s", reason) for _, reason in rows)
    browser.value("at('only').click()")

    # A box in the scatter plot is a brush on its two axes.
    assert number(browser.value("at('count').textContent")) == MEMBERS
    left, top, width, height = box(browser, "scatter")
    browser.drag((left + 90, top + 45), (left + 150, top + 100), (left + 0.45 * width, top + height - 60))
    browser.wait_for(f"!at('count').textContent.startsWith('{MEMBERS} of')")
    (low, high), *_ = browser.value("state.brushes.get(Number(at('x').value))")
    selected = number(browser.value("at('count').textContent"))
    assert 0 < selected < MEMBERS and low < high
    axis = browser.value("at('x').selectedOptions[0].text").split(" / ")[0]
    values = np.asarray(result[axis])
    inside = browser.value("[...state.mask]")
    assert not np.any(np.array(inside, dtype=bool) & ((values < low - 1e-6) | (values > high + 1e-6)))
    assert browser.value("at('parallel').data[0].dimensions.filter(each => each.constraintrange).length") == 2
    assert len(browser.value("[...at('body').rows].map(row => row.dataset.row)")) == selected

    # A brush on an axis of the parallel coordinates selects too; a button removes all brushes.
    browser.value("at('clear').click()")
    browser.wait_for(f"at('count').textContent.startsWith('{MEMBERS} of')")
    left, top, width, height = box(browser, "parallel")
    browser.drag((left + 70, top + 60), (left + 70, top + 100), (left + 70, top + 140))
    browser.wait_for(f"!at('count').textContent.startsWith('{MEMBERS} of')")
    assert 0 < number(browser.value("at('count').textContent")) < MEMBERS
    browser.value("at('clear').click()")

    # A click on a row shows the member's motion; the slider moves through it.
    row = next(i for i in range(MEMBERS) if i not in result.failed["member"])
    browser.value(f"at('body').querySelector('[data-row=\"{row}\"]').cells[0].click()")
    assert browser.value("at('member').textContent") == str(row)
    motion = np.asarray(result["x"])[:, row]
    np.testing.assert_allclose(browser.value("[...at('motion').data[0].y]"), motion, rtol=1e-6)
    left, top, width, height = box(browser, "time")
    browser.drag((left + 8, top + height / 2), (left + width / 3, top + height / 2), (left + width / 2, top + height / 2))
    browser.wait_for("state.frame > 0")
    time.sleep(0.3)
    frame = browser.value("state.frame")
    assert abs(frame - (len(motion) - 1) / 2) <= 5
    np.testing.assert_allclose(browser.value("at('motion').data[1].y[0]"), motion[frame], rtol=1e-6)
    np.testing.assert_allclose(browser.value("at('portrait').data[1].x[0]"), motion[frame], rtol=1e-6)
    assert browser.value("at('now').textContent") == f"t = {float(result['x'].time[frame]):.6g} s"

    # A click on a point of the scatter plot shows its member.
    left, top, _, _ = box(browser, "scatter")
    other = (row + 7) % MEMBERS
    where = browser.value(
        f"(l => [l._size.l + l.xaxis.l2p(columns[at('x').value].data[{other}]),"
        f" l._size.t + l.yaxis.l2p(columns[at('y').value].data[{other}])])(at('scatter')._fullLayout)"
    )
    browser.drag((left + where[0], top + where[1]))
    browser.wait_for(f"at('member').textContent === '{other}'", limit=10)
    ring = browser.value("(r => [r.left + r.width / 2, r.top + r.height / 2])(at('ring').getBoundingClientRect())")
    np.testing.assert_allclose(ring, [left + where[0], top + where[1]], atol=1.5)
    assert browser.complaints() == []


def test_a_page_of_many_members_is_small_and_soon_there(tmp_path):
    if installed() is None:
        pytest.skip("no Chromium is installed")
    result = run(100_000, end=0.1, save_every=1, integrator="rk4", max_steps=None)
    page = tmp_path / "page.html"
    result.explore(page)
    assert page.stat().st_size <= 15_000_000
    with Browser(tmp_path / "profile", height=700) as browser:
        browser.open(page)
        assert browser.value("performance.getEntriesByName('first-contentful-paint')[0].startTime") <= 2000
        # Members first; parallel coordinates wait until they are in sight.
        browser.wait_for("performance.getEntriesByName('tables').length === 1")
        drawn = browser.value("['members', 'tables'].map(name => performance.getEntriesByName(name)[0].startTime)")
        assert drawn == sorted(drawn)
        assert browser.value("total") == 100_000 and browser.value("at('parallel').data === undefined")
        assert "motions of" in browser.value("at('notes').textContent")
        browser.value("choose(99_999)")
        stored = set(browser.value("[...motions.rows]"))
        assert browser.value("state.chosen") in stored and 99_998 not in stored
        browser.value("at('parallel').scrollIntoView()")
        browser.wait_for(COMPLETE)
        assert browser.complaints() == []


def test_of_too_many_members_failed_ones_come_first(result, monkeypatch):
    monkeypatch.setattr(_explorer, "MOST_MEMBERS", 20)
    has_failed = np.isin(np.arange(MEMBERS), result.failed["member"])
    rows = _explorer._chosen_members(has_failed)
    assert len(rows) == len(set(rows)) == 20 and set(np.flatnonzero(has_failed)) <= set(rows)
    content = _explorer._content(result, _explorer.Numbers(result), None, 1_000_000)
    failed = int(has_failed.sum())
    assert content["notes"][0].startswith(f"20 of 60 members are shown: {failed} of the {failed} that failed")


def test_the_page_asks_for_nothing_outside_it(result, tmp_path):
    result.save(tmp_path / "a<b>&.nc")
    page = kalaba.open(tmp_path / "a<b>&.nc").explore()
    assert page == str(tmp_path / "a<b>&.explorer.html")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert "default-src 'none'" in text and not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=", text)


def test_the_command_line_writes_the_page(result, tmp_path):
    def report(*words):
        words = [sys.executable, "-m", "kalaba", "report", *words, "--interactive"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    result.save("run.nc")
    done = report("run.nc", "--points", "0,0 x,y")
    assert (done.returncode, done.stdout.strip()) == (0, "run.explorer.html"), done.stderr
    text = (tmp_path / "run.explorer.html").read_text(encoding="utf-8")
    assert '"points": [[0.0, 0.0], ["x", "y"]]' in text
    text = result._ensemble.to_toml(end=0.1)
    assert "[output]" in text
    (tmp_path / "sweep.toml").write_text(text.replace("[output]", '[output]\nfile = "own.nc"'), encoding="utf-8")
    assert report("sweep.toml", "-o", "page.html").returncode == 0
    assert (tmp_path / "page.html").exists() and not (tmp_path / "own.nc").exists()
    for words, code, message in (
        (["no.nc"], 3, "no.nc"),
        (["run.nc", "-o", "page.pdf"], 2, "path: expected a name that ends in .html, found page.pdf"),
        (["run.nc", "--points", "0,0 x,yy"], 2, "there is no yy; did you mean y?"),
    ):
        done = report(*words)
        assert done.returncode == code and message in done.stderr and "Traceback" not in done.stderr


def content_of(page):
    text = pathlib.Path(page).read_text(encoding="utf-8")
    return json.JSONDecoder().raw_decode(text, text.index('{"title": '))[0]


def test_the_page_of_tables_is_that_of_the_file(result, capsys):
    result.save("run.nc")
    assert kalaba._kalaba.command_line(["kalaba", "export", "run.nc", "--csv", "tables"]) == 0
    _explorer.command_line(["run.nc", "--interactive"])
    _explorer.command_line(["tables/trajectories.csv", "--interactive"])
    assert capsys.readouterr().out.split()[-2:] == ["run.explorer.html", "tables/trajectories.explorer.html"]
    expected, found = content_of("run.explorer.html"), content_of("tables/trajectories.explorer.html")
    assert found["title"] == "trajectories.csv" and found["summary"].startswith("trajectories.csv: ")
    assert found["notes"][0].startswith("CSV tables do not contain units")
    assert found["notes"][1:] == expected["notes"]
    for page in expected, found:
        for each in "title", "summary", "notes", "points":
            page.pop(each)
        for column in page["columns"]:  # without units
            column["label"] = column["label"].split(" / ")[0]
        page["motions"].pop("labels")
    assert found == expected
    pathlib.Path("tables/members.csv").unlink()
    with pytest.raises(kalaba.FileError, match="expected its table of members, tables/members.csv"):
        _explorer.command_line(["tables/trajectories.csv", "--interactive"])


def test_errors_name_what_was_expected(result):
    with pytest.raises(kalaba.InputError, match="expected a name that ends in .html, found page.pdf"):
        result.explore("page.pdf")
    with pytest.raises(kalaba.InputError, match="the run has no file beside which to write"):
        result.explore()
    with pytest.raises(kalaba.InputError, match="there is no xx; did you mean x?"):
        result.explore("page.html", points=[(0, 0), ("xx", "y")])
    with pytest.raises(kalaba.InputError, match="expected pairs or triples"):
        result.explore("page.html", points=[(0, 0), ("x",)])
    with pytest.raises(kalaba.InputError, match="a run without trajectories"):
        run(trajectories=False, statistics=["mean"]).explore("page.html")


def test_without_plotly_the_message_says_what_to_install():
    program = (
        "import sys; sys.modules['plotly'] = None; import kalaba;"
        "kalaba.run('spherical_pendulum', end=0.01, compile='never').explore('page.html')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "result.explore requires the package plotly: pip install 'kalaba[explore]'" in done.stderr


def four_bar():
    m = kalaba.Mechanism("four_bar", gravity=(0, -9.81, 0), parameters=dict(L=0.3))
    crank = m.body("crank", mass=0.2, rod=(0.1, 0, 0))
    coupler = m.body("coupler", mass=0.5, rod=("L", 0, 0))
    rocker = m.body("rocker", mass=0.4, box=(0.25, 0.02, 0.02), com=(0.125, 0, 0))
    m.hinge("pin", child=crank, axis=(0, 0, 1))
    m.hinge("elbow", parent=crank, child=coupler, at=(0.1, 0, 0), axis=(0, 0, 1))
    m.hinge("base", child=rocker, at=(0.3, 0, 0), axis=(0, 0, 1))
    m.hinge("tip", parent=coupler, at=("L", 0, 0), child=rocker, child_at=(0.25, 0, 0), axis=(0, 0, 1))
    m.start(pin=1.5, base=2)
    return m.model()


def content_of(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return json.loads(text.split('id="content">')[1].split("</script>")[0])


def test_a_mechanism_is_drawn(tmp_path, monkeypatch):
    result = kalaba.sweep(
        four_bar(), 8, seed=1, parameters=dict(L=kalaba.uniform(0.29, 0.31)), end=0.1, save_every=10, compile="never"
    )
    drawing = content_of(result.explore(tmp_path / "page.html"))["drawing"]
    assert drawing["axes"] == "xyz"  # the box has a depth
    data = np.frombuffer(base64.b64decode(drawing["data"]), dtype="<f4").reshape(8, len(drawing["frames"]), drawing["count"], 3)
    names = {name: point for point, name, _ in drawing["dots"]}
    lengths = np.linalg.norm(data[:, :, names["tip"]] - data[:, :, names["elbow"]], axis=-1)
    np.testing.assert_allclose(lengths, np.asarray(result["L"])[:, None] + np.zeros_like(lengths), rtol=1e-5)
    angle = np.asarray(result["pin"])[drawing["frames"]].T
    np.testing.assert_allclose(data[:, :, names["elbow"], 0], 0.1 * np.cos(angle), atol=1e-6)
    monkeypatch.setattr(_explorer, "DRAWING_BYTES", 15_000)
    small = content_of(result.explore(tmp_path / "small.html"))
    assert len(base64.b64decode(small["drawing"]["data"])) <= 15_000
    assert any("drawings of" in note for note in small["notes"])
    plain = content_of(result.explore(tmp_path / "plain.html", points=[(0, 0), ("pin", "base")]))
    assert plain["drawing"] is None and plain["points"]


def test_the_drawing_of_a_mechanism_turns_and_plays(browser, tmp_path):
    result = kalaba.sweep(four_bar(), 4, seed=1, parameters=dict(L=kalaba.uniform(0.29, 0.31)), end=0.1, save_every=10, compile="never")
    browser.open(result.explore(tmp_path / "page.html"))
    browser.wait_for("at('parallel').data !== undefined")
    browser.value("choose(2)")
    ink = "(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.reduce((sum, x, i) => sum + (i % 4 === 3 ? x * (i % 9973) : 0), 0))(at('mechanism'))"
    before = browser.value(ink)
    assert before > 0
    left, top, width, height = box(browser, "mechanism")
    browser.drag((left + width / 2, top + height / 2), (left + width / 2 + 40, top + height / 2), (left + width / 2 + 80, top + height / 2))
    turned = browser.value(ink)
    assert turned != before
    browser.value("at('time').value = frames - 1; at('time').oninput()")
    assert browser.value(ink) != turned
    assert browser.complaints() == []
