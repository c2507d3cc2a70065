"""A user's own program over TCP: a process that joins needs neither its options nor its words, and ends with the same values."""

import math
import signal
import time
import unittest

from tcp_farm import Relay, TcpCase


class OwnProgram(TcpCase):
    def test_map_reduce_and_chunks_on_a_worker_that_joins_without_options(self):
        for count in (10, 100_000):
            with self.subTest(count=count):
                master = self.listen("first", "--numbers", count, "--workers", 1, "--expect", 3)
                member = self.join(master, "--workers", 2)
                self.assertEqual((master.ended(), member.ended()), (0, 0), master.stderr + member.stderr)
                total = sum(i * i for i in range(count))
                printed = [process.stdout.split() for process in (master, member)]
                self.assertEqual([words[:2] for words in printed], [["first", "master"], ["first", "member"]])
                for words in printed:
                    self.assertEqual(list(map(int, words[2:4])), [total, total])
                    self.assertAlmostEqual(float(words[4]), total / 2, delta=total * 1e-5)
                self.assertEqual(self.last_record()["workers"], 3)

    def test_a_worker_that_receives_the_results_slowly_ends_well(self):
        master = self.listen("first", "--numbers", 400_000, "--workers", 1, "--start-after", "1s")
        slow = self.start("--join", Relay(master, down=1_000_000).address, "--workers", 1)
        self.assertEqual((master.ended(), slow.ended()), (0, 0), master.stderr + slow.stderr)

    def test_wrong_words_of_the_program_are_reported_by_the_master(self):
        done = self.run_program("--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("NAME is required", done.stderr)


class DeadlyIteration(TcpCase):
    LOOP = ("first", "--numbers", 400, "--pause", 0.002, "--deadly", 17, "--scheduler", "factoring", "--master", "coordinates",
            "--patience", "6s")  # under sanitizers a process takes seconds to start

    def run_with_members_that_are_replaced(self, *words, members=4, workers=1):
        """Returns the ended master, and the number of processes that the iteration has ended."""
        master = self.listen(*self.LOOP, *words)
        members = [self.join(master, "--workers", workers) for _ in range(members)]
        ended = 0
        while master.running.poll() is None and ended < 30:
            for i, member in enumerate(members):
                if member.running.poll() == -signal.SIGKILL:
                    ended += 1
                    members[i] = self.join(master, "--workers", workers)
            time.sleep(0.02)
        master.ended()
        return master, ended

    def test_a_deadly_iteration_is_named_exactly(self):
        master, ended = self.run_with_members_that_are_replaced()
        self.assertEqual(master.running.returncode, 3, master.stderr)
        self.assertIn("workers were lost with iteration 17", master.stderr)
        self.assertIn("399 of 400 iterations were in finished chunks", master.stderr)
        self.assertLessEqual(ended, 3 + math.log2(50))  # the first chunk of factoring

    def test_a_deadly_iteration_is_left_out_if_failures_are_skipped(self):
        for members, workers in ((4, 1), (2, 4)):  # workers of one process are lost together
            with self.subTest(members=members, workers=workers):
                master, _ = self.run_with_members_that_are_replaced("--on-failure", "skip", members=members, workers=workers)
                self.assertEqual(master.running.returncode, 0, master.stderr)
                self.assertEqual(int(master.stdout.split()[3]), sum(i * i for i in range(400)) - 17 * 17)


if __name__ == "__main__":
    unittest.main()
