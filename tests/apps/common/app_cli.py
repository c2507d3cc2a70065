"""Runs an application as a user does, in a folder of its own. PROGRAM and MPIRUN name the programs."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from processes import in_one_line
from small_disk import on_small_disk

PROGRAM = os.environ["PROGRAM"]
APP = os.path.basename(PROGRAM)
MPIRUN = os.environ.get("MPIRUN")  # of tests with the label `mpi` only, which sanitizers pass over
TIMEOUT_S = 60
# A message of mpirun on a busy machine, if a rank ends before the answer to its farewell.
FAREWELL = re.compile(r"^\[\S+\] PMIX ERROR: UNREACHABLE in file \S+ at line \d+\n", re.MULTILINE)
# Progress lines of a run that takes longer than usual, as on a busy machine.
PROGRESS = re.compile(rf"^{re.escape(APP)} +[\d,]+/[\d,]+ .*\n", re.MULTILINE)

RECORD_KEYS = {
    "schema", "app", "scheduler", "workers", "iterations", "iteration_name", "makespan_s", "shared_input_s", "verified",
    "seed", "operations", "gflops", "findings", "transport", "hosts", "versions", "binding", "options", "accounting", "timing",
    "notes", "skipped", "reissue", "membership", "journal", "load", "loop", "choice", "etas", "width_cost", "ranks", "chunks",
}


def command(words, ranks=None):
    assert ranks is None or MPIRUN, "a test of ranks has the label `mpi`"
    launcher = [] if ranks is None else [MPIRUN, "-q", "--oversubscribe", "-np", str(ranks)]
    return [*launcher, PROGRAM, *map(str, words)]


def without_noise(done, words):
    """Returns stdout or stderr without messages that appear only on a busy machine."""
    text = in_one_line(FAREWELL.sub("", done.stderr))
    done.stderr = text if "--progress" in words else PROGRESS.sub("", text)
    return done


class AppCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def files(self):
        return sorted(os.listdir(self.directory))

    def run_program(self, *words, ranks=None, **options):
        done = subprocess.run(command(words, ranks), capture_output=True, text=True, timeout=TIMEOUT_S, **options)
        return without_noise(done, words)

    def start_program(self, *words, ranks=None, **options):
        return subprocess.Popen(command(words, ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run_on_small_disk(self, *words, old="kept", ranks=None):
        return without_noise(on_small_disk(self.directory, command(words, ranks), old, timeout=TIMEOUT_S), words)

    def assert_good(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done

    def assert_refused(self, words, text, code=2, **options):
        done = self.run_program(*words, **options)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", f"error: {text}\n", code))

    def told_record(self, *words, code=0, **options):
        """Returns the record of a run, after checking that one rank printed."""
        done = self.run_program(*words, "--json", "-", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertEqual(done.stderr.count("\nmakespan "), 1)
        record = json.loads(done.stdout)
        self.assertEqual((record["schema"], record["app"]), (1, APP))
        return record
