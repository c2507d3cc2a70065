"""The plot of `loadshare metrics`: its titles, and that they leave the axes their size."""

import unittest
import warnings

from report.plot_file import COLOURED
from report.scaling_plot import figure_of, titles_of

import matplotlib  # noqa: E402 (after the report, which silences it)

LONG = "/home/somebody/programs/build/bin/mandelbrot " + " ".join(f"--option-{number} value-{number}"
                                                                  for number in range(20))


def setting(program, **options):
    points = [{"processors": ranks, "range": None, **{key: 1.0 for key in ("speedup", "E")},
               **{f"{key}_{kind}": None for key in ("speedup", "E") for kind in ("absolute", "real", "relative")}}
              for ranks in (1, 2)]
    return {"program": program, "options": options, "points": points}


class Titles(unittest.TestCase):
    def test_one_setting_has_all_its_words_above_the_figure(self):
        self.assertEqual(titles_of([setting("floyd --size 9", transport="mpi")]), ("floyd --size 9", [""]))

    def test_what_command_lines_share_stands_once(self):
        self.assertEqual(titles_of([setting("draw --at -0.7 --size 9 -v"), setting("draw --at -0.7 --size 8 -v")]),
                         ("draw --at -0.7 -v", ["--size 9", "--size 8"]))

    def test_words_count_where_they_stand(self):
        self.assertEqual(titles_of([setting("./solver 8 8"), setting("./solver 8 16")]), ("./solver 8", ["8", "16"]))
        self.assertEqual(titles_of([setting("./solver 100 200"), setting("./solver 200 100")]),
                         ("./solver", ["100 200", "200 100"]))
        self.assertEqual(titles_of([setting("./solver 8 fast"), setting("./solver 8 very fast")]),
                         ("./solver 8", ["fast", "very fast"]))

    def test_of_records_the_options_that_differ(self):
        self.assertEqual(titles_of([setting("floyd", size=9, seed=1), setting("floyd", size=8, seed=1)]),
                         ("floyd", ["size 9", "size 8"]))

    def test_several_programs_keep_their_own_words(self):
        self.assertEqual(titles_of([setting("floyd -v", size=9), setting("cannon -v", size=8)]),
                         ("", ["floyd -v, size 9", "cannon -v, size 8"]))


class Layout(unittest.TestCase):
    def axes_sizes_in(self, settings):
        with warnings.catch_warnings(), matplotlib.rc_context(COLOURED):
            warnings.simplefilter("error")  # of matplotlib, that a layout came to nothing
            figure = figure_of(settings)
            figure.draw_without_rendering()
            boxes = [axes.get_window_extent() for axes in figure.get_axes()]
        return [(box.width / figure.dpi, box.height / figure.dpi) for box in boxes]

    def test_titles_of_any_length_leave_the_axes_their_size(self):
        short = self.axes_sizes_in([setting("a", n=1), setting("a", n=2)])
        for program in (LONG, "x" * 900):
            longer = self.axes_sizes_in([setting(program, n=1), setting(program + " --last", n="2," * 200)])
            for (width, height), (long_width, long_height) in zip(short, longer):
                self.assertAlmostEqual(width, long_width, delta=0.1)
                self.assertAlmostEqual(height, long_height, delta=0.25)


if __name__ == "__main__":
    unittest.main()
