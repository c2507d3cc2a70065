"""`loadshare survey` as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from processes import busy, children_of, in_one_line, wait_until

TOOL = os.environ["LOADSHARE_TOOL"]
MPIRUN = os.environ["LOADSHARE_MPIRUN"]
BRIEF = ("--seconds", "0.2")


def command(ranks, *words, settings=()):
    launcher = [] if ranks is None else [MPIRUN, "-q", "--oversubscribe", *settings, "-np", str(ranks)]
    return [*launcher, TOOL, "survey", *words]


def with_numbers_masked(text):
    return re.sub(r" +", " ", re.sub(r"\d[\d.]*", "N", text))


class SurveyCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def survey(self, ranks, *words):
        done = subprocess.run(command(ranks, *words), capture_output=True, text=True, timeout=60, cwd=self.folder)
        done.stderr = in_one_line(done.stderr)
        return done

    def assert_refused(self, ranks, text, *words):
        done = self.survey(ranks, *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def assert_is_survey(self, survey, ranks):
        self.assertEqual(list(survey), ["kind", "schema", "begun", "seconds", "versions", "ranks", "notes"])
        self.assertEqual((survey["kind"], survey["schema"], survey["seconds"]), ("loadshare survey", 1, 0.2))
        self.assertRegex(survey["begun"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual([rank["rank"] for rank in survey["ranks"]], list(range(ranks)))
        for rank in survey["ranks"]:
            self.assertEqual(rank["host"], os.uname().nodename)
            self.assertTrue(rank["cpus"])
            self.assertEqual(rank["system"], f"{os.uname().sysname} {os.uname().release}")
            speed = rank["gflops"]
            self.assertTrue(0 < speed["low"] <= speed["median"] <= speed["high"], speed)
            self.assertTrue(0 < rank["busy"] <= rank["available"] <= 1, rank)


class Measures(SurveyCase):
    def test_two_ranks_at_the_same_time(self):
        done = self.survey(2, *BRIEF, "--out", "hosts.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("survey: 2 ranks on 1 host, busy for 200 ms at the same time\n\nrank  host"))
        survey = json.loads((self.folder / "hosts.json").read_text())
        self.assert_is_survey(survey, 2)
        self.assertEqual(set(survey["versions"]), {"loadshare", "mpi"})

    def test_ranks_that_share_a_processor(self):
        cpu = min(os.sched_getaffinity(0))
        done = subprocess.run(command(2, *BRIEF, "--json", "-", settings=("--bind-to", "none")), capture_output=True, text=True,
                              timeout=60, cwd=self.folder, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(done.returncode, 0, done.stderr)
        survey = json.loads(done.stdout)
        self.assert_is_survey(survey, 2)
        self.assertEqual([rank["cpus"] for rank in survey["ranks"]], [[cpu], [cpu]])
        self.assertLess(sum(rank["busy"] for rank in survey["ranks"]), 1.3, "they were busy at the same time")
        note = f"2 ranks of host {os.uname().nodename} share 1 processor: what one rank uses is not available to the others"
        self.assertIn(note, survey["notes"])
        self.assertIn("note  2 ranks of host ", done.stderr)

    def test_this_host_alone_without_mpirun(self):
        done = self.survey(None, *BRIEF, "--out", "a.json", "--json", "b.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, rank = with_numbers_masked(done.stdout).split("\n\n")[:2]
        self.assertEqual(first, "survey: N rank on N host, busy for N ms")
        self.assertEqual(rank.splitlines()[0].split()[:3], ["rank", "host", "GFLOP/s"])
        survey = json.loads((self.folder / "a.json").read_text())
        self.assert_is_survey(survey, 1)
        self.assertEqual(set(survey["versions"]), {"loadshare"})
        self.assertEqual((self.folder / "b.json").read_text(), (self.folder / "a.json").read_text())

    def wait_until_busy(self, run, ranks):
        """Until each process that measures computes: it goes on for 50 s."""
        def measuring():
            self.assertIsNone(run.poll())
            return busy([run.pid] if ranks is None else children_of(run.pid), ranks or 1)
        self.assertTrue(wait_until(measuring), "the hosts are not measured")

    def test_an_interrupted_one_leaves_the_old_file(self):
        for ranks in (None, 2):
            (self.folder / "hosts.json").write_text("old")
            run = subprocess.Popen(command(ranks, "--out", "hosts.json", "--seconds", "50"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder)
            self.wait_until_busy(run, ranks)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=30)
            self.assertEqual(out, "")
            self.assertNotEqual(run.returncode, 0)
            if ranks is None:
                self.assertEqual((run.returncode, err), (130, "loadshare: interrupted (before the hosts were measured; nothing "
                                                              "was written)\n"))
            self.assertEqual([(path.name, path.read_text()) for path in self.folder.iterdir()], [("hosts.json", "old")])


class Launched(SurveyCase):
    def test_by_another_mpis_launcher(self):
        done = subprocess.run(command(None, *BRIEF), capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env=os.environ | {"PMI_RANK": "0", "PMI_SIZE": "2"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("loadshare: MPI connects 1 of 2 processes", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_with_different_options(self):
        one = ["-np", "1", *command(None, *BRIEF)]
        done = subprocess.run([MPIRUN, "-q", "--oversubscribe", *one, ":", *one, "--out", "b.json"], capture_output=True, text=True,
                              timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("ranks have different options", done.stderr)
        self.assertIn('--out is not given on rank 0, b.json on rank 1', done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Refuses(SurveyCase):
    def test_an_output_that_cannot_be_written_before_it_measures(self):
        begun = time.monotonic()
        for ranks in (None, 2):
            self.assert_refused(ranks, "cannot write the survey to 'none/hosts.json' (there is no directory none); name another "
                                       "file", "--seconds", "50", "--out", "none/hosts.json")
        self.assertLess(time.monotonic() - begun, 40)

    def test_options(self):
        for words, text in (
            (("--seconds", "0"), "--seconds is 0 (it must be more than 0)"),
            (("--seconds", "nan"), "--seconds is 'nan' (it must be a number); write it as 12.5"),
            (("--seconds", "0.05"), "--seconds is 0.05 (from 0.1 to 60)"),
            (("--seconds", "61"), "--seconds is 61 (from 0.1 to 60)"),
            (("--json", "none/a.json"),
             "cannot write the JSON to 'none/a.json' (there is no directory none); name another file"),
            (("--out", "a.json", "--json", "a.json"), "--out and --json are the same file (a.json); name another file"),
            (("hosts.json",), "The following argument was not expected: hosts.json; see loadshare survey --help"),
        ):
            with self.subTest(words=words):
                self.assert_refused(None, text, *words)


if __name__ == "__main__":
    unittest.main()
