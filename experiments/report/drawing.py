"""Draws one panel: every sample as a point, over it each median with its interval."""

import logging

# Silenced before it is loaded: it writes about its caches and fonts then, which is no part of a report.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

import matplotlib  # noqa: E402

matplotlib.use("svg")

import numpy  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

from report.samples import summary  # noqa: E402
from report.wording import setting_text, wrapped  # noqa: E402

# Stand-ins that svg.py turns into the page's colours, so that a figure follows light and dark.
INK, FAINT, SAMPLE, BASELINE, PAPER, PREDICTED = "#010101", "#020202", "#030303", "#040404", "#050505", "#060606"
# What lies over what: a sample at the median is not to disappear behind its bar.
BELOW, CURVE, MEDIAN, SAMPLES, INTERVAL, ABOVE = 1, 2, 3, 4, 5, 6

SIZE_IN = (4.4, 3.1)
TITLE_COLUMNS = 40  # so many fit above the axes
TITLE_LINE_IN = 0.165
JITTER, JITTER_OF_CURVE = 0.17, 0.32  # of the distance between two columns
BESIDE = 0.38  # ditto: clear of the dots and of the median's bar
PREDICTED_LINE, DASHED = (0, (5, 2)), (0, (4, 3))
STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "loadshare", "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK,
    "xtick.color": FAINT, "ytick.color": FAINT, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "axes.titlesize": 10, "axes.titleweight": "bold", "figure.constrained_layout.use": True,
    "axes.axisbelow": True, "grid.color": FAINT, "grid.linewidth": 0.5, "grid.alpha": 0.35,
}


def titled_panel(setting):
    """A matplotlib Figure and its axes, under the setting's words; all of them are there, however long."""
    title = wrapped(setting_text(setting), TITLE_COLUMNS)
    figure = Figure(figsize=(SIZE_IN[0], SIZE_IN[1] + TITLE_LINE_IN * title.count("\n")))
    axes = figure.add_subplot()
    axes.set_title(title, loc="left")
    return figure, axes


def draw_panel(plan, panel):
    """A matplotlib Figure of `panel`, on the plan's common axes."""
    with matplotlib.rc_context(STYLE):
        figure, axes = titled_panel(panel.setting)
        _draw_baseline(axes, plan, panel)
        for column in panel.columns:
            if column.times_s:
                _draw_column(axes, plan, column)
        if plan.scale.numbers:
            _draw_curve(axes, plan, panel)
        _draw_predicted(axes, plan, panel)
        _label(axes, plan)
        figure.draw_without_rendering()  # lays it out while the style is in force
    return figure


def _in_unit(plan, times_s):
    return numpy.asarray(times_s) / plan.y_unit[1]


def _draw_baseline(axes, plan, panel):
    median_s = panel.baseline_median_s()
    if median_s is not None:
        axes.axhline(_in_unit(plan, median_s), color=BASELINE, linewidth=0.9, linestyle=DASHED, alpha=0.8,
                     zorder=BELOW)


def _draw_column(axes, plan, column):
    place = plan.scale.place(column.value)
    distance = _distance(plan.scale)
    width = (JITTER_OF_CURVE if plan.scale.numbers else JITTER) * distance
    axes.scatter(place + _jitter(column.times_s) * width, _in_unit(plan, column.times_s), s=30,
                 facecolor=BASELINE if column.is_baseline else SAMPLE, edgecolor=PAPER, linewidths=0.6, zorder=SAMPLES)
    facts = summary(column.times_s)
    if facts.interval:
        axes.plot([place, place], _in_unit(plan, facts.interval), color=INK, linewidth=1.3, solid_capstyle="butt",
                  zorder=INTERVAL)
    half = width + 0.1 * distance  # the dots leave its ends free
    axes.plot([place - half, place + half], _in_unit(plan, [facts.median] * 2), color=INK, linewidth=2,
              zorder=MEDIAN, solid_capstyle="butt")


def _jitter(times):
    """Sideways shifts from -1 to 1, the same each time, so that samples of one size do not hide each other."""
    golden = 0.6180339887498949
    shifts = (numpy.arange(1, len(times) + 1) * golden) % 1.0
    return (shifts - 0.5) * 2


def _distance(scale):
    """The smallest distance between two columns."""
    numbers = scale.numbers
    return min(b - a for a, b in zip(numbers, numbers[1:])) if numbers else 1.0


def _draw_curve(axes, plan, panel):
    places = sorted((plan.scale.place(column.value), _in_unit(plan, summary(column.times_s).median))
                    for column in panel.columns if column.times_s)
    axes.plot(*zip(*places), color=SAMPLE, linewidth=1.3, zorder=CURVE)


def _draw_predicted(axes, plan, panel):
    aside = 0 if plan.scale.numbers else BESIDE  # a curve's place means its number
    places = sorted((plan.scale.place(column.value) + aside, _in_unit(plan, column.predicted_s))
                    for column in panel.columns if column.predicted_s)
    if places:
        line = PREDICTED_LINE if plan.scale.numbers else "none"
        axes.plot(*zip(*places), color=PREDICTED, linewidth=1.3, linestyle=line, marker="D", markersize=7,
                  markerfacecolor="none", markeredgewidth=1.5, zorder=ABOVE)


def _label(axes, plan):
    scale = plan.scale
    places = [scale.place(value) for value in scale.values]
    margin = 0.6 * _distance(scale)
    axes.set_xlim(min(places) - margin, max(places) + margin)
    axes.set_ylim(*_in_unit(plan, plan.y_range_s))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.grid(True, axis="y")
    axes.set_xticks(places, [f"{number:g}" for number in scale.numbers] if scale.numbers else scale.values)
    if not scale.numbers and sum(map(len, scale.values)) > 40:
        axes.tick_params(axis="x", labelrotation=25)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    axes.set_xlabel(scale.label)
    axes.set_ylabel(f"makespan, {plan.y_unit[0]}")
