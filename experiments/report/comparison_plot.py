"""Draws predicted over measured makespans, and below them the signed errors, one row per setting.

`loadshare compare` computes the figures and passes them as JSON on stdin; nothing is computed here.
"""

from statistics import median

from report.drawing import DASHED, TITLE_LINE_IN, add_legend
from report.plot_file import FAINT, INK, PAPER
from report.wording import unit_of, wrapped

from matplotlib.figure import Figure  # noqa: E402 (after the report, which loads it)
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

COLOURS = {False: "#0072b2", True: "#c85200"}  # without and with a load
# The bands: accuracy that predictions aim at.
TARGETS = {False: (0.03, 0.06), True: (0.05,)}
WORDS = {False: "without load", True: "with a load"}
MARKERS = "oDs^vP*X<>ph"  # one per technique, in their order
SIZE_IN = (8.6, 4.9)
ROW_IN, LEAST_ROWS_IN = 0.2, 0.9
MOST_ROWS = 60
TITLE_COLUMNS, NAME_COLUMNS = 92, 50
MINUS = "\u2212"
WIDE = 4  # from this ratio of longest to shortest time on, axes are logarithmic
FAR = 5  # points with errors above this multiple of the median error, or of the target, are drawn at the edge with a number


def draw(comparison):
    """Returns a matplotlib Figure of every compared setting; titles are never cut."""
    settings = comparison["settings"]
    shown = settings[:MOST_ROWS]
    common, names = names_of([setting["name"] for setting in shown])
    what = f"{comparison['program']}: predicted and measured makespans"
    title = wrapped(", ".join(filter(None, (what, common))), TITLE_COLUMNS)
    names = [wrapped(name, NAME_COLUMNS) for name in names]
    lines = [name.count("\n") + 1 for name in names]
    rows_in = max(LEAST_ROWS_IN, ROW_IN * sum(lines)) + 0.7
    figure = Figure(figsize=(SIZE_IN[0], SIZE_IN[1] + rows_in + TITLE_LINE_IN * title.count("\n")))
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    above, below = figure.subfigures(2, 1, height_ratios=(SIZE_IN[1], rows_in))
    markers = markers_of(settings)
    most_error = _most_error(settings)
    _draw_times(above, comparison, markers, most_error)
    _draw_errors(below.subplots(), shown, names, lines, markers, len(settings), most_error)
    return figure


def names_of(names):
    """Returns (the common part of all names, the rest of each); parts of a name end with a comma and a blank."""
    parts = [name.split(", ") for name in names]
    if len(parts) == 1:
        return names[0], [""]
    shared = [part for part in parts[0] if all(part in other for other in parts)]
    return ", ".join(shared), [", ".join(part for part in own if part not in shared) for own in parts]


def markers_of(settings):
    """Returns technique -> marker; the parameters of a technique do not matter."""
    techniques = dict.fromkeys(_technique(point) for setting in settings for point in setting["points"])
    return {technique: MARKERS[place % len(MARKERS)] for place, technique in enumerate(techniques)}


def _technique(point):
    return point["scheduler"].partition(":")[0]


def _most_error(settings):
    """Returns the largest error that the axes show, without outliers."""
    sizes = [abs(point["error"]) for setting in settings for point in setting["points"]]
    limit = FAR * max(median(sizes), max(TARGETS[False]))
    return max((size for size in sizes if size <= limit), default=0)


def _draw_times(figure, comparison, markers, most_error):
    axes, beside = figure.subplots(1, 2, width_ratios=(6.2, 1.8))
    settings = comparison["settings"]
    points = [point for setting in settings for point in setting["points"]]
    times_s = [point["measured_median_s"] for point in points]
    times_s += [point["predicted_median_s"] for point in points if abs(point["error"]) <= most_error]
    unit, length_s = unit_of(max(times_s))
    least, most = min(times_s) / length_s, max(times_s) / length_s
    ends = _ends(least, most)
    _draw_bands(axes, ends, _loads(settings))
    for setting in settings:
        for point in setting["points"]:
            place = point["measured_median_s"] / length_s, point["predicted_median_s"] / length_s
            inside = place[0], min(max(place[1], ends[0]), ends[1])
            axes.plot(*([number] for number in inside), **_mark(point, setting["has_load"], markers),
                      clip_on=inside == place)
            if inside != place:
                axes.annotate(_signed(round(100 * point["error"])), inside, (7, 0), textcoords="offset points",
                              fontsize=8, va="center")
    _label_times(axes, ends, most > WIDE * least, unit)
    beside.set_axis_off()
    _draw_legend(beside, comparison, markers)


def _ends(least, most):
    if most > WIDE * least:
        return least / 1.15, most * 1.15
    margin = 0.06 * (most - least) or 0.1 * most
    return least - margin, most + margin


def _loads(settings):
    return [has_load for has_load in (False, True) if any(setting["has_load"] is has_load for setting in settings)]


def _draw_bands(axes, ends, loads):
    for has_load in loads:
        for share in TARGETS[has_load]:
            axes.fill_between(ends, [end * (1 - share) for end in ends], [end * (1 + share) for end in ends],
                              color=COLOURS[has_load], alpha=0.1, linewidth=0, zorder=1)
    axes.plot(ends, ends, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=2)


def _mark(point, has_load, markers):
    return {"color": COLOURS[has_load], "marker": markers[_technique(point)], "markersize": 6, "markeredgecolor": PAPER,
            "markeredgewidth": 0.6, "linestyle": "none", "zorder": 3}


def _label_times(axes, ends, is_wide, unit):
    if is_wide:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
            axis.set_minor_formatter(NullFormatter())
    axes.set_xlim(*ends)
    axes.set_ylim(*ends)
    axes.set_aspect("equal")
    axes.grid(True)
    axes.set_xlabel(f"measured makespan, {unit}")
    axes.set_ylabel(f"predicted makespan, {unit}")


def _draw_legend(axes, comparison, markers):
    loads = _loads(comparison["settings"])
    handles = [(Line2D([], [], color=COLOURS[has_load], marker="o", linestyle="none"), WORDS[has_load])
               for has_load in loads]
    handles += [(Patch(color=COLOURS[loads[0]], alpha=0.2, linewidth=0), "target"),
                (Line2D([], [], color=FAINT, linestyle=DASHED, linewidth=0.9), "exact prediction")]
    handles += [(Line2D([], [], color=INK, marker=marker, linestyle="none"), technique)
                for technique, marker in markers.items()]
    add_legend(axes, *zip(*handles), loc="upper left", frameon=False, fontsize=9, labelspacing=0.7, borderaxespad=0)


def _draw_errors(axes, settings, names, lines, markers, settings_in_all, most_error):
    most = max(115 * most_error, 8)
    tops = [sum(lines[:place]) for place in range(len(lines))]
    for setting, top, height in zip(settings, tops, lines):
        _draw_row(axes, setting, top, height, markers, most)
    axes.axvline(0, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=2)
    axes.set_xlim(-most, most)
    axes.set_ylim(sum(lines), 0)
    axes.set_yticks([top + height / 2 for top, height in zip(tops, lines)], names, fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda percent, _: _signed(percent)))
    some = f" (the first {len(settings)} of {settings_in_all} settings)" if len(settings) < settings_in_all else ""
    axes.set_xlabel(f"signed error of the predicted median, %{some}")


def _signed(percent):
    return f"{percent:+g} %".replace("-", MINUS) if percent else "0"


def _draw_row(axes, setting, top, height, markers, most):
    for share in TARGETS[setting["has_load"]]:
        axes.fill_betweenx([top, top + height], -100 * share, 100 * share, color=COLOURS[setting["has_load"]],
                           alpha=0.1, linewidth=0, zorder=1)
    for point in setting["points"]:
        error, middle = 100 * point["error"], top + height / 2
        inside = min(max(error, -most), most)
        axes.plot([inside], [middle], **_mark(point, setting["has_load"], markers), clip_on=inside == error)
        if inside != error:
            axes.annotate(_signed(round(error)), (inside, middle), (-7 if error > 0 else 7, 0), fontsize=8, va="center",
                          textcoords="offset points", ha="right" if error > 0 else "left")
