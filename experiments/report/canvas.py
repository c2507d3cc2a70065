"""Loads matplotlib as it comes: nothing that a user has set for it changes a figure, or keeps one from being drawn."""

import contextlib
import logging
import os
import warnings
from pathlib import Path

from report.errors import USAGE, ReportError

# It writes about its caches and fonts while it loads, which is no part of a report.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
# A browser has the glyphs that matplotlib's font lacks; in a picture a box stands for each.
warnings.filterwarnings("ignore", message="Glyph .* missing from")


@contextlib.contextmanager
def _without_settings():
    """MPLBACKEND is not set, and a matplotlibrc is empty, be it in the current folder, the user's or MATPLOTLIBRC's."""
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
    """Of a user without one matplotlib would not load. In a folder that cannot be written it keeps nothing."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.devnull


def _load():
    _require_home()
    try:
        with _without_settings():
            import matplotlib.font_manager  # which looks for its cache
    except OSError as error:
        raise ReportError(USAGE, "matplotlib cannot be loaded", error.strerror or str(error),
                          "let TMPDIR name a folder that can be written") from error
    matplotlib.use("svg")
    return matplotlib


matplotlib = _load()
