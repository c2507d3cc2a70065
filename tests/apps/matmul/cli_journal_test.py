"""A master that is killed, and another that goes on from its journal: as threads, ranks of this host and of others, and over TCP."""

import os
import signal
import subprocess
import time
import unittest

from app_cli import PROGRAM, command
from matmul_cli import MatmulCase
from processes import children_of, in_one_line, read, wait_until
from small_disk import has_small_disks
from tcp_farm import TcpCase, blas_work

# About 150 chunks of 20 ms, computed by a library, which no sanitizer slows down.
LOOP = ("--size", 1200, *blas_work(15), "--scheduler", "send:8")


class Journal(MatmulCase, TcpCase):
    def journal(self):
        return ("--journal", self.path("journal"))

    def kept_bytes(self):
        log = self.path("journal/loop-0.log")
        return os.path.getsize(log) if os.path.exists(log) else 0

    def await_some(self, least=40):
        """Waits until the journal contains this number of columns."""
        self.assertTrue(wait_until(lambda: self.kept_bytes() > least * 1200 * 8), "nothing is kept")

    def interrupt_by_kill(self, *words, ranks=None):
        """Runs until its master is killed in the middle."""
        running = self.start_program(*LOOP, *self.journal(), *words, ranks=ranks)
        self.await_some()
        pids = children_of(running.pid) if ranks else [running.pid]
        masters = [pid for pid in pids if "PMIX_RANK=0" in read(f"/proc/{pid}/environ")] if ranks else pids
        os.kill(masters[0], signal.SIGKILL)
        running.communicate(timeout=60)
        if ranks:
            self.assertNotEqual(running.returncode, 0)  # mpirun returns 137, unless it was killed itself
        else:
            self.assertEqual(running.returncode, -signal.SIGKILL)

    def resume(self, *words, ranks=None):
        record = self.told_record(*LOOP, *self.journal(), "--resume", *words, ranks=ranks)
        self.assertIs(record["verified"], True)
        journal = record["journal"]
        self.assertGreaterEqual(journal["recovered"], 40)
        self.assertEqual(journal["recovered"] + journal["kept"], record["iterations"])
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), journal["kept"])
        self.assertIs(journal["safe"], True)

    def test_threads(self):
        self.interrupt_by_kill("--workers", 2)
        self.resume("--workers", 3)

    def test_ranks_that_share_memory(self):
        self.interrupt_by_kill(ranks=2)
        self.resume(ranks=2)

    def test_ranks_that_messages_reach_and_a_resume_without_them(self):
        self.interrupt_by_kill("--ranks-per-host", 1, ranks=3)
        self.resume("--workers", 2)

    def test_workers_over_tcp_go_on_with_the_next_master(self):
        master = self.listen(*LOOP, *self.journal(), "--workers", 1)
        worker = self.join(master)
        self.await_some()
        master.kill()
        master.ended()
        self.assertTrue(wait_until(lambda: "; trying to reconnect for up to " in worker.stderr, 20), worker.stderr)
        time.sleep(0.5)  # no master listens there meanwhile
        again = self.listen(*LOOP, *self.journal(), "--resume", "--master", "coordinates", at=master.address)
        self.assertEqual(again.ended(), 0, again.stderr)
        self.assertEqual(worker.ended(), 0, worker.stderr)
        self.assertIn("verified    yes", again.stdout)
        self.assertRegex(again.stdout, r"journal     [\d,]+ of 1,200 columns recovered")

    def test_a_run_under_recovery_continues_without_a_dead_rank(self):
        words = command((*LOOP, *self.journal(), "--reissue"), ranks=3)
        running = subprocess.Popen([words[0], "--enable-recovery", *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.terminate)  # also if the test fails, because its ranks would wait forever
        self.await_some()
        worker = [pid for pid in children_of(running.pid) if "PMIX_RANK=1" in read(f"/proc/{pid}/environ")]
        os.kill(worker[0], signal.SIGKILL)
        stdout, stderr = running.communicate(timeout=100)
        self.assertEqual(running.returncode, 0, stderr)
        self.assertIn("verified    yes", stdout)
        self.assertIn("rank 1 had not answered when the run ended", stdout)

    def test_ctrl_c_keeps_the_computed_results(self):
        running = self.start_program(*LOOP, *self.journal(), "--workers", 2)
        self.await_some()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.resume("--workers", 2)

    def assert_drained(self, code, stdout, stderr):
        self.assertEqual((code, stdout), (4, ""), stderr)
        self.assertEqual(stderr.count("draining: no more chunks are given out, and those being computed finish first"), 1, stderr)
        self.assertRegex(in_one_line(stderr), r"error: drained, as requested \(\d+ of \d+ columns were in finished chunks, and are in the "
                                              r"journal\); start the run again with --resume to compute the rest\n")

    def drain(self, *words, signals=("USR1",), ranks=None, to=lambda running: [running.pid]):
        """Runs until it drains in the middle."""
        before = self.kept_bytes()
        running = self.start_program(*LOOP, *self.journal(), "--progress", "none", "--drain-on", signals[-1], *words, ranks=ranks)
        self.addCleanup(running.kill)
        self.assertTrue(wait_until(lambda: self.kept_bytes() > before + 40 * 1200 * 8), "nothing is kept")
        for name in signals:
            for pid in to(running):
                os.kill(pid, getattr(signal, f"SIG{name}"))
        stdout, stderr = running.communicate(timeout=60)
        self.assert_drained(running.returncode, stdout, stderr)

    def test_a_drained_run_of_threads_goes_on(self):
        self.drain("--workers", 2, "--prefetch", 2, signals=("USR1", "USR1"))
        self.drain("--workers", 2, "--resume", signals=("USR2",))
        self.resume("--workers", 2)

    def test_a_drained_run_of_ranks_goes_on(self):
        """mpirun passes the signal on to all ranks; only the master acts on it."""
        self.drain("--prefetch", 2, ranks=2)
        worker = lambda running: [pid for pid in children_of(running.pid) if "PMIX_RANK=1" in read(f"/proc/{pid}/environ")]
        self.drain("--resume", "--ranks-per-host", 1, ranks=2, to=lambda running: [*worker(running), running.pid])
        self.resume(ranks=2)

    def test_workers_over_tcp_end_with_a_master_that_drains(self):
        master = self.listen(*LOOP, *self.journal(), "--workers", 1, "--prefetch", 1, "--drain-on", "USR1")
        worker = self.join(master)
        self.await_joined(master, 1)
        self.await_some()
        master.kill(signal.SIGUSR1)
        self.assert_drained(master.ended(), master.stdout, master.stderr)
        self.assertEqual((worker.ended(), worker.stdout), (4, ""), worker.stderr)
        self.assertIn("error: drained, as requested", worker.stderr)
        self.assertNotIn("is lost", worker.stderr)
        self.resume("--workers", 2)

    def test_a_master_that_waits_for_workers_drains_immediately(self):
        master = self.listen(*LOOP, *self.journal(), "--master", "coordinates", "--expect", 1, "--drain-on", "USR1")
        master.kill(signal.SIGUSR1)
        self.assertEqual(master.ended(20), 4, master.stderr)
        self.assertIn("0 of 1200 columns were in finished chunks", master.stderr)

    def test_a_complete_run_is_reported_again_and_verified(self):
        self.assert_good(self.run_program("--size", 200, *self.journal(), "--workers", 2))
        record = self.told_record("--size", 200, *self.journal(), "--resume", "--workers", 2)
        self.assertEqual((record["verified"], record["journal"]["recovered"], record["chunks"]), (True, 200, []))

    def test_a_complete_run_needs_no_workers(self):
        self.assert_good(self.run_program("--size", 200, *self.journal(), "--workers", 2))
        again = self.listen("--size", 200, *self.journal(), "--resume", "--master", "coordinates", "--expect", 4, "--patience", "2s")
        self.assertEqual(again.ended(), 0, again.stderr)
        self.assertIn("verified    yes", again.stdout)

    def test_another_job_and_other_inputs_are_refused_with_both_named(self):
        self.assert_good(self.run_program("--size", 100, *self.journal(), "--workers", 1))
        for words, named in ((("--size", 101), '"columns":"100"'), (("--size", 100, "--seed", 9), "(it has `inputs: ")):
            done = self.run_program(*words, *self.journal(), "--resume", "--workers", 1)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is the journal of another job", done.stderr)
            self.assertIn(named, done.stderr)

    def test_if_no_remaining_column_can_be_computed_the_verdict_is_the_first_runs(self):
        words = ("--size", 300, "--fail-at", 100, "--on-failure", "skip:1", *self.journal(), "--workers", 1)
        for more in ((), ("--resume",)):
            done = self.run_program(*words, *more)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("the product is wrong in column 100 (1 of 300)", done.stderr)

    def test_mistakes_are_reported(self):
        self.assert_good(self.run_program("--size", 50, *self.journal(), "--workers", 1))
        for words, text in (
            (self.journal(), "has the journal of an earlier run (this run would begin a new one); continue that "
             "run with --resume, or remove the folder"),
            (("--resume",), "--resume without --journal"),
            (("--drain-on", "USR1"), "--drain-on without --journal (the results finished by then would be lost); give --journal FOLDER"),
            ((*self.journal(), "--drain-on", "HUP"), "--drain-on"),
            (("--journal", "/proc/nowhere"), "cannot keep a journal in /proc/nowhere"),
            (("--journal", self.path("small"), "--journal-limit", 1000), "--journal-limit is 1,000 bytes"),
        ):
            done = self.run_program("--size", 50, *words, "--workers", 1)
            self.assertEqual((done.returncode, done.stderr.count("error: ")), (2, 1), done.stderr)
            self.assertIn(text, done.stderr.replace("1000 bytes", "1,000 bytes"))

    def test_two_masters_of_one_journal(self):
        running = self.start_program(*LOOP, *self.journal(), "--workers", 1)
        self.await_some(least=1)
        second = self.run_program(*LOOP, *self.journal(), "--resume", "--workers", 1)
        running.kill()
        running.communicate()
        self.assertEqual(second.returncode, 2)
        self.assertIn("is in use (another process writes it)", second.stderr)

    @unittest.skipUnless(has_small_disks(), "mounting takes root")
    def test_a_full_disk_ends_the_journal_and_not_the_run(self):
        script = 'mount -t tmpfs -o size=200k tmpfs "$1" && shift && exec "$@"'
        words = command((*LOOP, "--journal", self.path("full/journal"), "--workers", 2))
        os.mkdir(self.path("full"))
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", self.path("full"), *words], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the journal cannot be written (no space left on device): the run continues", done.stderr)
        self.assertIn("verified    yes", done.stdout)
        self.assertIn("a crash would lose the others (no space left on device)", done.stdout)

    @unittest.skipUnless(has_small_disks(), "mounting takes root")
    def test_a_killed_run_does_not_leave_a_small_disk_full(self):
        script = """mount -t tmpfs -o size=16m tmpfs "$1" && log=$1/journal/loop-0.log && shift || exit 99
                    "$@" > /dev/null &
                    until [ -s "$log" ] && [ $(stat -c %s "$log") -gt 100000 ]; do sleep 0.01; done
                    kill -9 $! && stat -c '%s %b' "$log" """
        words = command((*LOOP, "--journal", self.path("small/journal"), "--workers", 2))
        os.mkdir(self.path("small"))
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", self.path("small"), *words], capture_output=True,
                              text=True, timeout=60)
        held_bytes, blocks = map(int, done.stdout.split())
        self.assertLess(blocks * 512, held_bytes + 2**20, "11.5 MB of results would fit")

    def test_a_resumed_run_computes_the_rest(self):
        """At half time: about half of the chunks, which the record counts."""
        running = self.start_program(*LOOP, *self.journal(), "--workers", 2)
        self.await_some(600)
        running.kill()
        running.communicate()
        begun_s = time.monotonic()
        record = self.told_record(*LOOP, *self.journal(), "--resume", "--workers", 2)
        self.assertLess(time.monotonic() - begun_s, record["makespan_s"] + 10, "most of it is computing")
        self.assertLessEqual(record["timing"]["chunks_total"], 76)


if __name__ == "__main__":
    unittest.main()
