"""A sweep that is killed or interrupted leaves nothing running, loses nothing, and goes on."""

import os
import shutil
import signal
import time
import unittest

from sweep_case import SweepCase, is_running, wait_until


class GoingOn(SweepCase):
    def kill_after(self, runs):
        """Kills a sweep, as nothing can catch it, once it has kept that many runs; returns its running program."""
        child = self.start("--resume")
        wait_until(lambda: self.count() >= runs)
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=20)
        return self.programs()[-1]

    def test_resume_after_kill_9_makes_only_missing_runs(self):
        for runs in (1, 4, 11):
            pid = self.kill_after(runs)
            wait_until(lambda: not is_running(pid))
        # As if it had been killed while it wrote.
        with open(self.runs_file, "rb+") as file:
            file.seek(-25, os.SEEK_END)
            file.truncate()
        self.assertEqual(self.sweep("--resume").returncode, 0)
        self.assertEqual(self.done(), self.expected())
        self.assertEqual(len(self.runs()), 18)
        again = self.sweep("--resume")
        self.assertEqual((again.returncode, again.stdout.splitlines()[0]),
                         (0, f"all runs are done already: {self.runs_file}"))

    def test_a_killed_sweep_leaves_no_run_behind(self):
        self.write(more="options: {nap: 60}")
        child = self.start()
        wait_until(self.programs)
        child.kill()
        child.wait(timeout=20)
        wait_until(lambda: not is_running(self.programs()[0]), timeout_s=10)

    def interrupt(self, number):
        child = self.start()
        wait_until(lambda: self.count() >= 2)
        child.send_signal(number)
        out, errors = child.communicate(timeout=20)
        self.assertEqual((child.returncode, out), (130, ""))
        self.assertRegex(errors, r"^loadshare: interrupted after \d+ runs, with at most \d+ to go \(finished runs are in \S+\); "
                                 r"resume with: loadshare sweep \S+ --out \S+ --resume\n$")
        self.assertEqual(self.sweep("--resume").returncode, 0)
        self.assertEqual(self.done(), self.expected())

    def test_resume_after_an_interrupt(self):
        self.interrupt(signal.SIGINT)

    def test_resume_after_sigterm(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.interrupt(number)
            shutil.rmtree(self.out)

    def test_an_interrupted_run_is_logged_as_interrupted(self):
        self.write(more="options: {nap: 60}")
        child = self.start()
        wait_until(self.programs)
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=20)
        self.assertEqual([run["status"] for run in self.runs()], ["interrupted"])

    def test_a_second_interrupt_ends_it_at_once(self):
        # This program hears of neither; only the first interrupt waits for it.
        with open(os.path.join(self.folder, "program"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntrap '' TERM INT\necho $$ >> {self.folder}/pids\nexec sleep 60\n")
        child = self.start()
        wait_until(self.programs)
        child.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=30), -signal.SIGINT)
        os.kill(self.programs()[0], signal.SIGKILL)

    def test_a_program_that_does_not_end_is_killed(self):
        with open(os.path.join(self.folder, "program"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntrap '' TERM INT\necho $$ >> {self.folder}/pids\nsleep 60\nsleep 60\n")
        child = self.start()
        wait_until(self.programs)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=20)
        self.assertEqual(child.returncode, 130)
        self.assertEqual([(run["status"], run["exit_code"]) for run in self.runs()], [("interrupted", 137)])
        self.assertFalse(is_running(self.programs()[0]))


if __name__ == "__main__":
    unittest.main()
