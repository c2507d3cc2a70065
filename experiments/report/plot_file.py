"""The common part of the tool's plots: reads figures as JSON from stdin, writes an image to a file."""

import json
import sys

from report.drawing import STYLE, matplotlib
from report.errors import RUN_FAILED, USAGE, ReportError, complain
from report.wording import visible

SCHEMA = 1  # of the tool's JSON
INK, FAINT, PAPER = "#1a1c1f", "#5f666d", "#ffffff"  # those of page.css in light
PIXELS_PER_INCH = 160
COLOURED = {**STYLE, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK, "xtick.color": FAINT,
            "ytick.color": FAINT, "xtick.labelcolor": INK, "ytick.labelcolor": INK, "figure.facecolor": PAPER,
            "axes.facecolor": PAPER, "savefig.facecolor": PAPER, "grid.color": FAINT, "legend.facecolor": PAPER,
            "legend.edgecolor": "none", "legend.framealpha": 1, "legend.fontsize": 8.5}


def run(arguments, draw):
    """Writes the image that `draw` makes of the figures on stdin. Returns the exit code; errors go to stderr."""
    try:
        (path,) = arguments
        figures = _visible(json.load(sys.stdin))
        if figures.get("schema") != SCHEMA:
            raise ReportError(USAGE, "cannot plot these figures", f"their schema is not {SCHEMA}",
                              "use the version of loadshare that computed them")
        with matplotlib.rc_context(COLOURED):
            _write(draw(figures), path)
    except ReportError as error:
        complain(error)
        return error.code
    return 0


def _visible(value):
    """Returns the figures with drawable texts."""
    if isinstance(value, dict):
        return {name: _visible(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_visible(part) for part in value]
    return visible(value) if isinstance(value, str) else value


def _write(figure, path):
    try:
        figure.savefig(path, dpi=PIXELS_PER_INCH)
    except OSError as error:
        raise ReportError(RUN_FAILED, f"cannot write {path}", error.strerror, "choose another place with --plot") \
            from error
