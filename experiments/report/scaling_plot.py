"""Draws the scaling of programs: speedup and efficiency over the number of ranks, by granularity and classically.

It draws what `loadshare metrics` has computed and hands over as JSON on stdin; it computes nothing itself.
"""

import re

from report.drawing import DASHED, TITLE_LINE_IN
from report.plot_file import FAINT, PAPER
from report.wording import wrapped

from matplotlib.figure import Figure  # noqa: E402 (after drawing.py, which silences it)
from matplotlib.ticker import FixedLocator, FuncFormatter, PercentFormatter  # noqa: E402

OPTION = re.compile(r"-\S*(?: (?:-\d|[^-\s])\S*)?|\S+")  # of a command line: an option with the word behind it, or a word
KINDS = ("absolute", "real", "relative")
BY_GRANULARITY = "#0072b2"
CLASSICAL = {"absolute": "#7a5195", "real": "#2e7d4f", "relative": "#c85200"}
MARKERS = {"absolute": "^", "real": "D", "relative": "s"}
PANEL_IN = (4.4, 3.3)
TITLE_COLUMNS = 84  # so many fit above two panels
TITLE_GAP_IN = 0.12


def draw(study):
    """The figure of every setting with runs on several numbers of ranks."""
    return figure_of([setting for setting in study["settings"] if len(setting["points"]) > 1])


def figure_of(settings):
    """A matplotlib Figure: a row a setting, speedup on the left, efficiency on the right; titles are never cut."""
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
    """(of the figure, [of each row]): of one program what all settings share stands once, a row says what differs."""
    lines = [OPTION.findall(setting["program"]) for setting in settings]
    common = _shared_places(lines)
    names = [" ".join(word for place, word in enumerate(words) if place not in common) for words in lines]
    return (" ".join(lines[0][place] for place in sorted(common)),
            [", ".join(filter(None, (name, *_differing_options(setting, settings))))
             for name, setting in zip(names, settings)])


def _shared_places(lines):
    """The places at which all command lines have the same word; of lines of unlike lengths, those before the first
    difference: what stands behind it may mean another thing."""
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
    speedup.legend(loc="upper left")
    efficiency.axhline(1, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1)
    efficiency.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))


def _draw_ideal(axes, points):
    most = max(point["processors"] for point in points)
    axes.plot([0, most], [0, most], color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1, label="p, the ideal")


def _draw_curves(axes, points, by_granularity, classical):
    _draw_curve(axes, points, by_granularity, BY_GRANULARITY, "o", "by granularity")
    for kind in KINDS:
        _draw_curve(axes, points, classical.format(kind), CLASSICAL[kind], MARKERS[kind], kind)


def _draw_curve(axes, points, key, colour, marker, label):
    known = [point for point in points if point[key] is not None]
    if not known:
        return
    places = [point["processors"] for point in known]
    axes.plot(places, [point[key] for point in known], color=colour, linewidth=1.4, marker=marker, markersize=5,
              markeredgecolor=PAPER, markeredgewidth=0.6, zorder=3, label=label)
    for point in known:
        if point["range"]:
            axes.plot([point["processors"]] * 2, point["range"][key], color=colour, linewidth=1.1, zorder=2)


def _label(axes, points, quantity):
    places = [point["processors"] for point in points]
    axes.set_xlim(0, max(places) * 1.06)
    axes.set_ylim(bottom=0)
    axes.grid(True, axis="y")
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_xlabel("ranks p")
    axes.set_ylabel(quantity)
