"""Draws a run of a farm as a Gantt chart: a row a worker, a bar a chunk.

It draws what `loadshare predict` has computed and hands over as JSON on stdin; it computes nothing itself.
"""

from report.plot_file import INK
from report.wording import seconds_text, unit_of, wrapped

from matplotlib.collections import LineCollection  # noqa: E402 (after plot_file.py, which silences it)
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.transforms import ScaledTranslation  # noqa: E402

WIDTH_IN = 9.2
ROW_IN = 0.26
BAR, MOVE = 0.62, 0.3  # of a row's height
TITLE_COLUMNS = 92
POINTS_AN_INCH = 72
AROUND_IN = 0.95  # the axes: title, numbers, legend
UNITS = {"s": "seconds", "ms": "milliseconds", "µs": "microseconds"}
BELOW_AXES_IN = 0.3  # clear of the numbers
MOST_ROWS = 64
COMPUTING = ("#0072b2", "#56a0d3")  # in turn, so that neighbours can be told apart
MOVING = "#c85200"


def draw(prediction):
    """A matplotlib Figure: computing as bars, orders and results on their way as thinner ones around them."""
    chunks = prediction["chunks"]
    names = _worker_names(prediction["setting"])[:MOST_ROWS]
    figure = Figure(figsize=(WIDTH_IN, AROUND_IN + ROW_IN * len(names)))
    axes = figure.subplots()
    end_s = max((chunk["returned_s"] for chunk in chunks), default=1)
    unit, length_s = unit_of(end_s)
    _draw_chunks(axes, [chunk for chunk in chunks if chunk["worker"] < len(names)], length_s)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    if prediction["chunks_are_all"]:
        axes.axvline(end_s / length_s, color=INK, linewidth=0.9)
    axes.set_xlim(0, 1.02 * end_s / length_s)
    axes.set_xlabel(f"{UNITS[unit]} since the start; {_end_text(prediction, end_s)}", loc="left")
    axes.grid(True, axis="x")
    axes.tick_params(axis="y", length=0)
    axes.set_title(wrapped(_title(prediction, len(names)), TITLE_COLUMNS), loc="left")
    below = axes.transAxes + ScaledTranslation(0, -BELOW_AXES_IN, figure.dpi_scale_trans)
    axes.legend(*_legend(), loc="upper right", bbox_to_anchor=(1, 0), bbox_transform=below, borderaxespad=0, ncols=2,
                frameon=False, fontsize=9)
    figure.set_layout_engine("constrained")
    return figure


def _end_text(prediction, end_s):
    if prediction["chunks_are_all"]:
        return f"the run ends at {seconds_text(end_s)}"
    return f"the first {len(prediction['chunks']):,} chunks, the run goes on"


def _worker_names(setting):
    return [host["name"] for rank, host in enumerate(setting["hosts"])
            if setting["master"] == "works" or rank != setting["master_rank"]]


def _draw_chunks(axes, chunks, length_s):
    seen = {}
    bars, colours, moves = [], [], []
    for chunk in sorted(chunks, key=lambda one: one["begun_s"]):
        row = chunk["worker"]
        bars.append(_stretch(chunk, "begun_s", "ended_s", length_s))
        colours.append(COMPUTING[seen.get(row, 0) % 2])
        seen[row] = seen.get(row, 0) + 1
        moves += [_stretch(chunk, "assigned_s", "received_s", length_s),
                  _stretch(chunk, "ended_s", "returned_s", length_s)]
    for lines, colour, height in ((moves, MOVING, MOVE), (bars, colours, BAR)):
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=height * ROW_IN * POINTS_AN_INCH,
                                           capstyle="butt", antialiaseds=False))


def _stretch(chunk, begin, end, length_s):
    return (chunk[begin] / length_s, chunk["worker"]), (chunk[end] / length_s, chunk["worker"])


def _legend():
    return ([Line2D([], [], color=COMPUTING[0], linewidth=8), Line2D([], [], color=MOVING, linewidth=4)],
            ["computing a chunk", "order or result on its way"])


def _title(prediction, rows):
    setting, chosen = prediction["setting"], prediction["choice"]["scheduler"]
    title = f"{setting['program']} by {chosen}, predicted"
    workers = len(_worker_names(setting))
    return title if rows == workers else f"{title} (the first {rows} of {workers} workers)"
