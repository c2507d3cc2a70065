"""By whose speeds `loadshare metrics` compares processors, and whether that makes them unequal."""

import unittest

from metrics_case import MetricsCase
from metrics_runs import quiet, rank, record


def on_quotas(capacities, busy_s, makespan_s):
    """Of hosts that grant so much of a processor; all compute alike, for `busy_s`."""
    return record(makespan_s, [rank(number, busy_s * capacity, makespan_s - busy_s, stolen_s=busy_s * (1 - capacity),
                                    capacity=capacity) for number, capacity in enumerate(capacities)])


class Quotas(MetricsCase):
    ALONE = on_quotas([0.1], 50.0, 50.0)
    TOGETHER = on_quotas([0.3, 0.1, 0.3], 8.0, 10.0)

    def test_unequal_ones_are_the_speeds_and_s_1_is_that_of_the_host_that_ran_alone(self):
        (setting,) = self.json_of(self.write(self.ALONE, self.TOGETHER))["settings"]
        self.assertEqual((setting["speeds_from"], setting["is_unequal"]), ("quota", True))
        alone, point = setting["points"]
        self.assertEqual((alone["virtual_processors"], alone["E_H"]), (1, 1))
        self.assertAlmostEqual(point["virtual_processors"], 7, 12)
        self.assertAlmostEqual(point["E_H"], 0.8, 12)
        self.assertAlmostEqual(point["E_H_relative"], 50 / 10 / 7, 12)  # which differ: 56 s of computing against 50
        self.assertAlmostEqual(point["E_H_over_relative"], 0.12, 12)
        self.assertIn("the processors are unequal (by the hosts' quotas): 3 of them equal 7.00", " ".join(setting["notes"]))

    def test_a_slower_host_that_ran_alone_makes_equal_ones_unequal(self):
        (setting,) = self.json_of(self.write(self.ALONE, on_quotas([0.2, 0.2], 20.0, 25.0)))["settings"]
        self.assertEqual((setting["speeds_from"], setting["is_unequal"]), ("quota", True))
        self.assertAlmostEqual(setting["points"][1]["virtual_processors"], 4, 12)

    def test_equal_ones_leave_the_speeds_to_the_run(self):
        told = self.json_of(self.write(on_quotas([0.2, 0.2], 8.0, 10.0)))
        self.assertEqual((told["speeds_from"], told["is_unequal"], told["ranks"][0]["speed"]), ("measured", False, 1.25))

    def test_given_speeds_come_first(self):
        told = self.json_of(self.write(self.TOGETHER), "--speeds", "2,1,3")
        self.assertEqual((told["speeds_from"], told["is_unequal"], told["virtual_processors"]), ("given", True, 3))
        told = self.json_of(self.write(self.TOGETHER), "--speeds", "2,2.05,2")
        self.assertEqual((told["speeds_from"], told["is_unequal"]), ("given", False))


class Measured(MetricsCase):
    def test_they_never_make_a_run_unequal_and_are_said_to_compare_nothing(self):
        slow = record(10.0, [rank(0, 5.0, 5.0), rank(1, 10.0, 0.0)])
        (setting,) = self.json_of(self.write(record(14.0, [rank(0, 14.0, 0.0, iterations=20)]), slow))["settings"]
        self.assertEqual((setting["speeds_from"], setting["is_unequal"]), ("measured", False))
        self.assertEqual(setting["points"][1]["E_H_over_relative"], 0)
        self.assertIn("agree by construction", " ".join(setting["notes"]))
        self.assertNotIn("unequal (", " ".join(setting["notes"]))

    def test_a_rank_without_work_is_named(self):
        told = self.json_of(self.write(record(10.0, [rank(0, 8.0, 2.0), rank(1, 0.5, 9.5, iterations=0)])))
        self.assertEqual((told["speeds_from"], told["virtual_processors"]), (None, None))
        (note,) = told["notes"]
        self.assertTrue(note.startswith("the speed of rank 1 cannot be measured, because some run has no work for it"), note)

    def test_a_rank_that_still_computed_a_copy_at_the_end_is_named(self):
        told = self.json_of(self.write(record(10.0, [rank(0, 8.0, 2.0, work=7.0), rank(1, 8.0, 2.0, work=None)])))
        self.assertEqual((told["E_H"], told["notes"][0][:37]), (None, "the speed of rank 1 cannot be measure"))

    def test_thinned_chunks_are_told(self):
        thinned = {"thinned": True, "chunks_total": 9, "chunks_timed": 1}
        told = self.json_of(self.write(record(10.0, [rank(0, 8.0, 2.0, work=None)], timing=thinned)))
        self.assertIn("chunks were too short to be timed one by one", told["notes"][0])

    def test_figures_are_medians_of_all_runs_or_not_there(self):
        lazy = record(8.0, [rank(0, 4.0, 4.0), rank(1, 4.0, 4.0, iterations=0)])
        told = self.json_of(self.write(lazy, quiet(2, 0.9), quiet(2, 0.95)))
        self.assertEqual((told["runs"], told["E_H"], told["ranks"][0]["speed"]), (3, None, None))
        self.assertIn("rank 1", told["notes"][0])


class Reference(MetricsCase):
    THREADS = record(10.0, [rank(0, 0.0, 10.0, role="master", worker=None, iterations=0), rank(1, 9.0, 1.0),
                            rank(2, 4.5, 5.5)], transport="threads")

    def test_is_a_ranks_number_for_given_and_for_measured_speeds(self):
        name = self.write(self.THREADS)
        self.assertAlmostEqual(self.json_of(name, "--reference-rank", "2")["virtual_processors"], 1.5, 12)
        told = self.json_of(name, "--reference-rank", "2", "--speeds", "1,2")
        self.assertAlmostEqual(told["virtual_processors"], 1.5, 12)
        self.assert_refused("there is no rank 0 (the ranks of the largest run are 1 to 2); name another as the reference", name,
                            "--reference-rank", "0", "--speeds", "1,2")

    def test_is_that_of_the_largest_run_for_smaller_ones(self):
        unequal = record(5.0, [rank(0, 4.0, 1.0), rank(1, 4.0, 1.0, iterations=30)])  # 10 and 30
        name = self.write(quiet(1, 1.0), unequal)
        (setting,) = self.json_of(name, "--reference-rank", "1")["settings"]
        alone, both = setting["points"]
        self.assertAlmostEqual(both["virtual_processors"], 4 / 3, 12)
        self.assertAlmostEqual(alone["virtual_processors"], (400 / 8) / (30 / 4), 12)
        self.assert_refused("there is no rank 0 (the only one is 1); name another as the reference",
                            self.write(record(9.0, [rank(1, 8.0, 1.0)], transport="threads")), "--reference-rank", "0")


if __name__ == "__main__":
    unittest.main()
