"""Runs programs with the profiler preloaded, and reads their profiles."""

import json
import os
import subprocess
import tempfile
import unittest

BUILD = os.environ["LOADSHARE_BIN"]
MPIRUN = os.environ["LOADSHARE_MPIRUN"]
LIBRARY = os.path.join(BUILD, "lib", "libloadshare_profile.so")
TOOL = os.path.join(BUILD, "bin", "loadshare")


def program(name):
    return os.path.join(BUILD, "tests", "bin", name)


def call(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


class Case(unittest.TestCase):
    """A test case with a folder of its own, which contains the profile of its run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(folder.name, "run.profile")

    def context(self, ranks, words, **variables):
        """Returns mpirun's arguments for this number of ranks of a program."""
        variables = {"LD_PRELOAD": LIBRARY, "LOADSHARE_PROFILE_OUT": self.file, **variables}
        given = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        return ["-np", str(ranks), *given, program(words[0]), *words[1:]]

    def run_ranks(self, ranks, *words, **variables):
        return call(MPIRUN, "-q", "--oversubscribe", *self.context(ranks, words, **variables), cwd=self.folder)

    def profile(self):
        done = call(program("profile_dump"), self.file)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def profile_of(self, ranks, *words, **variables):
        done = self.run_ranks(ranks, *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        profile = self.profile()
        self.assertTrue(profile["is_complete"], profile["notes"])
        for rank in profile["ranks"]:
            self.assert_account_closes(rank)
        return profile

    def assert_account_closes(self, rank):
        if rank["has_finalized"]:
            self.assert_ticks_close(rank)
        self.assertLessEqual(rank["stolen_ns"] + rank["blocked_ns"], rank["outside_ns"])
        self.assertLessEqual(rank["stolen_inside_ns"], rank["inside_ns"])
        calls = [event for event in rank["events"] if event["part"] == "call"]
        for call in calls:
            self.assertLessEqual(call["inside_ns"], call["end_ns"] - call["begin_ns"])
        self.assertLessEqual(sum(call["inside_ns"] for call in calls), rank["inside_ns"])

    def assert_ticks_close(self, rank):
        """Each piece of time is counted once, inside or outside, and the reader returns the recorded shares."""
        ticks = rank["ticks"]
        whole = ticks["end"] - ticks["begin"]
        self.assertEqual(ticks["inside"] + ticks["outside"], whole)
        whole_ns = rank["end_ns"] - rank["begin_ns"]
        self.assertAlmostEqual(rank["outside_ns"], ticks["outside"] * whole_ns / whole, delta=2)


def events_of(rank, tag=None, **wanted):
    """Returns the rank's events with these values."""
    if tag is not None:
        wanted["tag"] = tag
    return [event for event in rank["events"] if all(event[name] == value for name, value in wanted.items())]


def shape(event):
    return event["call"].removeprefix("MPI_"), event["part"], event["peer"], event["bytes"]
