"""Draws one panel: every sample as a point, over it each median with its interval."""

import logging

# Of its caches and fonts nobody who asked for a report wants to hear; it speaks while it is loaded already.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

import matplotlib  # noqa: E402

matplotlib.use("svg")

import numpy  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

from report.samples import summary  # noqa: E402
from report.wording import setting_text  # noqa: E402

# Stand-ins that svg.py turns into the page's colours, so that a figure follows light and dark.
INK, FAINT, SAMPLE, BASELINE = "#010101", "#020202", "#030303", "#040404"

SIZE_IN = (4.4, 3.1)
JITTER, JITTER_OF_CURVE = 0.17, 0.32  # of the distance between two columns
STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "loadshare", "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK,
    "xtick.color": FAINT, "ytick.color": FAINT, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "axes.titlesize": 10, "axes.titleweight": "bold", "figure.constrained_layout.use": True,
}


def draw_panel(plan, panel):
    """A matplotlib Figure of `panel`, on the plan's common axes."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=SIZE_IN)
        axes = figure.add_subplot()
        _draw_baseline(axes, panel)
        for column in panel.columns:
            if column.times_s:
                _draw_column(axes, plan.scale, column)
        if plan.scale.numbers:
            _draw_curve(axes, plan.scale, panel)
        _label(axes, plan, panel)
        figure.draw_without_rendering()  # lays it out while the style is in force
    return figure


def _draw_baseline(axes, panel):
    median = panel.baseline_median_s()
    if median is not None:
        axes.axhline(median, color=BASELINE, linewidth=0.9, linestyle=(0, (4, 3)), alpha=0.8, zorder=1)


def _draw_column(axes, scale, column):
    place = scale.place(column.value)
    colour = BASELINE if column.is_baseline else SAMPLE
    width = (JITTER_OF_CURVE if scale.numbers else JITTER) * _distance(scale)
    axes.scatter(place + _jitter(column.times_s) * width, column.times_s, s=14, color=colour, alpha=0.45,
                 linewidths=0, zorder=2)
    facts = summary(column.times_s)
    if facts.interval:
        axes.plot([place, place], facts.interval, color=INK, linewidth=1.3, solid_capstyle="butt", zorder=4)
    half = 0.24 * _distance(scale)
    axes.plot([place - half, place + half], [facts.median] * 2, color=INK, linewidth=2, zorder=4,
              solid_capstyle="butt")


def _jitter(times):
    """Sideways shifts from -1 to 1, the same each time, so that samples of one size do not hide each other."""
    golden = 0.6180339887498949
    shifts = (numpy.arange(1, len(times) + 1) * golden) % 1.0
    return (shifts - 0.5) * 2


def _distance(scale):
    """The smallest distance between two columns."""
    numbers = scale.numbers
    return min(b - a for a, b in zip(numbers, numbers[1:])) if numbers else 1.0


def _draw_curve(axes, scale, panel):
    places = sorted((scale.place(column.value), summary(column.times_s).median)
                    for column in panel.columns if column.times_s)
    axes.plot(*zip(*places), color=SAMPLE, linewidth=1.3, zorder=3)


def _label(axes, plan, panel):
    scale = plan.scale
    places = [scale.place(value) for value in scale.values]
    margin = 0.6 * _distance(scale)
    axes.set_xlim(min(places) - margin, max(places) + margin)
    axes.set_ylim(*plan.y_range_s)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.35)
    axes.set_axisbelow(True)
    axes.set_xticks(places, [f"{number:g}" for number in scale.numbers] if scale.numbers else scale.values)
    if not scale.numbers and sum(map(len, scale.values)) > 48:
        axes.tick_params(axis="x", labelrotation=25)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    axes.set_xlabel(scale.label)
    axes.set_ylabel("makespan, s")
    axes.set_title(setting_text(panel.setting), loc="left")
