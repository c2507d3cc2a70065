"""A user's own program whose master is killed: its `map`, `reduce` and chunks with data go on from the journal."""

import json
import os
import signal
import subprocess
import unittest

from app_cli import AppCase, command
from processes import children_of, read, wait_until

NUMBERS = 400


class JournalCase(AppCase):
    def words(self, *more, name="first"):
        return (name, "--numbers", NUMBERS, "--pause", 0.01, "--scheduler", "send:5", "--journal", self.path("journal"), *more)

    def await_some(self):
        log = self.path("journal/loop-0.log")
        self.assertTrue(wait_until(lambda: os.path.exists(log) and os.path.getsize(log) > 1800), "nothing is kept")

    def expect_right(self, done):
        total = sum(i * i for i in range(NUMBERS))
        words = done.stdout.split()
        self.assertEqual(words[:4], ["first", "master", str(total), str(total)], done.stderr)
        self.assertAlmostEqual(float(words[4]), total / 2, delta=total * 1e-5)


class Threads(JournalCase):
    def kill_in_the_middle(self):
        running = self.start_program(*self.words("--workers", 2))
        self.await_some()
        running.kill()
        running.communicate()

    def test_all_loops_go_on(self):
        self.kill_in_the_middle()
        resumed = []
        for _ in range(2):
            self.expect_right(self.run_program(*self.words("--resume", "--workers", 3, "--json", self.path("runs"))))
            with open(self.path("runs")) as file:
                resumed.append([json.loads(line)["journal"]["recovered"] for line in file][-3:])
        self.assertGreater(resumed[0][0], 40)
        self.assertEqual(resumed[0][1:], [0, 0])
        self.assertEqual(resumed[1], [NUMBERS, NUMBERS, NUMBERS])

    def test_words_of_its_own_are_part_of_the_job_and_ours_are_not(self):
        self.kill_in_the_middle()
        done = self.run_program(*self.words("--resume", name="second"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("this run has `program: own_sums", done.stderr)
        self.expect_right(self.run_program(*self.words("--resume", "--prefetch", 2, "--wait", "nap")))


class Ranks(JournalCase):
    def test_a_rank_that_was_lost_in_one_loop_ends_the_next_which_a_journal_resumes(self):
        words = command(self.words("--reissue", "--patience", "2s"), ranks=3)
        running = subprocess.Popen([words[0], "--enable-recovery", *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(running.terminate)  # whatever becomes of the test
        self.await_some()
        [rank] = [pid for pid in children_of(running.pid) if "PMIX_RANK=1" in read(f"/proc/{pid}/environ")]
        os.kill(rank, signal.SIGKILL)
        _, stderr = running.communicate(timeout=100)
        # mpirun itself returns 0 with --enable-recovery, whatever ranks return.
        self.assertIn("error: rank 1 has not answered for 2.00 s since the last loop ended", stderr)
        self.expect_right(self.run_program(*self.words("--resume", "--workers", 2)))


if __name__ == "__main__":
    unittest.main()
