"""Pictures of results by matplotlib, in the caller's own axes.

At a saved time the members that move then count: those that failed until their last state, those that an event stopped
until just before (docs/pictures.md).
"""

from __future__ import annotations

import re

import numpy as np

from ._dataset import components, unit_of
from ._errors import InputError, nearest
from ._result import _OUTCOMES

INK, SOFT_INK, GRID = "#26323d", "#66727e", "#e8ebee"
WIDE_BAND, NARROW_BAND = "#dce8f4", "#a9c8e6"
COLORS = ("#1d5a96", "#b0563b", "#2f7d5b", "#e07b1a", "#7a55a5")

_SHARES = (5, 25, 50, 75, 95)
_MOST_LINES = 10
_MOST_GROUPS = 12


def plot(result, *variables, kind=None, by=None, over=None, member=None, ax=None, **style):
    """Draws a result.

    Parameters
    ----------
    variables : names of coordinates, rates, components of fields ("energy", "multipliers_wire"); of a heat map and of
        sensitivities a number of the members: "x" (at the last saved time), "max(x)", "min(x)", "mean(x)", "std(x)",
        "change(x)", "time(e)", "last(e)", "count(e)" of an event e, "status"
    kind : "fan" (variables over time: median, 25-75 %, 5-95 %), "lines" (up to 10 members), "path" (in the plane of two
        variables), "phase" (a coordinate against its rate), "histogram", "density", "heatmap", "events" or
        "sensitivity". Left out: "lines" of few members, else "fan"
    by : of a fan, an input of few values: a median and band for each
    over : of a heat map, two inputs; left out: the axes of the grid
    member : of "lines" and "path", the members to draw
    ax : matplotlib axes; of several variables in a fan or of lines an array of as many. Left out: new ones

    Returns
    -------
    The axes, or an array of them.
    """
    numbers = _Numbers(result)
    kind = kind or ("fan" if numbers.members > _MOST_LINES and member is None else "lines")
    if kind not in _KINDS:
        raise InputError(f"kind: there is no {kind!r}{nearest(kind, _KINDS)} (there are {', '.join(_KINDS)})")
    if by is not None and kind != "fan":
        raise InputError(f"by is for a fan, found kind {kind!r}")
    return _KINDS[kind](numbers, variables, {"by": by, "over": over, "member": member, "ax": ax}, style)


class _Numbers:
    """A result's numbers, as pictures want them."""

    def __init__(self, result):
        self.source = result._require_source()
        self.members = self.source.dimensions.get("member", 0)
        self.times = self.source.array("time")
        self._moves = None

    def labels(self, dim):
        return [str(each) for each in self.source.array(dim)] if dim in self.source.variables else []

    def moves(self):
        """Whether a member still moves (time, member)."""
        if self._moves is None:
            ends = self.source.array("failure_time")
            self._moves = ~(self.times[:, None] >= ends[None, :])
        return self._moves

    def over_time(self, name):
        """(time, member), NaN where a member does not move any more; and the unit."""
        known = components(self.source)
        if name not in known:
            self._refuse(name, known)
        field, dim, index = known[name]
        shape = self.source.variables[field][1]
        values = self.source.array(field) if dim is None else self._row(field, index, shape)
        return np.where(self.moves(), values, np.nan), unit_of(self.source, field, dim, index)

    def _row(self, field, i, shape):
        if hasattr(self.source, "read"):
            return self.source.read(field, [0, i, 0], [shape[0], 1, shape[2]])[:, 0, :]
        return self.source.array(field)[:, i, :]

    def _refuse(self, name, known):
        raise InputError(f"there is no {name}{nearest(name, known)} (there are {', '.join(known)})")

    def inputs(self):
        """Names of what varies between the members."""
        names = [
            name
            for name, (dims, _, kind, _) in self.source.variables.items()
            if kind == "float64" and tuple(dims) == ("member",) and name not in _OUTCOMES
        ]
        return [name for name in names if np.ptp(self.source.array(name)) > 0]

    def input(self, name):
        for own in (name.split(".")[-1], f"initial_{name.split('.')[-1]}", f"parameter_{name.split('.')[-1]}", name):
            if own in self.source.variables and tuple(self.source.variables[own][0]) == ("member",):
                return self.source.array(own), self.source.variables[own][3].get("units", "")
        self._refuse(name, self.inputs())

    def of_members(self, text):
        """A number a member, its label with the unit."""
        if text == "status":
            return self.source.array("status").astype(float), "status"
        match = re.fullmatch(r"(\w+)\((\w+)\)", text)
        if match is None:
            values, unit = self.over_time(text)
            return values[-1], _label(f"{text} at the end", unit)
        function, name = match.groups()
        if function in _OF_EVENTS:
            events = self.labels("event")
            if name not in events:
                self._refuse(name, events)
            return self.source.array(_OF_EVENTS[function])[events.index(name)], _label(
                text, "s" * (function != "count")
            )
        if function not in _OVER_TIME:
            self._refuse(function, [*_OVER_TIME, *_OF_EVENTS])
        values, unit = self.over_time(name)
        with np.errstate(all="ignore"):
            return _OVER_TIME[function](values), _label(text, unit)


_OF_EVENTS = {"time": "event_time", "last": "event_last_time", "count": "event_count"}


def _last_finite(values):
    last = len(values) - 1 - np.argmax(np.isfinite(values[::-1]), axis=0)
    return np.take_along_axis(values, last[None], 0)[0]


_OVER_TIME = {
    "min": lambda x: np.fmin.reduce(x),
    "max": lambda x: np.fmax.reduce(x),
    "mean": lambda x: np.nansum(x, 0) / np.isfinite(x).sum(0),
    "std": lambda x: np.sqrt(np.nansum((x - np.nansum(x, 0) / np.isfinite(x).sum(0)) ** 2, 0) / np.isfinite(x).sum(0)),
    "change": lambda x: _last_finite(x) - x[0],
}


# ---- axes ----


def _label(name, unit):
    return f"{name} / ({unit})" if "/" in unit or " " in unit else f"{name} / {unit}" if unit and unit != "1" else name


def _axes(given, count=1):
    if given is None:
        import matplotlib.pyplot as plt

        _, made = plt.subplots(
            count, 1, sharex=True, squeeze=False, figsize=(6.4, 2.4 + 2 * count), layout="constrained"
        )
        return made[:, 0]
    axes = np.atleast_1d(np.asarray(given, dtype=object)).ravel()
    if len(axes) != count:
        raise InputError(f"ax: expected {count} axes, one a variable, found {len(axes)}")
    return axes


def _dress(ax):
    ax.grid(True, color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(SOFT_INK)
    ax.tick_params(colors=SOFT_INK)
    return ax


def _returned(axes):
    return axes[0] if len(axes) == 1 else axes


def _named(numbers, variables, most=3):
    return list(variables) or numbers.labels("coordinate")[:most]


def _need(variables, count, kind):
    if len(variables) != count:
        raise InputError(f"{kind}: expected {count} variable{'s' * (count > 1)}, found {len(variables)}")
    return variables


# ---- over time ----


def _fan(numbers, variables, choice, style):
    variables = _named(numbers, variables)
    axes = _axes(choice["ax"], len(variables))
    for name, ax in zip(variables, axes):
        values, unit = numbers.over_time(name)
        if choice["by"] is None:
            _draw_fan(ax, numbers.times, values, style)
        else:
            _draw_groups(ax, numbers, values, choice["by"], style)
        _dress(ax).set_ylabel(_label(name, unit))
    axes[-1].set_xlabel("t / s")
    axes[0].set_title(f"{numbers.members:,} members", fontsize="medium", color=SOFT_INK, loc="left")
    return _returned(axes)


def _percentiles(values, shares):
    keep = np.isfinite(values).any(1)
    result = np.full((len(shares), len(values)), np.nan)
    if keep.any():
        result[:, keep] = np.nanpercentile(values[keep], shares, axis=1)
    return result


def _draw_fan(ax, times, values, style):
    low, lower, median, upper, high = _percentiles(values, _SHARES)
    ax.fill_between(times, low, high, color=WIDE_BAND, linewidth=0, label="5-95 %")
    ax.fill_between(times, lower, upper, color=NARROW_BAND, linewidth=0, label="25-75 %")
    ax.plot(times, median, **{"color": COLORS[0], "linewidth": 1.5, "label": "median", **style})
    ax.legend(frameon=False, fontsize="small")


def _draw_groups(ax, numbers, values, by, style):
    groups, unit = numbers.input(by)
    points = np.unique(groups[np.isfinite(groups)])
    if len(points) > _MOST_GROUPS:
        raise InputError(f"by: expected an input of at most {_MOST_GROUPS} values, {by} has {len(points)}")
    for i, point in enumerate(points):
        color = COLORS[i % len(COLORS)]
        lower, median, upper = _percentiles(values[:, groups == point], (25, 50, 75))
        ax.fill_between(numbers.times, lower, upper, color=color, alpha=0.2, linewidth=0)
        label = f"{by} = {point:.6g} {unit}".rstrip()
        ax.plot(numbers.times, median, **{"color": color, "linewidth": 1.5, "label": label, **style})
    ax.legend(frameon=False, fontsize="small", title="median, 25-75 %", title_fontsize="small")


def _chosen(numbers, member):
    if member is None:
        return np.unique(np.linspace(0, numbers.members - 1, min(numbers.members, _MOST_LINES)).astype(int))
    members = np.atleast_1d(member).astype(int)
    if members.min() < 0 or members.max() >= numbers.members:
        raise InputError(f"member: expected 0 to {numbers.members - 1}, found {members.tolist()}")
    return members


def _lines(numbers, variables, choice, style):
    variables = _named(numbers, variables)
    axes = _axes(choice["ax"], len(variables))
    for name, ax in zip(variables, axes):
        values, unit = numbers.over_time(name)
        for i, each in enumerate(_chosen(numbers, choice["member"])):
            color = COLORS[i % len(COLORS)]
            ax.plot(
                numbers.times, values[:, each], **{"color": color, "linewidth": 1.2, "label": f"member {each}", **style}
            )
        _dress(ax).set_ylabel(_label(name, unit))
    axes[-1].set_xlabel("t / s")
    return _returned(axes)


# ---- planes ----


def _path(numbers, variables, choice, style):
    variables = _need(variables or tuple(numbers.labels("coordinate")[:2]), 2, "path")
    (x, x_unit), (y, y_unit) = (numbers.over_time(name) for name in variables)
    ax = _dress(_axes(choice["ax"])[0])
    for i, each in enumerate(_chosen(numbers, choice["member"])):
        ax.plot(x[:, each], y[:, each], **{"color": COLORS[i % len(COLORS)], "linewidth": 1, **style})
    ax.set_xlabel(_label(variables[0], x_unit))
    ax.set_ylabel(_label(variables[1], y_unit))
    if x_unit == y_unit:
        ax.set_aspect("equal", adjustable="datalim")
    return ax


def _phase(numbers, variables, choice, style):
    if len(variables) < 2:
        name = (variables or numbers.labels("coordinate"))[0]
        coordinates, rates = numbers.labels("coordinate"), numbers.labels("rate")
        if name not in coordinates or len(coordinates) != len(rates):
            raise InputError("phase: expected a coordinate, or two variables")
        variables = (name, rates[coordinates.index(name)])
    return _path(numbers, variables, choice, style)


def _histogram(numbers, variables, choice, style):
    variables = _named(numbers, variables)
    axes = _axes(choice["ax"], len(variables))
    for name, ax in zip(variables, axes):
        values, label = numbers.of_members(name)
        ax.hist(values[np.isfinite(values)], **{"bins": 40, "color": NARROW_BAND, "edgecolor": "white", **style})
        _dress(ax).set_xlabel(label)
        ax.set_ylabel("members")
    return _returned(axes)


def _density(numbers, variables, choice, style):
    variables = _need(variables or tuple(numbers.labels("coordinate")[:2]), 2, "density")
    (x, x_label), (y, y_label) = (numbers.of_members(name) for name in variables)
    finite = np.isfinite(x) & np.isfinite(y)
    ax = _dress(_axes(choice["ax"])[0])
    drawn = ax.hist2d(x[finite], y[finite], **{"bins": 60, "cmap": "Blues", "cmin": 1, **style})
    ax.figure.colorbar(drawn[3], ax=ax, label="members")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    return ax


def _heatmap(numbers, variables, choice, style):
    (variable,) = _need(variables, 1, "heatmap")
    over = choice["over"] or numbers.source.attributes.get("grid") or numbers.inputs()[:2]
    if isinstance(over, str) or len(over) != 2:
        varied = ", ".join(numbers.inputs()) or "none"
        raise InputError(f"heatmap: expected two inputs to draw over, found {over!r} (those that vary: {varied})")
    values, label = numbers.of_members(variable)
    (x, x_unit), (y, y_unit) = (numbers.input(name) for name in over)
    x_edges, y_edges = _edges(x, len(values)), _edges(y, len(values))
    finite = np.isfinite(values)
    counts, *_ = np.histogram2d(x[finite], y[finite], (x_edges, y_edges))
    sums, *_ = np.histogram2d(x[finite], y[finite], (x_edges, y_edges), weights=values[finite])
    with np.errstate(all="ignore"):
        means = np.where(counts > 0, sums / counts, np.nan)
    ax = _axes(choice["ax"])[0]
    ax.set_facecolor(GRID)
    drawn = ax.pcolormesh(x_edges, y_edges, means.T, **{"cmap": "viridis", **style})
    ax.figure.colorbar(drawn, ax=ax, label=label)
    ax.set_xlabel(_label(over[0], x_unit))
    ax.set_ylabel(_label(over[1], y_unit))
    return ax


def _edges(values, members):
    """Of cells around the points of a grid, or of bins with some ten members each."""
    points = np.unique(values[np.isfinite(values)])
    if len(points) == 1:
        return np.array([points[0] - 0.5, points[0] + 0.5])
    if len(points) ** 2 <= 4 * members:
        middles = (points[1:] + points[:-1]) / 2
        return np.concatenate([[2 * points[0] - middles[0]], middles, [2 * points[-1] - middles[-1]]])
    bins = max(2, int(np.sqrt(members / 10)))
    return np.linspace(points[0], points[-1], bins + 1)


def _events(numbers, variables, choice, style):
    events = numbers.labels("event")
    if not events:
        raise InputError("events: the run watched none")
    names = list(variables) or events
    axes = _axes(choice["ax"], len(names))
    for name, ax in zip(names, axes):
        times, _ = numbers.of_members(f"time({name})")
        happened = np.isfinite(times)
        if happened.any():
            ax.hist(times[happened], **{"bins": 40, "color": NARROW_BAND, "edgecolor": "white", **style})
        _dress(ax).set_title(f"{name}: in {happened.sum():,} of {len(times):,}", fontsize="medium", loc="left")
        ax.set_ylabel("members")
    axes[-1].set_xlabel("first time / s")
    return _returned(axes)


def _sensitivity(numbers, variables, choice, style):
    (variable,) = _need(variables, 1, "sensitivity")
    values, label = numbers.of_members(variable)
    inputs = numbers.inputs()
    if not inputs:
        raise InputError("sensitivity: nothing varies between the members")
    finite = np.isfinite(values)
    shares = [_rank_correlation(numbers.source.array(name)[finite], values[finite]) for name in inputs]
    ax = _dress(_axes(choice["ax"])[0])
    ax.barh(inputs, shares, **{"color": [COLORS[0] if each >= 0 else COLORS[1] for each in shares], **style})
    ax.set_xlim(-1, 1)
    ax.axvline(0, color=SOFT_INK, linewidth=0.8)
    ax.set_xlabel(f"rank correlation with {label}")
    return ax


def _rank_correlation(x, y):
    """Spearman's, of ties the mean ranks."""

    def ranks(values):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[place]

    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])


_KINDS = {
    "fan": _fan, "lines": _lines, "path": _path, "phase": _phase, "histogram": _histogram, "density": _density,
    "heatmap": _heatmap, "events": _events, "sensitivity": _sensitivity,
}  # fmt: skip


# ---- motion ----


def animate(result, points=None, member=0, ax=None, interval=None, trail=20, **style):
    """A member's motion in the plane as a matplotlib animation.

    Parameters
    ----------
    points : list of points that a line goes through, each a pair of names of coordinates or of numbers:
        [(0, 0), ("x1", "y1"), ("x2", "y2")]. Left out: the first two coordinates
    member : which one; interval : ms between frames, left out: as fast as the motion is
    trail : how many saved times of the last point's path are shown

    Returns
    -------
    matplotlib.animation.FuncAnimation; keep it in a variable. In a notebook, HTML(a.to_jshtml()) shows it.
    """
    from matplotlib.animation import FuncAnimation

    numbers = _Numbers(result)
    points = points or [tuple(numbers.labels("coordinate")[:2])]
    if any(len(point) != 2 for point in points):
        raise InputError(f"points: expected pairs of names or numbers, found {points!r}")
    member = int(_chosen(numbers, member)[0])
    places = np.array([[_place(numbers, each, member) for each in point] for point in points])  # (point, 2, time)
    ax = _dress(_axes(ax)[0])
    ax.set_aspect("equal")
    low, high = np.nanmin(places, (0, 2)), np.nanmax(places, (0, 2))
    margin = 0.08 * max(high - low) + 1e-12
    ax.set_xlim(low[0] - margin, high[0] + margin)
    ax.set_ylim(low[1] - margin, high[1] + margin)
    (path,) = ax.plot([], [], color=NARROW_BAND, linewidth=1.5)
    (body,) = ax.plot([], [], **{"color": COLORS[0], "marker": "o", "linewidth": 2, **style})
    title = ax.set_title("", fontsize="medium", color=SOFT_INK, loc="left")

    def show(frame):
        body.set_data(places[:, 0, frame], places[:, 1, frame])
        path.set_data(
            places[-1, 0, max(0, frame - trail) : frame + 1], places[-1, 1, max(0, frame - trail) : frame + 1]
        )
        title.set_text(f"member {member}, t = {numbers.times[frame]:.3g} s")
        return body, path, title

    steps = np.diff(numbers.times)
    interval = interval or max(20, 1000 * float(np.median(steps)) if len(steps) else 100)
    return FuncAnimation(ax.figure, show, frames=len(numbers.times), interval=interval, blit=False)


def _place(numbers, each, member):
    if isinstance(each, str):
        return numbers.over_time(each)[0][:, member]
    return np.full(len(numbers.times), float(each))
