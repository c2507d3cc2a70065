"""The page in a browser: no script error, every figure there, nothing fetched, light and dark."""

import re
import shutil
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from made_comparison import comparison_of, written
from made_sweep import MadeSweep, axis
from matplotlib import image
from report.command_line import report

HOSTILE = "</script><script>throw 1</script><img src=http://127.0.0.1:9/x.png onerror=alert(1)> & \u2028 'quoted' \""
GSS = axis("scheduler", *(f"gss:{divisor}" for divisor in (6, 7, 12, 24)))
SPECS = axis("scheduler", "send:3", "gss:14", "factoring:40", "tss:40,2")
MASTERS = axis("master", "works", "coordinates")
PANELS = 2 + 4 + 1  # of write_sweep's experiments: the masters; the masters on two ranks; no axis

LIGHT, DARK = (255, 255, 255), (21, 24, 27)  # --paper of page.css
TEXTS = ("ink", "faint", "link", "good", "bad", "open")  # colours of texts in page.css
GROUNDS = ("paper", "panel", "warn")  # colours behind them
LEAST_CONTRAST = 4.5  # WCAG 2, level AA


def write_sweep(folder):
    sweep = MadeSweep("Made & shown")
    sweep.experiment("curve", [GSS, MASTERS], lambda p: 2.0, compare="scheduler", baseline="gss:12")
    sweep.experiment("columns", [SPECS, MASTERS, axis("master-rank", 0, 6)], lambda p: 3.0, compare="scheduler",
                     load="on=1s,off=1s", repeat=3)
    sweep.experiment("alone", [], lambda p: 1.0, repeat=6)
    sweep.fail(0, error=HOSTILE).write(folder)
    comparison = comparison_of(sweep, folder) | {"messages": HOSTILE}
    return folder, written(comparison, folder.parent / "predicted.json")


class Found(HTMLParser):
    """The properties of a document that the tests check."""

    def __init__(self, text):
        super().__init__()
        self.html = {}
        self.ids = []
        self.references = []  # within the page and out of it
        self.svgs = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "html":
            self.html = attributes
        self.svgs += tag == "svg"
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.references += [attributes[name] for name in ("src", "href", "xlink:href") if name in attributes]
        for value in attributes.values():
            self.references += re.findall(r"url\(([^)]*)\)", value or "")


def chromium(page, *words):
    program = shutil.which("chromium")
    if program is None:
        raise AssertionError("chromium is missing (packages.txt has it) ./quickstart install")
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               f"--user-data-dir={profile}", *words, page.as_uri()],
                              capture_output=True, text=True, timeout=100, check=True).stdout


def luminance(colour):
    """Returns the relative luminance of `#rrggbb` (WCAG 2)."""
    parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    return sum(weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
               for weight, part in zip((0.2126, 0.7152, 0.0722), parts))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def in_browser(page):
    return Found(chromium(page, "--dump-dom"))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        made, predicted = write_sweep(cls.folder / "made")
        cls.page = report([made], predicted=predicted)
        cls.text = cls.page.read_text(encoding="utf-8")

    def changed(self, old, new):
        """A page with something wrong in it."""
        self.assertIn(old, self.text)
        path = self.folder / "changed.html"
        path.write_text(self.text.replace(old, new, 1), encoding="utf-8")
        return path

    def test_figures_are_there_and_no_error(self):
        found = in_browser(self.page)
        self.assertEqual((found.html.get("data-errors"), found.html.get("data-figures")), ("0", str(PANELS)))
        self.assertEqual(found.html.get("data-points"), str(8 + 16 + 1))
        self.assertEqual(found.svgs, PANELS)

    def test_predictions_are_in_colours_of_the_page(self):
        self.assertEqual(self.text.count("--predicted: #"), 2, "light and dark")
        self.assertEqual(len(re.findall(r"<svg(?:(?!</svg>).)*var\(--predicted\)", self.text, re.DOTALL)), PANELS)

    def test_errors_would_be_seen(self):
        script = '"use strict";\n{\n  const data'
        broken = in_browser(self.changed(script, script.replace("const", "nothing.at.all(); const")))
        self.assertEqual((broken.html.get("data-errors"), broken.html.get("data-figures")), ("1", None))
        fetching = in_browser(self.changed("<h1>", '<img src="http://127.0.0.1:9/x.png"><h1>'))
        self.assertGreaterEqual(int(fetching.html["data-errors"]), 1)

    def test_nothing_is_fetched(self):
        found = Found(self.text)
        self.assertIn("default-src 'none'", self.text)
        self.assertEqual([reference for reference in found.references if not reference.startswith("#")], [])

    def test_ids_are_unique_and_references_lead_somewhere(self):
        found = Found(self.text)
        self.assertEqual(len(found.ids), len(set(found.ids)))
        self.assertEqual({reference[1:] for reference in found.references} - set(found.ids), set())

    def test_light_and_dark(self):
        for scheme, paper in ((1, LIGHT), (0, DARK)):
            path = self.folder / f"{scheme}.png"
            chromium(self.page, "--window-size=1200,1600", f"--blink-settings=preferredColorScheme={scheme}",
                     f"--screenshot={path}")
            picture = image.imread(path)
            self.assertEqual(picture.shape[:2], (1600, 1200))
            self.assertEqual(tuple(round(255 * part) for part in picture[-1, 0, :3]), paper)
            self.assertGreater(picture.std(), 0.05)  # something is drawn

    def test_texts_have_contrast_in_light_and_dark(self):
        schemes = [dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", self.text, re.DOTALL)]
        self.assertEqual(len(schemes), 2)
        for scheme in schemes:
            for text in TEXTS:
                for ground in GROUNDS:
                    self.assertGreaterEqual(contrast(scheme[text], scheme[ground]), LEAST_CONTRAST, (text, ground, scheme[ground]))

    def test_it_fits_a_narrow_screen(self):
        script = ("addEventListener('load', () => { document.documentElement.dataset.overflow = "
                  "document.documentElement.scrollWidth - innerWidth; });")
        path = self.changed("<script>", f"<script>{script}</script><script>")
        path.write_text(path.read_text(encoding="utf-8").replace("<details>", "<details open>"), encoding="utf-8")
        for width in (400, 600, 1366):
            found = Found(chromium(path, f"--window-size={width},900", "--dump-dom"))
            self.assertLessEqual(int(found.html["data-overflow"]), 0, width)


if __name__ == "__main__":
    unittest.main()
