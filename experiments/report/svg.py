"""Turns a matplotlib Figure into an <svg> for a page with several figures."""

import io
import re

from report import drawing
from report.markup import escaped

COLOURS = {drawing.INK: "var(--ink)", drawing.FAINT: "var(--faint)", drawing.SAMPLE: "var(--sample)",
           drawing.BASELINE: "var(--baseline)", drawing.PAPER: "var(--paper)", drawing.PREDICTED: "var(--predicted)",
           drawing.THIRD: "var(--third)", drawing.FOURTH: "var(--fourth)", drawing.FIFTH: "var(--fifth)"}
ID = re.compile(r'\bid="([^"]+)"')
REFERENCE = re.compile(r'(xlink:href="#|url\(#)')
FONT = re.compile(r"font: (?:(?P<weight>\w+) )?(?P<size>[\d.]+)px [^;\"]+")
HEAD = re.compile(r"<svg\b[^>]*>")
TAG = re.compile(r"<[^>]*>")  # inside a tag, `>` is written as &gt;
VIEW_BOX = re.compile(r'viewBox="[^"]+"')


def inline_svg(figure, prefix, description):
    """Returns the text of an <svg> with the page's colours, in which every id starts with `prefix`."""
    out = io.BytesIO()
    with drawing.matplotlib.rc_context(drawing.STYLE):
        figure.savefig(out, format="svg", transparent=True,
                       metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue().decode("utf-8")
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = TAG.sub(lambda tag: _for_the_page(tag.group(), prefix), text)
    return HEAD.sub(lambda head: _head(head.group(), description), text, count=1)


def _for_the_page(tag, prefix):
    """Gives a tag the ids, fonts and colours of the page; texts between tags are not changed."""
    tag = ID.sub(rf'id="{prefix}-\1"', tag)
    tag = REFERENCE.sub(rf"\g<1>{prefix}-", tag)
    tag = FONT.sub(_page_font, tag)
    for stand_in, colour in COLOURS.items():
        tag = tag.replace(stand_in, colour)
    return tag


def _page_font(match):
    weight = f"; font-weight: {match['weight']}" if match["weight"] else ""
    return f"font-size: {match['size']}px{weight}"


def _head(matplotlibs, description):
    view_box = VIEW_BOX.search(matplotlibs).group()
    return (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view_box} '
            f'role="img" aria-label="{escaped(description)}">')
