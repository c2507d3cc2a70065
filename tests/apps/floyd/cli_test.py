"""floyd as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

from spmd_cli import SpmdCase

PARALLEL = ("--part", "parallel")
FULL = ("--verify", "full")


class Runs(SpmdCase):
    CASES = (
        (None, ("--size", 60, *FULL)),
        (1, ("--size", 1)),
        (2, ("--size", 101, *FULL)),
        (3, ("--size", 100, *FULL, *PARALLEL, "--density", 0.02, "--work", 2)),
        (3, ("--size", 90, *FULL, "--density", 0)),
        (4, ("--size", 4, *PARALLEL, "--density", 1)),
        (4, ("--size", 150, "--seed", 99)),
    )

    def test_paths_are_found(self):
        for ranks, words in self.CASES:
            with self.subTest(ranks=ranks, words=words):
                record = self.record(*words, ranks=ranks)
                self.assertIs(record["verified"], True)
                self.assertEqual((record["iterations"], record["iteration_name"]), (record["options"]["size"], "rows"))
                self.assertIn("density", record["options"])

    def test_a_load_is_reported(self):
        record = self.record("--size", 300, "--load", "constant,where=1", ranks=2)
        self.assertEqual([rank["rank"] for rank in record["load"]["ranks"]], [1])

    def test_a_load_on_the_workers_is_on_every_rank(self):
        record = self.record("--size", 300, "--load", "constant,where=workers", ranks=2)
        self.assertEqual([rank["rank"] for rank in record["load"]["ranks"]], [0, 1])
        self.assertIn("where=workers|all|0-3+5", self.run_program("--help").stdout)


class Failures(SpmdCase):
    def test_common(self):
        self.check_common("--size", 30, ranks=3)

    def test_bad_values(self):
        for words, text in (
            (("--density", 1.5), "--density is 1.5 (it is a share, from 0 to 1)"),
            (("--density", -1), "--density is -1 (it is a share, from 0 to 1)"),
            (("--density", "nan"), "--density is 'nan' (it must be a number); write it as 12.5"),
            (("--density", "half"), "--density is 'half' (it must be a number); write it as 12.5"),
            (("--part", "hole"), "unknown --part 'hole' (valid: whole, parallel); did you mean 'whole'?"),
            (("--verify", "simple"), "unknown --verify 'simple' (valid: sample, full, none); did you mean 'sample'?"),
            (("--size", 46341), "--size is 46341 (at most 46340)"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)
        self.assert_refused(("--size", 3), "--size is 3 (each of 4 ranks needs at least one row); use a larger --size or "
                                           "fewer ranks", ranks=4)

    def test_a_spoiled_path_is_found(self):
        for ranks, words in ((1, ("--spoil", 0)), (3, ("--spoil", 39)), (3, ("--spoil", 20, *PARALLEL))):
            with self.subTest(ranks=ranks, words=words):
                record = self.record("--size", 40, *FULL, *words, ranks=ranks, code=1)
                self.assertIs(record["verified"], False)
                self.assertEqual(record["notes"][0], f"the paths from vertex {words[1]} are wrong (1 of 40 checked), "
                                                     "according to Dijkstra's algorithm")
        self.assertIsNone(self.record("--size", 30, "--spoil", 3, "--verify", "none")["verified"])
        self.assert_refused(("--size", 30, "--spoil", 30), "--spoil is 30 (at most 29)")
