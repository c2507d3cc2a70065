"""`loadshare metrics` on one run: its table and its JSON."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from at_terminal import at_terminal
from metrics_case import TOOL, MetricsCase
from metrics_runs import rank, record

GOLDEN = Path(os.environ["LOADSHARE_TEST_DATA"]) / "granularity_examples.json"

UNEQUAL = record(10.0, [rank(0, 8.0, 1.0, communicating_s=1.0), rank(1, 4.0, 3.0, communicating_s=1.0, stolen_s=2.0)])

TREE = """\
synthetic: iterations 400, scheduler gss on 2 ranks, 10.0 s
parallel efficiency 60.0 %: rank 0 spends 2.00 times as long computing as rank 1: its processor is
  slower, or it has more work

parallel efficiency       60.0 % ############........  of the processors' time goes into computing
  load balance            75.0 % ###############.....  the rest: waiting for ranks that compute more
  communication           88.9 % ##################..  serialisation x transfer
    serialisation        100.0 % ####################  the rest: other waiting among ranks
    transfer              88.9 % ##################..  the rest: moving data
  processor               90.0 % ##################..  the rest: lost to other programs

"""
HINT = "--details shows every figure, each rank, and where the time in MPI went\n"
TABLE = """\
synthetic: iterations 400, scheduler gss on 2 ranks

run time T_p        10.0 s  from the first rank's start to the last one's end, on p = 2 processors
cost p T_p          20.0 s  processor time that others could not use, whether it was used or not
computing           12.0 s  sum of T_comp: without a sequential run, the problem size W
overhead T_o        8.00 s  p T_p - W: 10.0 % communicating, 20.0 % idle, 10.0 % stolen by others
granularity G         1.50  T_comp / (T_comm + T_idle + T_stolen): computing took 1.50 times as long
                            as all the rest
efficiency E        60.0 %  G / (G + 1), the share of the processors' time that went into computing
speedup               1.20  p E: the number of processors that would do as much if they only
                            computed
G communication       6.00  T_comp / T_comm: computing took 6.00 times as long as communicating
stolen              10.0 %  share of the time in which other programs had the processor while ranks
                            wanted to compute
G not stolen          2.00  T_comp / (T_comm + T_idle): of the time that the program was given
E not stolen        66.7 %  the efficiency in the time that the program was given
balance of T_comp   75.0 %  mean over largest T_comp: the rest is how much less the others compute
                            than rank 0
longest T_comp      80.0 %  largest T_comp over T_p: in the rest, even that rank did not compute
parallel            60.0 %  product of these two in each run: equals E, split as POP does
virtual processors    3.00  VP = sum of S_i / S_1 (the last column below): together they equal this
                            many like the reference
speedup_H             1.60  how long S_1 alone would compute all of it (sum of T_comp S_i / S_1),
                            over T_p
E_H                 53.3 %  speedup_H / VP: efficiency in which a fast processor's time counts more

rank  host   comp%  comm%  idle%  stolen%     G    E%  of longest%  S_i work/s
0     node0   80.0   10.0   10.0      0.0  4.00  80.0        100.0        1.25
1     node1   40.0   10.0   30.0     20.0  0.67  40.0         50.0        2.50

"""


class OneRun(MetricsCase):
    def test_the_cause_and_a_tree_come_first(self):
        done = self.metrics(self.write(UNEQUAL))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, TREE + HINT, ""))

    def on_terminal(self, columns, **environment):
        clean = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
        code, text = at_terminal(TOOL, "metrics", self.write(UNEQUAL), columns=columns, cwd=self.folder,
                                 env={**clean, "TERM": "xterm", **environment})
        self.assertEqual(code, 0, text)
        return text

    def test_colours_on_a_terminal_alone_and_not_against_its_users_will(self):
        coloured = self.on_terminal(100)
        self.assertIn("\x1b[33m   75.0 % ###############.....\x1b[0m", coloured)
        self.assertEqual(re.sub("\x1b\\[[0-9]+m", "", coloured), TREE + HINT)
        self.assertEqual(self.on_terminal(100, NO_COLOR="1"), TREE + HINT)
        self.assertEqual(self.on_terminal(100, TERM="dumb"), TREE + HINT)
        self.assertLessEqual(max(map(len, self.on_terminal(48, NO_COLOR="1").splitlines())), 48)

    def test_table(self):
        done = self.metrics(self.write(UNEQUAL), "--details")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, TREE + TABLE, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_json(self):
        told = self.json_of(self.write(UNEQUAL))
        expected = {"schema": 1, "program": "synthetic", "processors": 2, "run_s": 10, "cost_s": 20, "computing_s": 12,
                    "overhead_s": 8, "G": 1.5, "G_word": None, "E": 0.6, "speedup": 1.2, "load_balance": 0.75,
                    "communication_efficiency": 0.8, "stolen": 0.1, "G_without_stolen": 2.0, "G_communication": 6.0,
                    "E_relative": None, "sequential_source": None, "computation_scaling": None, "whole": None,
                    "cause": {"factor": "load_balance", "text": "rank 0 spends 2.00 times as long computing as rank 1: its processor is "
                                                               "slower, or it has more work"},
                    "factor_load_balance": 0.75, "factor_serialisation": 1, "factor_processor": 0.9, "tells_idle": True, "partial": False, "runs": 1, "range": None, "sources": ["runs.jsonl:1"]}
        for key, value in expected.items():
            self.assertEqual(told[key], value, key)
        self.assertAlmostEqual(told["parallel_efficiency"], told["E"], 12)
        self.assertEqual((told["speeds_from"], told["is_unequal"]), ("measured", False))
        self.assertEqual(told["by_run"], {"E": [0.6], "E_without_stolen": [2 / 3], "E_H": [told["E_H"]]})
        whole = [key for key in told if key not in ("schema", "program", "options", "speeds_from", "is_unequal", "sequential_source",
                                                    "computation_scaling", "global_efficiency", "cause", "whole",
                                                    "tells_idle", "partial", "runs", "range", "by_run", "sources", "notes", "losses", "ranks")]
        self.assertIsNone(told["losses"], "only a profile tells them")
        self.assertEqual(list(told["ranks"][0]), ["rank", "host", *whole, "speed"])
        self.assertEqual([one["E"] for one in told["ranks"]], [0.8, 0.4])

    def test_golden_examples_through_records(self):
        for example in json.loads(GOLDEN.read_text()):
            rows = [rank(number, *times[:1], times[2], communicating_s=times[1])
                    for number, times in enumerate(zip(example["Tcomp"], example["Tcomm"], example["Tidle"]))]
            words = []
            if "S" in example:
                words = ["--speeds", ",".join(map(str, example["S"])),
                         "--reference-rank", str(example["S"].index(example["S1"]))]
            told = self.json_of(self.write(record(example["Tp"], rows)), *words)
            for key in ("G", "E", "speedup"):
                self.assertAlmostEqual(told[key], example[key], 12)
            if "S" in example:
                for key, golden in (("virtual_processors", "VP"), ("sequential_on_reference_s", "Tseq_est_on_S1"),
                                    ("speedup_H", "Speedup_H"), ("E_H", "E_H")):
                    self.assertAlmostEqual(told[key], example[golden], 11)

    def test_an_infinite_granularity_is_a_word(self):
        name = self.write(record(2.0, [rank(0, 2.0, 0.0)]))
        told = self.json_of(name)
        self.assertEqual((told["G"], told["G_word"], told["E"], told["speedup"]), (None, "infinite", 1, 1))
        self.assertRegex(self.metrics(name, "--details").stdout, r"(?m)^granularity G +infinite  ")

    def test_an_infinite_end_of_a_range_is_a_word(self):
        told = self.json_of(self.write(record(2.0, [rank(0, 2.0, 0.0)]), record(2.5, [rank(0, 2.0, 0.5)])))
        self.assertEqual((told["range"]["G"], told["range"]["G_word"]), ([4, None], [None, "infinite"]))

    def test_a_master_that_only_coordinates_counts_and_is_told(self):
        name = self.write(record(10.0, [rank(0, 0.0, 10.0, role="master", worker=None, iterations=0), rank(1, 9.0, 1.0)]))
        told = self.json_of(name)
        self.assertEqual((told["processors"], told["E"], told["load_balance"], told["virtual_processors"]),
                         (2, 0.45, 0.5, None))
        coordinates, no_speed = told["notes"]
        self.assertEqual(coordinates, "rank 0 only coordinates; it counts as a processor, in the load balance too")
        self.assertTrue(no_speed.startswith("the speed of rank 0 cannot be measured, because some run has no work for it"), no_speed)

    def test_a_threads_master_has_no_processor(self):
        told = self.json_of(self.write(record(
            10.0, [rank(0, 0.0, 10.0, role="master", worker=None, iterations=0), rank(1, 9.0, 1.0)], transport="threads")))
        self.assertEqual((told["processors"], told["E"]), (1, 0.9))
        self.assertEqual(told["notes"], ["the master's thread has no processor of its own and is left out"])

    def test_a_quota_is_slowness_and_what_exceeds_it_is_stolen(self):
        slow = rank(0, 2.0, 1.0, stolen_s=7.0, capacity=0.25)  # 2 s at a quarter are 8 s; 1 s was stolen
        told = self.json_of(self.write(record(10.0, [slow])))
        self.assertEqual((told["computing_s"], told["stolen_s"], told["E"]), (8, 1, 0.8))
        older = {key: value for key, value in slow.items() if key != "capacity"}
        told = self.json_of(self.write(record(10.0, [older])))
        self.assertEqual((told["computing_s"], told["stolen_s"]), (2, 7))

    def test_idle_that_is_not_told_apart_is_null(self):
        told = self.json_of(self.write(record(10.0, [rank(0, 9.0, None, communicating_s=1.0, role="peer")], scheduler=None)))
        self.assertEqual((told["idle_s"], told["G_communication"], told["G"], told["tells_idle"]), (None, None, 9, False))
        self.assertEqual(told["notes"], ["these runs do not distinguish idle from communicating time: both count as communicating"])

    def test_classical_figures_for_each_sequential_time(self):
        told = self.json_of(self.write(UNEQUAL), "--t-absolute", "5", "--t-real", "10", "--t-relative", "16")
        self.assertEqual([told[f"E_{kind}"] for kind in ("absolute", "real", "relative")], [0.25, 0.5, 0.8])
        self.assertAlmostEqual(told["E_minus_real"], 0.1, 12)
        self.assertAlmostEqual(told["extra_computing_real"], 0.2, 12)
        self.assertEqual(told["overhead_real_s"], 10)
        self.assertAlmostEqual(told["E_H_real"], 1 / 3, 12)
        self.assertAlmostEqual(told["E_H_minus_real"], 0.2, 12)
        self.assertAlmostEqual(told["E_over_real"], 0.2, 12)
        self.assertAlmostEqual(told["E_H_over_real"], 0.6, 12)

    def test_runs_on_one_rank_are_not_compared_with_themselves(self):
        alone = record(10.0, [rank(0, 8.0, 1.0, stolen_s=1.0)])
        for records in ((alone,), (alone, record(12.0, [rank(0, 8.0, 2.0, stolen_s=2.0)]))):
            name = self.write(*records)
            told = self.json_of(name)
            self.assertEqual((told["E_relative"], told["E_minus_relative"], told["processors"]), (None, None, 1))
            self.assertIn("on p = 1 processor\n", self.metrics(name, "--details").stdout)
            self.assertNotIn("relative", self.metrics(name, "--details").stdout)

    def test_what_a_sequential_run_lost_is_no_extra_computing(self):
        name = self.write(record(10.0, [rank(0, 8.0, 1.0, stolen_s=1.0)]))
        less, more = (self.metrics(name, "--t-relative", seconds).stdout for seconds in ("9", "7"))
        self.assertRegex(less, r"E minus it +-10\.0 points  E by granularity is below it by this much:\s+[^%]*"
                               r"less\s+than\s+T_seq,\s+which\s+includes\s+what\s+the\s+sequential\s+run\s+lost")
        self.assertRegex(more, r"E minus it +\+10\.0 points  E by granularity is above it by this much:\s+[^%]*"
                               r"more\s+than\s+T_seq,\s+the\s+extra\s+computing")


if __name__ == "__main__":
    unittest.main()
