"""Errors of users' programs: each is reported once, in a readable text, with the exit code that names its origin."""

import subprocess
import unittest

from app_cli import FAREWELL, MPIRUN, PROGRAM, TIMEOUT_S
from processes import in_one_line
from tcp_farm import TcpCase

OPTION = "the program adds an option {} (loadshare has one of that name); rename the program's option"
OUTSIDE = "no file (thrown by the program outside its loops)"
MASTERS = "(the master decides what is computed and how, and sends these options); leave it out here"
ELSEWHERE = ("this process does not have the result (its loop keeps it on the master only); "
             "use it only if farm.is_master(), or run the loop with Keep::everywhere")
OVER = "error: the farm has ended (the body that received it has returned); use it inside that body\n"
TWICE = "loadshare::run was called again (MPI can start only once in a process); run all loops in one body"

WITHIN = "the farm was called in the body of a loop (it runs one loop at a time); begin the next loop when this one has ended"
MASTER_HAS_MORE = ("rank 1 ends after 1 loop (the master begins loop 2); "
                   "let every rank run the same loops in the same order")
MASTER_HAS_FEWER = ("rank 1 begins loop 2 (the master ends after 1 loop); "
                    "let every rank run the same loops in the same order")


class Misuse(TcpCase):
    def assert_heard(self, word, text, code, *words, ranks=None):
        with self.subTest(word=word, ranks=ranks):
            done = self.run_program(word, *words, ranks=ranks)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
            self.assertIn(text, done.stderr)

    def test_fractions_have_a_point_on_threads_and_ranks(self):
        for ranks in (None, 3):
            self.assert_heard("throws", "there is no 42", 1, ranks=ranks)
            self.assert_heard("in", "in(...) has 7 values (the loop has 10 iterations)", 2, ranks=ranks)
            self.assert_heard("out", "out(...) has 7 values (the loop has 10 iterations)", 2, ranks=ranks)
            self.assert_heard("negative", "a loop of -1 iterations (there must be 0 or more); correct the number", 2, ranks=ranks)
            self.assert_heard("--help", OPTION.format("--help"), 2, ranks=ranks)

    def test_options_of_loadshare_cannot_be_added(self):
        for option in ("--scheduler", "-h", "--version"):
            self.assert_heard(option, OPTION.format(option), 2)

    def test_an_exception_outside_a_loop(self):
        for ranks in (None, 4):
            self.assert_heard("before", f"error: {OUTSIDE}", 1, ranks=ranks)
        self.assert_heard("unknown", "error: an exception of unknown type (thrown by the program outside its loops)", 1)
        self.assert_heard("no text", "error: an exception without a text (thrown by the program outside its loops)", 1)
        self.assert_heard("alone", f"error: rank 1: {OUTSIDE}", 1, ranks=3)
        self.assert_heard("others", f"error: rank 1: {OUTSIDE}", 1, ranks=4)

    def test_an_interruption_after_all_loops(self):
        for ranks in (None, 2):
            self.assert_heard("interrupted later", "error: interrupted (after the program's loops had ended)", 130, ranks=ranks)

    def test_an_exit_of_its_own_ends_all(self):
        for word in ("exits within", "exits later"):
            for ranks in (None, 1, 3):
                with self.subTest(word=word, ranks=ranks):
                    self.assertEqual(self.run_program(word, ranks=ranks).returncode, 5)

    def test_options_of_its_own(self):
        for value, form in (("abc", "a whole number, 0 at least"), ("-3", "a whole number, 0 at least")):
            self.assert_heard("throws", f"error: --count is '{value}' (it must be {form}); see --help", 2, "--count", value)
        self.assert_heard("throws", "error: --share is 'abc' (it must be a number); see --help", 2, "--share", "abc")
        self.assert_refused((), "WHAT is required; see --help")
        self.assert_heard("--count", "the program's own options cannot be added (added option matched existing option name: count "
                          "is already added); correct what it adds to CLI11's app", 2)

    def test_options_of_its_own_that_ranks_do_not_share(self):
        line = [MPIRUN, "-q", "--oversubscribe", "-np", "1", PROGRAM, "throws", "--count", "3"]
        for words, why in ((("throws", "-n4"), "--count is 3 on rank 0, 4 on rank 1"),
                           (("before", "--count", "3"), "WHAT is throws on rank 0, before on rank 1"),
                           (("throws",), "--count is 3 on rank 0, not given on rank 1")):
            done = subprocess.run([*line, ":", "-np", "1", PROGRAM, *words], capture_output=True, text=True, timeout=TIMEOUT_S)
            self.assertEqual((done.returncode, in_one_line(FAREWELL.sub("", done.stderr))),
                             (2, f"error: ranks have different options ({why}); give every rank the same options\n"))

    def test_options_of_its_own_where_it_joins(self):
        for word in ("throws", "--count=3", "-n3"):
            given = word.partition("=")[0]
            self.assert_refused(("--join", "localhost:1", word), f"'{given}' is given to a worker that joins {MASTERS}")
        self.assert_refused(("--join", "localhost:1", "--joi"), "unknown option '--joi'; did you mean '--join'?")

    def test_an_exception_is_named_with_its_place(self):
        self.assert_heard("throws", "failed on iteration 42 (there is no 42; 42 of 100 iterations were in finished chunks); "
                          "--on-failure retry:3 tries it again, --on-failure skip:1 leaves it out\n", 1, "--workers", 1, "--on-failure", "end", "--scheduler", "send:1")

    def test_exceptions_without_a_text(self):
        for ranks in (None, 2):
            self.assert_heard("throws a number", "(an exception of unknown type; ", 1, ranks=ranks)
            self.assert_heard("throws no text", "(an exception without a text; ", 1, ranks=ranks)

    def test_results_that_no_memory_holds(self):
        self.assert_heard("endless", "error: out of memory (a loop has 4611686018427387904 results of 4 bytes each); "
                          "run fewer iterations, or keep less of each\n", 1)

    def test_a_result_whose_memory_is_elsewhere(self):
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

    def test_over_tcp_each_process_reports_its_own_mistake(self):
        as_member = lambda text: text.replace("rank 1 ", "rank 2 ")  # rank 1 is the master's own worker
        for what, text, code in (("within", WITHIN, 2), ("master has more", as_member(MASTER_HAS_MORE), 0),
                                 ("master has fewer", as_member(MASTER_HAS_FEWER), 0)):
            with self.subTest(what=what):
                master = self.listen(what, "--workers", 1, "--expect", 2, "--start-after", "3s")  # goes on alone then
                member = self.join(master)
                self.assertEqual((master.ended(), member.ended()), (code, 2), master.stderr + member.stderr)
                self.assertEqual(in_one_line(member.stderr).count("error: "), 1)
                self.assertIn(text, member.stderr)
                if code != 0:
                    self.assertIn(text, master.stderr)

    def test_a_second_call_of_run(self):
        self.assert_heard("twice", TWICE, 2)

    def test_a_closed_farm(self):
        for ranks in (None, 3):
            self.assert_heard("kept", OVER, 2, ranks=ranks)

    def test_an_unknown_word(self):
        self.assert_heard("throws", "unknown option '--schedular'; did you mean '--scheduler'?", 2, "--schedular", "gss")


if __name__ == "__main__":
    unittest.main()
