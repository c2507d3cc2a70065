"""The plot of `loadshare metrics`: its titles, and that they leave the axes their size."""

import unittest
import warnings

from report.plot_file import COLOURED
from report.scaling_plot import figure_of, titles_of

import matplotlib  # noqa: E402 (after the report, which silences it)

LONG = "/home/user/programs/build/bin/mandelbrot " + " ".join(f"--option-{number} value-{number}"
                                                                  for number in range(20))


def setting(program, **options):
    points = [{"processors": ranks, "range": None, **{key: 1.0 for key in ("speedup", "E")},
               **{f"{key}_{kind}": None for key in ("speedup", "E") for kind in ("absolute", "real", "relative")}}
              for ranks in (1, 2)]
    return {"program": program, "options": options, "points": points}


class Titles(unittest.TestCase):
    def test_one_setting_has_all_its_words_above_the_figure(self):
        self.assertEqual(titles_of([setting("floyd --size 9", transport="mpi")]), ("floyd --size 9", [""]))

    def test_the_common_part_of_command_lines_is_in_the_title(self):
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


class Curves(unittest.TestCase):
    """Every point lies on its panel, and whatever lies upon another curve is thinner than that."""

    def figure(self, ranks, efficiencies):
        study = setting("floyd")
        study["points"] = [{"processors": p, "range": {"E": [e - 0.1, e], "E_relative": [e - 0.1, e], "speedup": [None, p * e]},
                            "E": e, "E_relative": e, "speedup": p * e, "speedup_relative": p * e, "E_absolute": None,
                            "E_real": None, "speedup_absolute": None, "speedup_real": None}
                           for p, e in zip(ranks, efficiencies)]
        with matplotlib.rc_context(COLOURED):
            figure = figure_of([study])
            figure.draw_without_rendering()
        return figure

    def test_none_is_clipped(self):
        for ranks, efficiencies in (((1, 2, 4), (1.0, 1.0, 1.3)), ((1, 2, 4, 8, 64), (1.0, 0.9, 1.4, 0.2, 0.001)), ((2,), (0,))):
            for axes in self.figure(ranks, efficiencies).get_axes():
                frame = axes.get_window_extent()
                for line in axes.get_lines():
                    if line.get_transform() != axes.transData:
                        continue
                    for x, y in axes.transData.transform(line.get_xydata()):
                        self.assertTrue(frame.x0 - 1 <= x <= frame.x1 + 1 and frame.y0 - 1 <= y <= frame.y1 + 1, (ranks, x, y))

    def test_equal_curves_and_their_ranges_are_both_seen(self):
        _, efficiency = self.figure((1, 2, 4), (1.0, 0.9, 0.8)).get_axes()
        curves = [line for line in efficiency.get_lines() if len(line.get_xdata()) == 3]
        self.assertEqual(len(curves), 2)
        self.assertGreater(curves[0].get_linewidth(), curves[1].get_linewidth() + 1)
        self.assertLess(curves[0].get_zorder(), curves[1].get_zorder())
        ranges = [line.get_transform().transform(line.get_xydata())[0] for line in efficiency.get_lines()
                  if len(line.get_xdata()) == 2 and line.get_transform() != efficiency.transData
                  and line.get_xdata()[0] == 2]
        self.assertEqual(len(ranges), 2)
        self.assertGreater(ranges[1][0] - ranges[0][0], 2)

    def test_few_ranks_are_as_far_apart_as_many(self):
        speedup, _ = self.figure((1, 2, 4, 64), (1.0, 0.9, 0.8, 0.5)).get_axes()
        places = [speedup.transData.transform((p, 1))[0] for p in (1, 2, 4)]
        self.assertAlmostEqual(places[1] - places[0], places[2] - places[1], delta=0.01)

    def test_numbers_that_would_overlap_share_a_label(self):
        speedup, _ = self.figure((30, 31, 32, 64), (1.0, 0.9, 0.8, 0.5)).get_axes()
        self.assertEqual(sorted(speedup.get_xticks()), [32, 64])


if __name__ == "__main__":
    unittest.main()
