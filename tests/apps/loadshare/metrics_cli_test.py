"""`loadshare metrics` as a user sees it: tables, JSON, plots, error text, exit code."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from metrics_case import TOOL, MetricsCase
from metrics_runs import lines, quiet, rank, record

MPIRUN = os.environ["LOADSHARE_MPIRUN"]
SYNTHETIC = os.environ["LOADSHARE_SYNTHETIC"]
GOLDEN = Path(os.environ["LOADSHARE_TEST_DATA"]) / "granularity_examples.json"

UNEQUAL = record(10.0, [rank(0, 8.0, 1.0, communicating_s=1.0), rank(1, 4.0, 3.0, communicating_s=1.0, stolen_s=2.0)])

TABLE = """\
synthetic: iterations 400, scheduler gss on 2 ranks

run time T_p        10.0 s  from the first rank's begin to the last one's end, on p = 2 processors
cost p T_p          20.0 s  processor time taken from everybody else, used or not
computing           12.0 s  sum of T_comp: without a sequential run, the problem size W
overhead T_o        8.00 s  p T_p - W: 10.0 % communicating, 20.0 % idle, 10.0 % stolen by others
granularity G         1.50  T_comp / (T_comm + T_idle + T_stolen): computing took 1.50 times as long
                            as all the rest
efficiency E        60.0 %  G / (G + 1), the share of the processors' time that went into computing
speedup               1.20  p E: as much as so many processors do that only compute
G communication       6.00  T_comp / T_comm: computing took 6.00 times as long as communicating
stolen              10.0 %  of the time, others had the processor while the ranks wanted to compute
G not stolen          2.00  T_comp / (T_comm + T_idle): of the time that the program was given
E not stolen        66.7 %  what the program made of the time it was given
load balance        75.0 %  mean over largest T_comp: the rest is what the others compute less than
                            rank 0
communication       80.0 %  largest T_comp over T_p: the rest is what even that rank did not compute
parallel            60.0 %  the product of these two: E again, as POP splits it
virtual processors    3.00  VP = sum of S_i / S_1: so many like the reference are they together
speedup_H             1.60  how long S_1 alone would compute all of it (sum of T_comp S_i / S_1),
                            over T_p
E_H                 53.3 %  speedup_H / VP: efficiency in which a fast processor's time counts more

rank  host   comp%  comm%  idle%  stolen%     G    E%  of longest%  speed
0     node0   80.0   10.0   10.0      0.0  4.00  80.0        100.0   1.25
1     node1   40.0   10.0   30.0     20.0  0.67  40.0         50.0   2.50
"""

SCALING = """\
synthetic: iterations 400, scheduler gss

p  runs     T_p         G     E%      range  speedup  balance%  comm.eff%  stolen%  not stolen E%
1     1  7.50 s  infinite  100.0                1.00     100.0      100.0      0.0          100.0
2     3  4.44 s      9.00   90.0  80.0-95.0     1.80     100.0       90.0      0.0           90.0

Beside the relative efficiency, T_seq = 7.50 s (the run on 1 rank, runs.jsonl:1):

p  speedup by G  relative  E% by G  relative%   +/-  extra%    VP   E_H%  relative_H%   +/-
1          1.00      1.00    100.0      100.0  +0.0     0.0  1.00  100.0        100.0  +0.0
2          1.80      1.69     90.0       84.4  +5.6     6.7  1.88   90.0         90.0  +0.0
"""


class OneRun(MetricsCase):
    def test_table(self):
        done = self.metrics(self.write(UNEQUAL))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, TABLE, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_json(self):
        told = self.json_of(self.write(UNEQUAL))
        expected = {"schema": 1, "program": "synthetic", "processors": 2, "run_s": 10, "cost_s": 20, "computing_s": 12,
                    "overhead_s": 8, "G": 1.5, "G_word": None, "E": 0.6, "speedup": 1.2, "load_balance": 0.75,
                    "communication_efficiency": 0.8, "stolen": 0.1, "G_without_stolen": 2.0, "G_communication": 6.0,
                    "E_relative": None, "tells_idle": True, "partial": False, "runs": 1, "range": None, "sources": ["runs.jsonl:1"]}
        for key, value in expected.items():
            self.assertEqual(told[key], value, key)
        self.assertAlmostEqual(told["parallel_efficiency"], told["E"], 12)
        self.assertEqual((told["speeds_from"], told["is_unequal"]), ("measured", False))
        self.assertEqual(told["by_run"], {"E": [0.6], "E_without_stolen": [2 / 3], "E_H": [told["E_H"]]})
        whole = [key for key in told if key not in ("schema", "program", "options", "speeds_from", "is_unequal", "tells_idle",
                                                    "partial", "runs", "range", "by_run", "sources", "notes", "losses", "ranks")]
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
        self.assertRegex(self.metrics(name).stdout, r"(?m)^granularity G +infinite  ")

    def test_a_master_that_only_coordinates_counts_and_is_told(self):
        name = self.write(record(10.0, [rank(0, 0.0, 10.0, role="master", worker=None, iterations=0), rank(1, 9.0, 1.0)]))
        told = self.json_of(name)
        self.assertEqual((told["processors"], told["E"], told["load_balance"], told["virtual_processors"]),
                         (2, 0.45, 0.5, None))
        coordinates, no_speed = told["notes"]
        self.assertEqual(coordinates, "rank 0 only coordinates; it counts as a processor, in the load balance too")
        self.assertTrue(no_speed.startswith("no speed can be measured of rank 0, whose work in some run is 0"), no_speed)

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
        self.assertEqual(told["notes"], ["these runs do not tell idle from communicating: both stand under communicating"])

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


class SeveralRuns(MetricsCase):
    RUNS = (quiet(1, 1.0, 7.5), quiet(2, 0.9), quiet(2, 0.8), quiet(2, 0.95))

    def test_repetitions_have_median_and_range(self):
        name = self.write(*self.RUNS[1:])
        told = self.json_of(name)
        self.assertAlmostEqual(told["E"], 0.9, 12)
        self.assertEqual([round(end, 9) for end in told["range"]["E"]], [0.8, 0.95])
        self.assertEqual(told["sources"], [f"runs.jsonl:{line}" for line in (1, 2, 3)])
        self.assertRegex(self.metrics(name).stdout, r"(?m)^efficiency E +90.0 % \(80.0 % to 95.0 %\)  ")

    def test_scaling_table(self):
        done = self.metrics(self.write(*self.RUNS))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(SCALING), done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_columns_of_which_nothing_is_known_are_left_out(self):
        silent = [{**run, "ranks": [{**row, "iterations": 0} for row in run["ranks"]]} for run in self.RUNS[:2]]
        text = self.metrics(self.write(*silent)).stdout
        self.assertIn("\np  speedup by G  relative  E% by G  relative%   +/-  extra%\n", text)
        self.assertNotIn("range", text)

    def test_scaling_json(self):
        told = self.json_of(self.write(*self.RUNS))
        (setting,) = told["settings"]
        self.assertEqual([(point["processors"], point["runs"]) for point in setting["points"]], [(1, 1), (2, 3)])
        self.assertEqual(setting["sequential_source"], "the run on 1 rank, runs.jsonl:1")
        self.assertAlmostEqual(setting["points"][1]["speedup_relative"], 1.6875, 12)

    def test_only_the_number_of_ranks_may_differ_within_a_setting(self):
        name = self.write(quiet(1, 1.0), quiet(2, 0.9, options={"size": 5}), quiet(2, 0.8, options={"size": 6}))
        told = self.json_of(name)
        self.assertEqual([setting["options"].get("size") for setting in told["settings"]], [5, 6, None])
        self.assertIsNone(told["settings"][0]["points"][0]["E_relative"])

    def test_a_disturbed_sequential_run_is_told(self):
        name = self.write(record(10.0, [rank(0, 8.0, 0.0, stolen_s=2.0)]), quiet(2, 0.9))
        self.assertIn("note  20.0 % of the time of the runs on 1 rank was stolen:", self.metrics(name).stdout)

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
        self.assertIn("50.0 % of the time of the runs on 1 rank was stolen", " ".join(setting["notes"]))

    def test_runs_that_measure_their_work_anew_are_told(self):
        measured = [{"rounds_are_measured": True, "rounds_per_second": rate} for rate in (100, 101)]
        name = self.write(*(quiet(2, 0.9 - 0.1 * number, options=options) for number, options in enumerate(measured)))
        done = self.metrics(name)
        self.assertIn("medians of 2 runs", done.stdout)
        self.assertIn("note  each run measured anew how many rounds a second has", done.stdout)

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
        self.assertEqual(failed_note, "results/runs.jsonl:2: left out, for the run did not succeed (timeout)")
        self.assertRegex(open_note, r"^results/runs.jsonl:4: .* 80.00 % .*; left out$")
        self.assertEqual(torn_note, "results/runs.jsonl:5: left out, for the line is torn")

    def test_isoefficiency(self):
        name = self.write(*(quiet(ranks, efficiency, size, options={"size": size})
                            for ranks, efficiency, size in ((2, 0.6, 1), (2, 0.8, 4), (4, 0.5, 4), (4, 0.6, 16))))
        told = self.json_of(name, "--keep", "0.7")
        self.assertEqual(told["isoefficiency"][1], {"processors": 4, "problem_size_s": None, "overhead_s": None})
        self.assertAlmostEqual(told["isoefficiency"][0]["problem_size_s"], 2, 9)
        text = self.metrics(name, "--keep", "0.7").stdout
        self.assertRegex(text, r"(?m)^2  2\.00 s  1\.00 s  857 ms\n4       -       -       -\nnote  where no W stands, no two of the sizes")

    def test_real_runs(self):
        for ranks in (1, 2):
            words = [SYNTHETIC, "--iterations", "200", "--cost", "constant:200us", "--rounds-per-second", "100000000",
                     "--json", str(self.folder / "real.jsonl")]
            subprocess.run([MPIRUN, "-q", "--oversubscribe", "-np", str(ranks), *words], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
        (setting,) = self.json_of("real.jsonl")["settings"]
        for point in setting["points"]:
            self.assertTrue(0 < point["E"] <= 1)
            self.assertAlmostEqual(point["E"], point["parallel_efficiency"], delta=0.01)
            classical = point["speedup_relative"] / point["processors"]
            self.assertAlmostEqual(point["E"] - classical, point["E_minus_relative"], 9)


class Profiles(MetricsCase):
    """Of any MPI program; what they hold is tested beside the recorder."""

    def profile(self, name, ranks):
        done = subprocess.run([TOOL, "profile", "-o", name, "--", MPIRUN, "-q", "--oversubscribe", "-np", str(ranks),
                               SYNTHETIC, "--iterations", "200", "--cost", "constant:200us", "--rounds-per-second",
                               "100000000"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name

    def test_figures_of_a_run(self):
        told = self.json_of(self.profile("two", 2))
        self.assertEqual((told["processors"], told["options"], told["sources"]), (2, {"measured_by": "profile"}, ["two"]))
        self.assertIn("synthetic", told["program"])
        self.assertTrue(0 < told["E"] < 1)
        self.assertAlmostEqual(told["E"], told["parallel_efficiency"], delta=0.01)

    def test_losses_by_call_and_place(self):
        name = self.profile("two", 2)
        told = self.json_of(name)
        losses = told["losses"]
        self.assertEqual(losses, sorted(losses, key=lambda loss: -loss["seconds"]))
        self.assertIn("MPI_Barrier", {loss["call"] for loss in losses})
        moved_s = sum(loss["seconds"] for loss in losses if loss["waiting_for"] is None)
        self.assertAlmostEqual(moved_s, told["communicating_s"], delta=0.001 * told["cost_s"])
        self.assertRegex(self.metrics(name).stdout, r"(?m)^MPI_\w+ +(moving data|waiting: [\w ]+) +\S.* +\d+\.\d$")

    def test_scaling(self):
        (setting,) = self.json_of(self.profile("one", 1), self.profile("two", 2))["settings"]
        self.assertEqual([point["processors"] for point in setting["points"]], [1, 2])
        self.assertEqual(setting["sequential_source"], "the run on 1 rank, one")

    def test_a_truncated_one_is_refused(self):
        whole = (self.folder / self.profile("two", 2)).read_bytes()
        (self.folder / "torn").write_bytes(whole[:300])
        done = self.metrics("torn")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^loadshare: cannot read the profile torn \(it is truncated")


class Plot(MetricsCase):
    def test_plots(self):
        name = self.write(*SeveralRuns.RUNS)
        done = self.metrics(name, "--plot", "scaling.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(SCALING))
        svg = (self.folder / "scaling.svg").read_text(encoding="utf-8")
        for text in ("synthetic", "by granularity", "relative", "ranks p", "speedup", "efficiency"):
            self.assertIn(f">{text}<", svg)
        done = self.metrics(name, "--plot", "scaling.png")
        self.assertEqual((done.returncode, (self.folder / "scaling.png").read_bytes()[:4]), (0, b"\x89PNG"))

    def test_what_cannot_be_plotted(self):
        name = self.write(quiet(2, 0.9))
        self.assert_refused("there is nothing to plot over (every setting ran on one number of ranks only) give runs on "
                            "several numbers of ranks", name, "--plot", "a.svg")
        self.assert_refused("--plot is 'a.pdf' (its ending says which kind of image) end it in .svg or .png", name,
                            "--plot", "a.pdf")
        self.assertEqual([path.name for path in self.folder.iterdir()], [name])


class BadInput(MetricsCase):
    GOOD = quiet(2, 0.9)

    def assert_record_refused(self, text, changed):
        self.assert_refused(f"runs.jsonl:2: {text}", self.write(quiet(2, 0.8), changed))

    def without(self, key):
        return {name: value for name, value in self.GOOD.items() if name != key}

    def with_rank(self, **fields):
        return {**self.GOOD, "ranks": [self.GOOD["ranks"][0], {**self.GOOD["ranks"][1], **fields}]}

    DAMAGED = "the file is damaged, or was not written by loadshare"

    def test_files(self):
        self.assert_refused("cannot read none.jsonl (no such file or directory)", "none.jsonl")
        (self.folder / "empty").write_text("")
        self.assert_refused("empty holds no runs (it is empty) give what a program wrote with --json, or a profile", "empty")
        (self.folder / "folder").mkdir()
        self.assert_refused("folder is not a sweep's folder (it has no runs.jsonl) name a file, or the folder that "
                            "loadshare sweep wrote", "folder")
        give = "give what a program wrote with --json, a sweep's folder, or a profile"
        (self.folder / "text").write_text("hello\n")
        self.assert_refused(f"text:1: this line is no JSON (a record stands on one line) {give}", "text")
        (self.folder / "other").write_text('{"schema": 1, "sizes": []}\n')
        self.assert_refused(f"other:1: this is no run record (it lacks schema, makespan_s or ranks) {give}", "other")

    def test_a_torn_last_line_is_told_and_a_torn_one_before_is_refused(self):
        whole = lines(self.GOOD)
        (self.folder / "a").write_text(whole + whole[:300])
        self.assertTrue(self.metrics("a").stdout.endswith("note  a:2: left out, for the line is torn\n"))
        (self.folder / "b").write_text(whole[:300] + "\n" + whole)
        self.assertRegex(self.metrics("b").stderr, r"^loadshare: b:1: this line is no JSON ")
        (self.folder / "c").write_text(whole[:300])
        self.assert_refused("c holds no runs (c:1: left out, for the line is torn) give what a program wrote with --json, or a profile",
                            "c")

    def test_another_schema(self):
        self.assert_record_refused("a record of schema 2 (this program reads 1) use the loadshare that wrote it",
                                   {**self.GOOD, "schema": 2})
        self.assert_refused("s:1: a sweep's run of schema 3 (this program reads 1) use the loadshare that wrote it",
                            self.write({"schema": 3, "record": self.GOOD}, name="s"))

    def test_fields(self):
        self.assert_record_refused(f"the record has no 'workers' (every record has one) {self.DAMAGED}",
                                   self.without("workers"))
        self.assert_record_refused(f"rank 1 has no 'host' (every record has one) {self.DAMAGED}", {
            **self.GOOD, "ranks": [self.GOOD["ranks"][0],
                                   {key: value for key, value in self.GOOD["ranks"][1].items() if key != "host"}]})
        self.assert_record_refused(f"'computing_s' of rank 1 is -1 (times are not negative) {self.DAMAGED}",
                                   self.with_rank(computing_s=-1.0))
        self.assert_record_refused(f"'stolen_s' of rank 1 is \"0\" (it must be a time in seconds) {self.DAMAGED}",
                                   self.with_rank(stolen_s="0"))
        self.assert_record_refused(f"'capacity' of rank 1 is 0 (it is more than 0 and at most 1) {self.DAMAGED}",
                                   self.with_rank(capacity=0.0))
        self.assert_record_refused(f"unknown role 'boss' (there are worker, master, working master and peer) {self.DAMAGED}",
                                   self.with_rank(role="boss"))
        self.assert_record_refused(f"some ranks tell their idle time and some do not (the ranks are of different runs) "
                                   f"{self.DAMAGED}", self.with_rank(idle_s=None))

    def test_ranks(self):
        again = "make the run again"
        self.assert_record_refused(f"1 of 2 workers are in 'ranks' (ranks are missing or too many) {again}",
                                   {**self.GOOD, "ranks": self.GOOD["ranks"][:1]})
        self.assert_record_refused(f"a rank is there twice (runs are mixed up) {again}", self.with_rank(rank=0))
        self.assert_record_refused(f"the ranks have gaps between them (some are missing, or are of another run) {again}",
                                   self.with_rank(rank=2))
        self.assert_record_refused(f"'workers' is 2 and among the options 3 (runs are mixed up) {again}",
                                   {**self.GOOD, "options": {"workers": 3}})

    def test_times(self):
        self.assert_record_refused("the run time is 0 s (nothing can be said of a run that took no time) make the problem "
                                   "larger", {**self.GOOD, "makespan_s": 0.0})
        self.assert_record_refused("the account of rank 1 does not close: its times make up 90.00 % of the run time (1 % "
                                   "may be missing or too much; every figure would be wrong by that) run it again",
                                   self.with_rank(idle_s=0.0))

    def test_the_same_run_twice(self):
        name = self.write(self.GOOD, quiet(2, 0.8), self.GOOD)
        self.assert_refused("runs.jsonl:3: the same run again (it is runs.jsonl:1) give each run once", name)
        self.assert_refused("./runs.jsonl is given twice (each run is to count once)", name, f"./{name}")

    def test_options(self):
        name = self.write(self.GOOD)
        self.assert_refused("--t-real is '1s' (it must be a number) write it as 12.5", name, "--t-real", "1s")
        self.assert_refused("--speeds is 0 (it must be more than 0)", name, "--speeds", "1,0")
        self.assert_refused("--speeds has 3 speeds (the ranks of the largest run are 2) give one for each of its ranks", name,
                            "--speeds", "1,1,3")
        self.assert_refused("there is no rank 2 (the ranks of the largest run are 0 to 1) name another as the reference", name,
                            "--reference-rank", "2")
        self.assert_refused("isoefficiency of one problem size (it takes runs of at least two sizes) give more files", name,
                            "--keep", "0.8")
        two = self.write(self.GOOD, quiet(2, 0.9, options={"size": 2}))
        self.assert_refused("one sequential time for 2 settings (it is the time of one problem) give the files of one "
                            "setting at a time", two, "--t-real", "3")
        self.assert_refused("the efficiency to keep is 1 (it lies between 0 and 1, without these two)", two, "--keep", "1")

    def test_outputs_are_no_inputs(self):
        name = self.write(self.GOOD)
        done = self.metrics(name, "--json", name)
        self.assertEqual(done.returncode, 2)
        self.assertEqual((self.folder / name).read_text(), lines(self.GOOD))

    def test_outputs_are_not_what_a_sweep_keeps_in_its_folder(self):
        (self.folder / "sweep").mkdir()
        self.write(self.GOOD, name="sweep/runs.jsonl")
        (self.folder / "sweep/sweep.json").write_text("{}")
        for name in ("runs.jsonl", "sweep.json"):
            self.assert_refused(f"FILE and --json are the same file (sweep/{name}) name another file", "sweep", "--json",
                                f"sweep/{name}")
        self.assertEqual((self.folder / "sweep/runs.jsonl").read_text(), lines(self.GOOD))
        self.assert_refused("sweep/runs.jsonl is given twice (each run is to count once)", "sweep", "sweep/runs.jsonl")


if __name__ == "__main__":
    unittest.main()
