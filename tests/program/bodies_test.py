"""Guarantees for bodies of a user's own program: each runs once per iteration, and its time is classified correctly."""

import json
import os
import subprocess
import unittest

from app_cli import AppCase

TOOL = os.environ["LOADSHARE_TOOL"]
WORKERS = 2
COMPUTES = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"  # some 20 ms of another process


class Case(AppCase):
    def ran(self, *words, ranks=None):
        """The record and the summary of a good run."""
        done = self.run_program(*words, "--json", "-", *(() if ranks else ("--workers", WORKERS)), ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads(done.stdout)
        return record, " ".join(done.stderr.split())

    def predicted(self, record, *words):
        with open(self.path("run.jsonl"), "w") as file:
            print(json.dumps(record), file=file)
        return subprocess.run([TOOL, "predict", self.path("run.jsonl"), *words], capture_output=True, text=True, timeout=60, check=True).stdout

    def makespan_s(self, record, *words):
        self.predicted(record, "--json", self.path("predicted.json"), *words)
        with open(self.path("predicted.json")) as file:
            return json.load(file)["predictions"][0]["makespan_s"]

    def expect_each_once(self, ranks=None):
        for scheduler in ("ss", "send:3", "factoring:16", "auto"):
            with self.subTest(scheduler=scheduler):
                file = self.path(f"lines-{scheduler}")
                self.ran("--iterations", 200, "--file", file, "--scheduler", scheduler, ranks=ranks)
                with open(file) as lines:
                    begun = sorted(int(line.split()[1]) for line in lines if line.startswith("begin"))
                self.assertEqual(begun, list(range(200)))


class Threads(Case):
    def test_a_body_runs_once_for_each_iteration(self):
        self.expect_each_once()

    def test_a_command_is_run_once_for_each_iteration(self):
        """Even a command that takes hardly any processor time, so that running it again would seem cheap."""
        self.ran("--iterations", 40, "--command", f"echo x >> {self.path('ran')}; sleep 0.05", "--scheduler", "ss")
        with open(self.path("ran")) as file:
            self.assertEqual(len(file.readlines()), 40)


PAUSE_S = 0.01


def late_s(record, worker=None):
    """How much longer the bodies slept than they asked for, because other programs had the processor. On a busy machine part of
    their sleep counts as that."""
    chunks = [chunk for chunk in record["chunks"] if worker in (None, chunk["worker"])]
    return sum(chunk["ended_s"] - chunk["begun_s"] - PAUSE_S * chunk["size"] for chunk in chunks)


class Waiting(Case):
    """Compared with the known parts of the loops, because on a busy machine they take longer than they should."""

    def expect_makespan(self, record, scheduler, expected_s, within_s):
        self.assertAlmostEqual(self.makespan_s(record, "--scheduler", scheduler), expected_s, delta=within_s + late_s(record) / WORKERS)

    def test_a_body_that_sleeps(self):
        record, summary = self.ran("--iterations", 200, "--pause", PAUSE_S, "--scheduler", "ss")
        for rank in record["ranks"][1:]:
            self.assertAlmostEqual(rank["blocked_s"], PAUSE_S * rank["iterations"], delta=0.1 + late_s(record, rank["worker"]))
        self.assertRegex(summary, r"efficiency (\d\d\.\d|100\.0) % of the workers' time went into computing, (99\.\d|100\.0) % of it waiting in "
                                  r"the body \(asleep or for something other than a processor\)")
        if late_s(record) < 0.2:
            self.assertIn("advice more workers than processors: ", summary)
        for scheduler in ("ss", "gss", "factoring:20"):
            self.expect_makespan(record, scheduler, 1, 0.1)
        text = " ".join(self.predicted(record, "--scheduler", "ss").split())
        self.assertRegex(text, r"an iteration costs \d+(\.\d+)? ms of wall time \(for (99\.\d|100\.0) % of it the loop body sleeps or waits\)")

    def test_a_load_does_not_slow_a_body_that_sleeps_and_is_not_taken_for_its_waiting(self):
        record, _ = self.ran("--iterations", 100, "--pause", PAUSE_S, "--scheduler", "ss", "--load", "on=0.2s,off=0.2s,share=0.5")
        self.expect_makespan(record, "ss", 0.5, 0.05)

    def test_a_body_whose_child_computes(self):
        record, summary = self.ran("--iterations", 40, "--command", COMPUTES, "--scheduler", "ss")
        computing_s = sum(rank["computing_s"] for rank in record["ranks"])
        self.assertAlmostEqual(computing_s, sum(chunk["cpu_s"] for chunk in record["chunks"]), delta=0.01)
        self.assertGreater(computing_s, 40 * 0.003)  # the bodies' own processor time is a tenth of that
        # On a busy machine, children that wait for a processor make the bodies seem to wait.
        cost_s = computing_s + sum(rank["blocked_s"] for rank in record["ranks"])
        self.assertNotIn("efficiency 0.", summary)
        self.assertAlmostEqual(self.makespan_s(record, "--scheduler", "ss") / (cost_s / WORKERS), 1, delta=0.15)


class Ranks(Case):
    def test_a_body_runs_once_for_each_iteration(self):
        self.expect_each_once(ranks=2)

    def test_a_body_whose_child_computes(self):
        record, summary = self.ran("--iterations", 20, "--command", COMPUTES, "--scheduler", "ss", ranks=2)
        self.assertGreater(sum(rank["computing_s"] for rank in record["ranks"]), 20 * 0.003)
        self.assertNotIn("efficiency 0.", summary)


if __name__ == "__main__":
    unittest.main()
