"""The plot of `loadshare schedulers --compare`: a row a technique, a bar a chunk, bands of narrow ones."""

import unittest
import warnings

from report.chunks_plot import BAND, CHUNKS, draw
from report.plot_file import COLOURED, matplotlib

from matplotlib.colors import to_hex  # noqa: E402 (after the report, which silences it)


def drawn(iterations, **sequences):
    comparison = {"iterations": iterations, "workers": 4,
                  "sequences": [{"scheduler": name, "runs": runs} for name, runs in sequences.items()]}
    with warnings.catch_warnings(), matplotlib.rc_context(COLOURED):
        warnings.simplefilter("error")  # of matplotlib, that a layout came to nothing
        figure = draw(comparison)
        figure.draw_without_rendering()
    return figure.axes[0]


def stretches(bars):
    boxes = [path.get_extents() for path in bars.get_paths()]
    return [(round(float(box.x0), 9), round(float(box.width), 9)) for box in boxes]


class Chart(unittest.TestCase):
    def test_each_chunk_is_a_bar_in_its_row(self):
        axes = drawn(100, gss=[[50, 1], [25, 2]], static=[[100, 1]])
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], ["gss (3)", "static (1)"])
        first, second = axes.collections
        self.assertEqual(stretches(first), [(0, 50), (50, 25), (75, 25)])
        self.assertEqual([to_hex(colour) for colour in first.get_facecolors()], [CHUNKS[0], CHUNKS[1], CHUNKS[0]])
        self.assertEqual(stretches(second), [(0, 100)])
        self.assertGreater(axes.get_ylim()[0], axes.get_ylim()[1], "the first is on top")

    def test_narrow_chunks_are_a_band(self):
        bars, = drawn(10000, ss=[[1, 10000]]).collections
        self.assertEqual(stretches(bars), [(0, 10000)])
        self.assertEqual(to_hex(bars.get_facecolors()[0]), BAND)

    def test_an_empty_loop_has_rows_without_bars(self):
        axes = drawn(0, gss=[])
        self.assertEqual(len(axes.get_yticklabels()), 1)


if __name__ == "__main__":
    unittest.main()
