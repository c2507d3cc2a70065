"""Draws a run of a farm as a Gantt chart: one row per worker, one bar per chunk.

`loadshare predict` computes the figures and passes them as JSON on stdin; nothing is computed here.
"""

from report.plot_file import INK
from report.wording import seconds_text, shortened, unit_of, wrapped

from matplotlib.collections import LineCollection  # noqa: E402 (after the report, which loads it)
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.transforms import ScaledTranslation  # noqa: E402

WIDTH_IN = 9.2
ROW_IN = 0.26
BAR, MOVE = 0.62, 0.3  # of a row's height
TITLE_COLUMNS = 92
POINTS_AN_INCH = 72
AROUND_IN = 0.95  # for title, axis labels and legend
UNITS = {"s": "seconds", "ms": "milliseconds", "µs": "microseconds"}
BELOW_AXES_IN = 0.3  # clear of the numbers
LINE_IN = 0.24
MOST_ROWS = 64
EQUAL = 0.02  # speeds that differ by less count as equal
VISIBLE = 1e-3  # of the run: a pixel
COMPUTING = ("#0072b2", "#56a0d3")  # alternating, so that neighbours can be distinguished
MOVING = "#c85200"
WAITING = "#e3c463"
ABSENT = "#e4e6e9"
LOST = "#b3261e"
LOADED, LOAD_OPACITY = "#9aa0a6", 0.6  # behind the bars; darker for a larger load


def draw(prediction):
    """Returns a matplotlib Figure: computing as bars, orders and results in transit as thinner bars around them.

    Waiting for the broadcast input is drawn before a chunk's computing, loads behind their row. A row is grey while its
    worker is not in the farm; a cross marks its loss.
    """
    chunks = prediction["chunks"]
    names = _worker_names(prediction["setting"])[:MOST_ROWS]
    handles, labels = _legend(prediction)
    # A short legend fits next to the axis label, a long one needs its own line.
    more_in = LINE_IN if len(labels) > 2 else 0
    figure = Figure(figsize=(WIDTH_IN, AROUND_IN + more_in + ROW_IN * len(names)))
    axes = figure.subplots()
    end_s = max((chunk["returned_s"] for chunk in chunks), default=1)
    unit, length_s = unit_of(end_s)
    _draw_stays(axes, _workers(prediction["setting"])[:len(names)], end_s, length_s)
    _draw_loads(axes, prediction.get("load_phases", [])[:len(names)], length_s)
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
    below = axes.transAxes + ScaledTranslation(0, -BELOW_AXES_IN - more_in, figure.dpi_scale_trans)
    axes.legend(handles, labels, loc="upper right", bbox_to_anchor=(1, 0), bbox_transform=below, borderaxespad=0, ncols=4,
                frameon=False, fontsize=9)
    figure.set_layout_engine("constrained")
    return figure


def _end_text(prediction, end_s):
    if prediction["chunks_are_all"]:
        return f"the run ends at {seconds_text(end_s)}"
    return f"only the first {len(prediction['chunks']):,} chunks are drawn"


def _worker_names(setting):
    """Returns the hosts' names, with the rank if a host has several, and with the speed if hosts differ."""
    hosts = setting["hosts"]
    names = [shortened(host["name"]) for host in hosts]
    speeds = [_speed(host) for host in hosts]
    are_equal = max(speeds, default=1) - min(speeds, default=1) <= EQUAL * max(speeds, default=1)
    labels = []
    for rank, (name, speed) in enumerate(zip(names, speeds)):
        if setting["master"] != "works" and rank == setting["master_rank"]:
            continue
        label = f"{name}, rank {rank}" if names.count(name) > 1 else name
        labels.append(label if are_equal else f"{label} (speed {speed:.2g})")
    return labels


def _speed(host):
    """Returns the speed that control group and other programs leave, relative to the fastest processor."""
    share = host.get("share")
    return host.get("speed", 1) * host.get("available", 1) * (1 if share is None else share)


def _workers(setting):
    """Returns the hosts of the rows."""
    coordinates = setting["master"] != "works"
    return [host for rank, host in enumerate(setting["hosts"]) if not (coordinates and rank == setting["master_rank"])]


def _draw_stays(axes, hosts, end_s, length_s):
    for row, host in enumerate(hosts):
        comes_s, goes_s = host.get("comes_s"), host.get("goes_s")
        if comes_s is not None:
            axes.broken_barh([(0, min(comes_s, end_s) / length_s)], (row - 0.5, 1), color=ABSENT, linewidth=0, zorder=0)
        if goes_s is not None and goes_s < end_s:
            axes.broken_barh([(goes_s / length_s, (end_s - goes_s) / length_s)], (row - 0.5, 1), color=ABSENT, linewidth=0,
                             zorder=0)
            if host.get("is_lost"):
                axes.plot([goes_s / length_s], [row], "x", color=LOST, markersize=6, markeredgewidth=2)


def _draw_loads(axes, phases_of_rows, length_s):
    for row, phases in enumerate(phases_of_rows):
        for phase in phases:
            axes.broken_barh([(phase["from_s"] / length_s, (phase["to_s"] - phase["from_s"]) / length_s)],
                             (row - 0.5, 1), color=LOADED, alpha=LOAD_OPACITY * phase["share"], linewidth=0, zorder=0)


def _draw_chunks(axes, chunks, length_s):
    drawn = {}
    bars, colours, moves, waits = [], [], [], []
    for chunk in sorted(chunks, key=lambda one: one["begun_s"]):
        row = chunk["worker"]
        computes_from_s = min(chunk["begun_s"] + chunk.get("waited_s", 0), chunk["ended_s"])
        bars.append(_line(row, computes_from_s, chunk["ended_s"], length_s))
        if computes_from_s > chunk["begun_s"]:
            waits.append(_line(row, chunk["begun_s"], computes_from_s, length_s))
        colours.append(COMPUTING[drawn.get(row, 0) % 2])
        drawn[row] = drawn.get(row, 0) + 1
        moves += [_line(row, chunk["assigned_s"], chunk["received_s"], length_s),
                  _line(row, chunk["ended_s"], chunk["returned_s"], length_s)]
    for lines, colour, height in ((moves, MOVING, MOVE), (bars, colours, BAR), (waits, WAITING, BAR)):
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=height * ROW_IN * POINTS_AN_INCH,
                                           capstyle="butt", antialiaseds=False))


def _line(row, from_s, to_s, length_s):
    return (from_s / length_s, row), (to_s / length_s, row)


def _legend(prediction):
    """Returns the legend of what is drawn; messages between ranks of one host may be too short to see."""
    chunks = prediction["chunks"]
    shares = [phase["share"] for phases in prediction.get("load_phases", []) for phase in phases]
    entries = [("computing a chunk", COMPUTING[0], 8, 1)]
    visible_s = VISIBLE * max((chunk["returned_s"] for chunk in chunks), default=0)
    if any(max(chunk["received_s"] - chunk["assigned_s"], chunk["returned_s"] - chunk["ended_s"]) > visible_s for chunk in chunks):
        entries.append(("order or result in transit", MOVING, 4, 1))
    if any(chunk.get("waited_s", 0) > 0 for chunk in chunks):
        entries.append(("waiting for the broadcast input", WAITING, 8, 1))
    if shares:
        entries.append(("background load", LOADED, 8, LOAD_OPACITY * max(shares)))
    hosts = _workers(prediction["setting"])
    if any(host.get("comes_s") is not None or host.get("goes_s") is not None for host in hosts):
        entries.append(("not in the farm", ABSENT, 8, 1))
    if any(host.get("is_lost") for host in hosts):
        entries.append(("lost", LOST, 4, 1))
    return ([Line2D([], [], color=colour, linewidth=width, alpha=opacity) for _, colour, width, opacity in entries],
            [label for label, *_ in entries])


def _title(prediction, rows):
    setting, chosen = prediction["setting"], prediction["choice"]["scheduler"]
    title = f"{setting['program']} by {chosen}, predicted"
    workers = len(_worker_names(setting))
    return title if rows == workers else f"{title} (the first {rows} of {workers} workers)"
