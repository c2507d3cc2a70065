"""The HTML elements of the page. Text is escaped here; a Markup is HTML already."""

import html

from report.wording import visible

KEPT = "\n\t"  # of control characters


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def escaped(content):
    return content if isinstance(content, Markup) else Markup(html.escape(visible(str(content), KEPT)))


def tag(name, *contents, **attributes):
    """Returns <name ...>contents</name>. `class_` becomes class, `data_x` data-x; None omits an attribute."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(visible(str(value), KEPT))}"'
                    for key, value in attributes.items() if value is not None)
    return Markup(f"<{name}{words}>{joined(contents)}</{name}>")


def joined(contents, between=""):
    return Markup(between.join(escaped(content) for content in contents))


def with_code(text):
    """Returns text in which `words between backticks` are code."""
    return joined(tag("code", part) if place % 2 else part for place, part in enumerate(text.split("`")))


def badge(kind, text, title=None):
    """Returns a verdict, with a sign for readers who do not see its colour."""
    return tag("span", text, class_=f"badge {kind.replace(' ', '-')}", title=title)


def table(headers, rows, numbers=()):
    """Returns a table; `numbers`: the columns to align by their right edge.

    On a narrow screen each row becomes a list, in which every cell shows its column's header (page.css)."""
    def cells(name, row, labels):
        return joined(tag(name, cell, class_="number" if place in numbers else None, data_label=label)
                      for place, (cell, label) in enumerate(zip(row, labels, strict=True)))
    head = tag("thead", tag("tr", cells("th", headers, [None] * len(headers))))
    body = tag("tbody", joined((tag("tr", cells("td", row, headers)) for row in rows), "\n"))
    return tag("div", tag("table", head, body), class_="wide", tabindex="0")


def details(title, *contents):
    return tag("details", tag("summary", title), *contents)


def definitions(pairs):
    """Returns a list of terms; terms without text are left out."""
    entries = (tag("div", tag("dt", term), tag("dd", text)) for term, text in pairs if text not in (None, ""))
    return tag("dl", joined(entries))
