"""What a person hears whose own program does what cannot be: once, in words, with the exit code that says whose it is."""

import unittest

from app_cli import AppCase

OPTION = "the program adds an option --scheduler (loadshare has one of that name) call the program's another name"
ELSEWHERE = ("a result was asked for that is on the master alone (its loop leaves it there) "
             "look at it where farm.is_master(), or leave it everywhere")
TWICE = "loadshare::run was called again (MPI begins and ends once in a process) run all loops in one body"


class Misuse(AppCase):
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

    def test_run_again(self):
        self.assert_heard("twice", TWICE, 2)

    def test_an_unknown_word(self):
        self.assert_heard("throws", "unknown option '--schedular' did you mean '--scheduler'?", 2, "--schedular", "gss")


if __name__ == "__main__":
    unittest.main()
