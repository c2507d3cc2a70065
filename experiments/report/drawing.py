"""Draws one panel: every sample as a dot, and each median with its interval."""

import itertools
from dataclasses import dataclass

from report.canvas import matplotlib

import numpy
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from report.samples import summary
from report.wording import counted, seconds_text, setting_text, shortened, visible, wrapped

# Placeholders that svg.py replaces by the page's colours, so that a figure follows light and dark.
INK, FAINT, SAMPLE, BASELINE, PAPER, PREDICTED = "#010101", "#020202", "#030303", "#040404", "#050505", "#060606"
THIRD, FOURTH, FIFTH = "#070707", "#080808", "#090909"
SERIES, SERIES_MARKERS = (SAMPLE, THIRD, FOURTH, FIFTH), "oDs^vPX"  # used in turn; the baseline has its own colour
# Drawing order: a sample at the median must not disappear behind its bar.
BELOW, CURVE, MEDIAN, SAMPLES, INTERVAL, ABOVE = 1, 2, 3, 4, 5, 6

SIZE_IN = (4.4, 3.1)
TITLE_COLUMNS = 40  # so many fit above the axes
TITLE_LINE_IN = 0.165
JITTER, JITTER_OF_CURVE = 0.17, 0.32  # of the distance between two columns
ASIDE = 0.38  # the same: clear of the dots and of the median's bar
APART = 0.5  # the same: width of all series at one place
CURVE_LOOK = {"linewidth": 1.3, "markersize": 4}
PREDICTED_LINE, DASHED = (0, (5, 2)), (0, (4, 3))
# A `$` in a text is a dollar, because texts come from users. Therefore logarithmic axes need formatters of this module.
STYLE = {
    "text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "loadshare", "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK,
    "xtick.color": FAINT, "ytick.color": FAINT, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "axes.titlesize": 10, "axes.titleweight": "bold", "figure.constrained_layout.use": True,
    "axes.axisbelow": True, "grid.color": FAINT, "grid.linewidth": 0.5, "grid.alpha": 0.35,
}


def titled_panel(setting):
    """Returns a matplotlib Figure and its axes, with the whole setting as title, however long."""
    title = wrapped(visible(setting_text(setting)), TITLE_COLUMNS)
    figure = Figure(figsize=(SIZE_IN[0], SIZE_IN[1] + TITLE_LINE_IN * title.count("\n")))
    axes = figure.add_subplot()
    axes.set_title(title, loc="left")
    return figure, axes


def add_legend(axes, handles, labels, **how):
    """Adds a legend with these labels, also labels with a leading `_`, which matplotlib leaves out."""
    legend = axes.legend(handles, list(map(str, range(len(labels)))), **how)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_text(shortened(visible(label)))


def draw_panel(plan, panel):
    """Returns a matplotlib Figure of `panel`, on the plan's common axes."""
    with matplotlib.rc_context(STYLE):
        figure, axes = titled_panel(panel.setting)
        if plan.series:
            _draw_series(axes, plan, panel)
        else:
            _draw_baseline(axes, plan, panel)
            _draw_columns(axes, plan, panel.columns)
        _label(axes, plan)
        figure.draw_without_rendering()  # computes the layout while the style is active
    return figure


@dataclass(frozen=True)
class _Look:
    """How the columns of a series are drawn, and how far they are shifted from their place."""

    colour: str | None = None  # None: depends on whether it is the baseline
    marker: str = "o"
    shift: float = 0.0
    share: float = 1.0  # of a column's width
    has_markers: bool = False  # on its curve


def _draw_series(axes, plan, panel):
    colours = itertools.cycle(SERIES)
    count, handles = len(plan.series), []
    for place, (name, marker) in enumerate(zip(plan.series, itertools.cycle(SERIES_MARKERS))):
        columns = [column for column in panel.columns if column.series == name]
        is_baseline = any(column.is_baseline for column in columns)
        shift = APART * (place - (count - 1) / 2) / count * _distance(plan.scale)
        look = _Look(BASELINE if is_baseline else next(colours), marker, shift, APART / count, has_markers=True)
        _draw_columns(axes, plan, columns, look)
        handles.append(Line2D([], [], color=look.colour, marker=marker, **CURVE_LOOK))
    add_legend(axes, handles, plan.series, fontsize=8.5, frameon=False, title=shortened(visible(plan.series_axis)),
               title_fontsize=8.5)


def _draw_columns(axes, plan, columns, look=_Look()):
    for column in columns:
        if column.times_s:
            _draw_column(axes, plan, column, look)
    if plan.scale.numbers:
        _draw_curve(axes, plan, columns, look)
    _draw_predicted(axes, plan, columns, look)


def _in_unit(plan, times_s):
    return numpy.asarray(times_s) / plan.height.unit[1]


def _draw_baseline(axes, plan, panel):
    median_s = panel.baseline_median_s()
    if median_s is not None:
        axes.axhline(_in_unit(plan, median_s), color=BASELINE, linewidth=0.9, linestyle=DASHED, alpha=0.8,
                     zorder=BELOW)


def _draw_column(axes, plan, column, look):
    place = plan.scale.place(column.value) + look.shift
    distance = look.share * _distance(plan.scale)
    width = (JITTER_OF_CURVE if plan.scale.numbers else JITTER) * distance
    colour = look.colour or (BASELINE if column.is_baseline else SAMPLE)
    axes.scatter(place + _jitter(column.times_s) * width, _in_unit(plan, column.times_s), s=30, marker=look.marker,
                 facecolor=colour, edgecolor=PAPER, linewidths=0.6, zorder=SAMPLES)
    _mark_beyond(axes, plan, place, column.times_s, colour)
    facts = summary(column.times_s, column.error)
    if facts.interval:
        axes.plot([place, place], _in_unit(plan, facts.interval), color=INK, linewidth=1.3, solid_capstyle="butt",
                  zorder=INTERVAL)
    half = width + 0.1 * distance  # longer than the spread of the dots
    axes.plot([place - half, place + half], _in_unit(plan, [facts.median] * 2), color=INK, linewidth=2,
              zorder=MEDIAN, solid_capstyle="butt")


def _mark_beyond(axes, plan, place, times_s, colour):
    """Draws an arrow at the upper edge for runs above the axis."""
    beyond = [time_s for time_s in times_s if not plan.height.holds(time_s)]
    if not beyond:
        return
    top = _in_unit(plan, plan.height.most_s)
    several = f"{counted(len(beyond), 'run')}, to " if len(beyond) > 1 else ""
    axes.plot([place], [top], marker="^", markersize=8, color=colour, linestyle="none", clip_on=False, zorder=ABOVE)
    axes.annotate(several + seconds_text(max(beyond)), (place, top), (7, -1), textcoords="offset points", fontsize=8,
                  va="top", zorder=ABOVE)


def _jitter(times):
    """Returns sideways shifts from -1 to 1, always the same, so that equal samples do not hide each other."""
    golden = 0.6180339887498949
    shifts = (numpy.arange(1, len(times) + 1) * golden) % 1.0
    return (shifts - 0.5) * 2


def _distance(scale):
    """Returns the smallest distance between two columns."""
    numbers = scale.numbers
    return min(b - a for a, b in zip(numbers, numbers[1:])) if numbers else 1.0


def _draw_curve(axes, plan, columns, look):
    places = sorted((plan.scale.place(column.value) + look.shift, _in_unit(plan, summary(column.times_s).median))
                    for column in columns if column.times_s)
    if places:
        axes.plot(*zip(*places), color=look.colour or SAMPLE, zorder=CURVE,
                  marker=look.marker if look.has_markers else None, **CURVE_LOOK)


def _draw_predicted(axes, plan, columns, look):
    aside = look.shift if plan.scale.numbers else ASIDE  # a curve's place means its number
    predicted = sorted((plan.scale.place(column.value) + aside, column.predicted_s)
                       for column in columns if column.predicted_s)
    inside = [(place, _in_unit(plan, time_s)) for place, time_s in predicted if plan.height.holds(time_s)]
    if inside:
        line = PREDICTED_LINE if plan.scale.numbers else "none"
        axes.plot(*zip(*inside), color=PREDICTED, linewidth=1.3, linestyle=line, marker="D", markersize=7,
                  markerfacecolor="none", markeredgewidth=1.5, zorder=ABOVE)
    for place, time_s in predicted:
        _mark_beyond(axes, plan, place, [time_s], PREDICTED)


def _label(axes, plan):
    scale = plan.scale
    places = [scale.place(value) for value in scale.values]
    margin = 0.6 * _distance(scale)
    axes.set_xlim(min(places) - margin, max(places) + margin)
    _label_times(axes, plan)
    axes.grid(True, axis="y")
    names = [shortened(visible(value)) for value in scale.values]
    axes.set_xticks(places, [f"{number:g}" for number in scale.numbers] if scale.numbers else names)
    if not scale.numbers and sum(map(len, names)) > 40:
        axes.tick_params(axis="x", labelrotation=25)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    axes.set_xlabel(shortened(visible(scale.label)))


def _label_times(axes, plan):
    unit = plan.height.unit[0]
    if plan.height.is_log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.set_ylim(*_in_unit(plan, (plan.height.least_s, plan.height.most_s)))
    axes.set_ylabel(f"makespan, {unit}" + (", logarithmic" if plan.height.is_log else ""))
