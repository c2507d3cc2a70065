"""`loadshare calibrate` as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from processes import in_one_line

TOOL = os.environ["LOADSHARE_TOOL"]
MPIRUN = os.environ["LOADSHARE_MPIRUN"]
BRIEF = ("--seconds", "0.2", "--max-bytes", "1MiB", "--progress", "none")
CALLS = ("barrier", "allreduce", "allgather", "alltoall", "alltoallv")
KNOWN = ("valid: barrier, bcast, reduce, gather, scatter, allreduce, allgather, alltoall, "
         "alltoallv, or none by itself")
ROOTED = ("bcast", "reduce", "gather", "scatter")
KINDS = {("standard", "before"), ("standard", "after"), ("buffered", "before"), ("buffered", "after"),
         ("synchronous", "before"), ("synchronous", "after"), ("ready", "before")}
LATE = "start 2 ranks or more: mpirun -q -np 2 loadshare calibrate --out pair.json"


def command(ranks, *words, settings=()):
    launcher = [] if ranks is None else [MPIRUN, "-q", "--oversubscribe", *settings, "-np", str(ranks)]
    return [*launcher, TOOL, "calibrate", *words]


class CalibrateCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def calibrate(self, ranks, *words, settings=()):
        done = subprocess.run(command(ranks, *words, settings=settings), capture_output=True, text=True, timeout=60, cwd=self.folder)
        done.stderr = in_one_line(done.stderr)
        return done

    def calibration(self, ranks, *words, brief=BRIEF):
        done = self.calibrate(ranks, "--out", "pair.json", *brief, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return json.loads((self.folder / "pair.json").read_text())

    def assert_refused(self, ranks, text, *words):
        done = self.calibrate(ranks, *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name != "old.json"], [])


class Measures(CalibrateCase):
    def test_a_pair_and_appends_another_launch(self):
        first = self.calibration(2, "--kernel-size", "64")
        self.assertEqual({(series["mode"], series["posted"]) for series in first["messages"]}, KINDS)
        self.assertEqual({(series["sender"], series["receiver"]) for series in first["messages"]}, {(0, 1)})
        for kind in KINDS:
            sizes = [s["bytes"] for s in first["messages"] if (s["mode"], s["posted"]) == kind]
            self.assertLessEqual({0, 1, 64, 2**20}, set(sizes))
        self.assertEqual([burst["bytes"] for burst in first["bursts"]], [4**k for k in range(9)])
        self.assertTrue(all(burst["messages"] >= 8 and burst["ns"] for burst in first["bursts"]))
        self.assertEqual([place["cpus"] != [] for place in first["launches"][0]["ranks"]], [True, True])
        self.assertIn("btl_tcp_eager_limit", first["launches"][0]["transport"])
        self.assertEqual(first["launches"][0]["asked_for"].get("btl_tcp_eager_limit"), None, "it is MPI's own")
        self.assertEqual(set(first["launches"][0]["versions"]), {"loadshare", "mpi", "system"})
        self.assertEqual([(chunks["rank"], chunks["columns"]) for chunks in first["chunks"]],
                         [(rank, width) for rank in (0, 1) for width in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)])
        second = self.calibration(2, "--append", "--seed", "2")
        self.assertEqual([launch["seed"] for launch in second["launches"]], [1, 2])
        self.assertEqual(second["messages"][:len(first["messages"])], first["messages"])
        self.assertEqual({series["launch"] for series in second["messages"][len(first["messages"]):]}, {1})
        done = self.calibrate(3, "--out", "pair.json", "--append", *BRIEF)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "loadshare: cannot append to pair.json (the ranks are 3, and were 2); give another --out FILE\n"))
        done = self.calibrate(2, "--out", "pair.json", "--append", *BRIEF,
                              settings=("--mca", "btl_tcp_eager_limit", "1024"))
        self.assertEqual((done.returncode, done.stderr),
                         (2, "loadshare: cannot append to pair.json (btl_tcp_eager_limit is '1024', and was '65536'); give "
                             "another --out FILE\n"))

    def test_the_master_with_every_other_rank(self):
        told = self.calibration(3, "--modes", "ready,standard", "--kernel-size", "none", "--min-bytes", "100",
                                "--collective-seconds", "0.5")
        self.assertEqual({(series["sender"], series["receiver"]) for series in told["messages"]}, {(0, 1), (0, 2)})
        self.assertEqual({series["mode"] for series in told["messages"]}, {"ready", "standard"})
        self.assertEqual(min(series["bytes"] for series in told["messages"]), 100)
        self.assertEqual(told["chunks"], [])
        self.assertEqual({(series["ranks"], series["call"]) for series in told["collectives"]},
                         {(ranks, call) for ranks in (2, 3) for call in CALLS})
        self.assertEqual({(series["ranks"], series["call"]) for series in told["rooted_calls"]},
                         {(ranks, call) for ranks in (2, 3) for call in ROOTED})
        for series in told["rooted_calls"]:
            self.assertTrue(all(min(begun) == 0 for begun in series["begun_ns"]), series)

    def test_some_partners_and_calls(self):
        told = self.calibration(3, "--partners", "1", "--collectives", "allreduce,barrier,gather",
                                "--collective-seconds", "0.5",
                                "--kernel-size", "none")
        self.assertEqual({(series["sender"], series["receiver"]) for series in told["messages"]}, {(0, 1)})
        self.assertEqual({series["call"] for series in told["collectives"]}, {"allreduce", "barrier"})
        for series in told["collectives"]:
            self.assertGreater(min(series["ns"]), 0)
            self.assertEqual(series["bytes"] == 0, series["call"] == "barrier")
        done = subprocess.run([TOOL, "calibration", "show", "pair.json"], capture_output=True, text=True, cwd=self.folder,
                              timeout=60)
        self.assertIn("3 ranks together, from the last rank's start of a call to the last rank's end, medians:", done.stdout)
        self.assertIn("3 ranks together, from the start of the last rank that a rank waits for to its own end, longest:",
                      done.stdout)

    def test_sizes_that_are_asked_for(self):
        told = self.calibration(2, "--kernel-size", "none", "--sizes", "4KiB,100,100000", brief=("--progress", "none",
                                                                                                 "--seconds", "1"))
        for kind in KINDS:
            self.assertEqual([s["bytes"] for s in told["messages"] if (s["mode"], s["posted"]) == kind],
                             [100, 4096, 100000])

    def test_an_interrupted_one_leaves_the_old_file(self):
        (self.folder / "pair.json").write_text("old")
        run = subprocess.Popen(command(2, "--out", "pair.json", "--seconds", "50", "--progress", "lines"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.assertIn("rank 0 to 1", run.stderr.readline(), "it measures")
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual([(path.name, path.read_text()) for path in self.folder.iterdir()], [("pair.json", "old")])


class Launched(CalibrateCase):
    def test_by_another_mpis_launcher(self):
        done = subprocess.run(command(None, "--out", "pair.json", *BRIEF), capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env=os.environ | {"PMI_RANK": "0", "PMI_SIZE": "2"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("loadshare: MPI connects 1 of 2 processes", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_with_different_options(self):
        one = ["-np", "1", *command(None, "--out", "pair.json", *BRIEF)]
        done = subprocess.run([MPIRUN, "-q", "--oversubscribe", *one, ":", *one, "--seed", "2"], capture_output=True, text=True,
                              timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("ranks have different options", done.stderr)
        self.assertIn('--seed is 1 on rank 0, 2 on rank 1', done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Refuses(CalibrateCase):
    OUT = ("--out", "pair.json")

    def test_one_rank(self):
        self.assert_refused(None, f"there is no rank to send messages to (it was not started by mpirun); {LATE}", *self.OUT)
        self.assert_refused(1, f"there is no rank to send messages to (this run has 1 rank); {LATE}", *self.OUT)

    def test_an_output_that_cannot_be_written(self):
        self.assert_refused(2, "cannot write the calibration to 'none/pair.json' (there is no directory none); name another "
                               "file", "--out", "none/pair.json")
        self.assert_refused(2, "cannot read pair.json (no such file or directory)", *self.OUT, "--append")
        (self.folder / "old.json").write_text("{}")
        self.assert_refused(2, "old.json: this is not a calibration (its 'kind' is not \"loadshare calibration\"); give a "
                               "file that loadshare calibrate wrote", "--out", "old.json", "--append")

    def test_options_once_however_many_ranks(self):
        self.assert_refused(2, "--max-bytes is '4X' (it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB)",
                            *self.OUT, "--max-bytes", "4X")

    def test_options(self):
        for words, text in (
            (("--max-bytes", "2GiB"), "--max-bytes is 2GiB (at most 1000000000)"),
            (("--min-bytes", "1KiB", "--max-bytes", "1KiB"), "--max-bytes is 1KiB (it must be more than --min-bytes 1KiB)"),
            (("--sizes", "100,4X"), "--sizes is '4X' (it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB)"),
            (("--sizes", "100", "--max-bytes", "4MiB"),
             "--sizes cannot be combined with --min-bytes or --max-bytes (it lists the only sizes that "
             "are measured); leave out one of them"),
            (("--seconds", "0"), "--seconds is 0 (it must be more than 0)"),
            (("--seconds", "1e9"), "--seconds is 1e9 (at most 3600)"),
            (("--repetitions", "29"), "--repetitions is 29 (at least 30)"),
            (("--modes", "standard,redy"), "unknown --modes 'redy' (valid: standard, buffered, synchronous, ready); did you "
                                           "mean 'ready'?"),
            (("--kernel-size", "0"), "--kernel-size is 0 (at least 1)"),
            (("--partners", "0"), "--partners is 0 (at least 1)"),
            (("--collectives", "allreduce,scan"), f"--collectives has 'scan' ({KNOWN})"),
            (("--collectives", "none,allreduce"), f"--collectives has 'none' ({KNOWN})"),
            (("--collective-seconds", "0"), "--collective-seconds is 0 (it must be more than 0)"),
            (("--progress", "much"), "unknown --progress 'much' (valid: auto, bar, lines, none)"),
        ):
            with self.subTest(words=words):
                self.assert_refused(None, text, *self.OUT, *words)


if __name__ == "__main__":
    unittest.main()
