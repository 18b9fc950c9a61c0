"""A member's motion as a matplotlib animation."""

from __future__ import annotations

import numpy as np

from ._axes import COLORS, NARROW_BAND, SOFT_INK, axes_of, dress
from ._errors import InputError
from ._numbers import Numbers, chosen


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

    numbers = Numbers(result)
    points = points or [tuple(numbers.labels("coordinate")[:2])]
    if any(len(point) != 2 for point in points):
        raise InputError(f"points: expected pairs of names or numbers, found {points!r}")
    member = int(chosen(numbers, member)[0])
    places = np.array([[_place(numbers, each, member) for each in point] for point in points])  # (point, 2, time)
    ax = dress(axes_of(ax)[0])
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
