"""Draws the times of messages over their sizes, by send mode, side and order of posting the receive, and of collective
calls.

`loadshare calibration show` computes the figures and passes them as JSON on stdin; nothing is computed here.
"""

from report.drawing import DASHED
from report.plot_file import FAINT, INK

from matplotlib.figure import Figure  # noqa: E402 (after the report, which loads it)
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

SIDES = ("sender", "receiver")
COLOURS = {"before": "#0072b2", "after": "#c85200"}
MARKERS = {"before": "o", "after": "^"}
PANEL_IN = (4.6, 2.7)
PLACE_OF_ZERO = 0.5  # of 0 bytes on a logarithmic axis
OCTAVES_A_TICK = 4


def draw(calibration):
    """Returns a matplotlib Figure with one row per pair and send mode: the sender on the left, the receiver on the right.

    Panels of the collective calls follow, one for each number of ranks."""
    rows = [(pair, mode) for pair in calibration["pairs"] for mode in _modes(pair)]
    groups = list(dict.fromkeys(call["ranks"] for call in calibration["collectives"]))
    group_rows = -(-len(groups) // len(SIDES))
    figure = Figure(figsize=(2 * PANEL_IN[0], PANEL_IN[1] * (len(rows) + group_rows)))
    panels = figure.subplots(len(rows) + group_rows, len(SIDES), squeeze=False, sharex=True, sharey=True)
    for (pair, mode), row in zip(rows, panels):
        for axes, side in zip(row, SIDES):
            _draw(axes, pair, mode, side)
            axes.set_title(f"rank {pair['sender']} to {pair['receiver']}, {mode}: {side}", loc="left")
    of_groups = panels[len(rows):].flatten()
    _draw_groups(of_groups, calibration["collectives"], groups)
    for axes in of_groups[len(groups):]:
        axes.set_visible(False)
    for axes in panels[-1]:
        axes.set_xlabel("message size" if not groups else "message or block size")
    panels[0][0].legend(loc="upper left")
    return figure


def _draw_groups(panels, calls, groups):
    for axes, ranks in zip(panels, groups):
        axes.set_title(f"collective calls of {ranks} ranks", loc="left")
        for call in (call for call in calls if call["ranks"] == ranks):
            axes.plot([_place(size["bytes"]) for size in call["sizes"]],
                      [size["time"]["median_s"] for size in call["sizes"]], marker=".", linewidth=0.9, label=call["call"])
        _label(axes)
        axes.legend(loc="upper left")


def _modes(pair):
    return list(dict.fromkeys(kind["mode"] for kind in pair["kinds"]))


def _draw(axes, pair, mode, side):
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    if pair["waits_from_bytes"]:
        axes.axvline(pair["waits_from_bytes"], color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1,
                     label="larger standard sends wait for the receive")
    for kind in pair["kinds"]:
        if kind["mode"] == mode:
            _draw_kind(axes, kind, side)
    _label(axes)


def _draw_kind(axes, kind, side):
    colour = COLOURS[kind["posted"]]
    places = [_place(size["bytes"]) for size in kind["sizes"]]
    axes.fill_between(places, [size[side]["low_s"] for size in kind["sizes"]],
                      [size[side]["high_s"] for size in kind["sizes"]], color=colour, alpha=0.15, linewidth=0, zorder=2)
    axes.plot(places, [size[side]["median_s"] for size in kind["sizes"]], color=colour, linestyle="none",
              marker=MARKERS[kind["posted"]], markersize=3, zorder=4, label=f"receive posted {kind['posted']}")
    for line in kind.get("lines", {}).get(side, ()):
        axes.plot([_place(bytes_) for bytes_, _ in line], [seconds for _, seconds in line], color=INK, linewidth=0.9,
                  zorder=3)


def _place(bytes_):
    return bytes_ or PLACE_OF_ZERO


def _label(axes):
    axes.grid(True)
    axes.xaxis.set_major_locator(LogLocator(base=2 ** OCTAVES_A_TICK))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda bytes_, _: _bytes_text(bytes_)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: _seconds_text(seconds)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())


def _bytes_text(bytes_):
    for unit, length in (("MiB", 2**20), ("KiB", 2**10)):
        if bytes_ >= length:
            return f"{bytes_ / length:g} {unit}"
    return f"{bytes_:g} B"


def _seconds_text(seconds):
    for unit, length in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.999 * length:
            return f"{seconds / length:g} {unit}"
    return f"{seconds * 1e9:g} ns"
