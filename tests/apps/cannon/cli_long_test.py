"""cannon on grids in which left and right are different ranks: ctest -L long."""

import numpy as np
from spmd_cli import SpmdCase


class LargerGrids(SpmdCase):
    def test_products_of_files_are_those_of_numpy(self):
        for size, ranks in ((3, 9), (17, 9), (100, 9), (16, 16), (37, 16)):
            with self.subTest(size=size, ranks=ranks):
                a, b = np.random.default_rng(size).standard_normal((2, size, size))
                np.save(self.path("a.npy"), a)
                np.save(self.path("b.npy"), b)
                record = self.record("--a", self.path("a.npy"), "--b", self.path("b.npy"), "--c", self.path("c.npy"),
                                     ranks=ranks)
                self.assertIs(record["verified"], True)
                np.testing.assert_allclose(np.load(self.path("c.npy")), a @ b, rtol=0, atol=1e-12 * size)

    def test_a_spoiled_row_is_found(self):
        record = self.record("--size", 50, "--spoil", 33, ranks=9, code=1)
        self.assertEqual(record["notes"][0], "the product is wrong in row 33 (1 of 50), according to the freivalds check")

    def test_grids_that_are_no_squares_are_refused(self):
        self.assert_refused(("--size", 30), "cannon needs a square number of ranks (6 is not one); use 4 or 9", ranks=6)
        self.assert_refused(("--size", 30), "cannon needs a square number of ranks (8 is not one); use 4 or 9", ranks=8)
