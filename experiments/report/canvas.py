"""Loads matplotlib with its defaults, so that no setting of the user changes or prevents a figure."""

import contextlib
import logging
import os
import warnings
from pathlib import Path

from report.errors import USAGE, ReportError

# While it loads, it logs messages about caches and fonts, which are not part of a report.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
# A browser has the glyphs that matplotlib's font lacks; a picture shows a box for each.
warnings.filterwarnings("ignore", message="Glyph .* missing from")


@contextlib.contextmanager
def _without_settings():
    """Hides MPLBACKEND and every matplotlibrc: that of the current folder, the user's and MATPLOTLIBRC's."""
    os.environ.pop("MPLBACKEND", None)
    os.environ["MATPLOTLIBRC"] = os.devnull
    here = os.open(".", os.O_PATH)
    os.chdir(Path(__file__).parent)
    try:
        yield
    finally:
        os.fchdir(here)
        os.close(here)


def _require_home():
    """Sets HOME if the user has no home folder, because matplotlib would not load. It stores nothing there."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.devnull


def _load():
    _require_home()
    try:
        with _without_settings():
            import matplotlib.font_manager  # reads its cache
    except OSError as error:
        raise ReportError(USAGE, "matplotlib cannot be loaded", error.strerror or str(error),
                          "set TMPDIR to a folder that can be written") from error
    matplotlib.use("svg")
    return matplotlib


matplotlib = _load()
