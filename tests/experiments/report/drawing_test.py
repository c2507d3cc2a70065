"""A drawn panel: what lies over what, and in which unit."""

import tempfile
import unittest

from made_sweep import MadeSweep, axis
from report.drawing import PAPER, STYLE, draw_panel, matplotlib, titled_panel
from report.panels import plan_figure
from report.reading import read_sweep
from report.svg import inline_svg

COLUMNS, CURVE = ("send:3", "gss:14"), ("gss:6", "gss:7", "gss:8")


def drawn(schedulers, median_s=2.0, **how):
    """The matplotlib Figure of a made experiment's one panel."""
    made = MadeSweep().experiment("one", [axis("scheduler", *schedulers)], lambda parameters: median_s,
                                  compare="scheduler", **how)
    with tempfile.TemporaryDirectory() as folder:
        plan = plan_figure(read_sweep(made.write(folder)).experiments[0])
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
