"""The number and times of runs of a body: iterations append a line to a file when they begin and end."""

import itertools
import os
import signal
import time
import unittest
from dataclasses import dataclass

from app_cli import AppCase
from processes import wait_until
from tcp_farm import TcpCase

LEASE_S = 2  # much more than a busy host lets a thread wait


@dataclass(frozen=True)
class Body:
    """One run of an iteration by a process; `ended_s` is None if it did not end."""

    iteration: int
    process: int
    began_s: float
    ended_s: float


def bodies(path):
    """Returns the bodies in the order in which they began."""
    open_ones, all_of_them = {}, []
    with open(path) as file:
        lines = [line.split() for line in file]
    for what, iteration, process, at_s in lines:
        key = int(iteration), int(process)
        if what == "begin":
            open_ones.setdefault(key, []).append(float(at_s))
        else:
            all_of_them.append(Body(*key, open_ones[key].pop(), float(at_s)))  # of a process that starts anew: its latest
    for key, begins in open_ones.items():
        all_of_them += [Body(*key, began_s, None) for began_s in begins]
    return sorted(all_of_them, key=lambda body: body.began_s)


def of_each_iteration(path):
    by_iteration = lambda body: body.iteration
    return {number: list(some) for number, some in itertools.groupby(sorted(bodies(path), key=by_iteration), by_iteration)}


class Options(AppCase):
    def test_copies_never_contradicts_reissue(self):
        for words in (("--copies", "never", "--reissue"), ("--reissue", "--demand")):
            with self.subTest(words=words):
                done = self.run_program(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn("--reissue is given, but copies are forbidden", done.stderr)

    def test_a_lease_is_the_listening_masters(self):
        done = self.run_program("--lease", "5s")
        self.assertEqual((done.returncode, "--lease without --listen" in done.stderr), (2, True), done.stderr)
        done = self.run_program("--lease", "0.5s", "--listen", "127.0.0.1:0")
        self.assertEqual((done.returncode, "give 1s or more" in done.stderr), (2, True), done.stderr)


class OverTcp(TcpCase):
    def farm(self, *words, workers=2, numbers=40, pause_s=0.05):
        """A master that does not compute, and its workers."""
        master = self.listen("--file", self.path("file"), "--master", "coordinates", "--expect", workers, "--scheduler", "ss", "--iterations",
                             numbers, "--pause", pause_s, *words)
        return master, [self.join(master) for _ in range(workers)]

    def under_lease(self, **options):
        return self.farm("--copies", "never", "--lease", f"{LEASE_S}s", **options)

    def forget(self):
        if os.path.exists(self.path("file")):
            os.remove(self.path("file"))

    def begun_by(self, process):
        some = bodies(self.path("file")) if os.path.exists(self.path("file")) else []
        return [body for body in some if body.process == process.running.pid]

    def await_begun(self, process, count):
        self.assertTrue(wait_until(lambda: len(self.begun_by(process)) >= count, 20), process.stderr)

    def assert_never_two_at_once(self, numbers):
        """Checks that no two runs of an iteration overlapped, and that no two ended."""
        each = of_each_iteration(self.path("file"))
        self.assertEqual(sorted(each), list(range(numbers)))
        for some in each.values():
            ended = [body for body in some if body.ended_s is not None]
            self.assertEqual(len(ended), 1, some)
            self.assertEqual(some[-1], ended[0], "the body that was stopped began earlier")

    def test_each_body_of_an_undisturbed_run_runs_once(self):
        for words in ((), ("--copies", "never"), ("--copies", "never", "--prefetch", 2), ("--demand",)):
            with self.subTest(words=words):
                self.forget()
                master, _ = self.farm(*words, numbers=200, pause_s=0.003)
                record = self.good_record(master)
                self.assertEqual([len(some) for some in of_each_iteration(self.path("file")).values()], [1] * 200)
                self.assertEqual((record["reissue"]["again"], record["reissue"]["twice"]), (0, 0))
                self.assertEqual(record["options"]["copies"], "never" if words else "allowed")

    def test_chunks_of_a_killed_worker_are_given_again_when_its_lease_has_run_out(self):
        master, (killed, _) = self.under_lease(numbers=16, pause_s=0.1)  # all others are done before it runs out
        self.await_begun(killed, 2)
        killed.kill()
        killed_s = time.monotonic()
        record = self.good_record(master)
        self.assert_never_two_at_once(16)
        again = [body for body in bodies(self.path("file")) if body.iteration == self.begun_by(killed)[-1].iteration][-1]
        self.assertGreater(again.began_s, killed_s + 1.25 * LEASE_S - 0.5, "its last message may be half a second older")
        self.assertLess(again.began_s, killed_s + 1.25 * LEASE_S + 2)
        self.assertIn("when its lease has run out", master.stderr)
        self.assertEqual(record["reissue"]["again"], 1)
        self.assertEqual(len(self.events(record, "lost")), 1)

    def test_without_the_rule_a_chunk_is_given_again_when_all_others_are_done(self):
        master, (killed, _) = self.farm(pause_s=0.1)
        self.await_begun(killed, 2)
        killed.kill()
        killed_s = time.monotonic()
        record = self.good_record(master)
        again = [body for body in bodies(self.path("file")) if body.iteration == self.begun_by(killed)[-1].iteration][-1]
        self.assertLess(again.began_s, killed_s + 8, "a lease of ten seconds would still run")
        self.assertEqual(record["reissue"]["again"], 1)
        self.assertRegex(master.stderr, r"again +1 iteration also given to another worker")

    def stop(self, worker, seconds):
        """Stops it while it computes."""
        before = len(self.begun_by(worker))
        self.await_begun(worker, before + 1)
        worker.kill(signal.SIGSTOP)
        time.sleep(seconds)
        worker.kill(signal.SIGCONT)
        return self.begun_by(worker)[-1]

    def test_a_worker_stopped_for_longer_than_its_lease_ends_before_another_begins(self):
        master, (stopped, _) = self.under_lease(numbers=24, pause_s=0.3)
        self.await_begun(stopped, 1)
        body = self.stop(stopped, 1.25 * LEASE_S + 1)
        record = self.good_record(master)
        self.assert_never_two_at_once(24)
        self.assertEqual(stopped.ended(), 0, stopped.stderr)
        self.assertIn("was lost (its lease has run out)", master.stderr)
        self.assertGreaterEqual(record["reissue"]["again"], 1)
        self.assertEqual(record["reissue"]["twice"], 0)
        self.assertEqual(len([one for one in bodies(self.path("file")) if one.iteration == body.iteration]), 2)
        self.assertGreater(self.begun_by(stopped)[-1].iteration, body.iteration, "it joined again, and got more")

    def test_a_worker_stopped_for_less_goes_on(self):
        master, (stopped, _) = self.under_lease(numbers=20, pause_s=0.1)
        self.await_begun(stopped, 1)
        self.stop(stopped, 0.5 * LEASE_S)
        record = self.good_record(master)
        self.assertEqual([len(some) for some in of_each_iteration(self.path("file")).values()], [1] * 20)
        self.assertEqual(record["reissue"]["again"], 0)

    def test_a_worker_that_cannot_reach_the_master_stops_and_joins_again(self):
        """The connection is open, but nothing is answered: the master is stopped."""
        master, workers = self.under_lease(numbers=2, pause_s=2 * LEASE_S)
        for worker in workers:
            self.await_begun(worker, 1)
        master.kill(signal.SIGSTOP)
        stopped_s = time.monotonic()
        for worker in workers:
            self.assertTrue(wait_until(lambda: "has run out, because the master" in worker.stderr, 20), worker.stderr)
        self.assertLess(time.monotonic(), stopped_s + 1.25 * LEASE_S)
        time.sleep(1)
        master.kill(signal.SIGCONT)
        self.good_record(master)
        self.assert_never_two_at_once(2)
        for worker in workers:
            self.assertEqual(worker.ended(), 0, worker.stderr)

    def test_a_worker_that_leaves_has_ended_before_another_gets_its_chunks(self):
        master, (left, _) = self.under_lease(numbers=4, pause_s=3)  # longer than it takes to leave
        self.await_begun(left, 1)
        left.kill(signal.SIGINT)
        left_s = time.monotonic()
        self.assertEqual(left.ended(), 130)
        self.assertLess(time.monotonic(), left_s + 1.25 * LEASE_S)
        self.good_record(master)
        self.assert_never_two_at_once(4)

    def test_a_resumed_master_waits_until_the_first_ones_workers_have_stopped(self):
        self.check_resumed(LEASE_S)

    def test_a_resumed_master_with_a_shorter_lease_waits_as_long(self):
        second = self.check_resumed(1)
        self.assertIn(f"--lease 1.00 s is not used, because an earlier master of this journal had {LEASE_S:.2f} s, which applies\n", second.stderr)

    def check_resumed(self, second_lease_s):
        words = ("--master", "coordinates", "--expect", 1, "--scheduler", "ss", "--iterations", 2, "--pause", LEASE_S, "--copies",
                 "never", "--journal", self.path("kept"), "--resume")
        first = self.listen("--file", self.path("file"), *words, "--lease", f"{LEASE_S}s")
        old = self.join(first)
        self.await_begun(old, 1)
        old.kill(signal.SIGSTOP)
        first.kill()
        began_s = time.monotonic()
        second = self.listen("--file", self.path("file"), *words, "--lease", f"{second_lease_s}s")
        self.join(second)
        self.assertTrue(wait_until(lambda: len(bodies(self.path("file"))) > 1, 20), second.stderr)
        old.kill(signal.SIGCONT)
        self.good_record(second)
        self.assertIn("when the leases of an earlier master's workers have run out", second.stderr)
        self.assertGreater(bodies(self.path("file"))[1].began_s, began_s + 1.25 * LEASE_S)
        self.assert_never_two_at_once(2)
        return second


if __name__ == "__main__":
    unittest.main()
