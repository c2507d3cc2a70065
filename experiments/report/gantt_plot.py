"""Draws a run of a farm as a Gantt chart: a row a worker, a bar a chunk.

It draws what `loadshare predict` has computed and hands over as JSON on stdin; it computes nothing itself.
"""

from report.plot_file import FAINT, INK, run

from matplotlib.collections import LineCollection  # noqa: E402 (after plot_file.py, which silences it)
from matplotlib.figure import Figure  # noqa: E402

SCHEMA = 1
WIDTH_IN = 9.2
ROW_IN = 0.26
MOST_ROWS = 64
COMPUTING = ("#0072b2", "#56a0d3")  # in turn, so that neighbours can be told apart
MOVING = "#c85200"


def main(arguments):
    """The exit code; what went wrong is on stderr."""
    return run(arguments, SCHEMA, figure_of)


def figure_of(prediction):
    """A matplotlib Figure: computing as bars, orders and results on their way as thin lines before and behind them."""
    chunks = prediction["chunks"]
    names = _worker_names(prediction["setting"])[:MOST_ROWS]
    figure = Figure(figsize=(WIDTH_IN, 1.3 + ROW_IN * len(names)))
    axes = figure.subplots()
    _draw_chunks(axes, [chunk for chunk in chunks if chunk["worker"] < len(names)])
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    end_s = max((chunk["returned_s"] for chunk in chunks), default=1)
    axes.axvline(end_s, color=INK, linewidth=0.9)
    axes.set_xlim(0, 1.02 * end_s)
    axes.set_xlabel("seconds since the start")
    axes.grid(axis="x", color=FAINT, linewidth=0.5, alpha=0.35)
    axes.set_axisbelow(True)
    axes.set_title(_title(prediction, len(names)), loc="left")
    axes.legend(*_legend(), loc="upper center", bbox_to_anchor=(0.5, -0.9 / (ROW_IN * len(names) + 0.4)), ncols=2,
                frameon=False)
    figure.set_layout_engine("constrained")
    return figure


def _worker_names(setting):
    return [host["name"] for rank, host in enumerate(setting["hosts"])
            if setting["master"] == "works" or rank != setting["master_rank"]]


def _draw_chunks(axes, chunks):
    seen = {}
    bars, colours, moves = [], [], []
    for chunk in sorted(chunks, key=lambda one: one["begun_s"]):
        row = chunk["worker"]
        seen[row] = seen.get(row, 0) + 1
        bars.append(((chunk["begun_s"], row), (chunk["ended_s"], row)))
        colours.append(COMPUTING[seen[row] % 2])
        moves += [((chunk["assigned_s"], row), (chunk["received_s"], row)),
                  ((chunk["ended_s"], row), (chunk["returned_s"], row))]
    axes.add_collection(LineCollection(moves, colors=MOVING, linewidths=2, capstyle="butt"))
    axes.add_collection(LineCollection(bars, colors=colours, linewidths=0.62 * ROW_IN * 72, capstyle="butt"))


def _legend():
    from matplotlib.lines import Line2D
    return ([Line2D([], [], color=COMPUTING[0], linewidth=8), Line2D([], [], color=MOVING, linewidth=2)],
            ["computing a chunk", "order or result on its way"])


def _title(prediction, rows):
    setting, chosen = prediction["setting"], prediction["choice"]["scheduler"]
    title = f"{setting['program']} by {chosen}, predicted"
    workers = len(_worker_names(setting))
    return title if rows == workers else f"{title} (the first {rows} of {workers} workers)"
