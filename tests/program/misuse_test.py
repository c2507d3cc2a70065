"""What a person hears whose own program does what cannot be: once, in words, with the exit code that says whose it is."""

import unittest

from processes import in_one_line
from tcp_farm import TcpCase

OPTION = "the program adds an option --scheduler (loadshare has one of that name) call the program's another name"
ELSEWHERE = ("a result was asked for that is on the master alone (its loop leaves it there) "
             "look at it where farm.is_master(), or leave it everywhere")
TWICE = "loadshare::run was called again (MPI begins and ends once in a process) run all loops in one body"

WITHIN = "the farm was called in the body of a loop (it runs one loop at a time) begin the next one when this one has ended"
MASTER_HAS_MORE = ("rank 1 ends after 1 loop (the master begins loop 2) "
                   "have every rank come by the same loops in the same order")
MASTER_HAS_FEWER = ("rank 1 begins loop 2 (the master ends after 1 loop) "
                    "have every rank come by the same loops in the same order")


class Misuse(TcpCase):
    def assert_heard(self, word, text, code, *words, ranks=None):
        with self.subTest(word=word, ranks=ranks):
            done = self.run_program(word, *words, ranks=ranks)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
            self.assertIn(text, done.stderr)

    def test_by_threads_and_by_ranks(self):
        for ranks in (None, 3):
            self.assert_heard("throws", "there is no 42", 1, ranks=ranks)
            self.assert_heard("in", "in(...) has 7 values (the loop has 10 iterations)", 2, ranks=ranks)
            self.assert_heard("out", "out(...) has 7 values (the loop has 10 iterations)", 2, ranks=ranks)
            self.assert_heard("negative", "a loop of -1 iterations", 2, ranks=ranks)
            self.assert_heard("option", OPTION, 2, ranks=ranks)

    def test_what_threw_and_where(self):
        self.assert_heard("throws", "failed on iterations 42-42 (there is no 42; ", 1, "--on-failure", "end", "--scheduler", "send:1")

    def test_a_result_elsewhere_than_it_is(self):
        self.assert_heard("elsewhere", ELSEWHERE, 2, ranks=2)

    def test_a_loop_in_the_body_of_another(self):
        for ranks in (None, 2, 4):
            self.assert_heard("within", WITHIN, 2, "--on-failure", "skip:1", ranks=ranks)
            self.assert_heard("memory within", WITHIN, 2, ranks=ranks)
        self.assert_heard("within", WITHIN, 2, "--reissue", ranks=3)
        self.assert_heard("within", WITHIN, 2, "--ranks-per-host", 1, ranks=3)

    def test_ranks_that_come_by_other_loops_than_the_master(self):
        for ranks in (2, 3, 4):
            self.assert_heard("master has more", MASTER_HAS_MORE, 2, ranks=ranks)
            self.assert_heard("master has fewer", MASTER_HAS_FEWER, 2, ranks=ranks)
        self.assert_heard("master has more", MASTER_HAS_MORE, 2, "--reissue", ranks=2)
        self.assert_heard("master has fewer", MASTER_HAS_FEWER, 2, "--reissue", ranks=2)
        self.assert_heard("master has more", "rank 0 ends after 1 loop (the master begins loop 2)", 2, "--master-rank", 1, ranks=2)

    def test_over_tcp_each_process_hears_of_its_own_mistake(self):
        for what, text, code in (("within", WITHIN, 2), ("master has more", MASTER_HAS_MORE, 0), ("master has fewer", MASTER_HAS_FEWER, 0)):
            with self.subTest(what=what):
                master = self.listen(what, "--workers", 1, "--expect", 2, "--start-after", "3s")  # goes on alone then
                member = self.join(master)
                self.assertEqual((master.ended(), member.ended()), (code, 2), master.stderr + member.stderr)
                self.assertEqual(in_one_line(member.stderr).count("error: "), 1)
                self.assertIn(text, member.stderr)
                if code != 0:
                    self.assertIn(text, master.stderr)

    def test_run_again(self):
        self.assert_heard("twice", TWICE, 2)

    def test_an_unknown_word(self):
        self.assert_heard("throws", "unknown option '--schedular' did you mean '--scheduler'?", 2, "--schedular", "gss")


if __name__ == "__main__":
    unittest.main()
