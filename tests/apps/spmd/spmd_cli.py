"""Runs a program without a master as a user does, and checks its record."""

import json
import os
import subprocess

from app_cli import APP, FAREWELL, MPIRUN, PROGRAM, RECORD_KEYS, TIMEOUT_S, AppCase
from processes import in_one_line

COMMON_OPTIONS = ("--work", "--load", "--json", "--progress", "--verify", "--spoil", "--version")


class SpmdCase(AppCase):
    SIZE = "size"  # the option for the size of the problem

    def record(self, *words, ranks=None, code=0):
        """Returns the record of a run, after checking that its account adds up."""
        record = self.told_record(*words, "--progress", "none", ranks=ranks, code=code)
        self.check_record(record, ranks or 1)
        return record

    def check_record(self, record, ranks):
        self.assertEqual(set(record), RECORD_KEYS)
        self.assertEqual((record["schema"], record["app"], record["transport"]), (1, APP, "mpi"))
        self.assertEqual((record["scheduler"], record["chunks"], record["workers"]), (None, [], ranks))
        self.assertEqual(len(record["hosts"]), 1)
        self.assertLessEqual({"mpi", "loadshare", "compiler"}, set(record["versions"]))
        self.assertLessEqual({self.SIZE, "work", "verify"}, set(record["options"]))
        self.assertGreater(record["makespan_s"], 0)
        self.check_ranks(record, ranks)

    def check_ranks(self, record, ranks):
        self.assertEqual([rank["rank"] for rank in record["ranks"]], list(range(ranks)))
        self.assertEqual([rank["worker"] for rank in record["ranks"]], list(range(ranks)))
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), record["iterations"])
        for rank in record["ranks"]:
            self.assertEqual((rank["role"], rank["idle_s"], rank["chunks"]), ("peer", None, 0))
            self.assertGreater(rank["capacity"], 0)
            self.assertGreaterEqual(len(rank["cpus"]), 1)
            parts = [rank[part] for part in ("computing_s", "stolen_s", "communicating_s")]
            self.assertGreaterEqual(min(parts), 0)
            self.assertAlmostEqual(sum(parts) + rank["unaccounted_s"], record["makespan_s"], delta=1e-8)
            self.assertGreater(rank["unaccounted_s"], -1e-8)

    def check_common(self, *small, ranks):
        """Checks what all such programs with random data do; the `small` words make a short run on `ranks` ranks."""
        self.check_alike(*small, ranks=ranks)
        self.assertIn("--seed", self.run_program("--help").stdout)
        self.check_refusals(
            (("--size", 0), "--size is 0 (at least 1)"),
            (("--size", -3), "--size is -3 (at least 1)"),
            (("--size", "ten"), "--size is 'ten' (it must be a whole number)"),
            (("--seed", -1), "--seed is -1 (at least 0)"),
            (("--sise", 9), "unknown option '--sise'; did you mean '--size'?"),
            (("--size", 9, "--size", 8), "--size is given 2 times; give it once"),
        )

    def check_alike(self, *small, ranks):
        """Checks what all such programs do."""
        self.check_help(ranks)
        self.check_outputs(small, ranks)
        self.check_other_launchers(small)
        self.check_refusals(
            (("--work", 0), "--work is 0 (at least 1)"),
            (("--json",), "--json has no value (it needs one, as in --json FILE); see --help"),
            (("nine",), "unexpected argument 'nine'; see --help"),
        )
        self.assert_refused((*small, "--load", "on=1s,off=1s,where=7"),
                            f"load: there is no rank 7 to disturb (this run has {ranks} ranks, from 0); say "
                            "where=workers, or other ranks", ranks=ranks)

    def check_other_launchers(self, small):
        """Checks ranks of another MPI's launcher, and ranks with different options."""
        done = self.run_program(*small, env=os.environ | {"PMI_RANK": "0", "PMI_SIZE": "2"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("error: MPI connects 1 of 2 processes", done.stderr)
        one = ["-np", "1", PROGRAM, *map(str, small)]
        done = subprocess.run([MPIRUN, "-q", "--oversubscribe", *one, ":", *one, "--work", "2"], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        self.assertEqual((done.returncode, done.stdout, in_one_line(FAREWELL.sub("", done.stderr))),
                         (2, "", "error: ranks have different options (--work is 1 on rank 0, 2 on rank 1); give every rank the same options\n"))

    def check_refusals(self, *cases):
        for words, text in cases:
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def check_help(self, ranks):
        done = self.assert_good(self.run_program("--help", ranks=ranks))
        self.assertEqual(done.stdout.count("Usage: "), 1)
        for option in (*COMMON_OPTIONS, f"--{self.SIZE}"):
            self.assertIn(option, done.stdout)
        self.assertRegex(self.assert_good(self.run_program("--version", ranks=ranks)).stdout, r"\A\d+\.\d+\.\d+ \(.+, \w+\)\n\Z")

    def check_outputs(self, small, ranks):
        done = self.assert_good(self.run_program(*small, "--json", self.path("runs"), ranks=ranks))
        self.assertRegex(done.stdout, rf"\A{APP}: [\d,]+ \w+ on {ranks} ranks?, 1 host \(mpi\)\n")
        self.assertEqual(done.stdout.count("verified    yes\n"), 1)
        self.assert_good(self.run_program(*small, "--json", self.path("runs"), ranks=ranks))
        with open(self.path("runs")) as file:
            lines = file.readlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.check_record(json.loads(line), ranks)
        for place in ("/dev/full", self.path("no/such")):
            self.assertEqual(self.run_program(*small, "--json", place, ranks=ranks).returncode, 2)

    def check_work(self, *words, ranks):
        """Checks that repeating the work five times takes about five times the processor time."""
        def computing_s(*more):
            record = self.record(*words, *more, ranks=ranks)
            self.assertIs(record["verified"], True)
            return sum(rank["computing_s"] for rank in record["ranks"])
        # The least of some tries: other programs cost processor time too, by way of the caches.
        once, fivefold = (min(computing_s("--work", n) for _ in range(3)) for n in (1, 5))
        self.assertGreater(fivefold, 2.5 * once)
        self.assertLess(fivefold, 10 * once)
