"""Draws efficiencies or speedups, by granularity and classical, over the number of ranks."""

from report.drawing import BASELINE, CURVE, DASHED, FAINT, INTERVAL, SAMPLE, SAMPLES, STYLE, matplotlib, titled_panel

from matplotlib.ticker import PercentFormatter  # noqa: E402 (after the report, which loads it)


def draw_efficiency(curve):
    """Returns a matplotlib Figure like the paper's figures 1 to 3."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _panel(curve, "efficiency" + (" E_H of unequal hosts" if curve.is_heterogeneous else ""))
        _draw(axes, curve, "by granularity", SAMPLE, "o", lambda point: point.by_granularity,
              lambda point: point.by_granularity_range)
        _draw(axes, curve, "classical", BASELINE, "s", lambda point: point.classical,
              lambda point: point.classical_range)
        axes.axhline(1, color=FAINT, linewidth=0.9, linestyle=DASHED)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        return _finished(figure, axes, "lower left")


def draw_speedup(curve):
    """Returns a matplotlib Figure like the paper's figures 4 to 6."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _panel(curve, "speedup")
        ideal = [(point.ranks, _ideal(curve, point)) for point in curve.points]
        axes.plot(*zip(*ideal), color=FAINT, linewidth=0.9, linestyle=DASHED)
        _draw(axes, curve, "by granularity", SAMPLE, "o", lambda point: point.speedup)
        _draw(axes, curve, "classical", BASELINE, "s", lambda point: point.classical_speedup)
        return _finished(figure, axes, "upper left")


def _ideal(curve, point):
    """Returns the ideal speedup: the number of processors, or their sum of speeds."""
    return point.virtual_processors if curve.is_heterogeneous and point.virtual_processors else point.ranks


def _panel(curve, quantity):
    figure, axes = titled_panel(curve.setting)
    axes.set_xlabel("number of ranks")
    axes.set_ylabel(quantity)
    axes.set_xticks([point.ranks for point in curve.points])
    axes.grid(True, axis="y")
    return figure, axes


def _draw(axes, curve, label, colour, marker, value_of, range_of=lambda point: None):
    axes.plot([point.ranks for point in curve.points], [value_of(point) for point in curve.points], color=colour,
              linewidth=1.4, marker=marker, markersize=5, label=label, zorder=SAMPLES if marker == "o" else CURVE)
    for point in curve.points:
        if range_of(point):
            axes.plot([point.ranks] * 2, range_of(point), color=colour, linewidth=1.1, zorder=INTERVAL)


def _finished(figure, axes, legend_place):
    axes.set_ylim(bottom=0)
    axes.legend(loc=legend_place, frameon=False, fontsize=8.5)
    figure.draw_without_rendering()  # computes the layout while the style is active
    return figure
