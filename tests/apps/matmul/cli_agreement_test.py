"""Ranks of one mpirun that were given different options: none waits forever, and the user sees both values."""

import os
import shutil
import subprocess
import unittest

from app_cli import FAREWELL, MPIRUN, PROGRAM
from matmul_cli import MatmulCase
from processes import in_one_line

HANG_S = 30
SAME = "give every rank the same options\n"


class Agreement(MatmulCase):
    def run_ranks(self, *words_of_ranks, program=None, env=None):
        """Starts a rank with each of these options; the last one may name another program."""
        line = [MPIRUN, "-q", "--oversubscribe"]
        for rank, words in enumerate(words_of_ranks):
            is_last = rank + 1 == len(words_of_ranks)
            line += [*([":"] if rank > 0 else []), "-np", "1", program if program and is_last else PROGRAM, *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=HANG_S, env=env)
        return done.returncode, done.stdout, in_one_line(FAREWELL.sub("", done.stderr))

    def assert_different(self, why, *words_of_ranks):
        self.assertEqual(self.run_ranks(*words_of_ranks), (2, "", f"error: ranks have different options ({why}); {SAME}"))

    def test_options_that_must_be_the_same(self):
        small = ("--size", 40)
        for words, without, value in (
            (("--prefetch", 8), "0", "8"),
            (("--reissue",), "not given", "given"),
            (("--master", "coordinates"), "works", "coordinates"),
            (("--master-rank", 1), "0", "1"),
            (("--load", "on=10ms,off=10ms"), "not given", "on=10ms,off=10ms"),
            (("--scheduler", "gss:14"), "gss", "gss:14"),
            (("--on-failure", "skip:2"), "end", "skip:2"),
            (("--journal", self.path("journal")), "not given", self.path("journal")),
            (("--json", self.path("runs")), "not given", self.path("runs")),
            (("--kernel", "blas"), "packed", "blas"),
            (("--ranks-per-host", 1), "0", "1"),
        ):
            with self.subTest(words=words):
                self.assert_different(f"{words[0]} is {without} on rank 0, {value} on rank 1", small, (*small, *words))
        self.assertEqual(self.files(), [])

    def test_the_rank_with_the_option_may_be_the_first(self):
        for words, why in ((("--reissue",), "--reissue is given on rank 0, not given on rank 1"),
                           (("--master-rank", 1), "--master-rank is 1 on rank 0, 0 on rank 1")):
            with self.subTest(words=words):
                self.assert_different(why, words, ())

    def test_several_options_and_ranks(self):
        self.assert_different("--prefetch is 0 on ranks 0, 2, 8 on rank 1; --size is 40 on ranks 0-1, 50 on rank 2",
                              ("--size", 40), ("--size", 40, "--prefetch", 8), ("--size", 50))

    def test_workers_are_refused_where_they_were_given(self):
        code, out, error = self.run_ranks((), ("--workers", 2))
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--workers is 2 (under mpirun every rank is one worker)", error)

    def test_a_rank_that_is_asked_for_help(self):
        for word in ("--help", "--version"):
            with self.subTest(word=word):
                self.assert_different(f"{word} is not given on rank 0, given on rank 1", (), (word,))
        environment = os.environ | {"OMPI_MCA_orte_allowed_exit_without_sync": "1"}
        self.assertEqual(self.run_ranks(("--help",), (), env=environment)[0], 2)

    def test_options_that_may_differ(self):
        code, out, error = self.run_ranks(("--size", 40, "--explain"), ("--size", 40, "--wait", "nap", "--progress", "none"))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("verified    yes", out)

    def test_the_same_in_other_words(self):
        code, _, error = self.run_ranks(("--size", 40, "--prefetch", 0), ("--size=40", "--scheduler", "gss"))
        self.assertEqual((code, error), (0, ""))

    def test_different_programs(self):
        other = self.path("othermul")
        shutil.copy(PROGRAM, other)
        code, out, error = self.run_ranks((), (), program=other)
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(error, r"\Aerror: ranks run different programs \(matmul \S+, build (\w+) on rank 0, othermul \S+, build \1 "
                                r"on rank 1\); start one program with one mpirun\n\Z")


class AnotherLauncher(MatmulCase):
    """Ranks whose environment contains the variables of other MPIs' launchers."""

    def assert_refused_under(self, variables, message, launcher):
        done = self.run_program("--size", 40, env=os.environ | variables)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aerror: MPI connects 1 of 2 processes, and each would do all the work \(" +
                         message + f" is 2, set by {launcher}, but the program is linked to Open MPI v\\S+" + r"\); start it with the mpirun of "
                         r"that library, under Slurm with srun --mpi=pmix\n\Z")

    def test_separate_processes_are_refused(self):
        self.assert_refused_under({"PMI_RANK": "0", "PMI_SIZE": "2", "PMI_FD": "6", "MPI_LOCALNRANKS": "2", "MPI_LOCALRANKID": "0"},
                                  "PMI_SIZE", "the mpiexec of MPICH or Intel MPI and srun --mpi=pmi2")
        self.assert_refused_under({"MV2_COMM_WORLD_RANK": "0", "MV2_COMM_WORLD_SIZE": "2"}, "MV2_COMM_WORLD_SIZE",
                                  "MVAPICH2's mpirun_rsh")

    def test_a_second_process_reports_it_too(self):
        done = self.run_program("--size", 40, env=os.environ | {"PMI_RANK": "1", "PMI_SIZE": "2"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("PMI_SIZE is 2", done.stderr)

    def test_one_process_of_one_is_a_run(self):
        self.assert_good(self.run_program("--size", 40, env=os.environ | {"PMI_RANK": "0", "PMI_SIZE": "1"}))

    def test_mpirun_within_a_step_of_another_launcher_is_accepted(self):
        done = self.run_program("--size", 40, ranks=2, env=os.environ | {"PMI_RANK": "5", "PMI_SIZE": "8"})
        self.assertIn(" on 2 workers, ", self.assert_good(done).stdout)


if __name__ == "__main__":
    unittest.main()
