"""A drawn panel: what lies over what, and in which unit."""

import tempfile
import unittest
import warnings
from xml.etree import ElementTree

from made_sweep import MadeSweep, axis
from report.drawing import BASELINE, PAPER, PREDICTED, STYLE, draw_panel, matplotlib, titled_panel
from report.panels import plan_figure
from report.reading import read_sweep
from report.svg import inline_svg

COLUMNS, CURVE = ("send:3", "gss:14"), ("gss:6", "gss:7", "gss:8")


def drawn(schedulers, median_s=2.0, predicted_s=None, **how):
    """The matplotlib Figure of a made experiment's one panel."""
    made = MadeSweep().experiment("one", [axis("scheduler", *schedulers)], lambda parameters: median_s,
                                  compare="scheduler", **how)
    with tempfile.TemporaryDirectory() as folder:
        plan = plan_figure(read_sweep(made.write(folder)).experiments[0],
                           {f"one/scheduler={name}": time_s for name, time_s in (predicted_s or {}).items()})
    return draw_panel(plan, plan.panels[0])


def dots_and_bars(axes):
    """(dots, median bars) of each column."""
    bars = [line for line in axes.lines if len(line.get_xdata()) == 2 and len(set(line.get_ydata())) == 1
            and line.get_linewidth() == 2]
    return list(zip(axes.collections, bars, strict=True))


class Samples(unittest.TestCase):
    def test_they_lie_over_the_median_bar_which_sticks_out(self):
        for schedulers in (COLUMNS, CURVE):
            for dots, bar in dots_and_bars(drawn(schedulers).axes[0]):
                self.assertGreater(dots.get_zorder(), bar.get_zorder())
                places = dots.get_offsets()[:, 0]
                self.assertLess(min(bar.get_xdata()), min(places))
                self.assertGreater(max(bar.get_xdata()), max(places))

    def test_they_are_solid_with_a_thin_light_edge(self):
        for dots, _ in dots_and_bars(drawn(COLUMNS).axes[0]):
            self.assertIsNone(dots.get_alpha())
            self.assertGreaterEqual(dots.get_sizes()[0], 25)
            self.assertLess(dots.get_linewidths()[0], 1)
        svg = inline_svg(drawn(COLUMNS), "x", "")
        self.assertIn("stroke: var(--paper)", svg)
        self.assertNotIn(PAPER, svg)


class Predicted(unittest.TestCase):
    def line(self, figure):
        (line,) = [line for line in figure.axes[0].lines if line.get_color() == PREDICTED]
        self.assertEqual((line.get_marker(), line.get_markerfacecolor()), ("D", "none"))
        return line

    def test_on_a_curve_a_line_at_the_numbers(self):
        line = self.line(drawn(CURVE, 0.5, {"gss:8": 0.52, "gss:6": 0.48, "gss:7": 0.5}))
        self.assertEqual(list(line.get_xdata()), [6, 7, 8])
        for drawn_ms, asked_ms in zip(line.get_ydata(), (480, 500, 520), strict=True):
            self.assertAlmostEqual(drawn_ms, asked_ms)
        self.assertEqual(line.get_linestyle(), "--")

    def test_in_columns_beside_the_dots(self):
        figure = drawn(COLUMNS, 2.0, {"gss:14": 2.1})
        line = self.line(figure)
        self.assertEqual(line.get_linestyle(), "None")
        bars = [bar for bar in figure.axes[0].lines if bar.get_linewidth() == 2]
        self.assertGreater(line.get_xdata()[0], max(bars[1].get_xdata()))

    def test_in_the_pages_colour(self):
        svg = inline_svg(drawn(COLUMNS, predicted_s={"send:3": 2.0}), "x", "")
        self.assertIn("stroke: var(--predicted)", svg)
        self.assertNotIn(PREDICTED, svg)

    def test_without_one_nothing(self):
        self.assertEqual([line for line in drawn(COLUMNS).axes[0].lines if line.get_color() == PREDICTED], [])


class Beyond(unittest.TestCase):
    def test_an_arrow_with_the_time_at_the_edge(self):
        made = MadeSweep().experiment("one", [axis("scheduler", *COLUMNS)], lambda parameters: 2.0, compare="scheduler")
        made.runs[3]["record"]["makespan_s"] = 9.5
        with tempfile.TemporaryDirectory() as folder:
            plan = plan_figure(read_sweep(made.write(folder)).experiments[0])
        axes = draw_panel(plan, plan.panels[0]).axes[0]
        self.assertEqual([text.get_text() for text in axes.texts], ["9.500 s"])
        (arrow,) = [line for line in axes.lines if line.get_marker() == "^"]
        self.assertAlmostEqual(arrow.get_ydata()[0], axes.get_ylim()[1])
        self.assertLess(axes.get_ylim()[1], 3)

    def test_where_all_are_inside_nothing(self):
        self.assertEqual(list(drawn(COLUMNS).axes[0].texts), [])


class Series(unittest.TestCase):
    def test_one_curve_each_with_a_colour_and_a_marker(self):
        made = MadeSweep().experiment("one", [axis("ranks", 1, 2), axis("scheduler", "send:3", "gss:14", "tss")],
                                      lambda parameters: 2.0 / parameters["ranks"], compare="scheduler",
                                      baseline="send:3")
        with tempfile.TemporaryDirectory() as folder:
            plan = plan_figure(read_sweep(made.write(folder)).experiments[0])
        axes = draw_panel(plan, plan.panels[0]).axes[0]
        curves = [line for line in axes.lines if line.get_marker() in "oDs"]
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["send:3", "gss:14", "tss"])
        self.assertEqual(len({line.get_marker() for line in curves}), 3)
        self.assertEqual(curves[0].get_color(), BASELINE)
        self.assertEqual(len({line.get_color() for line in curves}), 3)
        self.assertEqual([round(float(tick)) for tick in axes.get_xticks()], [1, 2])


STRANGE = ("a$$b", "$HOME/a", "$x$", "_", "_x^2", "50%", "<script>alert(1)</script>", "\\frac{a}\\b", "#030303",
           'id="q" url(#z', "\U0001F600 fire", "\u05e9\u05dc\u05d5\u05dd", "\\$1", "")


class Texts(unittest.TestCase):
    """Texts come from users, and are drawn as they are."""

    def svg_of(self, figure):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            svg = inline_svg(figure, "x", "")
        return [text.text or "" for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]

    def test_values_along_the_axis(self):
        texts = self.svg_of(drawn(STRANGE))
        for value in STRANGE:
            self.assertIn(value, [*texts, ""])

    def test_settings_above_it(self):
        for value in STRANGE:
            with matplotlib.rc_context(STYLE):
                figure, _ = titled_panel({"v": value})
            self.assertIn(f"v = {value}".rstrip(), " ".join(self.svg_of(figure)))

    def test_values_in_a_legend(self):
        made = MadeSweep().experiment("one", [axis("ranks", 1, 2), axis("_kind", *STRANGE)], lambda parameters: 2.0,
                                      compare="_kind")
        with tempfile.TemporaryDirectory() as folder:
            plan = plan_figure(read_sweep(made.write(folder)).experiments[0])
        figure = draw_panel(plan, plan.panels[0])
        legend = figure.axes[0].get_legend()
        self.assertEqual([text.get_text() for text in legend.get_texts()], list(STRANGE))
        self.assertEqual(legend.get_title().get_text(), "_kind")
        self.assertLessEqual({value for value in STRANGE if value}, set(self.svg_of(figure)))

    def test_what_no_file_may_contain_is_escaped(self):
        texts = self.svg_of(drawn(("a\nb", "\x1b[31mred", "\ud800", "\u202eleft")))
        for text in ("a\\nb", "\\x1b[31mred", "\\ud800", "\\u202eleft"):
            self.assertIn(text, texts)

    def test_a_long_one_leaves_room_for_the_figure(self):
        figure = drawn(("x" * 300, "y" * 5000))
        self.assertGreater(figure.axes[0].get_window_extent().width, 0.4 * figure.bbox.width)
        self.assertIn("x" * 16 + "…" + "x" * 16, self.svg_of(figure))


class Unit(unittest.TestCase):
    def test_milliseconds_below_a_second(self):
        axes = drawn(COLUMNS, 0.5).axes[0]
        self.assertEqual(axes.get_ylabel(), "makespan, ms")
        for dots, bar in dots_and_bars(axes):
            self.assertAlmostEqual(bar.get_ydata()[0], 500, delta=25)
            self.assertAlmostEqual(dots.get_offsets()[0, 1], 500, delta=25)
        self.assertGreater(axes.get_ylim()[0], 400)

    def test_seconds_from_one_on(self):
        self.assertEqual(drawn(COLUMNS, 1.5).axes[0].get_ylabel(), "makespan, s")


class Title(unittest.TestCase):
    def test_a_long_one_is_there_whole_and_inside_the_figure(self):
        setting = {"size": 20000, "load": "on=500ms,off=500ms,where=all,phase=random", "part": "x" * 99}
        with matplotlib.rc_context(STYLE):
            figure, axes = titled_panel(setting)
            figure.draw_without_rendering()
        self.assertEqual(axes.get_title(loc="left").replace("\n", "").replace(" ", ""),
                         ",".join(f"{name}={value}" for name, value in setting.items()))
        self.assertLessEqual(axes.get_tightbbox().x1, figure.bbox.x1)
        with matplotlib.rc_context(STYLE):
            untitled, plain = titled_panel({})
            untitled.draw_without_rendering()
        self.assertAlmostEqual(axes.get_window_extent().width, plain.get_window_extent().width, delta=0.1 * figure.dpi)
        self.assertAlmostEqual(axes.get_window_extent().height, plain.get_window_extent().height, delta=0.3 * figure.dpi)


if __name__ == "__main__":
    unittest.main()
