"""A page that explores the members of a run in a browser, without a network."""

from __future__ import annotations

import base64
import html
import json
import os
import pathlib
import re
import tempfile

import numpy as np

from . import _kalaba
from ._dataset import components, refusal
from ._errors import InputError, nearest, required, translated
from ._numbers import Numbers, _last_finite, with_unit
from ._result import _NO_FAILURE, STATUS

MOST_MEMBERS = 100_000
MOST_FRAMES = 400  # saved times of a motion
MOST_BYTES = 14_500_000  # of the page
MOTION_BYTES = 5_000_000  # of the motions
DRAWING_BYTES = 3_000_000  # of the drawings of a mechanism
DRAWN_MEMBERS = 24  # as many have a drawing before frames are added
BYTES_OF_A_NUMBER = 16 / 3  # 4 bytes in base64
MEMBER_BYTES = 19  # number, status and failure time of a member, in base64


def explore(result, path=None, points=None, notes=()):
    """Writes the page; see `Result.explore`. `notes`: further sentences below the title."""
    plotly = required("plotly.offline", "explore", "result.explore")
    if path is None:
        if result.path is None:
            raise InputError("explore: expected the name of the page, as the run has no file beside which to write")
        path = pathlib.Path(result.path).with_suffix(".explorer.html")
    if pathlib.Path(path).suffix != ".html":
        raise InputError(f"path: expected a name that ends in .html, found {os.fspath(path)}")
    numbers = Numbers(result)
    if "status" not in numbers.source.variables:
        raise InputError("explore: expected members, found a run without trajectories")
    template = pathlib.Path(__file__).with_name("explorer.html").read_text(encoding="utf-8")
    script = plotly.get_plotlyjs()
    content = _content(result, numbers, points, MOST_BYTES - len(script.encode()) - len(template))
    content["notes"][:0] = notes
    text = json.dumps(content, allow_nan=False).replace("<", "\\u003c")
    parts = {"TITLE": html.escape(content["title"]), "PLOTLY": script, "CONTENT": text}
    template = re.sub("@(TITLE|PLOTLY|CONTENT)@", lambda found: parts[found[1]], template)
    part = pathlib.Path(f"{os.fspath(path)}.partial")
    part.write_text(template, encoding="utf-8")
    part.replace(path)
    return os.fspath(path)


def command_line(words):
    """Does `kalaba report FILE --interactive`. Raises Error."""
    import argparse

    from ._ensemble import read
    from ._run import open as open_result
    from ._run import run

    parser = argparse.ArgumentParser(
        prog="kalaba report", description="Write a page that explores the members of a run in a browser, offline",
        epilog="Example: kalaba report beads.nc --interactive --points '0,0 x,y'",
    )  # fmt: skip
    parser.add_argument("file", help="an output of kalaba run (.nc or .csv), or a scenario or model (.toml), which is run")
    parser.add_argument("--interactive", action="store_true", help="this page; without it, that of the pictures")
    parser.add_argument("-o", "--output", help="the page (.html); if left out, beside FILE")
    parser.add_argument("--points", help="points of the drawing: names or numbers, '0,0 x,y'")
    request = parser.parse_args(words)
    points = None if request.points is None else [_point(each) for each in request.points.split()]
    file = pathlib.Path(request.file)
    page = request.output or file.with_suffix(".explorer.html")
    if file.suffix == ".csv":
        with tempfile.TemporaryDirectory(prefix="kalaba") as folder:
            data = os.path.join(folder, "tables.nc")
            with translated():
                absent = _kalaba.import_csv(os.fspath(file), data)
            print(explore(open_result(data), page, points, [absent.rstrip(".")]))
        return
    if file.suffix != ".toml":
        result = open_result(file)
    else:
        ensemble = read(file)
        ensemble._tables.get("output", {}).pop("file", None)  # the scenario's own output is not changed
        result = run(ensemble, trajectories=True)
    print(explore(result, page, points))


def _point(text):
    """("x", 0.5) of "x,0.5"."""
    parts = []
    for each in text.split(","):
        try:
            parts.append(float(each))
        except ValueError:
            parts.append(each)
    return tuple(parts)


def _content(result, numbers, points, most_bytes):
    """Data of the page, of about at most so many bytes."""
    status = np.asarray(numbers.source.array("status"))
    has_failed = ~np.isin(status, [STATUS.index(name) for name in _NO_FAILURE])
    rows = _chosen_members(has_failed)
    notes = []
    if len(rows) < len(status):
        kept = int(has_failed[rows].sum())
        notes.append(
            f"{len(rows):,} of {len(status):,} members are shown: {kept:,} of the {int(has_failed.sum()):,} that failed, and "
            "of the others every so many-th"
        )
    first = int(numbers.source.attributes.get("first_member", 0))
    most_bytes = max(0, most_bytes - MEMBER_BYTES * len(rows))
    columns, left_out = _columns(numbers, rows, 0.7 * most_bytes)
    if left_out:
        notes.append(f"left out, to keep the page small: {', '.join(left_out)}")
    used = sum(len(each["data"]) for each in columns)
    drawing = None if points is not None else _picture(numbers)
    room = min(DRAWING_BYTES, (most_bytes - used) // 3) if drawing else 0
    motions, stored, note = _motions(numbers, rows, has_failed[rows], min(MOTION_BYTES, most_bytes - used - room))
    notes += note
    if drawing:
        drawing, note = _drawing(numbers, drawing, rows, stored, motions["times"], room)
        notes += note
    return {
        "title": str(numbers.source.attributes.get("system", "run")), "summary": result.summary.text, "notes": notes, "columns": columns,
        "members": _packed(rows + first, "<f8"), "status": _packed(status[rows], "u1"), "statusNames": list(STATUS),
        "failed": _packed(has_failed[rows], "u1"),
        "failureTime": _packed(np.asarray(numbers.source.array("failure_time"))[rows], "<f4"),
        "motions": motions, "points": [] if drawing else _points(numbers, points), "drawing": drawing,
    }  # fmt: skip


def _chosen_members(has_failed):
    """Rows of the page, ascending: all members, or of too many a part in which failed members come first."""
    if len(has_failed) <= MOST_MEMBERS:
        return np.arange(len(has_failed))
    failed = _spread(np.flatnonzero(has_failed), MOST_MEMBERS // 2)
    return np.sort(np.concatenate([failed, _spread(np.flatnonzero(~has_failed), MOST_MEMBERS - len(failed))]))


def _spread(rows, most):
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(int)]


def _columns(numbers, rows, most_bytes):
    """Inputs that vary and outcomes, as many as so many bytes hold, at least 4; and the names of the others."""
    names = list(components(numbers.source))
    arrays = numbers.source.array
    inputs = numbers.inputs()
    moved = [name for name in inputs if name.startswith("projected_")]
    same = [name for name in moved if np.array_equal(arrays(name), arrays(name.replace("projected", "initial", 1)))]
    wanted = [("input", name, None) for name in inputs if name not in same]
    wanted += [("outcome", name, "at the end") for name in names]
    wanted += [("outcome", f"time({event})", "event") for event in numbers.labels("event")]
    wanted += [("outcome", name, how) for how in ("max", "min") for name in names]
    most = max(4, int(most_bytes / (BYTES_OF_A_NUMBER * max(len(rows), 1))))
    found, left_out = [], []
    for kind, name, how in wanted:
        label = name if how in (None, "event") else f"{how}({name})" if how in ("max", "min") else f"{name} {how}"
        if len(found) >= most:
            left_out.append(label)
            continue
        values, unit = _values(numbers, name, how)
        values = np.asarray(values, dtype=float)[rows]
        if kind == "input" or (np.isfinite(values).any() and np.ptp(values[np.isfinite(values)]) > 0):
            found.append({"label": with_unit(label, unit), "kind": kind, "data": _packed(values, "<f4")})
    return found, left_out


def _values(numbers, name, how):
    """A number a member, and its unit; "at the end" is the last good state of a member that failed."""
    if how is None:
        kind = numbers.source.variables[name]
        return numbers.source.array(name), kind[3].get("units", "")
    if how == "event":
        return numbers.of_members(name)[0], "s"
    values, unit = numbers.over_time(name)
    if how == "at the end":
        return _last_finite(values), unit
    return (np.fmax if how == "max" else np.fmin).reduce(values), unit


def _motions(numbers, rows, has_failed, most_bytes):
    """Motions of as many members as so many bytes hold: failed ones, and others evenly."""
    known = components(numbers.source)
    names = [name for name in known if not name.startswith("sensitivity_") and known[name][1] != "exponent"][:24]
    frames = np.unique(np.linspace(0, len(numbers.times) - 1, min(len(numbers.times), MOST_FRAMES)).astype(int))
    most = max(1, int(most_bytes / (BYTES_OF_A_NUMBER * max(len(names) * len(frames), 1))))
    failed = _spread(np.flatnonzero(has_failed), max(1, most // 4))
    stored = np.sort(np.concatenate([failed, _spread(np.flatnonzero(~has_failed), max(1, most - len(failed)))]))
    data = np.empty((len(stored), len(names), len(frames)), dtype="<f4")
    labels = []
    for i, name in enumerate(names):
        values, unit = numbers.over_time(name)
        data[:, i] = values[np.ix_(frames, rows[stored])].T
        labels.append(with_unit(name, unit))
    notes = []
    if len(stored) < len(rows):
        notes.append(f"motions of {len(stored):,} members are in the page; others show that with the nearest inputs")
    if len(frames) < len(numbers.times):
        notes.append(f"motions have {len(frames):,} of {len(numbers.times):,} saved times")
    times = [float(each) for each in np.asarray(numbers.times)[frames]]
    coordinates = numbers.labels("coordinate")
    pairs = [[names.index(a), names.index(b)] for a, b in zip(coordinates, numbers.labels("rate")) if a in names and b in names]
    motions = {"times": times, "names": names, "labels": labels, "pairs": pairs, "held": [numbers.is_held(name) for name in names], "rows": _packed(stored, "<i4"), "data": _packed(data, "<f4")}
    return motions, stored, notes


def _picture(numbers):
    """Lines that draw the mechanism of bodies and joints, if the run is of one and has its coordinates; else None."""
    picture = _kalaba.PictureOfMechanism(str(numbers.source.attributes.get("scenario", "")))
    known = components(numbers.source)
    return picture if picture.exists and all(each in known for each in numbers.labels("coordinate")) else None


def _drawing(numbers, picture, rows, stored, times, most_bytes):
    """Positions of the points of a mechanism, of as many of the members of the motions as so many bytes hold."""
    parameters = numbers.source.attributes["parameters"] if numbers.source.attributes.get("parameters") else []
    parameters = [parameters] if isinstance(parameters, str) else list(parameters)
    coordinates = numbers.labels("coordinate")
    frames = np.searchsorted(np.asarray(numbers.times), times)
    point_bytes = BYTES_OF_A_NUMBER * len(picture.axes) * max(1, sum(1 for _ in _drawn_points(picture)))
    count = int(np.clip(most_bytes / (point_bytes * min(DRAWN_MEMBERS, len(stored))), 20, len(frames)))
    shown = np.unique(np.linspace(0, len(frames) - 1, count).astype(int))
    members = _spread(stored, max(1, int(most_bytes / (point_bytes * len(shown)))))
    own = rows[members]
    q = np.empty((len(coordinates), len(own), len(shown)))
    for i, name in enumerate(coordinates):
        q[i] = numbers.over_time(name)[0][np.ix_(frames[shown], own)].T
    p = np.empty((len(parameters), len(own), len(shown)))
    for i, name in enumerate(parameters):
        found = name if name in numbers.source.variables else f"parameter_{name}"
        p[i] = np.asarray(numbers.source.array(found))[own][:, None]
    columns = len(own) * len(shown)
    places = picture.positions(p.reshape(len(parameters), columns), q.reshape(len(coordinates), columns))
    kept = {point: i for i, point in enumerate(_drawn_points(picture))}
    places = places[list(kept)].reshape(len(kept), len(picture.axes), len(own), len(shown)).transpose(2, 3, 0, 1)
    notes = []
    if len(members) < len(stored):
        notes.append(f"drawings of {len(members):,} members are in the page; others show that of the nearest member")
    drawing = {
        "axes": picture.axes, "lines": [[kept[each] for each in line] for line in picture.lines],
        "dots": [[kept[point], name, bool(moves)] for name, point, moves in picture.dots], "count": len(kept),
        "frames": [int(each) for each in shown], "rows": _packed(members, "<i4"), "data": _packed(places, "<f4"),
    }  # fmt: skip
    return drawing, notes


def _drawn_points(picture):
    """Points of the lines and dots of a mechanism, each once."""
    points = [point for line in picture.lines for point in line] + [point for _, point, _ in picture.dots]
    return dict.fromkeys(points)


def _points(numbers, points):
    """Points of the drawing: lists of 2 or 3 names or numbers."""
    known = components(numbers.source)
    if points is None:
        coordinates = [each for each in numbers.labels("coordinate") if each in known]
        has_axes = set(coordinates[:3]) == {"x", "y", "z"}
        points = [tuple(coordinates[: 3 if has_axes else 2])]
        if len(points[0]) < 2:
            return []
    found = [list(point) for point in points]
    if len({len(point) for point in found}) != 1 or len(found[0]) not in (2, 3):
        raise InputError(f"points: expected pairs or triples of names or numbers, found {points!r}")
    for each in (each for point in found for each in point if isinstance(each, str)):
        if each not in known:
            raise InputError(f"points: {refusal(numbers.source, each)}")
    return [[each if isinstance(each, str) else float(each) for each in point] for point in found]


def _packed(values, kind):
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
