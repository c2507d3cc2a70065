"""matvec as a user runs it, with threads and under mpirun."""

import json
import os
import unittest

import numpy as np

from exact_matrices import whole_numbers
from farm_cli import MESSAGES, SCHEDULERS, FarmCase
from small_disk import has_small_disks


class MatvecCase(FarmCase):
    def save(self, name, values):
        np.save(self.path(name), values)
        return self.path(name)

    def product(self, a, x, *words, **options):
        """Returns y of a good run with files, and keeps the record."""
        y = self.path("Y.npy")
        self.last_record = self.record("--a", self.save("A.npy", a), "--x", self.save("X.npy", x), "--y", y, *words, **options)
        return np.load(y)


class Runs(MatvecCase):
    def test_every_scheduler(self):
        for scheduler in SCHEDULERS:
            with self.subTest(scheduler=scheduler):
                record = self.record("--size", 200, "--scheduler", scheduler, "--workers", 3)
                self.assertEqual((record["verified"], record["iterations"]), (True, 200))

    def test_every_size(self):
        for rows, cols in ((0, 0), (0, 5), (5, 0), (1, 1), (2, 100001), (1000, 1), (97, 40000)):
            for dtype in ("float64", "float32"):
                with self.subTest(rows=rows, cols=cols, dtype=dtype):
                    record = self.record("--rows", rows, "--cols", cols, "--type", dtype, "--workers", 5)
                    self.assertEqual((record["verified"], record["iterations"]), (True, rows))

    def test_mpi(self):
        for ranks, words in ((1, ()), (2, ("--scheduler", "send:1")), (4, ("--scheduler", "factoring")),
                             (4, (*MESSAGES, "--cols", 200000, "--rows", 30, "--prefetch", 2)), (2, (*MESSAGES, "--size", 0)),
                             (3, (*MESSAGES, "--master", "coordinates", "--reissue", "--type", "float32"))):
            with self.subTest(ranks=ranks, words=words):
                size = () if "--size" in words or "--rows" in words else ("--size", 300)
                record = self.record(*size, *words, ranks=ranks)
                self.assertEqual((record["verified"], record["transport"], len(record["ranks"])), (True, "mpi", ranks))

    def test_the_record(self):
        record = self.record("--rows", 30, "--cols", 20, "--repeat", 7, "--seed", 5, "--type", "float32")
        options = record["options"]
        self.assertEqual([options[name] for name in ("rows", "cols", "type", "repeat", "verify")], [30, 20, "float32", 7, "full"])
        self.assertEqual((record["seed"], record["iteration_name"], record["operations"]), (5, "rows", 2.0 * 30 * 20 * 7))
        self.assertIn("together, the workers read the matrix at ", " ".join(record["notes"]))

    def test_unverified(self):
        self.assertIsNone(self.record("--size", 50, "--verify", "none", "--spoil", 3)["verified"])

    def test_help_and_version(self):
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ("--size N=4096 ", "--type TYPE=float64 ", "--repeat N=1 ", "--verify HOW=full ", "--scheduler SPEC=gss "):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)
        self.assertRegex(self.run_program("--version", ranks=2).stdout, r"\A\d+\.\d+\.\d+ \(.+, \w+\)\n\Z")
        self.assertRegex(self.run_program("--scheduler", "help").stdout, r"(?m)^gss:divisor")


class Files(MatvecCase):
    def test_numpys_own_product(self):
        for dtype in ("float64", "float32"):
            for order in "CF":
                for rows, cols in ((50, 70), (1, 3), (33, 4097)):
                    with self.subTest(dtype=dtype, order=order, rows=rows):
                        self.assert_product(rows, cols, dtype, order)
            self.assert_product(33, 40000, dtype, "C", *MESSAGES, ranks=4)

    def assert_product(self, rows, cols, dtype, order, *words, **options):
        a, x = whole_numbers((rows, cols), dtype, order), whole_numbers((cols,), dtype)
        y = self.product(a, x, *words, **options)
        self.assertEqual((y.shape, y.dtype), ((rows,), np.dtype(dtype)))
        np.testing.assert_array_equal(y, a @ x)
        self.assertIs(self.last_record["verified"], True)

    def test_a_column_gives_a_column(self):
        a, x = whole_numbers((9, 5)), whole_numbers((5, 1))
        np.testing.assert_array_equal(self.product(a, x), a @ x)

    def test_nan_in_a_file(self):
        a, x = np.ones((4, 3)), np.ones(3)
        a[1, 1], a[2, 2], a[3, 0] = np.nan, np.inf, 1e308
        a[3, 1] = 1e308
        np.testing.assert_array_equal(self.product(a, x), [3, np.nan, np.inf, np.inf])

    def test_files_that_do_not_fit(self):
        a, x = self.save("A.npy", np.ones((4, 3))), self.save("X.npy", np.ones(4))
        problem = f"cannot multiply {a} by {x}"
        for values, text in ((np.ones(4), "(the matrix has 3 columns, the vector 4 elements); the matrix would fit transposed"),
                             (np.ones(5), "(the matrix has 3 columns, the vector 5 elements)"),
                             (np.ones((1, 3)), f"({x} is 1 x 3, not one column); save it as x.ravel()"),
                             (np.ones((3, 2)), f"({x} is 3 x 2, not one column); matmul multiplies matrices"),
                             (np.ones(3, "float32"), "(one is float64, the other float32); convert one of them with astype")):
            with self.subTest(text=text):
                np.save(x, values)
                self.assert_refused(["--a", a, "--x", x], f"{problem} {text}")
        self.assert_refused(["--a", a, "--x", x], f"{problem} {text}", ranks=2)  # one rank says it, once
        np.save(a, np.ones(3))
        self.assert_refused(["--a", a, "--x", x], f"cannot read {a} (it has one dimension, of 3; a matrix has two); reshape it: "
                            "a.reshape(-1, 1) makes it one column, a.reshape(1, -1) one row")

    def test_a_result_that_cannot_be_written(self):
        self.assert_refused(["--size", 9, "--y", "/dev/full"],
                            "cannot write /dev/full (it is not a regular file); write to a file and copy it from there")

    @unittest.skipUnless(has_small_disks(), "a disk of a few pages takes root and unshare")
    def test_a_full_disk_keeps_the_old_y(self):
        done = self.run_on_small_disk("--rows", 10000, "--cols", 3, "--y", "kept")
        self.assertEqual((done.returncode, done.stdout), (2, "filler\nkept\nold\n"), done.stderr)
        self.assertRegex(done.stderr, r"\Aerror: cannot write kept \(no space left on device: it needs 78\.\d KiB, \S+ KiB are "
                                      r"free\)\n\Z")


class Failures(MatvecCase):
    def test_a_spoilt_row(self):
        for ranks in (None, 3):
            with self.subTest(ranks=ranks):
                y = self.path("Y.npy")
                done = self.run_program("--size", 60, "--spoil", 17, "--y", y, "--json", "-", ranks=ranks)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.count(f"error: the product is wrong in row 17 (1 of 60) ({y} was not written)\n"),
                                 1, done.stderr)
                self.assertIs(json.loads(done.stdout)["verified"], False)
                self.assertEqual(os.listdir(self.directory), [])

    def test_words(self):
        for words, text in (
            (["--a", "A.npy"], "--x is missing (a product needs matrix and vector); give both --a and --x, or neither for "
                               "random ones"),
            (["--a", "A.npy", "--x", "X.npy", "--size", 3], "sizes and files are both given (the files say how large the "
                                                            "matrix is); leave out --size, --rows and --cols"),
            (["--a", "no.npy", "--x", "X.npy"], "cannot read no.npy (no such file or directory)"),
            (["--size", "-1"], "--size is -1 (at least 0)"),
            (["--rows", "1.5"], "--rows is '1.5' (it must be a whole number)"),
            (["--repeat", 0], "--repeat is 0 (at least 1)"),
            (["--type", "float16"], "unknown --type 'float16' (valid: float64, float32); did you mean 'float64'?"),
            (["--verify", "ful"], "unknown --verify 'ful' (valid: full, none); did you mean 'full'?"),
            (["--size", 9, "--spoil", 9], "--spoil is 9 (the product has 9 rows, from 0)"),
            (["--repeats", 9], "unknown option '--repeats'; did you mean '--repeat'?"),
            (["--y", "a", "--json", "a"], "--y and --json are the same file (a); name another file"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_data_that_do_not_fit_into_memory(self):
        done = self.run_program("--size", 2**30, ranks=2)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aerror: the product of a 1073741824 x 1073741824 matrix and a vector needs \S+ EiB of "
                                      r"memory \(.*\); use a smaller matrix, float32, or a host with more memory\n\Z")


if __name__ == "__main__":
    unittest.main()
