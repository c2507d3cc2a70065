"""Draws how techniques cut a loop: one row per technique, one bar per chunk, from the first iteration to the last.

`loadshare schedulers --compare` computes the figures and passes them as JSON on stdin.
"""

from report.plot_file import FAINT
from report.wording import shortened

from matplotlib.figure import Figure  # noqa: E402 (after the report, which loads it)

WIDTH_IN = 9.2
ROW_IN = 0.26
AROUND_IN = 0.95  # for title and axis labels
BAR = 0.66  # of a row's height
CHUNKS = ("#0072b2", "#56a0d3")  # alternating, so that neighbours can be distinguished
FINEST = 1 / 600  # of the loop: narrower chunks of one size are drawn together as a band
BAND = "#b9cfe0"


def draw(comparison):
    """Returns a matplotlib Figure of the chunks of each technique in the order in which they are given."""
    sequences = comparison["sequences"]
    figure = Figure(figsize=(WIDTH_IN, AROUND_IN + ROW_IN * len(sequences)))
    axes = figure.subplots()
    for row, sequence in enumerate(sequences):
        bars, colours = _bars(sequence["runs"], comparison["iterations"])
        axes.broken_barh(bars, (row - BAR / 2, BAR), facecolors=colours, linewidth=0)
    axes.set_yticks(range(len(sequences)), [_label(sequence) for sequence in sequences])
    axes.set_ylim(len(sequences) - 0.5, -0.5)
    axes.set_xlim(0, max(comparison["iterations"], 1))
    axes.set_xlabel("iterations (pale band: chunks too narrow to draw one by one); in brackets: number of chunks", loc="left", color=FAINT)
    axes.set_title(f"How techniques cut {comparison['iterations']:,} iterations for {comparison['workers']:,} workers",
                   loc="left")
    axes.tick_params(axis="y", length=0)
    figure.set_layout_engine("constrained")
    return figure


def _label(sequence):
    chunks = sum(count for _, count in sequence["runs"])
    return f"{shortened(sequence['scheduler'])} ({chunks:,})"


def _bars(runs, iterations):
    """Returns (first, width) and the colour of each bar."""
    bars, colours, first, number = [], [], 0, 0
    for size, count in runs:
        if size < FINEST * iterations:
            bars.append((first, size * count))
            colours.append(BAND)
        else:
            bars += [(first + i * size, size) for i in range(count)]
            colours += [CHUNKS[(number + i) % 2] for i in range(count)]
        first += size * count
        number += count
    return bars, colours
