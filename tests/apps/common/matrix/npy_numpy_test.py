"""Files written by numpy are read, and numpy reads ours, bit for bit. NPY_COPY names the program."""

import itertools
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

SHAPES = [(0, 0), (0, 5), (5, 0), (1, 1), (1, 70), (70, 1), (64, 64), (33, 65), (130, 47)]


def bits(a):
    return np.ascontiguousarray(a).view(np.uint8).tobytes()


class NpyCopy(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.a, self.c = (os.path.join(self.directory.name, name) for name in ("A.npy", "C.npy"))

    def tearDown(self):
        self.directory.cleanup()

    def copy(self, way="rows", order="fortran", part=1000):
        command = [os.environ["NPY_COPY"], self.a, self.c, way, order, str(part)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def check(self, expected, **options):
        done = self.copy(**options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        actual = np.load(self.c)
        self.assertEqual((actual.shape, actual.dtype), (expected.shape, expected.dtype))
        self.assertEqual(bits(actual), bits(expected))
        if min(expected.shape) > 1:
            self.assertEqual(actual.flags.f_contiguous, options.get("order") != "c")

    def matrix(self, shape, dtype, order):
        # All bit patterns, so that NaNs and denormals must survive, too.
        random = np.random.default_rng(shape[0] * 1000 + shape[1])
        raw = random.bytes(shape[0] * shape[1] * np.dtype(dtype).itemsize)
        return np.array(np.frombuffer(raw, dtype).reshape(shape), order=order)

    def test_every_shape_type_and_order(self):
        for shape, dtype, order in itertools.product(SHAPES, ("float32", "float64"), "CF"):
            with self.subTest(shape=shape, dtype=dtype, order=order):
                a = self.matrix(shape, dtype, order)
                np.save(self.a, a)
                self.check(a, way="rows", order="fortran", part=1000)
                self.check(a, way="columns", order="c", part=13)

    def test_every_format_version(self):
        a = self.matrix((5, 7), "float64", "C")
        for version in ((1, 0), (2, 0), (3, 0)):
            with self.subTest(version=version), open(self.a, "wb") as file:
                np.lib.format.write_array(file, a, version=version)
                file.flush()
                self.check(a)

    def test_our_files_can_be_mapped_by_numpy(self):
        a = self.matrix((9, 8), "float64", "C")
        np.save(self.a, a)
        self.check(a)
        self.assertEqual(bits(np.load(self.c, mmap_mode="r")), bits(a))

    def test_other_arrays_are_refused_and_nothing_is_written(self):
        m = np.ones((3, 4))
        others = ("int32", "uint8", "bool", "complex64", "float16", "U3", "longdouble")
        cases = [(m.astype(t), "float64 and float32 are handled") for t in others]
        cases += [
            (m.astype(object), "object"),
            (m.astype(">f8"), "big-endian"),
            (m.reshape(12), "one dimension, of 12"),
            (m.reshape(3, 2, 2), "3 dimensions"),
            (np.float64(1), "0 dimensions"),
            (np.zeros((2, 2), "f8,f4"), "structured"),
        ]
        for array, reason in cases:
            with self.subTest(dtype=array.dtype, shape=array.shape):
                np.save(self.a, array)
                done = self.copy()
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"cannot read {self.a} (", done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertFalse(os.path.exists(self.c))

    def test_without_nameless_files_a_named_part_serves(self):
        """Without /proc, an unnamed file cannot get its name."""
        hide = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        program = os.environ["NPY_COPY"]
        is_possible = shutil.which("unshare") and subprocess.run(hide + ["true"], capture_output=True).returncode == 0
        if not is_possible:
            self.skipTest("hiding /proc takes root and unshare")
        if subprocess.run(hide + [program], capture_output=True).returncode != 2:  # 2: its usage
            self.skipTest("a sanitizer's program does not run without /proc")
        a = self.matrix((33, 44), "float64", "C")
        np.save(self.a, a)
        for _ in range(2):  # a new file, then an existing one
            command = hide + [program, self.a, self.c, "rows", "fortran", "100"]
            subprocess.run(command, check=True, timeout=60)
            self.assertEqual(bits(np.load(self.c)), bits(a))
            self.assertEqual(sorted(os.listdir(self.directory.name)), ["A.npy", "C.npy"])

    def test_a_file_may_replace_itself(self):
        a = self.matrix((33, 44), "float32", "C")
        np.save(self.a, a)
        self.c = self.a
        self.check(a)


if __name__ == "__main__":
    unittest.main()
