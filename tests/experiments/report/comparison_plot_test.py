"""The plot of `loadshare compare`: the points, the bands of the targets, the settings' rows."""

import unittest
import warnings

from report.comparison_plot import COLOURS, MOST_ROWS, draw, markers_of, names_of
from report.plot_file import COLOURED, matplotlib

SCHEDULERS = ("send:size=3", "gss:divisor=14", "gss:divisor=7")


def setting(name="fig, no load", has_load=False, scale_s=2.0, errors=(0.01, -0.02, 0.04)):
    points = [{"scheduler": scheduler, "measured_median_s": scale_s * (1 + 0.1 * place),
               "predicted_median_s": scale_s * (1 + 0.1 * place) * (1 + error), "error": error}
              for place, (scheduler, error) in enumerate(zip(SCHEDULERS, errors))]
    return {"name": name, "has_load": has_load, "points": points}


def drawn(*settings, **more):
    """(the figure, the axes of times, those of errors)"""
    comparison = {"schema": 1, "program": "matmul", "settings": list(settings), **more}
    with warnings.catch_warnings(), matplotlib.rc_context(COLOURED):
        warnings.simplefilter("error")  # of matplotlib, that a layout came to nothing
        figure = draw(comparison)
        figure.draw_without_rendering()
    times, _, errors = figure.axes
    return figure, times, errors


def places(axes):
    """(x, y, colour, marker) of every point."""
    points = [line for line in axes.lines if line.get_marker() not in ("None", None)]
    return [(round(float(line.get_xdata()[0]), 6), round(float(line.get_ydata()[0]), 6), line.get_color(),
             line.get_marker()) for line in points]


def legend(figure):
    return [text.get_text() for text in figure.axes[1].get_legend().get_texts()]


class Times(unittest.TestCase):
    def test_a_technique_of_any_name_is_in_the_legend(self):
        one = setting()
        one["points"][0]["scheduler"] = "_own"
        self.assertIn("_own", legend(drawn(one)[0]))

    def test_every_point_by_load_and_technique(self):
        _, times, _ = drawn(setting(), setting("fig, beside x", True, 4.0))
        self.assertEqual(places(times)[:3], [(2.0, 2.02, COLOURS[False], "o"), (2.2, 2.156, COLOURS[False], "D"),
                                             (2.4, 2.496, COLOURS[False], "D")])
        self.assertEqual({colour for *_, colour, _ in places(times)[3:]}, {COLOURS[True]})

    def test_the_axes_are_equal_and_hold_everything(self):
        for other_s, scale in ((3.0, "linear"), (30.0, "log")):
            _, times, _ = drawn(setting(), setting("other", scale_s=other_s))
            self.assertEqual(times.get_xlim(), times.get_ylim())
            self.assertEqual((times.get_xscale(), times.get_yscale()), (scale, scale))
            numbers = [number for x, y, *_ in places(times) for number in (x, y)]
            self.assertLess(times.get_xlim()[0], min(numbers))
            self.assertGreater(times.get_xlim()[1], max(numbers))

    def test_one_point_alone(self):
        _, times, errors = drawn(setting(errors=(0.0,)))
        self.assertEqual((len(places(times)), len(places(errors))), (1, 1))

    def test_in_the_unit_of_the_longest(self):
        _, times, _ = drawn(setting(scale_s=0.2))
        self.assertEqual(times.get_xlabel(), "measured makespan, ms")
        self.assertEqual(places(times)[0][:2], (200.0, 202.0))

    def test_bands_of_the_loads_that_there_are(self):
        for settings, bands in (([setting()], 2), ([setting(has_load=True)], 1), ([setting(), setting("b", True)], 3)):
            _, times, _ = drawn(*settings)
            self.assertEqual(len(times.collections), bands)


class Errors(unittest.TestCase):
    def test_a_row_a_setting(self):
        _, _, errors = drawn(setting("fig, rank 0, no load"), setting("fig, rank 6, no load", errors=(0.2, 0.0, -0.1)))
        self.assertEqual([label.get_text() for label in errors.get_yticklabels()], ["rank 0", "rank 6"])
        self.assertEqual([(x, y) for x, y, *_ in places(errors)],
                         [(1, 0.5), (-2, 0.5), (4, 0.5), (20, 1.5), (0, 1.5), (-10, 1.5)])
        self.assertEqual(errors.get_xlim(), (-23, 23))

    def test_an_outlier_is_at_the_edge_with_its_number(self):
        _, times, errors = drawn(setting(), setting("other", errors=(0.01, 3.4, -0.02)))
        self.assertEqual(errors.get_xlim(), (-8, 8))
        self.assertEqual([text.get_text() for text in errors.texts], ["+340 %"])
        self.assertEqual([text.get_text() for text in times.texts], ["+340 %"])
        self.assertLess(times.get_xlim()[1], 3)
        self.assertIn(8, [x for x, *_ in places(errors)])

    def test_small_errors_do_not_look_large(self):
        _, _, errors = drawn(setting(errors=(0.001, 0.0, -0.001)))
        self.assertEqual(errors.get_xlim(), (-8, 8))

    def test_many_settings_are_cut_and_it_says_so(self):
        _, times, errors = drawn(*(setting(f"fig, rank {number}") for number in range(MOST_ROWS + 3)))
        self.assertEqual(len(errors.get_yticks()), MOST_ROWS)
        self.assertIn(f"(the first {MOST_ROWS} of {MOST_ROWS + 3} settings)", errors.get_xlabel())
        self.assertEqual(len(places(times)), 3 * (MOST_ROWS + 3))


class Words(unittest.TestCase):
    def test_the_common_part_of_names_is_in_the_title(self):
        self.assertEqual(names_of(["a, 9 ranks, no load", "b, 9 ranks, no load"]), ("9 ranks, no load", ["a", "b"]))
        self.assertEqual(names_of(["a, 9 ranks"]), ("a, 9 ranks", [""]))

    def test_the_title(self):
        figure, *_ = drawn(setting("a, 9 ranks"), setting("b, 9 ranks"))
        self.assertEqual(figure._suptitle.get_text(), "matmul: predicted and measured makespans, 9 ranks")

    def test_the_legend_is_of_a_few_words(self):
        figure, *_ = drawn(setting(), setting("fig, beside x", True))
        self.assertEqual(legend(figure), ["without load", "with a load", "target", "exact prediction", "send", "gss"])

    def test_a_marker_a_technique(self):
        self.assertEqual(markers_of([setting()]), {"send": "o", "gss": "D"})

    def test_long_names_are_inside(self):
        figure, *_ = drawn(*(setting(", ".join(f"part {name}{part}" for part in range(30))) for name in "ab"))
        box = figure.get_tightbbox()
        self.assertGreaterEqual(box.x0, 0)
        self.assertLessEqual(box.x1, figure.get_figwidth())


if __name__ == "__main__":
    unittest.main()
