"""Efficiency by granularity beside the classical one on the page: figures, the difference, and whether it is a bound."""

from report.efficiency import EQUAL, NO, UNDECIDED, YES, curves
from report.efficiency_drawing import draw_efficiency, draw_speedup
from report.markup import Markup, badge, details, joined, table, tag
from report.svg import inline_svg
from report.wording import counted, percent_text, setting_text

NUMBERS = (1, 2, 3, 4, 5, 6, 8)


def efficiency_section(experiment, settings, anchor):
    """HTML, empty where the experiment has nothing to compare; `anchor` is an id of its own."""
    found = [curve for curve in curves(experiment, settings) if _compared([curve])]
    if not found:
        return ""
    alike = [[curve for curve in found if curve.is_heterogeneous is kind] for kind in (False, True)]
    return tag("div", tag("h4", "Efficiency from the parallel runs alone, beside the classical one"),
               tag("p", _finding(found)), _figures(found, anchor),
               details("The numbers behind it", joined(_table(one) for one in alike if one), _notes(found)))


def left_out_of_efficiencies(study):
    """HTML of what the model did not take or could not read of a sweep; empty where that is nothing."""
    if not study.notes:
        return ""
    return details(f"{counted(len(study.notes), 'note')} on what the efficiencies leave out",
                   tag("ul", joined(tag("li", note) for note in study.notes)))


def _compared(found):
    """What can differ: on one rank the classical efficiency is 1 by definition."""
    return [point for curve in found for point in curve.points if point.ranks > 1]


def _finding(found):
    points = _compared(found)
    tally = [(verdict, sum(point.upper_bound == verdict for point in points)) for verdict in (YES, NO, EQUAL, UNDECIDED)]
    told = ", ".join(f"{count} {verdict}" for verdict, count in tally if count)
    widest = max(abs(point.difference) for point in points)
    return (f"Whether the efficiency by granularity is an upper bound of the classical one, at "
            f"{counted(len(points), 'point')} on several ranks: {told}. The two differ by {percent_text(widest)} at most. "
            "Judged as techniques are, round by round: a run’s efficiency by granularity over the classical one that the "
            "sequential run of the same round gives it, so that the scatter of the sequential time counts; all points of "
            "a curve together.")


def _figures(found, anchor):
    panels = []
    for number, curve in enumerate(found):
        for kind, draw in (("efficiency", draw_efficiency), ("speedup", draw_speedup)):
            text = f"{kind} by granularity and classical over the number of ranks: {setting_text(curve.setting)}"
            panels.append(tag("div", Markup(inline_svg(draw(curve), f"{anchor}-{kind}-{number}", text)), class_="panel"))
    sources = dict.fromkeys(curve.sequential for curve in found)
    caption = (f"Medians; upright lines: least and most over the runs. Dashed: the ideal. Sequential time: "
               f"{'; '.join(sources)}.")
    return tag("figure", tag("div", joined(panels), class_="panels"), tag("figcaption", caption))


def _headers(is_heterogeneous):
    quantity = "E_H" if is_heterogeneous else "E"
    return ["setting", "ranks", "runs", f"{quantity} by granularity", f"{quantity} classical", "difference",
            "by rounds", "an upper bound", "stolen"]


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
    """+1.2 % (0.4 to 2.0)"""
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
