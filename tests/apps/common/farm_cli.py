"""Running a farm application as a user does. PROGRAM and MPIRUN name the programs."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["PROGRAM"]
MPIRUN = os.environ["MPIRUN"]
TIMEOUT_S = 60
MESSAGES = ("--ranks-per-host", 1)  # chunks travel as between hosts
SCHEDULERS = ("send", "gss", "gss:14,min=2", "factoring", "tss:40,2", "adaptive:3,1,9")
SMALL_DISK = """
mount -t tmpfs -o size=128k tmpfs "$1" && cd "$1" && echo old > kept && head -c 100k /dev/zero > filler || exit 99
shift
"$@" > /dev/null
code=$?
ls -A
cat kept
exit $code
"""


def command(words, ranks=None):
    launcher = [] if ranks is None else [MPIRUN, "-q", "--oversubscribe", "-np", str(ranks)]
    return [*launcher, PROGRAM, *map(str, words)]


def has_small_disks():
    """Mounting takes root and a mount namespace."""
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(probe, capture_output=True).returncode == 0


class FarmCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def run_program(self, *words, ranks=None):
        return subprocess.run(command(words, ranks), capture_output=True, text=True, timeout=TIMEOUT_S)

    def run_on_small_disk(self, *words):
        return subprocess.run(["unshare", "--mount", "sh", "-c", SMALL_DISK, "sh", self.directory, *command(words)],
                              capture_output=True, text=True, timeout=TIMEOUT_S)

    def record(self, *words, ranks=None):
        """The record of a good run, every iteration of which was computed once."""
        done = self.run_program(*words, "--json", "-", ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("makespan", done.stderr)
        record = json.loads(done.stdout)
        self.assertEqual((record["schema"], record["app"]), (1, os.path.basename(PROGRAM)))
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), record["iterations"])
        return record

    def assert_refused(self, words, text, code=2, **options):
        done = self.run_program(*words, **options)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", f"error: {text}\n", code))
