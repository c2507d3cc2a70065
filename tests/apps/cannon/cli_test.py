"""cannon as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

import numpy as np
from spmd_cli import SpmdCase


class Runs(SpmdCase):
    def test_every_allowed_number_of_ranks(self):
        for ranks, words in ((None, ("--size", 100)), (1, ("--size", 1)), (4, ("--size", 2)), (4, ("--size", 101)),
                             (4, ("--size", 64, "--kernel", "naive", "--seed", 5)), (4, ("--size", 103, "--work", 3))):
            with self.subTest(ranks=ranks, words=words):
                record = self.record(*words, ranks=ranks)
                size = record["options"]["size"]
                self.assertIs(record["verified"], True)
                self.assertEqual((record["iterations"], record["iteration_name"]), (size * size, "elements"))
                self.assertEqual(record["operations"], 2 * size**3 * record["options"]["work"])
                self.assertIn("blas", record["versions"])

    def test_unequal_blocks(self):
        record = self.record("--size", 5, ranks=4)
        self.assertEqual([rank["iterations"] for rank in record["ranks"]], [9, 6, 6, 4])

    def test_a_load_is_reported(self):
        record = self.record("--size", 800, "--load", "constant,where=1", ranks=4)
        self.assertEqual([rank["rank"] for rank in record["load"]["ranks"]], [1])
        self.assertGreater(record["load"]["ranks"][0]["cpu_s"], 0)


class Failures(SpmdCase):
    def test_common(self):
        self.check_common("--size", 30, ranks=4)

    def test_wrong_ranks(self):
        for ranks, text in ((2, "2 is not one); use 1 or 4"), (3, "3 is not one); use 1 or 4")):
            with self.subTest(ranks=ranks):
                self.assert_refused(("--size", 10), f"cannon needs a square number of ranks ({text}", ranks=ranks)
        self.assert_refused(("--size", 1), "--size is 1 (4 ranks form 2 rows of ranks, and each needs at least one row); "
                                           "use a larger --size or fewer ranks", ranks=4)

    def test_unknown_names(self):
        self.assert_refused(("--kernel", "blsa"), "unknown kernel 'blsa' (valid: blas, naive); did you mean 'blas'?")
        self.assert_refused(("--verify", "ful"), "unknown --verify 'ful' (valid: freivalds, none)")

    def test_too_large(self):
        done = self.run_program("--size", 99999999)
        self.assertEqual(done.returncode, 2)
        self.assertIn("of memory", done.stderr)

    def test_a_spoiled_row_is_found(self):
        for ranks, row in ((1, 0), (4, 29)):
            with self.subTest(ranks=ranks):
                record = self.record("--size", 30, "--spoil", row, ranks=ranks, code=1)
                self.assertIs(record["verified"], False)
                self.assertEqual(record["notes"][0],
                                 f"the product is wrong in row {row} (1 of 30), according to the freivalds check")
        self.assertIsNone(self.record("--size", 30, "--spoil", 3, "--verify", "none")["verified"])
        self.assert_refused(("--size", 30, "--spoil", 30), "--spoil is 30 (at most 29)")


class Files(SpmdCase):
    """Matrices in files, as for matmul. Values differ by row and by column, to distinguish left from right."""

    def multiplied(self, size, ranks, order="C"):
        random = np.random.default_rng(size)
        a, b = random.standard_normal((2, size, size))
        np.save(self.path("a.npy"), np.asarray(a, order=order))
        np.save(self.path("b.npy"), b)
        record = self.record("--a", self.path("a.npy"), "--b", self.path("b.npy"), "--c", self.path("c.npy"), ranks=ranks)
        self.assertIs(record["verified"], True)
        self.assertEqual(record["options"]["size"], size)
        np.testing.assert_allclose(np.load(self.path("c.npy")), a @ b, rtol=0, atol=1e-12 * size)

    def test_products_are_those_of_numpy(self):
        for size, ranks, order in ((1, 1, "C"), (37, 4, "C"), (64, 4, "F")):
            with self.subTest(size=size, ranks=ranks):
                self.multiplied(size, ranks, order)

    def test_files_that_do_not_fit_are_refused(self):
        np.save(self.path("square.npy"), np.ones((6, 6)))
        np.save(self.path("other.npy"), np.ones((5, 5)))
        np.save(self.path("long.npy"), np.ones((6, 5)))
        np.save(self.path("single.npy"), np.ones((6, 6), dtype=np.float32))
        square = self.path("square.npy")
        for words, text in (
            (("--a", square), "--b is missing (a product needs both matrices); give both --a and --b, or neither"),
            (("--a", square, "--b", square, "--size", 6), "sizes and files are both given"),
            (("--a", self.path("long.npy"), "--b", square), "long.npy is 6 x 5 (cannon multiplies square matrices)"),
            (("--a", square, "--b", self.path("single.npy")), "single.npy is of float32 (cannon computes in float64)"),
            (("--a", square, "--b", self.path("other.npy")), "other.npy"),
            (("--a", square, "--b", self.path("none.npy")), "none.npy"),
        ):
            with self.subTest(words=words):
                done = self.run_program(*words, ranks=4)
                self.assertEqual((done.stdout, done.returncode), ("", 2))
                self.assertIn(text, done.stderr)
