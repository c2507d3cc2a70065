"""The few pieces of HTML that the page is made of. Text is escaped here; a Markup is HTML already."""

import html

from report.wording import visible

KEPT = "\n\t"  # of control characters


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def escaped(content):
    return content if isinstance(content, Markup) else Markup(html.escape(visible(str(content), KEPT)))


def tag(name, *contents, **attributes):
    """<name ...>contents</name>; `class_` for class, `data_x` for data-x, none where the value is nothing."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(visible(str(value), KEPT))}"'
                    for key, value in attributes.items() if value is not None)
    return Markup(f"<{name}{words}>{joined(contents)}</{name}>")


def joined(contents, between=""):
    return Markup(between.join(escaped(content) for content in contents))


def with_code(text):
    """Text in which `words between backticks` are code."""
    return joined(tag("code", part) if place % 2 else part for place, part in enumerate(text.split("`")))


def badge(kind, text, title=None):
    """A verdict; the sign tells it apart where colours do not."""
    return tag("span", text, class_=f"badge {kind.replace(' ', '-')}", title=title)


def table(headers, rows, numbers=()):
    """A table that scrolls by itself on a narrow screen; `numbers`: the columns to align by their right edge."""
    def cells(name, row):
        return joined(tag(name, cell, class_="number" if place in numbers else None)
                      for place, cell in enumerate(row))
    head = tag("thead", tag("tr", cells("th", headers)))
    body = tag("tbody", joined((tag("tr", cells("td", row)) for row in rows), "\n"))
    return tag("div", tag("table", head, body), class_="wide", tabindex="0")


def details(title, *contents):
    return tag("details", tag("summary", title), *contents)


def definitions(pairs):
    """A list of terms; those without text are left out."""
    entries = (tag("div", tag("dt", term), tag("dd", text)) for term, text in pairs if text not in (None, ""))
    return tag("dl", joined(entries))
