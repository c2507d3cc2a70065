"""The granularity paper's comparison on the page: figures in its form, the difference, and whether it is a bound."""

from report.efficiency import curves
from report.efficiency_drawing import draw_efficiency, draw_speedup
from report.markup import Markup, badge, joined, table, tag
from report.svg import inline_svg
from report.wording import counted, percent_text, setting_text

HEADERS = ["setting", "ranks", "runs", "by granularity", "classical", "difference", "an upper bound", "stolen"]
NUMBERS = (1, 2, 3, 4, 5, 7)


def efficiency_section(experiment, settings, anchor):
    """HTML, empty where the experiment has nothing to compare; `anchor` is an id of its own."""
    found = [curve for curve in curves(experiment, settings) if len(curve.points) > 1]
    if not found:
        return ""
    return tag("div", tag("h4", "Efficiency from the parallel runs alone, beside the classical one"),
               tag("p", _finding(found)), _figures(found, anchor), _table(found), _notes(found))


def _compared(found):
    """What can differ: on one rank the classical efficiency is 1 by definition."""
    return [point for curve in found for point in curve.points if point.ranks > 1]


def _finding(found):
    points = _compared(found)
    bounds = sum(point.is_upper_bound for point in points)
    widest = max((abs(point.difference) for point in points), default=0)
    return (f"By granularity it is an upper bound of the classical efficiency at {bounds} of "
            f"{counted(len(points), 'point')} on several ranks, as the paper found; the two differ by "
            f"{percent_text(widest)} at most (the paper: less than 10 % where the method fits).")


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


def _table(found):
    return table(HEADERS, [_row(curve, point) for curve in found for point in curve.points], numbers=NUMBERS)


def _row(curve, point):
    is_compared = point.ranks > 1
    verdict = badge("yes" if point.is_upper_bound else "no", "yes" if point.is_upper_bound else "no")
    return [setting_text(curve.setting) or "–", point.ranks, point.runs,
            _with_range(point.by_granularity, point.by_granularity_range),
            _with_range(point.classical, point.classical_range),
            f"{100 * point.difference:+.1f} %", verdict if is_compared else "–", percent_text(point.stolen)]


def _with_range(value, pair):
    spread = tag("small", f"{100 * pair[0]:.1f} to {100 * pair[1]:.1f}") if pair else ""
    return joined((percent_text(value), spread))


def _notes(found):
    notes = dict.fromkeys(note for curve in found for note in curve.notes)
    return tag("ul", joined(tag("li", note) for note in notes)) if notes else ""
