"""The plot of `loadshare predict`: a row a worker, a bar a chunk, ways of messages, the unit, the title."""

import unittest
import warnings

from report.gantt_plot import COMPUTING, MOST_ROWS, draw
from report.plot_file import COLOURED, matplotlib

from matplotlib.colors import to_hex  # noqa: E402 (after the report, which silences it)


def chunk(worker, begun_s, ended_s, way_s=0.01):
    return {"worker": worker, "assigned_s": begun_s - way_s, "received_s": begun_s, "begun_s": begun_s,
            "ended_s": ended_s, "returned_s": ended_s + way_s}


def prediction(chunks, hosts=("slow", "fast"), master="works", master_rank=0, scheduler="gss:14"):
    return {"setting": {"program": "matmul", "hosts": [{"name": host} for host in hosts], "master": master,
                        "master_rank": master_rank},
            "choice": {"scheduler": scheduler}, "chunks": chunks, "chunks_are_all": True}


def drawn(*arguments, **options):
    with warnings.catch_warnings(), matplotlib.rc_context(COLOURED):
        warnings.simplefilter("error")  # of matplotlib, that a layout came to nothing
        figure = draw(prediction(*arguments, **options))
        figure.draw_without_rendering()
    return figure.axes[0]


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def stretches(lines):
    return [[tuple(float(round(number, 9)) for number in end) for end in line] for line in lines.get_segments()]


class Chart(unittest.TestCase):
    def test_bars_and_ways(self):
        moves, bars, _ = drawn([chunk(1, 1.0, 2.0), chunk(0, 0.5, 3.0)]).collections
        self.assertEqual(stretches(bars), [[(0.5, 0), (3.0, 0)], [(1.0, 1), (2.0, 1)]])
        self.assertEqual(stretches(moves), [[(0.49, 0), (0.5, 0)], [(3.0, 0), (3.01, 0)],
                                            [(0.99, 1), (1.0, 1)], [(2.0, 1), (2.01, 1)]])
        self.assertGreater(bars.get_linewidth()[0], moves.get_linewidth()[0])

    def test_neighbours_in_a_row_differ(self):
        _, bars, _ = drawn([chunk(0, 2.0, 3.0), chunk(1, 0.5, 3.0), chunk(0, 0.5, 2.0)]).collections
        self.assertEqual([to_hex(colour) for colour in bars.get_colors()], [COMPUTING[0], COMPUTING[0], COMPUTING[1]])

    def test_waiting_for_the_broadcast_input_is_not_computing(self):
        axes = drawn([{**chunk(0, 1.0, 2.0), "waited_s": 0.25}, {**chunk(1, 1.0, 2.0), "waited_s": 0}])
        _, bars, waits = axes.collections
        self.assertEqual(stretches(waits), [[(1.0, 0), (1.25, 0)]])
        self.assertEqual(stretches(bars), [[(1.25, 0), (2.0, 0)], [(1.0, 1), (2.0, 1)]])
        self.assertIn("waiting for the broadcast input", labels(axes))

    def test_a_load_lies_behind_its_row_while_it_is_on(self):
        made = {**prediction([chunk(0, 0.1, 1.0), chunk(1, 0.1, 1.0)]),
                "load_phases": [[], [{"from_s": 0.25, "to_s": 0.75, "share": 0.5}]]}
        axes = draw(made).axes[0]
        loads = axes.collections[0].get_paths()
        self.assertEqual([tuple(path.get_extents().bounds) for path in loads], [(0.25, 0.5, 0.5, 1.0)])
        handle = axes.get_legend().get_lines()[labels(axes).index("background load")]
        self.assertEqual(handle.get_alpha(), axes.collections[0].get_alpha())

    def test_the_legend_has_what_is_drawn(self):
        self.assertEqual(labels(drawn([chunk(0, 0.1, 1.0, way_s=1e-4)])), ["computing a chunk"])
        self.assertEqual(labels(drawn([chunk(0, 0.1, 1.0)])), ["computing a chunk", "order or result in transit"])

    def test_ranks_of_one_host_and_unequal_speeds_are_labelled(self):
        def names(*hosts):
            made = prediction([chunk(0, 0.1, 1.0)])
            made["setting"]["hosts"] = list(hosts)
            return [label.get_text() for label in draw(made).axes[0].get_yticklabels()]
        one, other = {"name": "vm", "speed": 1, "share": None, "available": 1}, {"name": "b", "speed": 1, "share": 0.3}
        self.assertEqual(names(one, one), ["vm, rank 0", "vm, rank 1"])
        self.assertEqual(names(one, other), ["vm (speed 1)", "b (speed 0.3)"])

    def test_a_master_that_only_coordinates_has_no_row(self):
        names = [label.get_text() for label in drawn([chunk(0, 0.1, 1.0)], hosts=("a", "b", "c"), master="coordinates",
                                                     master_rank=1).get_yticklabels()]
        self.assertEqual(names, ["a", "c"])

    def test_the_axis_is_in_the_unit_of_the_end(self):
        axes = drawn([chunk(0, 0.01, 0.05, way_s=0.002)])
        self.assertEqual(axes.get_xlabel(), "milliseconds since the start; the run ends at 52.00 ms")
        self.assertEqual(stretches(axes.collections[1]), [[(10, 0), (50, 0)]])
        self.assertTrue(drawn([chunk(0, 1, 2)]).get_xlabel().startswith("seconds since"))

    def test_many_workers_are_cut_and_it_says_so(self):
        hosts = [f"n{number}" for number in range(MOST_ROWS + 9)]
        axes = drawn([chunk(number, 0.1, 1.0 + number) for number in range(len(hosts))], hosts=hosts)
        self.assertEqual(len(axes.collections[1].get_segments()), MOST_ROWS)
        self.assertIn(f"(the first {MOST_ROWS} of {MOST_ROWS + 9} workers)", axes.get_title(loc="left"))
        self.assertIn("ends at 73.01 s", axes.get_xlabel())

    def test_the_legend_is_clear_of_the_axes_and_their_name(self):
        for rows in (1, 2, MOST_ROWS):
            axes = drawn([chunk(0, 0.1, 1.0)], hosts=[f"n{number}" for number in range(rows)])
            legend = axes.get_legend().get_window_extent()
            self.assertLess(legend.y1, axes.get_window_extent().y0)
            self.assertGreater(legend.x0, axes.xaxis.label.get_window_extent().x1)
            self.assertGreaterEqual(legend.y0, 0)

    def test_a_long_legend_is_clear_of_the_axis_name(self):
        with warnings.catch_warnings(), matplotlib.rc_context(COLOURED):
            figure = draw({**prediction([{**chunk(0, 1.0, 2.0), "waited_s": 0.25}]),
                           "load_phases": [[{"from_s": 0.25, "to_s": 0.75, "share": 0.5}], []]})
            figure.draw_without_rendering()
        axes = figure.axes[0]
        legend = axes.get_legend().get_window_extent()
        self.assertLess(legend.y1, axes.xaxis.label.get_window_extent().y0)
        self.assertGreaterEqual(legend.y0, 0)
        self.assertGreaterEqual(legend.x0, 0)

    def test_a_long_title_is_inside(self):
        axes = drawn([chunk(0, 0.1, 1.0)], scheduler="adaptive:" + "x" * 200)
        self.assertLessEqual(axes.get_tightbbox().x1, axes.figure.bbox.x1)

    def test_a_chart_of_some_chunks_shows_no_end(self):
        made = {**prediction([chunk(0, 0, 1)]), "chunks_are_all": False}
        axes = draw(made).axes[0]
        self.assertIn("only the first 1 chunks are drawn", axes.get_xlabel())

    def test_without_chunks(self):
        self.assertEqual(len(drawn([]).collections[1].get_segments()), 0)


if __name__ == "__main__":
    unittest.main()
