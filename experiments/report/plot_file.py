"""What the tool's plots share: figures come as JSON on stdin, an image goes to a file."""

import json
import sys

from report.drawing import STYLE, matplotlib
from report.errors import RUN_FAILED, USAGE, ReportError, complain
from report.wording import visible

SCHEMA = 1  # of all that the tool hands over
INK, FAINT, PAPER = "#1a1c1f", "#7a8087", "#ffffff"  # as page.css has them in light
PIXELS_PER_INCH = 160
COLOURED = {**STYLE, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK, "xtick.color": FAINT,
            "ytick.color": FAINT, "xtick.labelcolor": INK, "ytick.labelcolor": INK, "figure.facecolor": PAPER,
            "axes.facecolor": PAPER, "savefig.facecolor": PAPER, "grid.color": FAINT, "legend.facecolor": PAPER,
            "legend.edgecolor": "none", "legend.framealpha": 1, "legend.fontsize": 8.5}


def run(arguments, draw):
    """Writes the image that `draw` makes of the figures on stdin; the exit code, what went wrong is on stderr."""
    try:
        (path,) = arguments
        figures = _visible(json.load(sys.stdin))
        if figures.get("schema") != SCHEMA:
            raise ReportError(USAGE, "cannot plot these figures", f"their schema is not {SCHEMA}",
                              "use the loadshare that computed them")
        with matplotlib.rc_context(COLOURED):
            _write(draw(figures), path)
    except ReportError as error:
        complain(error)
        return error.code
    return 0


def _visible(value):
    """The same figures, every text in them as it can be drawn."""
    if isinstance(value, dict):
        return {name: _visible(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_visible(part) for part in value]
    return visible(value) if isinstance(value, str) else value


def _write(figure, path):
    try:
        figure.savefig(path, dpi=PIXELS_PER_INCH)
    except OSError as error:
        raise ReportError(RUN_FAILED, f"cannot write {path}", error.strerror, "name another place with --plot") \
            from error
