"""The plot of `loadshare calibration show`: which panels there are, and what is drawn in them."""

import unittest

from report.calibration_plot import draw
from report.plot_file import COLOURED, matplotlib


def side(seconds):
    return {"median_s": seconds, "low_s": 0.9 * seconds, "high_s": 1.2 * seconds}


def kind(mode, posted, **more):
    sizes = [{"bytes": bytes_, "messages": 30, "waited": 0.0, "sender": side(1e-6 + bytes_ * 1e-9),
              "receiver": side(2e-6 + bytes_ * 1e-9)} for bytes_ in (0, 64, 4096)]
    return {"mode": mode, "posted": posted, "sizes": sizes, **more}


def calibration(*kinds, waits_from=None, collectives=()):
    return {"schema": 1, "pairs": [{"sender": 0, "receiver": 1, "shares_host": True, "round_trip_s": 1e-6,
                                    "waits_from_bytes": waits_from, "kinds": list(kinds)}],
            "collectives": list(collectives)}


def axes_of(calibration):
    with matplotlib.rc_context(COLOURED):
        figure = draw(calibration)
        figure.draw_without_rendering()
    return figure.axes


def markers(axes):
    return [line.get_label() for line in axes.lines if line.get_marker() not in ("None", None)]


class Panels(unittest.TestCase):
    def test_a_row_a_mode_and_a_column_a_side(self):
        titles = [axes.get_title(loc="left")
                  for axes in axes_of(calibration(kind("standard", "before"), kind("standard", "after"),
                                                  kind("ready", "before")))]
        self.assertEqual(titles, ["rank 0 to 1, standard: sender", "rank 0 to 1, standard: receiver",
                                  "rank 0 to 1, ready: sender", "rank 0 to 1, ready: receiver"])

    def test_the_receive_before_and_after(self):
        sender, receiver = axes_of(calibration(kind("standard", "before"), kind("standard", "after")))
        for axes in (sender, receiver):
            self.assertEqual(markers(axes), ["receive posted before", "receive posted after"])
        self.assertEqual(list(receiver.lines[0].get_ydata()), [2e-6, 2e-6 + 64e-9, 2e-6 + 4096e-9])

    def test_zero_bytes_have_a_place_on_a_logarithmic_axis(self):
        sender, _ = axes_of(calibration(kind("standard", "before")))
        self.assertEqual(list(sender.lines[0].get_xdata()), [0.5, 64, 4096])

    def test_where_sends_begin_to_wait(self):
        sender, _ = axes_of(calibration(kind("standard", "before"), waits_from=4000))
        self.assertEqual(list(sender.lines[0].get_xdata()), [4000, 4000])

    def test_lines_of_a_fit(self):
        lines = {"sender": [[[0, 1e-6], [64, 2e-6]], [[64, 3e-6], [4096, 4e-6]]]}
        sender, receiver = axes_of(calibration(kind("standard", "before", lines=lines)))
        self.assertEqual([list(line.get_ydata()) for line in sender.lines[1:]], [[1e-6, 2e-6], [3e-6, 4e-6]])
        self.assertEqual(len(receiver.lines), 1)

    def test_a_panel_for_each_number_of_ranks(self):
        calls = [{"ranks": ranks, "call": call, "sizes": [{"bytes": bytes_, "calls": 30, "time": side(1e-5 + bytes_ * 1e-8)}
                                                          for bytes_ in (4, 4096)]}
                 for ranks in (2, 4, 7) for call in ("allreduce", "alltoall")]
        panels = axes_of(calibration(kind("standard", "before"), collectives=calls))
        self.assertEqual([axes.get_title(loc="left") for axes in panels][2:5],
                         ["collective calls of 2 ranks", "collective calls of 4 ranks", "collective calls of 7 ranks"])
        for axes in panels[2:5]:
            self.assertEqual([line.get_label() for line in axes.lines], ["allreduce", "alltoall"])
            self.assertEqual(list(axes.lines[0].get_xdata()), [4, 4096])
        self.assertFalse(panels[5].get_visible(), "there is no fourth")


if __name__ == "__main__":
    unittest.main()
