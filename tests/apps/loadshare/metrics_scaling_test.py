"""`loadshare metrics` on several runs: medians, the scaling table, isoefficiency, plots."""

import unittest

from metrics_case import MetricsCase
from metrics_runs import lines, quiet, rank, record

TREE = """\
synthetic: iterations 400, scheduler gss
on 2 ranks, parallel efficiency 90.0 %: ranks wait for one another for 10.0 % of the time, most on
  rank 0 (10.0 %)

                           p = 1                           p = 2
global efficiency        100.0 % ####################     84.4 % #################...
  parallel efficiency    100.0 % ####################     90.0 % ##################..
    load balance         100.0 % ####################    100.0 % ####################
    communication        100.0 % ####################     90.0 % ##################..
      serialisation      100.0 % ####################     90.0 % ##################..
      transfer           100.0 % ####################    100.0 % ####################
    processor            100.0 % ####################    100.0 % ####################
  computation scaling    100.0 % ####################     93.8 % ###################.

"""
SCALING = """\
synthetic: iterations 400, scheduler gss

p  runs     T_p         G     E%      range  speedup  balance%  comm.eff%  stolen%  not stolen E%
1     1  7.50 s  infinite  100.0                1.00     100.0      100.0      0.0          100.0
2     3  4.44 s      9.00   90.0  80.0-95.0     1.80     100.0       90.0      0.0           90.0

Compared with the relative efficiency, T_seq = 7.50 s (the run on 1 rank, runs.jsonl:1):

p  speedup by G  relative  E% by G  relative%   +/-  extra%    VP   E_H%  relative_H%   +/-
1          1.00      1.00    100.0      100.0  +0.0     0.0  1.00  100.0        100.0  +0.0
2          1.80      1.69     90.0       84.4  +5.6     6.7  1.88   90.0         90.0  +0.0
"""


class SeveralRuns(MetricsCase):
    RUNS = (quiet(1, 1.0, 7.5), quiet(2, 0.9), quiet(2, 0.8), quiet(2, 0.95))

    def test_repetitions_have_median_and_range(self):
        name = self.write(*self.RUNS[1:])
        told = self.json_of(name)
        self.assertAlmostEqual(told["E"], 0.9, 12)
        self.assertEqual([round(end, 9) for end in told["range"]["E"]], [0.8, 0.95])
        self.assertEqual(told["sources"], [f"runs.jsonl:{line}" for line in (1, 2, 3)])
        self.assertRegex(self.metrics(name, "--details").stdout, r"(?m)^efficiency E +90.0 % \(80.0 % to 95.0 %\)  ")

    def test_scaling_table(self):
        done = self.metrics(self.write(*self.RUNS), "--details")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(TREE + SCALING), done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_columns_of_which_nothing_is_known_are_left_out(self):
        silent = [{**run, "ranks": [{**row, "iterations": 0} for row in run["ranks"]]} for run in self.RUNS[:2]]
        text = self.metrics(self.write(*silent), "--details").stdout
        self.assertIn("\np  speedup by G  relative  E% by G  relative%   +/-  extra%\n", text)
        self.assertNotIn("range", text)

    def test_scaling_json(self):
        told = self.json_of(self.write(*self.RUNS))
        (setting,) = told["settings"]
        self.assertEqual([(point["processors"], point["runs"]) for point in setting["points"]], [(1, 1), (2, 3)])
        self.assertEqual(setting["sequential_source"], "the run on 1 rank, runs.jsonl:1")
        self.assertAlmostEqual(setting["points"][1]["speedup_relative"], 1.6875, 12)
        self.assertAlmostEqual(setting["points"][1]["computation_scaling"], 7.5 / 8, 12)
        self.assertAlmostEqual(setting["points"][1]["global_efficiency"], 0.9 * 7.5 / 8, 12)

    def test_only_the_number_of_ranks_may_differ_within_a_setting(self):
        name = self.write(quiet(1, 1.0), quiet(2, 0.9, options={"size": 5}), quiet(2, 0.8, options={"size": 6}))
        told = self.json_of(name)
        self.assertEqual([setting["options"].get("size") for setting in told["settings"]], [5, 6, None])
        self.assertIsNone(told["settings"][0]["points"][0]["E_relative"])

    def test_a_disturbed_sequential_run_is_told(self):
        name = self.write(record(10.0, [rank(0, 8.0, 0.0, stolen_s=2.0)]), quiet(2, 0.9))
        self.assertIn("note  other programs had 20.0 % of the time of the runs on 1 rank:", self.metrics(name).stdout)

    def test_what_a_load_takes_is_lost_compared_with_a_run_without_it(self):
        loads = [{"spec": f"on=1s,off=1s,phase=random,seed={seed}", "ranks": []} for seed in (7, 8)]
        loaded = [record(8.0, [rank(number, 4.0 + shift, 0.0, stolen_s=4.0 - shift) for number in range(2)], load=load)
                  for load, shift in zip(loads, (0.0, 0.01))]
        told = self.json_of(self.write(quiet(1, 1.0), *loaded))
        (setting,) = (setting for setting in told["settings"] if "load" in setting["options"])
        self.assertEqual(setting["options"]["load"], "on=1s,off=1s,phase=random")
        self.assertEqual((setting["points"][0]["runs"], setting["points"][0]["E_relative"]), (2, 0.5))
        self.assertEqual(setting["sequential_source"], "the run on 1 rank, runs.jsonl:1")
        alone = record(16.0, [rank(0, 8.0, 0.0, stolen_s=8.0)], load=loads[0])
        (setting,) = self.json_of(self.write(alone, *loaded))["settings"]
        self.assertEqual(setting["sequential_source"], "the run on 1 rank, under the load, runs.jsonl:1")
        self.assertIn("other programs had 50.0 % of the time of the runs on 1 rank", " ".join(setting["notes"]))

    def test_runs_that_measure_their_work_anew_are_told(self):
        measured = [{"rounds_are_measured": True, "rounds_per_second": rate} for rate in (100, 101)]
        name = self.write(*(quiet(2, 0.9 - 0.1 * number, options=options) for number, options in enumerate(measured)))
        done = self.metrics(name)
        self.assertIn("medians of 2 runs", done.stdout)
        self.assertIn("note  each run measured the rounds per second again", done.stdout)

    def test_a_folder_of_a_sweep(self):
        run = {"schema": 1, "experiment": "quick", "point": "quick/x=1", "repetition": 0, "status": "ok"}
        failed = {**run, "status": "timeout", "record": None}
        open_account = record(10.0, [rank(0, 8.0, 0.0)])
        text = lines({**run, "record": self.RUNS[1]}, failed, {**run, "record": self.RUNS[2]},
                     {**run, "record": open_account})
        (self.folder / "results").mkdir()
        (self.folder / "results/runs.jsonl").write_text(text + '{"schema": 1, "experi', encoding="utf-8")
        told = self.json_of("results")
        self.assertEqual((told["runs"], told["options"]["experiment"]), (2, "quick"))
        failed_note, open_note, torn_note = told["notes"]
        self.assertEqual(failed_note, "results/runs.jsonl:2: left out, because the run did not succeed (timeout)")
        self.assertRegex(open_note, r"^results/runs.jsonl:4: .* 80.00 % .*; left out$")
        self.assertEqual(torn_note, "results/runs.jsonl:5: left out, because the line is incomplete")

    def test_isoefficiency(self):
        name = self.write(*(quiet(ranks, efficiency, size, options={"size": size})
                            for ranks, efficiency, size in ((2, 0.6, 1), (2, 0.8, 4), (4, 0.5, 4), (4, 0.6, 16))))
        told = self.json_of(name, "--keep", "0.7")
        self.assertEqual(told["isoefficiency"][1], {"processors": 4, "problem_size_s": None, "overhead_s": None})
        self.assertAlmostEqual(told["isoefficiency"][0]["problem_size_s"], 2, 9)
        text = self.metrics(name, "--keep", "0.7").stdout
        self.assertRegex(text, r"(?m)^2  2\.00 s  1\.00 s  857 ms\n4       -       -       -\nnote  a row without W has no two measured sizes")

    def test_an_efficiency_that_no_size_keeps_is_told(self):
        name = self.write(*(quiet(2, efficiency, size, options={"size": size}) for efficiency, size in ((0.6, 1), (0.8, 4))))
        text = self.metrics(name, "--keep", "0.3").stdout
        self.assertIn("Isoefficiency: no measured problem size keeps E at 30.0 %, nor are two of them above and below it "
                      "on the same number of ranks (E was from 60.0 % to 80.0 %)", " ".join(text.split()))
        self.assertNotRegex(text, r"(?m)^p$")


class Plot(MetricsCase):
    def test_plots(self):
        name = self.write(*SeveralRuns.RUNS)
        done = self.metrics(name, "--plot", "scaling.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(TREE))
        svg = (self.folder / "scaling.svg").read_text(encoding="utf-8")
        for text in ("synthetic", "by granularity", "relative", "number of ranks", "speedup", "efficiency"):
            self.assertIn(f">{text}<", svg)
        done = self.metrics(name, "--plot", "scaling.png")
        self.assertEqual((done.returncode, (self.folder / "scaling.png").read_bytes()[:4]), (0, b"\x89PNG"))

    def test_what_cannot_be_plotted(self):
        name = self.write(quiet(2, 0.9))
        self.assert_refused("there is no axis for a plot (every setting ran on one number of ranks only); give runs on "
                            "several numbers of ranks", name, "--plot", "a.svg")
        self.assert_refused("--plot is 'a.pdf' (the ending of the name selects the kind of image); end it in .svg or .png", name,
                            "--plot", "a.pdf")
        self.assertEqual([path.name for path in self.folder.iterdir()], [name])


if __name__ == "__main__":
    unittest.main()
