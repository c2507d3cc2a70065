"""integer_sort as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

from spmd_cli import SpmdCase

KEYS = {"S": 2**16, "W": 2**20, "A": 2**23, "B": 2**25}


class IntegerSortCase(SpmdCase):
    SIZE = "class"


class Runs(IntegerSortCase):
    def test_ranks_are_right(self):
        for ranks, problem in ((None, "S"), (1, "W"), (2, "S"), (2, "A"), (4, "S"), (4, "W"), (4, "B")):
            with self.subTest(ranks=ranks, problem=problem):
                record = self.record("--class", problem, ranks=ranks)
                self.assertIs(record["verified"], True)
                self.assertEqual((record["iterations"], record["iteration_name"]), (KEYS[problem], "keys"))
                self.assertEqual((record["seed"], record["operations"]), (314159265, None))
                self.assertEqual(record["options"], {"class": problem, "verify": "full", "work": 1})
                self.check_findings(record)

    def check_findings(self, record):
        findings = record["findings"]
        self.assertEqual(list(findings), ["keys", "mops", "partial_checks_passed", "full_verification"])
        self.assertEqual(findings["keys"], record["iterations"])
        self.assertAlmostEqual(findings["mops"], 10 * record["iterations"] / record["makespan_s"] / 1e6,
                               delta=1e-3 * findings["mops"])
        self.assertEqual((findings["partial_checks_passed"], findings["full_verification"]), (50, True))

    def test_a_size_of_no_class_is_verified_without_test_keys(self):
        for ranks, keys in ((None, 13), (4, 18)):
            record = self.record("--class", f"2^{keys}", ranks=ranks)
            self.assertIs(record["verified"], True)
            self.assertEqual(list(record["findings"]), ["keys", "mops", "full_verification"])
            self.assertEqual(record["findings"]["keys"], 2**keys)
        record = self.record("--class", "2^18", "--spoil", 3, ranks=2, code=1)
        self.assertEqual(record["notes"][0], "the sorted keys are not those of the input")

    # How keys fall to ranks is a matter of the keys alone; from one iteration to the next two of them change.
    def test_every_rank_gets_buckets_of_about_its_share(self):
        record = self.record(ranks=4)
        self.assertEqual([rank["iterations"] for rank in record["ranks"]], [16672, 16204, 16365, 16295])
        for rank in record["ranks"]:
            self.assertAlmostEqual(rank["work"], 10 * (16384 + rank["iterations"]), delta=100)
        self.assertEqual(sum(rank["work"] for rank in record["ranks"]), 2 * 10 * 65536)

    def test_the_summary_says_what_the_benchmark_found(self):
        done = self.assert_good(self.run_program(ranks=2))
        self.assertIn("integer_sort: 65,536 keys on 2 ranks, 1 host (mpi)\n", done.stdout)
        self.assertRegex(done.stdout, r"\nclass       S of NPB IS: 65,536 keys below 2,048\n"
                                      r"rate        [\d.]+ Mop/s\n"
                                      r"partial     50 of 50 checks passed\n"
                                      r"full        yes\n"
                                      r"verified    yes\n\Z")

    def test_a_load_is_reported(self):
        record = self.record("--class", "W", "--load", "constant,where=all", ranks=2)
        self.assertEqual([rank["rank"] for rank in record["load"]["ranks"]], [0, 1])


class Failures(IntegerSortCase):
    def test_common(self):
        self.check_alike(ranks=2)

    def test_names_and_numbers(self):
        for words, text in (
            (("--class", "D"), "unknown --class 'D' (valid: S, W, A, B, C); did you mean 'S'?"),
            (("--class", "w"), "unknown --class 'w' (valid: S, W, A, B, C); did you mean 'W'?"),
            (("--verify", "some"), "unknown --verify 'some' (valid: full, none); did you mean 'none'?"),
            (("--spoil", 0), "--spoil is 0 (at least 1)"),
            (("--spoil", 11), "--spoil is 11 (at most 10)"),
            (("--seed", 1), "unknown option '--seed'; see --help"),
            (("--clas", "S"), "unknown option '--clas'; did you mean '--class'?"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_ranks_are_a_power_of_two(self):
        self.assert_refused((), "integer_sort needs a power of two as its number of ranks (3 is not one); use 2 or 4", ranks=3)

    # The first key of class S, 1585, becomes 0, and of the test keys 50, 158 and 310 are greater than only one of them.
    def test_a_spoiled_key_is_found(self):
        others = "the sorted keys are not those of the input"
        for ranks, spoiled, passed in ((1, 10, 47), (2, 1, 20), (4, 8, 41)):
            with self.subTest(ranks=ranks, spoiled=spoiled):
                record = self.record("--spoil", spoiled, ranks=ranks, code=1)
                self.assertIs(record["verified"], False)
                self.assertEqual(record["findings"]["partial_checks_passed"], passed)
                self.assertIs(record["findings"]["full_verification"], False)
                self.assertEqual(record["notes"][0],
                                 f"{50 - passed} of 50 partial checks failed, the first that of test key 0 in iteration "
                                 f"{spoiled}; {others}")
        done = self.run_program("--spoil", 10, "--progress", "none", ranks=2)
        self.assertEqual((done.returncode, done.stderr), (1, "error: 3 of 50 partial checks failed, the first that of test "
                                                             f"key 0 in iteration 10; {others}\n"))
        self.assertIn("\npartial     47 of 50 checks passed\nfull        NO\nverified    NO, the result is wrong\n",
                      done.stdout)

    def test_an_unverified_run_finds_no_error(self):
        record = self.record("--spoil", 1, "--verify", "none", ranks=2)
        self.assertIsNone(record["verified"])
        self.assertEqual(list(record["findings"]), ["keys", "mops"])
