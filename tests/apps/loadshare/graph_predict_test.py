"""`loadshare graph predict` as a user sees it, on profiles of real runs, and calibrations of hand-made files."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = os.environ["LOADSHARE_TOOL"]
MPIRUN = os.environ["LOADSHARE_MPIRUN"]
INTEGER_SORT = os.environ["LOADSHARE_INTEGER_SORT"]
SLEEPING_RANKS = os.environ["LOADSHARE_SLEEPING_RANKS"]
KEYS = {"S": 65536, "W": 1048576}


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(done.stderr)


def profile(path, ranks, *program, settings=()):
    run(TOOL, "profile", "-o", str(path), "--", MPIRUN, "-q", "--oversubscribe", *settings, "-np", str(ranks), *program)


def calibrate(path, *settings):
    run(MPIRUN, "-q", "--oversubscribe", *settings, "-np", "2", TOOL, "calibrate", "--out", str(path), "--modes", "standard",
        "--seconds", "0.5", "--kernel-size", "none", "--collectives", "none", "--progress", "none")


def messages(posted, size, nanoseconds):
    told = {"launch": 0, "sender": 0, "receiver": 1, "mode": "standard", "posted": posted, "bytes": size,
            "sender_ns": [nanoseconds] * 3, "receiver_ns": [nanoseconds] * 3}
    return told if posted == "before" else told | {"has_waited": [int(size >= 65536)] * 3}


# Every message takes 1 us and 1 ns a byte, on both sides alike.
CALIBRATION = {
    "kind": "loadshare calibration", "schema": 1,
    "launches": [{"begun": "2026-01-31T12:00:00Z", "seconds": 12, "seed": 7, "clock_s": 25e-9, "transport": {},
                  "versions": {}, "ranks": [{"host": "n1", "cpus": [0]}, {"host": "n2", "cpus": [0]}]}],
    "messages": [messages(posted, size, 1000 + size) for posted in ("before", "after")
                 for size in (0, 64, 512, 4096, 16384, 65536, 131072, 262144, 524288, 1048576)],
    "round_trips": [{"launch": 0, "sender": 0, "receiver": 1, "ns": [2000, 2000, 2000]}], "chunks": [],
}


class Predict(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        for ranks in (2, 4):
            for name in KEYS:
                profile(cls.folder / f"{name}{ranks}", ranks, INTEGER_SORT, "--class", name, "--progress", "none",
                        "--json", str(cls.folder / f"{name}{ranks}.json"))
        profile(cls.folder / "other", 2, os.environ["LOADSHARE_SYNTHETIC"], "--iterations", "20")
        (cls.folder / "pair.json").write_text(json.dumps(CALIBRATION))

    def predict(self, *words):
        return subprocess.run([TOOL, "graph", "predict", *words], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)

    def sources(self):
        return ["--from", *(f"n={KEYS[name]}:{name}{ranks}" for name in KEYS for ranks in (2, 4))]

    def told(self, *words):
        done = self.predict(*self.sources(), *words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, text, *words):
        done = self.predict(*words)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", f"loadshare: {text}\n", 2))

    def test_the_runs_own_settings(self):
        told = self.told()
        self.assertEqual([point["at"] for point in told["points"]],
                         [{"n": n, "p": p} for n in (65536, 1048576) for p in (2, 4)])
        for point in told["points"]:
            self.assertEqual((point["replicates"], point["extrapolated"]), (200, []))
            self.assertTrue(0 < point["low_s"] < point["predicted_s"] < point["high_s"], point)

    def test_measured_is_what_the_program_took(self):
        """From its own first stamp to its last one, by its own clock, and not MPI's begin and end around it."""
        for point, name in zip(self.told()["points"], ("S2", "S4", "W2", "W4"), strict=True):
            program_s = json.loads((self.folder / f"{name}.json").read_text())["makespan_s"]
            with self.subTest(profile=name, program_s=program_s):
                self.assertGreater(point["measured_s"], 0.99 * program_s)
                self.assertLess(point["measured_s"], self.run_s(name))

    def run_s(self, name):
        done = subprocess.run([TOOL, "metrics", name, "--whole", "--json", "-"], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        return json.loads(done.stdout)["run_s"]

    def test_other_settings(self):
        told = self.told("--at", "n=8388608,p=4", "n=1048576,p=8")
        self.assertEqual(told["program"], "integer_sort")
        larger, wider = told["points"]
        self.assertEqual(larger["extrapolated"], ["n = 8388608 (seen: 65536 to 1048576)"])
        self.assertEqual(wider["extrapolated"], ["p = 8 (seen: 2 to 4)"])
        self.assertIsNone(larger["measured_s"])
        self.assertIn("the runs have only two values of n: with fewer than five no law is chosen; times are "
                      "assumed to be linear in it, and the interval allows for half a power more or less", larger["notes"])
        self.assertGreater(larger["high_s"] / larger["low_s"], 8 ** 0.5)  # as far as n is from the runs
        self.assertIn("the runs have only two values of p: with fewer than five no law is chosen; times are "
                      "assumed to be linear in it, divided by it or independent of it, whichever fits, and the "
                      "interval allows for half a power more or less", wider["notes"])
        self.assertGreater(larger["predicted_s"], self.told("--at", "n=65536,p=4")["points"][0]["predicted_s"])

    def test_the_answer_and_its_assumptions_come_first(self):
        """Other programs may add an assumption of their own."""
        first, found, _ = self.predict(*self.sources(), "--at", "n=8388608,p=4").stdout.partition("\n\n")
        self.assertTrue(found)
        first = " ".join(first.split())
        self.assertRegex(first, r"^integer_sort with n = 8388608, p = 4 takes \S+ m?s \(9 of 10 runs from .*\); messages cost ")
        self.assertIn(" caution: assuming that messages cost as much as in the memory of one host, as in the runs; give", first)
        self.assertIn(" caution: the runs have only two values of n", first)
        self.assertNotIn("caution: assuming that messages",
                         self.predict(*self.sources(), "--costs", "latency=1us,bandwidth=1GB/s").stdout)

    def test_several_settings_are_summed_up_first(self):
        first = " ".join(self.predict(*self.sources()).stdout.partition("\n\n")[0].split())
        self.assertRegex(first, r"^integer_sort: \d settings take from .* to .*; off by \S+ % from the measured times \(median\); ")

    def test_the_graph_is_one_to_evaluate(self):
        costs = ("--costs", "latency=1us,bandwidth=5GB/s")
        told = self.told("--at", "n=1048576,p=4", "--yaml", "sort.yaml", *costs)
        done = subprocess.run([TOOL, "graph", "evaluate", "sort.yaml", "--set", "n=1048576,p=4", "--json", "-", *costs],
                              capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["makespan_s"], told["points"][0]["makespan_s"], places=9)

    def test_one_profile_tells_of_itself_only(self):
        done = self.predict("--from", "n=65536:S2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note  no interval: runs of one setting do not show the errors of the laws", done.stdout)
        self.assert_refused("p = 4 is asked for, and all runs have p = 2 (one value does not show how the program "
                            "depends on p); add runs with other values, at best five",
                            "--from", "n=65536:S2", "n=1048576:W2", "--at", "n=65536,p=4")

    def test_a_calibration_of_other_hosts(self):
        told = self.told("--calibration", "pair.json")
        self.assertEqual(told["costs"], "as calibrated between n1, n2")
        hosts, setup, sharing = [note for note in told["notes"] if "calibration" in note]
        self.assertRegex(setup, "^MPI was configured differently for S2, S4, W2, W4 than for the calibration: ")
        self.assertRegex(hosts, r"^S2, S4, W2, W4 ran on \S+, the calibration is of n1, n2: messages may take "
                               r"different times there$")
        self.assertEqual(sharing, "several ranks of S2, S4, W2, W4 were on one host; messages between them are assumed to "
                                  "cost as much as between the calibration's hosts")

    def test_pairs_on_one_host_are_those_of_runs_on_one(self):
        """Whose messages take a hundredth of those between hosts."""
        within = [{**series, **{key: [time // 100 for time in series[key]] for key in ("sender_ns", "receiver_ns")}}
                  for series in CALIBRATION["messages"]]
        between = [{**series, "receiver": 2} for series in CALIBRATION["messages"]]
        (launch,), (trips,) = CALIBRATION["launches"], CALIBRATION["round_trips"]
        both = {**CALIBRATION, "launches": [{**launch, "ranks": [launch["ranks"][0], *launch["ranks"]]}],
                "messages": within + between, "round_trips": [trips, {**trips, "receiver": 2}]}
        (self.folder / "both.json").write_text(json.dumps(both))
        told = self.told("--calibration", "both.json")
        self.assertEqual(told["costs"], "as calibrated on n1")
        self.assertFalse([note for note in told["notes"] if "several ranks of" in note])
        (self.folder / "within.json").write_text(json.dumps({**both, "messages": within, "round_trips": [trips]}))
        self.assertEqual(told["points"], self.told("--calibration", "within.json")["points"])
        slower = self.told("--calibration", "pair.json")["points"]
        self.assertGreater(slower[0]["makespan_s"], told["points"][0]["makespan_s"])

    def notes_on_setup(self, profile_of_run, calibration):
        done = self.predict("--from", f"n=65536:{profile_of_run}", "--calibration", calibration, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [note for note in json.loads(done.stdout)["notes"] if "calibration" in note]

    def test_a_calibration_of_another_network(self):
        """By what was asked for: the transport of the one is not told by any setting of the other."""
        by_tcp = ("--mca", "btl", "self,tcp")
        calibrate(self.folder / "memory.json")
        calibrate(self.folder / "tcp.json", *by_tcp)
        profile(self.folder / "by_tcp", 2, INTEGER_SORT, "--class", "S", "--progress", "none", settings=by_tcp)
        note = "MPI was configured differently for {} than for the calibration: {}; messages may take different times there"
        self.assertEqual(self.notes_on_setup("S2", "memory.json"), [])
        self.assertEqual(self.notes_on_setup("by_tcp", "tcp.json"), [])
        self.assertEqual(self.notes_on_setup("S2", "tcp.json"), [note.format("S2", "btl is not set, and was 'self,tcp'")])
        (told,) = self.notes_on_setup("by_tcp", "memory.json")  # what MPI's own file set there stands in it, too
        self.assertRegex(told, note.format("by_tcp", "btl is 'self,tcp', and was (not set|'.*')"))

    def test_scripts_are_programs(self):
        text = ("import ctypes\nctypes.CDLL('libmpi.so.40', ctypes.RTLD_GLOBAL)\nmpi = ctypes.CDLL(None)\n"
                "mpi.MPI_Init(None, None)\nmpi.MPI_Finalize()\n")
        for name in ("a", "b"):
            (self.folder / f"{name}.py").write_text(text)
            profile(self.folder / f"of_{name}", 2, sys.executable, "-B", str(self.folder / f"{name}.py"))
        self.assert_refused("of_a is of python a.py, of_b of python b.py (a graph is built from runs of one program)",
                            "--from", "n=1:of_a", "n=2:of_b")
        done = self.predict("--from", "n=1:of_a", "--yaml", "a.yaml")
        self.assertTrue(done.stdout.startswith("python a.py with n = 1, p = 2 takes "), done.stdout)
        done = subprocess.run([TOOL, "graph", "show", "a.yaml"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bad_input(self):
        here = self.sources()
        self.assert_refused("S2 is of integer_sort, other of synthetic (a graph is built from runs of one program)",
                            "--from", "n=65536:S2", "n=65536:other")
        self.assert_refused("--from has 'p=2' (p is the number of ranks, which the profile records); leave it out",
                            "--from", "n=65536,p=2:S2")
        self.assert_refused("--from has 'n=0' (parameters must be positive)", "--from", "n=0:S2")
        self.assert_refused("--at has 'n=-5' (parameters must be positive)", *here, "--at", "n=-5,p=2")
        self.assert_refused("--at is 'n=5' (it has no value for p)", *here, "--at", "n=5")
        self.assert_refused("--at has 'm' (no run has a parameter of that name); give it with every run: --from "
                            "m=...:FILE", *here, "--at", "m=5,p=2")
        self.assert_refused("the name 'rank' is taken (it already has a meaning here); choose another",
                            "--from", "rank=65536:S2", "rank=1048576:W2")
        self.assert_refused("'n m' is not a valid name (a name is a letter, then letters, digits and _)",
                            "--from", "n m=65536:S2", "n m=1048576:W2")
        self.assert_refused("n = 65536, p = 4 is asked for, but the runs vary n and p only together (the effects of "
                            "the two cannot be separated); add runs in which only one of them differs",
                            "--from", "n=65536:S2", "n=1048576:W4", "--at", "n=65536,p=4")
        self.assert_refused("S2 and W2 have different parameters (a graph is built from runs that all have the same "
                            "ones)", "--from", "n=65536:S2", "m=1048576:W2")

    def test_reports_are_no_inputs(self):
        (self.folder / "a:b").write_bytes((self.folder / "S2").read_bytes())
        for word, path in (("n=65536:S2", "S2"), ("a:b", "a:b")):
            done = self.predict("--from", word, "--json", path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^loadshare: .*--json")
        self.assertEqual((self.folder / "a:b").read_bytes(), (self.folder / "S2").read_bytes())


class Laws(unittest.TestCase):
    def test_times_that_are_known(self):
        """Of ranks that sleep for n / p microseconds, so long that a busy machine adds little to it."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        runs = [(n, p) for n in (800000, 6400000) for p in (2, 4)]
        for n, p in runs:
            profile(pathlib.Path(scratch.name) / f"{n}.{p}", p, SLEEPING_RANKS, str(n))
        done = subprocess.run([TOOL, "graph", "predict", "--from", *(f"n={n}:{n}.{p}" for n, p in runs), "--at",
                               *(f"n={n},p={p}" for n, p in runs), "n=25600000,p=8", "--costs",
                               "latency=0us,bandwidth=1000GB/s", "--json", "-"], capture_output=True, text=True, timeout=60,
                              cwd=scratch.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        points = json.loads(done.stdout)["points"]
        for (n, p), point in zip([*runs, (25600000, 8)], points, strict=True):
            self.assertAlmostEqual(point["makespan_s"], 1e-6 * n / p, delta=0.2e-6 * n / p, msg=point)


class Calibrated(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "pair.json").write_text(json.dumps(CALIBRATION))
        (self.folder / "g.yaml").write_text("""\
name: g
parameters: {p: 2}
processes:
  - ranks: 0
    steps:
      - compute: 1
      - send: {to: 1, bytes: 4096}
  - ranks: 1
    steps:
      - receive: {from: 0}
""")

    def evaluate(self, *words):
        return subprocess.run([TOOL, "graph", "evaluate", "g.yaml", "--calibration", "pair.json", *words],
                              capture_output=True, text=True, timeout=60, cwd=self.folder)

    def test_messages_cost_what_was_measured(self):
        done = self.evaluate("--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["makespan_s"], 1 + 5096e-9, delta=1e-9)

    def test_sizes_that_were_not_measured_are_named(self):
        graph = self.folder / "g.yaml"
        graph.write_text(graph.read_text().replace("bytes: 4096", "bytes: 4194304"))
        done = self.evaluate("--json", "-")
        self.assertEqual(json.loads(done.stdout)["notes"],
                         ["extrapolated: messages of 4,194,304 bytes (measured: 0 to 1,048,576)"])

    def with_collectives(self, graph_bytes):
        """An alltoall of 2 ranks that takes a second and a microsecond a byte, whatever its messages take."""
        calls = [{"launch": 0, "call": "alltoall", "ranks": 2, "bytes": size, "ns": [10**9 + 1000 * size] * 3}
                 for size in (4, 64, 512, 4096, 16384, 65536)]
        (self.folder / "pair.json").write_text(json.dumps(CALIBRATION | {"collectives": calls}))
        (self.folder / "g.yaml").write_text(f"""\
name: g
parameters: {{p: 2}}
processes:
  - ranks: all
    steps:
      - compute: rank
      - alltoall: {{bytes: {graph_bytes}}}
""")

    def test_whole_collective_calls_cost_what_was_measured(self):
        self.with_collectives(1000)
        told = json.loads(self.evaluate("--json", "-").stdout)
        self.assertAlmostEqual(told["makespan_s"], 1 + 1.001, delta=1e-6)
        self.assertEqual(told["costs"], "as calibrated between n1, n2, collective calls as measured among 2 ranks")
        as_messages = json.loads(self.evaluate("--json", "-", "--collectives", "messages").stdout)
        self.assertLess(as_messages["makespan_s"], 1.001)

    def test_sizes_of_calls_that_were_not_measured_are_named(self):
        self.with_collectives(1000000)
        told = json.loads(self.evaluate("--json", "-").stdout)
        self.assertAlmostEqual(told["makespan_s"], 1 + 1 + 1, delta=1e-6)
        self.assertEqual(told["notes"], ["extrapolated: alltoall of 2 ranks with 1,000,000 bytes (measured: 4 to 65,536)"])

    def test_the_calibration_is_not_written_over(self):
        done = self.evaluate("--json", "pair.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^loadshare: .*--json")
        self.assertEqual(json.loads((self.folder / "pair.json").read_text()), CALIBRATION)


if __name__ == "__main__":
    unittest.main()
