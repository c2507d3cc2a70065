"""bucket_sort as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

from spmd_cli import SpmdCase

PARALLEL = ("--part", "parallel")
SAMPLE = ("--split", "sample")


class Runs(SpmdCase):
    CASES = (
        (None, ("--size", 10000)),
        (1, ("--size", 1)),
        (2, ("--size", 200000, "--keys", "gaussian", *SAMPLE)),
        (2, ("--size", 1, *PARALLEL, *SAMPLE)),
        (3, ("--size", 100001, *PARALLEL, "--work", 3, "--seed", 7)),
        (3, ("--size", 30000, "--keys", "few", *SAMPLE)),
        (4, ("--size", 100003, "--keys", "ascending", *PARALLEL, *SAMPLE)),
        (4, ("--size", 3)),
    )

    def test_keys_are_sorted(self):
        for ranks, words in self.CASES:
            with self.subTest(ranks=ranks, words=words):
                record = self.record(*words, ranks=ranks)
                self.assertIs(record["verified"], True)
                self.assertEqual((record["iterations"], record["iteration_name"]), (record["options"]["size"], "keys"))
                self.assertIsNone(record["operations"])

    def test_a_sample_makes_buckets_equal(self):
        words = ("--size", 400000, "--keys", "gaussian", *PARALLEL)
        by_range, by_sample = (self.record(*words, "--split", split, ranks=4) for split in ("range", "sample"))
        def most(record):
            return max(rank["iterations"] for rank in record["ranks"])
        self.assertGreater(most(by_range), 160000)
        self.assertLess(most(by_sample), 115000)

    def test_the_work_of_a_rank_is_keys_into_buckets_and_keys_into_order(self):
        record = self.record("--size", 100001, "--keys", "gaussian", *PARALLEL, ranks=4)
        self.assertEqual([rank["work"] - rank["iterations"] for rank in record["ranks"]], [25001, 25000, 25000, 25000])
        self.assertEqual(sum(rank["work"] for rank in record["ranks"]), 2 * 100001)

    def test_a_load_is_reported(self):
        record = self.record("--size", 500000, "--load", "constant,where=all", ranks=2)
        self.assertEqual([rank["rank"] for rank in record["load"]["ranks"]], [0, 1])


class Failures(SpmdCase):
    def test_common(self):
        self.check_common("--size", 1000, ranks=2)

    def test_unknown_names(self):
        self.assert_refused(("--keys", "unifrom"), "unknown --keys 'unifrom' (valid: uniform, gaussian, few, ascending); "
                                                   "did you mean 'uniform'?")
        self.assert_refused(("--split", "ranges"), "unknown --split 'ranges' (valid: range, sample); did you mean 'range'?")
        self.assert_refused(("--part", "half"), "unknown --part 'half' (valid: whole, parallel)")
        self.assert_refused(("--verify", "some"), "unknown --verify 'some' (valid: full, none); did you mean 'none'?")
        self.assert_refused(("--size", 3000000000), "--size is 3000000000 (at most 2147483647)")

    def test_a_spoiled_key_is_found(self):
        for ranks, words in ((1, ("--spoil", 0)), (3, ("--spoil", 0)), (3, ("--spoil", 2, *PARALLEL))):
            with self.subTest(ranks=ranks, words=words):
                record = self.record("--size", 1000, *words, ranks=ranks, code=1)
                self.assertIs(record["verified"], False)
                self.assertEqual(record["notes"][0], "the sorted keys are not those of the input")
        self.assertIsNone(self.record("--size", 30, "--spoil", 0, "--verify", "none")["verified"])
        self.assert_refused(("--size", 30, "--spoil", 1), "--spoil is 1 (sorted keys end up on 1 rank, from 0)", ranks=2)
