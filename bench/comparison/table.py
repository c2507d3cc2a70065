"""The table for people: Markdown that is aligned as plain text too."""

import statistics

from comparison.figures import Judged

HEAD = ("figure", "measured", "reference", "ratio", "target", "verdict")


def number(value):
    """Returns three significant digits, or all digits before the point if these are more."""
    for limit, digits in ((100, 0), (10, 1), (1, 2)):
        if abs(value) >= limit:
            return f"{value:.{digits}f}"
    return f"{value:.3f}"


def ratio(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def spread(values, text=number):
    """Returns `median (least..most)`."""
    if not values:
        return "-"
    middle = text(statistics.median(values))
    return f"{middle} ({text(min(values))}..{text(max(values))})" if len(values) > 1 else middle


def judged(figure):
    """Returns the ratios, or the judged value."""
    if not figure.samples:
        return "-"
    if figure.by is Judged.BY_MEDIANS:
        return f"{figure.judged():.4f}"
    if figure.by is Judged.BY_NINE_OF_TEN:
        return number(figure.judged())
    return spread(figure.ratios(), ratio)


def cells(figure):
    return (
        figure.name,
        spread(figure.samples),
        spread(figure.references),
        judged(figure),
        figure.target.text() if figure.target else "-",
        figure.verdict().value,
    )


def line(words, widths):
    return "| " + " | ".join(word.ljust(width) for word, width in zip(words, widths)) + " |"


def render(groups):
    rows = {group.name: [cells(figure) for figure in group.figures] for group in groups}
    everything = [HEAD] + [row for group in rows.values() for row in group]
    widths = [max(len(row[i]) for row in everything) for i in range(len(HEAD))]
    lines = []
    for group in groups:
        lines += [f"**{group.name}**: {group.title}", "", line(HEAD, widths)]
        lines.append("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        lines += [line(row, widths) for row in rows[group.name]] + [""]
    return "\n".join(lines)
