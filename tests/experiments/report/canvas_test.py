"""A user's settings of matplotlib, and folders that cannot be written, do not affect a figure."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DRAW = """
import sys
from report.drawing import STYLE, matplotlib, titled_panel
from report.svg import inline_svg
with matplotlib.rc_context(STYLE):
    figure, axes = titled_panel({"path": "$HOME/a", "n": 3})
    axes.plot([1, 2], [3, 4])
print(inline_svg(figure, "x", ""))
"""
TEX = "text.usetex: True\nfont.family: No Such Font\nbackend: Qt4Agg\nlines.linewidth: 9\n"


class Settings(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "empty").mkdir()

    def drawn(self, folder="empty", without=(), **variables):
        """(what was printed, what went wrong) of a figure drawn by a process of its own."""
        environment = {name: value for name, value in os.environ.items() if name not in without} | variables
        done = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True, timeout=100, cwd=self.folder / folder,
                              env=environment)
        return done.stdout, done.stderr

    def test_no_setting_of_the_users_matters(self):
        (self.folder / "tex").mkdir()
        (self.folder / "tex/matplotlibrc").write_text(TEX, encoding="utf-8")
        (self.folder / "broken").mkdir()
        (self.folder / "broken/matplotlibrc").write_bytes(b"font.size: \xff\n")
        tex = str(self.folder / "tex")
        plain = self.drawn()
        self.assertIn("$HOME/a", plain[0])
        self.assertEqual(plain[1], "")
        for how in ({"folder": "tex", "MPLBACKEND": "Qt4Agg"}, {"folder": "broken", "MPLBACKEND": "nonsense"}, {"MATPLOTLIBRC": tex},
                    {"MPLCONFIGDIR": tex}):
            with self.subTest(how=how):
                self.assertEqual(self.drawn(**how), plain)

    def test_no_folder_need_be_writable(self):
        plain = self.drawn()
        nowhere = str(self.folder / "empty/file/none")
        (self.folder / "empty/file").touch()
        for how in ({"without": ("HOME",)}, {"HOME": nowhere, "MPLCONFIGDIR": nowhere}):
            with self.subTest(how=how):
                self.assertEqual(self.drawn(**how), plain)

    def test_without_any_folder_for_temporary_files_it_says_so(self):
        trap = "import tempfile\ndef refuse(*_, **__): raise FileNotFoundError(2, 'No usable temporary directory found')\n" \
               "tempfile.mkdtemp = refuse\nfrom report.errors import ReportError\ntry:\n    import report.canvas\n" \
               "except ReportError as error:\n    print(error)\n"
        done = subprocess.run([sys.executable, "-c", trap], capture_output=True, text=True, timeout=100, cwd=self.folder,
                              env=os.environ | {"MPLCONFIGDIR": "/proc/none"})
        self.assertEqual((done.stdout, done.stderr), ("matplotlib cannot be loaded (No usable temporary directory found); "
                                                      "set TMPDIR to a folder that can be written\n", ""))


if __name__ == "__main__":
    unittest.main()
