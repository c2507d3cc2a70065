"""Efficiency by granularity and classical efficiency on the page: figures, difference, and whether it is a bound."""

from report.efficiency import EQUAL, NO, UNDECIDED, YES, curves
from report.efficiency_drawing import draw_efficiency, draw_speedup
from report.markup import Markup, badge, details, joined, table, tag
from report.svg import inline_svg
from report.wording import counted, percent_text, setting_text

NUMBERS = (1, 2, 3, 4, 5, 6, 8)


def efficiency_section(experiment, settings, anchor):
    """Returns HTML, empty if the experiment has nothing to compare. `anchor` is a unique id."""
    found = [curve for curve in curves(experiment, settings) if _compared([curve])]
    if not found:
        return ""
    alike = [[curve for curve in found if curve.is_heterogeneous is kind] for kind in (False, True)]
    return tag("div", tag("h4", "Efficiency from the parallel runs alone, and classical efficiency"),
               tag("p", _finding(found)), _figures(found, anchor),
               details("Efficiencies in numbers", joined(_table(one) for one in alike if one), _notes(found)))


def left_out_of_efficiencies(study):
    """Returns HTML of the runs that the model left out or could not read; empty if there are none."""
    if not study.notes:
        return ""
    return details(f"{counted(len(study.notes), 'note')} on runs without efficiencies",
                   tag("ul", joined(tag("li", note) for note in study.notes)))


def _compared(found):
    """Returns the points that can differ: on one rank the classical efficiency is 1 by definition."""
    return [point for curve in found for point in curve.points if point.ranks > 1]


def _finding(found):
    points = _compared(found)
    tally = [(verdict, sum(point.upper_bound == verdict for point in points)) for verdict in (YES, NO, EQUAL, UNDECIDED)]
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally if count)
    widest = max(abs(point.difference) for point in points)
    return (f"Is the efficiency by granularity an upper bound of the classical one? At "
            f"{counted(len(points), 'point')} on several ranks: {counts}. The two differ by at most {percent_text(widest)}. "
            "They are compared round by round: each run’s efficiency by granularity with the classical efficiency that "
            "the sequential run of the same round gives, so that the scatter of the sequential time counts. All points of "
            "a curve are judged together.")


def _figures(found, anchor):
    panels = []
    for number, curve in enumerate(found):
        for kind, draw in (("efficiency", draw_efficiency), ("speedup", draw_speedup)):
            text = f"{kind} by granularity and classical over the number of ranks: {setting_text(curve.setting)}"
            panels.append(tag("div", Markup(inline_svg(draw(curve), f"{anchor}-{kind}-{number}", text)), class_="panel"))
    sources = dict.fromkeys(curve.sequential for curve in found)
    caption = (f"Markers: medians. Upright lines: least and most over the runs. Dashed: ideal. Sequential time: "
               f"{'; '.join(sources)}.")
    return tag("figure", tag("div", joined(panels), class_="panels"), tag("figcaption", caption))


def _headers(is_heterogeneous):
    quantity = "E_H" if is_heterogeneous else "E"
    return ["setting", "ranks", "runs", f"{quantity} by granularity", f"{quantity} classical", "difference",
            "round by round", "upper bound?", "stolen time"]


def _table(found):
    return table(_headers(found[0].is_heterogeneous), [_row(curve, point) for curve in found for point in curve.points],
                 numbers=NUMBERS)


def _row(curve, point):
    verdict = badge(point.upper_bound, point.upper_bound)
    return [setting_text(curve.setting) or "–", point.ranks, point.runs,
            _with_range(point.by_granularity, point.by_granularity_range),
            _with_range(point.classical, point.classical_range),
            f"{100 * point.difference:+.1f} %", _by_rounds(point.over_classical), verdict if point.ranks > 1 else "–", percent_text(point.stolen)]


def _by_rounds(ratio):
    """Returns `+1.2 % (0.4 to 2.0)`."""
    if not ratio:
        return "–"
    text = f"{100 * (ratio.value - 1):+.1f} %"
    return text if ratio.low is None else f"{text} ({100 * (ratio.low - 1):.1f} to {100 * (ratio.high - 1):.1f})"


def _with_range(value, pair):
    spread = tag("small", f"{100 * pair[0]:.1f} to {100 * pair[1]:.1f}") if pair else ""
    return joined((percent_text(value), spread))


def _notes(found):
    notes = dict.fromkeys(note for curve in found for note in curve.notes)
    return tag("ul", joined(tag("li", note) for note in notes)) if notes else ""
