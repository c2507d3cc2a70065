"""Draws speedup and efficiency of programs over the number of ranks, by granularity and classical.

`loadshare metrics` computes the figures and passes them as JSON on stdin; nothing is computed here.
"""

import re
from math import log2

from report.drawing import DASHED, TITLE_LINE_IN
from report.plot_file import FAINT, PAPER
from report.wording import wrapped

from matplotlib.figure import Figure  # noqa: E402 (after the report, which loads it)
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator, PercentFormatter  # noqa: E402
from matplotlib.transforms import offset_copy  # noqa: E402

OPTION = re.compile(r"-\S*(?: (?:-\d|[^-\s])\S*)?|\S+")  # of a command line: an option with its value, or a word
KINDS = ("absolute", "real", "relative")
BY_GRANULARITY = "#0072b2"
CLASSICAL = {"absolute": "#7a5195", "real": "#2e7d4f", "relative": "#c85200"}
MARKERS = {"absolute": "^", "real": "D", "relative": "s"}
# Curves of equal figures cover each other. Later ones are thinner, so that all stay visible.
WIDTHS_PT = (4.2, 2.6, 1.5, 0.8)
MARKERS_PT = (9, 7, 5, 3)
RANGE_STEP_PT = 3.2  # distance of their ranges
LOGARITHMIC = 8  # from this ratio of most to fewest ranks on, the axis is logarithmic
LEAST_APART = 0.06  # of the axis: numbers of ranks that are nearer share a label
PANEL_IN = (4.4, 3.3)
TITLE_COLUMNS = 84  # so many fit above two panels
TITLE_GAP_IN = 0.12


def draw(study):
    """Returns the figure of every setting with runs on several numbers of ranks."""
    return figure_of([setting for setting in study["settings"] if len(setting["points"]) > 1])


def figure_of(settings):
    """Returns a matplotlib Figure with one row per setting: speedup left, efficiency right; titles are never cut."""
    common, names = titles_of(settings)
    common, *names = (wrapped(title, TITLE_COLUMNS) for title in (common, *names))
    heights_in = [PANEL_IN[1] + _height_in(name) for name in names]
    figure = Figure(figsize=(2 * PANEL_IN[0], sum(heights_in) + _height_in(common)))
    if common:
        figure.suptitle(common, x=0.01, ha="left", fontsize=10, fontweight="bold")
    rows = figure.subfigures(len(settings), 1, squeeze=False, height_ratios=heights_in)[:, 0]
    for row, setting, name in zip(rows, settings, names):
        if name:
            row.suptitle(name, x=0.01, ha="left", fontsize=10, fontweight="normal" if common else "bold")
        _draw_row(row, setting["points"])
    return figure


def _height_in(title):
    return TITLE_LINE_IN * (title.count("\n") + 1) + TITLE_GAP_IN if title else 0


def titles_of(settings):
    """Returns (the figure's title, [each row's title]): what all settings of a program share, and what differs."""
    lines = [OPTION.findall(setting["program"]) for setting in settings]
    common = _shared_places(lines)
    names = [" ".join(word for place, word in enumerate(words) if place not in common) for words in lines]
    return (" ".join(lines[0][place] for place in sorted(common)),
            [", ".join(filter(None, (name, *_differing_options(setting, settings))))
             for name, setting in zip(names, settings)])


def _shared_places(lines):
    """Returns the places at which all command lines have the same word.

    For lines of different lengths only those before the first difference, because later words may mean other things."""
    if len({words[0] for words in lines}) > 1:
        return set()
    is_same = [len(set(words)) == 1 for words in zip(*lines)]
    if len({len(words) for words in lines}) > 1:
        return set(range(is_same.index(False) if False in is_same else len(is_same)))
    return {place for place, same in enumerate(is_same) if same}


def _differing_options(setting, settings):
    return [f"{key} {value}" for key, value in setting["options"].items()
            if len({str(other["options"].get(key)) for other in settings}) > 1]


def _draw_row(figure, points):
    speedup, efficiency = figure.subplots(1, 2)
    _draw_ideal(speedup, points)
    _draw_curves(speedup, points, "speedup", "speedup_{}")
    _draw_curves(efficiency, points, "E", "E_{}")
    _label(speedup, points, "speedup")
    _label(efficiency, points, "efficiency")
    if _is_logarithmic(points):
        _double_steps(speedup)
    efficiency.axhline(1, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1)
    efficiency.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    speedup.legend(loc="upper left", handlelength=2.6)


def _is_logarithmic(points):
    places = [point["processors"] for point in points]
    return max(places) >= LOGARITHMIC * min(places)


def _draw_ideal(axes, points):
    places = [point["processors"] for point in points]
    first = min(places) if _is_logarithmic(points) else 0
    axes.plot([first, max(places)], [first, max(places)], color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1,
              label="ideal")


def _draw_curves(axes, points, by_granularity, classical):
    curves = [(by_granularity, BY_GRANULARITY, "o", "by granularity"),
              *((classical.format(kind), CLASSICAL[kind], MARKERS[kind], kind) for kind in KINDS)]
    shown = [curve for curve in curves if any(point[curve[0]] is not None for point in points)]
    for place, curve in enumerate(shown):
        _draw_curve(axes, points, curve, place, len(shown))


def _draw_curve(axes, points, curve, place, count):
    key, colour, marker, label = curve
    known = [point for point in points if point[key] is not None]
    axes.plot([point["processors"] for point in known], [point[key] for point in known], color=colour, marker=marker,
              linewidth=WIDTHS_PT[place], markersize=MARKERS_PT[place], markeredgecolor=PAPER, markeredgewidth=0.6,
              zorder=3 + place, label=label, clip_on=False)
    shifted = offset_copy(axes.transData, axes.figure, x=(place - (count - 1) / 2) * RANGE_STEP_PT, units="points")
    for point in known:
        ends = point["range"] and point["range"].get(key)
        if ends and None not in ends:
            axes.plot([point["processors"]] * 2, ends, color=colour, linewidth=1.1, zorder=8 + place, transform=shifted)
            axes.update_datalim([(point["processors"], end) for end in ends])


def _label(axes, points, quantity):
    places = [point["processors"] for point in points]
    if _is_logarithmic(points):
        axes.set_xscale("log", base=2)
        axes.set_xlim(min(places) / 1.2, max(places) * 1.2)
    else:
        axes.set_xlim(0, max(places) * 1.06)
    axes.autoscale(axis="y")
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * 1.02)
    axes.grid(True, axis="y")
    axes.xaxis.set_major_locator(FixedLocator(_apart(places)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_xlabel("number of ranks")
    axes.set_ylabel(quantity)


def _apart(places):
    """Returns the places that are far enough apart for their own labels, starting with the largest."""
    kept = []
    width = _distance(min(places), max(places), places) or 1
    for place in sorted(set(places), reverse=True):
        if not kept or _distance(place, kept[-1], places) >= LEAST_APART * width:
            kept.append(place)
    return kept


def _distance(low, high, places):
    return log2(high / low) if max(places) >= LOGARITHMIC * min(places) else high - low


def _double_steps(axes):
    """Makes the axis of speedups logarithmic like that of the ranks, so that the ideal stays a straight line."""
    lines = [value for line in axes.get_lines() for value in line.get_ydata()]
    if min(lines) <= 0:
        return
    axes.set_yscale("log", base=2)
    axes.set_ylim(min(lines) / 1.2, max(lines) * 1.5)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
