"""`loadshare predict` and `loadshare compare` as a user sees them, on records whose times are made."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from metrics_runs import lines, rank, record

TOOL = os.environ["LOADSHARE_TOOL"]
COLUMN_S = 0.01
SPEEDS = (1.0, 0.45)  # so that no two chunks end at the same time
FREE = "latency=0s,bandwidth=1000GB/s"  # messages that cost nothing


def chunks(size, speeds=SPEEDS, iterations=400):
    """Chunks of one size, handed to who is free first: what a run without any cost beside computing would do."""
    ends, made, first = [0.0] * len(speeds), [], 0
    while first < iterations:
        worker = min(range(len(speeds)), key=lambda one: ends[one])
        size = min(size, iterations - first)
        begun_s, ended_s = ends[worker], ends[worker] + size * COLUMN_S / speeds[worker]
        made.append({"first": first, "size": size, "worker": worker, "assigned_s": begun_s, "received_s": begun_s,
                     "begun_s": begun_s, "ended_s": ended_s, "returned_s": ended_s, "cpu_s": ended_s - begun_s,
                     "duplicate": False})
        ends[worker], first = ended_s, first + size
    return made, max(ends)


def run(size, **fields):
    made, makespan_s = chunks(size)
    rows = [rank(number, makespan_s, 0.0) for number in range(len(SPEEDS))]
    rows[0]["role"] = "working master"
    loop = {"input_bytes": 0, "result_bytes": 0, "shared_bytes": 0, "shared_piece_bytes": 0, "work": None}
    return record(makespan_s, rows, **{"scheduler": f"send:size={size}", "chunks": made, "loop": loop, **fields})


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def tool(self, *words):
        return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def keep(self, name, *records):
        (self.folder / name).write_text(lines(*records))
        return name

    def json_of(self, *words):
        done = self.tool(*words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, words, *parts):
        done = self.tool(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class Predict(Case):
    BY_HAND = ("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,0.45", "--costs", FREE)

    def test_a_loop_by_hand(self):
        told = self.json_of(*self.BY_HAND, "--scheduler", "send:4", "send:99", "--replicates", "1")
        by_spec = {one["scheduler"]: one for one in told["predictions"]}
        # What a farm itself costs is some 0.4 ms a chunk by messages, and as much again in naps.
        self.assertAlmostEqual(by_spec["send:size=4"]["makespan_s"], chunks(4)[1], delta=0.03)
        self.assertAlmostEqual(by_spec["send:size=99"]["makespan_s"], chunks(99)[1], delta=0.01)
        self.assertAlmostEqual(by_spec["send:size=4"]["work_bound_s"], 4 / 1.45, places=3)
        self.assertEqual(told["choice"]["scheduler"], "send:size=4")
        self.assertFalse(told["choice"]["is_tie"])

    def test_a_run_tells_the_cost_and_the_speeds(self):
        self.keep("runs.jsonl", run(4), run(20))
        told = self.json_of("predict", "runs.jsonl", "--costs", FREE, "--scheduler", "send:10", "--replicates", "1")
        self.assertAlmostEqual(told["predictions"][0]["makespan_s"], chunks(10)[1], delta=0.03)
        self.assertEqual([host["name"] for host in told["setting"]["hosts"]], ["node0", "node1"])
        self.assertEqual(told["setting"]["runs"], 2)

    def test_what_a_person_reads(self):
        done = self.tool(*self.BY_HAND, "--scheduler", "gss", "send:3", "--load", "on=1s,off=1s,phase=random")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("loop: 400 iterations on 2 ranks (1 of speed 0.45, 1 of speed 1), the master works on host1",
                     "the load on=1s,off=1s,phase=random", "9 of 10 from", "gss", "send:size=3", "bound",
                     "no run of it is shorter than: its work "):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_replicates_are_the_same_for_every_technique_and_run(self):
        words = (*self.BY_HAND, "--load", "on=1s,off=1s,phase=random", "--scheduler", "send:40", "gss:9")
        once, again = self.json_of(*words), self.json_of(*words)
        self.assertEqual(once["predictions"], again["predictions"])
        alone = self.json_of(*words[:-2], "gss:9")
        self.assertEqual(alone["predictions"][0], once["predictions"][1])
        makespans = once["predictions"][0]["makespans_s"]
        self.assertEqual(len(makespans), 30)
        self.assertGreater(len(set(makespans)), 20)
        self.assertLessEqual(once["predictions"][0]["low_s"], once["predictions"][0]["makespan_s"])

    def test_without_a_list_those_worth_trying_are_predicted(self):
        told = self.json_of(*self.BY_HAND)
        names = {one["scheduler"].split(":")[0] for one in told["predictions"]}
        self.assertEqual(names, {"send", "gss", "factoring", "tss", "adaptive"})

    def test_what_was_not_measured_is_said(self):
        words = ("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,0.5")
        self.assertIn("what messages cost was not measured", self.tool(*words).stdout)
        self.assert_refused((*words, "--strict"), "no calibration for these hosts (", "loadshare calibrate")

    def test_a_picture(self):
        done = self.tool(*self.BY_HAND, "--scheduler", "gss", "--plot", "g.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "g.png").read_bytes()[:4], b"\x89PNG")

    def test_bad_input(self):
        self.keep("empty.jsonl")
        self.keep("wrong.jsonl", run(4, verified=False))
        self.keep("old.jsonl", {key: value for key, value in run(4).items() if key != "loop"})
        self.keep("two.jsonl", run(4), run(4, iterations=500))
        self.keep("untimed.jsonl", run(4, chunks=[]))
        for words, *parts in (
                (("predict",), "no loop to predict ("),
                (("predict", "none.jsonl"), "cannot read none.jsonl ("),
                (("predict", "empty.jsonl"), "empty.jsonl holds no runs (it is empty)"),
                (("predict", "wrong.jsonl"), "the run's result was found wrong"),
                (("predict", "old.jsonl"), "a record does not tell what travels (", "make the run again"),
                (("predict", "two.jsonl"), "runs of different loops: synthetic of 400 iterations"),
                (("predict", "untimed.jsonl"), "no run tells what an iteration costs ("),
                ((*self.BY_HAND, "--scheduler", "gsss"), "unknown scheduler 'gsss'", "gss"),
                ((*self.BY_HAND, "--replicates", "0"), "--replicates is 0"),
                ((*self.BY_HAND, "--master-rank", "2"), "the master is rank 2 ("),
                ((*self.BY_HAND, "--master", "rests"), "--master"),
                ((*self.BY_HAND, "--prefetch", "-1"), "--prefetch is -1"),
                ((*self.BY_HAND, "--plot", "g.gif"), "--plot is 'g.gif'"),
                (("predict", "--iterations", "9", "--cost", "1ms"), "no hosts ("),
                (("predict", "--iterations", "9", "--cost", "-1ms", "--hosts", "1"), "--cost is '-1ms'"),
                (("predict", "--iterations", "9", "--cost", "1ms", "--hosts", "1,0"), "speed"),
                (("predict", "--iterations", "9", "--cost", "1ms", "--hosts", "1", "--master", "coordinates"),
                 "nobody is left to work")):
            with self.subTest(words=words):
                self.assert_refused(words, *parts)


class Compare(Case):
    def compared(self, *records, words=()):
        self.keep("runs.jsonl", *records)
        return self.json_of("compare", "runs.jsonl", "--costs", FREE, *words)

    def of_sweep(self, point, size):
        return {"schema": 1, "experiment": "one", "point": point, "status": "ok", "record": run(size)}

    def test_each_technique_is_predicted_from_the_others(self):
        told = self.compared(run(4), run(10), run(40), run(100))
        (setting,) = told["settings"]
        self.assertEqual([point["scheduler"] for point in setting["points"]],
                         ["send:size=4", "send:size=10", "send:size=40", "send:size=100"])
        for point in setting["points"]:
            self.assertAlmostEqual(point["error"], 0, delta=0.03)
        self.assertEqual((setting["best"], setting["chosen"]), ("send:size=4", "send:size=4"))
        self.assertEqual((setting["regret"], setting["order"]), (0, 1))
        self.assertIsNone(told["with_load"])
        self.assertEqual(told["without_load"]["points"], 4)

    def test_a_wrong_prediction_shows(self):
        slow = run(40)
        slow["makespan_s"] *= 2
        setting = self.compared(run(4), run(20), slow)["settings"][0]
        self.assertLess(setting["points"][2]["error"], -0.4)

    def test_settings_stay_apart(self):
        load = {"spec": "on=1s,off=1s,phase=random,seed=5", "ranks": []}
        told = self.compared(run(4), run(20), run(4, load=load), run(20, load=load))
        self.assertEqual([setting["has_load"] for setting in told["settings"]], [False, True])
        self.assertEqual(told["with_load"]["points"], 2)

    def test_sweeps_may_have_experiments_of_one_name(self):
        for folder in ("a", "b"):
            (self.folder / folder).mkdir()
            self.keep(f"{folder}/runs.jsonl", *(self.of_sweep(f"one/scheduler=send:{size}", size) for size in (4, 20)))
        told = self.json_of("compare", "a", "b/", "--costs", FREE)
        self.assertEqual([(setting["sweep"], setting["experiment"]) for setting in told["settings"]],
                         [("a", "one"), ("b", "one")])
        for setting in told["settings"]:
            self.assertTrue(setting["name"].endswith(", in " + setting["sweep"]), setting["name"])
            self.assertEqual([point["point"] for point in setting["points"]],
                             ["one/scheduler=send:4", "one/scheduler=send:20"])

    def test_points_of_one_technique_stay_apart(self):
        (self.folder / "a").mkdir()
        points = [(size, kernel) for size in (4, 20) for kernel in ("naive", "tuned")]
        self.keep("a/runs.jsonl", *(self.of_sweep(f"one/scheduler=send:{size}/kernel={kernel}", size)
                                    for size, kernel in points))
        (setting,) = self.json_of("compare", "a", "--costs", FREE)["settings"]
        self.assertEqual([point["point"] for point in setting["points"]],
                         [f"one/scheduler=send:{size}/kernel={kernel}" for size, kernel in points])

    def test_a_model_from_other_runs(self):
        self.keep("own.jsonl", run(10))
        told = self.compared(run(20), words=("--from", "own.jsonl"))
        self.assertAlmostEqual(told["settings"][0]["points"][0]["error"], 0, delta=0.03)

    def test_what_a_person_reads(self):
        self.keep("runs.jsonl", run(4), run(100))
        done = self.tool("compare", "runs.jsonl", "--costs", FREE)
        for text in ("predicted beside measured", "send:size=100", "regret 0.0 %", "makespan without a load",
                     "ninth decile%"):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_bad_input(self):
        self.keep("one.jsonl", run(4))
        self.assert_refused(("compare", "one.jsonl"), "nothing to predict send:size=4 from (", "--from")
        self.assert_refused(("compare", "one.jsonl", "--from", "one.jsonl", "--hosts", "1"), "--hosts has 1 hosts (")
        self.assertNotEqual(self.tool("compare").returncode, 0)


if __name__ == "__main__":
    unittest.main()
