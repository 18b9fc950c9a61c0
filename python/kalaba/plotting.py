"""Pictures of results by matplotlib, in the caller's own axes.

At a saved time the members that move then count: those that failed until their last state, those that an event stopped
until just before (docs/pictures.md).
"""

from __future__ import annotations

import numpy as np

from ._animation import animate
from ._axes import COLORS, GRID, NARROW_BAND, SOFT_INK, WIDE_BAND, axes_of, dress
from ._errors import InputError, nearest
from ._numbers import MOST_LINES, Numbers, chosen, with_unit

__all__ = ["animate", "plot"]

_SHARES = (5, 25, 50, 75, 95)
_MOST_GROUPS = 12


def plot(result, *variables, kind=None, by=None, over=None, member=None, ax=None, **style):
    """Draws a result.

    Parameters
    ----------
    variables : names of coordinates, rates, components of fields ("energy", "multipliers_wire"); of heat maps, scatters and
        sensitivities a number of the members: "x" (at the last saved time), "max(x)", "min(x)", "mean(x)", "std(x)",
        "change(x)", "time(e)", "last(e)", "count(e)" of an event e, "status"
    kind : "fan" (variables over time: median, 25-75 %, 5-95 %), "lines" (up to 10 members), "path" (in the plane of two
        variables), "phase" (a coordinate against its rate), "histogram", "density", "heatmap", "scatter"
        (a point for each member), "events" or "sensitivity". Left out: "lines" of few members, else "fan"
    by : of a fan, an input of few values: a median and band for each
    over : for a heat map, two inputs (default: the axes of the grid); for a scatter, an input or a number of the members,
        or a pair, whose second is shown by colours (default: the first input)
    member : of "lines" and "path", the members to draw
    ax : matplotlib axes; of several variables in a fan or of lines an array of as many. Left out: new ones

    Returns
    -------
    The axes, or an array of them.
    """
    numbers = Numbers(result)
    kind = kind or ("fan" if numbers.members > MOST_LINES and member is None else "lines")
    if kind not in _KINDS:
        raise InputError(f"kind: there is no {kind!r}{nearest(kind, _KINDS)} (there are {', '.join(_KINDS)})")
    if by is not None and kind != "fan":
        raise InputError(f"by is for a fan, found kind {kind!r}")
    return _KINDS[kind](numbers, variables, {"by": by, "over": over, "member": member, "ax": ax}, style)


def _returned(axes):
    return axes[0] if len(axes) == 1 else axes


def _named(numbers, variables, most=3):
    return list(variables) or numbers.usual(most)


def _need(variables, count, kind):
    if len(variables) != count:
        raise InputError(f"{kind}: expected {count} variable{'s' * (count > 1)}, found {len(variables)}")
    return variables


# ---- over time ----


def _fan(numbers, variables, choice, style):
    variables = _named(numbers, variables)
    axes = axes_of(choice["ax"], len(variables))
    for name, ax in zip(variables, axes):
        values, unit = numbers.over_time(name)
        held = numbers.is_held(name)
        if choice["by"] is None:
            _draw_fan(ax, numbers.times, values, held, style)
        else:
            _draw_groups(ax, numbers, values, choice["by"], held, style)
        dress(ax).set_ylabel(with_unit(name, unit))
    axes[-1].set_xlabel("t / s")
    axes[0].set_title(f"{numbers.members:,} members", fontsize="medium", color=SOFT_INK, loc="left")
    return _returned(axes)


def _percentiles(values, shares):
    """Percentiles of the finite numbers of every row."""
    finite = np.isfinite(values)
    keep = finite.any(1)
    result = np.full((len(shares), len(values)), np.nan)
    if keep.any():
        result[:, keep] = np.nanpercentile(np.where(finite, values, np.nan)[keep], shares, axis=1)
    return result


def _join(held):
    """Styles of a line and of a band that join saved times, by steps where numbers hold until the next one."""
    return ({"drawstyle": "steps-post"}, {"step": "post"}) if held else ({}, {})


def _draw_fan(ax, times, values, held, style):
    line, band = _join(held)
    low, lower, median, upper, high = _percentiles(values, _SHARES)
    ax.fill_between(times, low, high, color=WIDE_BAND, linewidth=0, label="5-95 %", **band)
    ax.fill_between(times, lower, upper, color=NARROW_BAND, linewidth=0, label="25-75 %", **band)
    ax.plot(times, median, **{"color": COLORS[0], "linewidth": 1.5, "label": "median", **line, **style})
    ax.legend(frameon=False, fontsize="small")


def _draw_groups(ax, numbers, values, by, held, style):
    line, band = _join(held)
    groups, unit = numbers.input(by)
    points = np.unique(groups[np.isfinite(groups)])
    if len(points) > _MOST_GROUPS:
        raise InputError(f"by: expected an input of at most {_MOST_GROUPS} values, {by} has {len(points)}")
    for i, point in enumerate(points):
        color = COLORS[i % len(COLORS)]
        lower, median, upper = _percentiles(values[:, groups == point], (25, 50, 75))
        ax.fill_between(numbers.times, lower, upper, color=color, alpha=0.2, linewidth=0, **band)
        label = f"{by} = {point:.6g} {unit}".rstrip()
        ax.plot(numbers.times, median, **{"color": color, "linewidth": 1.5, "label": label, **line, **style})
    ax.legend(frameon=False, fontsize="small", title="median, 25-75 %", title_fontsize="small")


def _lines(numbers, variables, choice, style):
    variables = _named(numbers, variables)
    axes = axes_of(choice["ax"], len(variables))
    for name, ax in zip(variables, axes):
        values, unit = numbers.over_time(name)
        line, _ = _join(numbers.is_held(name))
        for i, each in enumerate(chosen(numbers, choice["member"])):
            color = COLORS[i % len(COLORS)]
            said = {"color": color, "linewidth": 1.2, "label": f"member {each}", **line}
            ax.plot(numbers.times, values[:, each], **{**said, **style})
        dress(ax).set_ylabel(with_unit(name, unit))
    axes[-1].set_xlabel("t / s")
    return _returned(axes)


# ---- planes ----


def _path(numbers, variables, choice, style):
    variables = _need(variables or tuple(numbers.usual(2)), 2, "path")
    (x, x_unit), (y, y_unit) = (numbers.over_time(name) for name in variables)
    # A held variable changes when the other has arrived.
    steps = {(True, False): {"drawstyle": "steps-pre"}, (False, True): {"drawstyle": "steps-post"}}
    line = steps.get(tuple(map(numbers.is_held, variables)), {})
    ax = dress(axes_of(choice["ax"])[0])
    for i, each in enumerate(chosen(numbers, choice["member"])):
        said = {"color": COLORS[i % len(COLORS)], "linewidth": 1, **line}
        ax.plot(x[:, each], y[:, each], **{**said, **style})
    ax.set_xlabel(with_unit(variables[0], x_unit))
    ax.set_ylabel(with_unit(variables[1], y_unit))
    if x_unit == y_unit:
        ax.set_aspect("equal", adjustable="datalim")
    return ax


def _phase(numbers, variables, choice, style):
    if len(variables) < 2:
        name = (*variables, *numbers.usual(1), "")[0]
        coordinates, rates = numbers.labels("coordinate"), numbers.labels("rate")
        if name not in coordinates or len(coordinates) != len(rates):
            raise InputError("phase: expected a coordinate, or two variables")
        variables = (name, rates[coordinates.index(name)])
    return _path(numbers, variables, choice, style)


def _histogram(numbers, variables, choice, style):
    variables = _named(numbers, variables)
    axes = axes_of(choice["ax"], len(variables))
    for name, ax in zip(variables, axes):
        values, label = numbers.of_members(name)
        values = values[np.isfinite(values)]
        ax.hist(values, **{"bins": _bins(values, 40), "color": NARROW_BAND, "edgecolor": "white", **style})
        dress(ax).set_xlabel(label)
        ax.set_ylabel("members")
    return _returned(axes)


def _density(numbers, variables, choice, style):
    variables = _need(variables or tuple(numbers.usual(2)), 2, "density")
    (x, x_label), (y, y_label) = (numbers.of_members(name) for name in variables)
    finite = np.isfinite(x) & np.isfinite(y)
    ax = dress(axes_of(choice["ax"])[0])
    bins = [_bins(each[finite], 60) for each in (x, y)]
    drawn = ax.hist2d(x[finite], y[finite], **{"bins": bins, "cmap": "Blues", "cmin": 1, **style})
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
    ax = axes_of(choice["ax"])[0]
    ax.set_facecolor(GRID)
    drawn = ax.pcolormesh(x_edges, y_edges, means.T, **{"cmap": "viridis", **style})
    _add_scale(ax, drawn, means, label)
    ax.set_xlabel(with_unit(over[0], x_unit))
    ax.set_ylabel(with_unit(over[1], y_unit))
    return ax


def _add_scale(ax, drawn, values, label):
    """Adds the scale of colours, which states where all values are equal."""
    finite = values[np.isfinite(values)]
    bar = ax.figure.colorbar(drawn, ax=ax, label=label)
    if finite.size and np.ptp(finite) <= 1e-9 * np.max(np.abs(finite)):
        bar.set_ticks([finite[0]], labels=[f"{finite[0]:.6g}"])
        bar.set_label(f"{label}, constant")


def _scatter(numbers, variables, choice, style):
    (variable,) = _need(variables, 1, "scatter")
    over = choice["over"] or numbers.inputs()[:1]
    over = [over] if isinstance(over, str) else list(over)
    if len(over) not in (1, 2):
        raise InputError(f"scatter: expected one or two numbers to draw over, found {over!r}")
    values, label = numbers.of_members(variable)
    (x, x_label), *colors = (numbers.of_members_or_input(name) for name in over)
    ax = dress(axes_of(choice["ax"])[0])
    size = 20 if len(values) <= 300 else 6 if len(values) <= 3000 else 1
    color = {"c": colors[0][0], "cmap": "viridis"} if colors else {"color": COLORS[0]}
    drawn = ax.scatter(x, values, **{"s": size, "linewidths": 0, **color, **style})
    if colors:
        _add_scale(ax, drawn, *colors[0])
    ax.set_xlabel(x_label)
    ax.set_ylabel(label)
    return ax


def _bins(values, count):
    """Edges of `count` equal bins over the values, of fewer where rounding separates no more. Halves do not overflow."""
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    if low == high:
        reach = max(0.5, 1e-9 * abs(low))
        low, high = low - reach, high + reach
    return 2 * np.unique(np.linspace(low / 2, high / 2, count + 1))


def _edges(values, members):
    """Edges of cells around the points of a grid, or of bins with some ten members each."""
    points = np.unique(values[np.isfinite(values)])
    if len(points) == 1:
        return _bins(points, 1)
    if len(points) ** 2 <= 4 * members:
        middles = points[1:] / 2 + points[:-1] / 2
        first, last = points[0] - (middles[0] - points[0]), points[-1] + (points[-1] - middles[-1])
        return np.concatenate([[first], middles, [last]])
    return _bins(points, max(2, int(np.sqrt(members / 10))))


def _events(numbers, variables, choice, style):
    events = numbers.labels("event")
    if not events:
        raise InputError("events: the run watched none")
    names = list(variables) or events
    axes = axes_of(choice["ax"], len(names))
    for name, ax in zip(names, axes):
        times, _ = numbers.of_members(f"time({name})")
        happened = np.isfinite(times)
        if happened.any():
            bins = _bins(times[happened], 40)
            ax.hist(times[happened], **{"bins": bins, "color": NARROW_BAND, "edgecolor": "white", **style})
        dress(ax).set_title(f"{name}: in {happened.sum():,} of {len(times):,}", fontsize="medium", loc="left")
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
    ax = dress(axes_of(choice["ax"])[0])
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
    "heatmap": _heatmap, "scatter": _scatter, "events": _events, "sensitivity": _sensitivity,
}  # fmt: skip
