"""The caller's matplotlib axes, or new ones, and the library's colours."""

from __future__ import annotations

import numpy as np

from ._errors import InputError

INK, SOFT_INK, GRID = "#26323d", "#66727e", "#e8ebee"
WIDE_BAND, NARROW_BAND = "#dce8f4", "#a9c8e6"
COLORS = ("#1d5a96", "#b0563b", "#2f7d5b", "#e07b1a", "#7a55a5")


def axes_of(given, count=1):
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


def dress(ax):
    ax.grid(True, color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(SOFT_INK)
    ax.tick_params(colors=SOFT_INK)
    return ax
