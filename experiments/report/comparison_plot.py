"""Draws predicted beside measured makespans, and below them the signed errors, a row a setting.

It draws what `loadshare compare` has computed and hands over as JSON on stdin; it computes nothing itself.
"""

from report.drawing import DASHED, TITLE_LINE_IN
from report.plot_file import FAINT, INK, PAPER
from report.wording import counted, unit_of, wrapped

from matplotlib.figure import Figure  # noqa: E402 (after plot_file.py, which silences it)
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

COLOURS = {False: "#0072b2", True: "#c85200"}  # without and beside a load
# The bands: what predictions aim at.
TARGETS = {False: (0.03, 0.06), True: (0.05,)}
WORDS = {False: "without load", True: "beside a load"}
FIGURES = {False: "without_load", True: "with_load"}
MARKERS = "oDs^vP*X<>ph"  # a technique each, in their order
SIZE_IN = (8.6, 4.9)
ROW_IN, LEAST_ROWS_IN = 0.2, 0.9
MOST_ROWS = 60
TITLE_COLUMNS, NAME_COLUMNS = 92, 50
MINUS = "\u2212"
WIDE = 8  # times as long as the shortest: on axes of logarithms


def draw(comparison):
    """A matplotlib Figure of every setting that was compared; titles are never cut."""
    settings = comparison["settings"]
    shown = settings[:MOST_ROWS]
    common, names = names_of([setting["name"] for setting in shown])
    what = f"{comparison['program']}: predicted beside measured"
    title = wrapped(", ".join(filter(None, (what, common))), TITLE_COLUMNS)
    names = [wrapped(name, NAME_COLUMNS) for name in names]
    lines = [name.count("\n") + 1 for name in names]
    rows_in = max(LEAST_ROWS_IN, ROW_IN * sum(lines)) + 0.7
    figure = Figure(figsize=(SIZE_IN[0], SIZE_IN[1] + rows_in + TITLE_LINE_IN * title.count("\n")))
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    above, below = figure.subfigures(2, 1, height_ratios=(SIZE_IN[1], rows_in))
    markers = markers_of(settings)
    _draw_times(above, comparison, markers)
    _draw_errors(below.subplots(), shown, names, lines, markers, len(settings))
    return figure


def names_of(names):
    """(what all names share, what is each one's own); parts of a name end with a comma and a blank."""
    parts = [name.split(", ") for name in names]
    if len(parts) == 1:
        return names[0], [""]
    shared = [part for part in parts[0] if all(part in other for other in parts)]
    return ", ".join(shared), [", ".join(part for part in own if part not in shared) for own in parts]


def markers_of(settings):
    """Technique -> marker; a technique has the same with any parameters."""
    techniques = dict.fromkeys(_technique(point) for setting in settings for point in setting["points"])
    return {technique: MARKERS[place % len(MARKERS)] for place, technique in enumerate(techniques)}


def _technique(point):
    return point["scheduler"].partition(":")[0]


def _draw_times(figure, comparison, markers):
    axes, beside = figure.subplots(1, 2, width_ratios=(4.9, 3.1))
    settings = comparison["settings"]
    times_s = [point[key] for setting in settings for point in setting["points"]
               for key in ("measured_median_s", "predicted_median_s")]
    unit, length_s = unit_of(max(times_s))
    least, most = min(times_s) / length_s, max(times_s) / length_s
    ends = _ends(least, most)
    _draw_bands(axes, ends, _loads(settings))
    for setting in settings:
        for point in setting["points"]:
            axes.plot([point["measured_median_s"] / length_s], [point["predicted_median_s"] / length_s],
                      **_mark(point, setting["has_load"], markers))
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
    handles = []
    for has_load in loads:
        handles.append((Line2D([], [], color=COLOURS[has_load], marker="o", linestyle="none"),
                        "\n".join(_errors_told(WORDS[has_load], comparison.get(FIGURES[has_load])))))
        shares = " and ".join(f"±{100 * share:g}" for share in TARGETS[has_load])
        handles.append((Patch(color=COLOURS[has_load], alpha=0.2, linewidth=0), f"{shares} %, what is aimed at"))
    handles.append((Line2D([], [], color=FAINT, linestyle=DASHED, linewidth=0.9), "predicted as measured"))
    handles += [(Line2D([], [], color=INK, marker=marker, linestyle="none"), technique)
                for technique, marker in markers.items()]
    if comparison.get("regret"):
        handles.append((Line2D([], [], linestyle="none"), _regret_told(comparison["regret"])))
    axes.legend(*zip(*handles), loc="upper left", frameon=False, fontsize=9, labelspacing=0.7, borderaxespad=0)


def _errors_told(words, figures):
    """Lines on the errors of the points with a load, or without."""
    if not figures:
        return [words]
    return [f"{words}, {counted(figures['points'], 'point')}",
            f"signed error: {100 * figures['signed_median']:+.1f} % in the median".replace("-", MINUS),
            f"its size: median {100 * figures['median']:.1f} %, ninth decile {100 * figures['ninth_decile']:.1f} %,",
            f"worst {100 * figures['worst']:+.1f} %"]


def _regret_told(figures):
    """How much longer the techniques take that the prediction chooses."""
    return (f"regret of the choice, {counted(figures['points'], 'setting')}:\n"
            f"median {100 * figures['median']:.1f} %, ninth decile {100 * figures['ninth_decile']:.1f} %,\n"
            f"worst {100 * figures['worst']:+.1f} %")


def _draw_errors(axes, settings, names, lines, markers, settings_in_all):
    errors = [100 * point["error"] for setting in settings for point in setting["points"]]
    most = max(1.15 * max(map(abs, errors), default=0), 8)
    tops = [sum(lines[:place]) for place in range(len(lines))]
    for setting, top, height in zip(settings, tops, lines):
        _draw_row(axes, setting, top, height, markers)
    axes.axvline(0, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=2)
    axes.set_xlim(-most, most)
    axes.set_ylim(sum(lines), 0)
    axes.set_yticks([top + height / 2 for top, height in zip(tops, lines)], names, fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda percent, _: _signed(percent)))
    some = f" (the first {len(settings)} of {settings_in_all} settings)" if len(settings) < settings_in_all else ""
    axes.set_xlabel(f"signed error of the predicted median{some}")


def _signed(percent):
    return f"{percent:+g} %".replace("-", MINUS) if percent else "0"


def _draw_row(axes, setting, top, height, markers):
    for share in TARGETS[setting["has_load"]]:
        axes.fill_betweenx([top, top + height], -100 * share, 100 * share, color=COLOURS[setting["has_load"]],
                           alpha=0.1, linewidth=0, zorder=1)
    for point in setting["points"]:
        axes.plot([100 * point["error"]], [top + height / 2], **_mark(point, setting["has_load"], markers))
