"""Running matmul as a user does, and judging what it leaves behind. MATMUL and MPIRUN name the programs."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

MATMUL = os.environ["MATMUL"]
MPIRUN = os.environ["MPIRUN"]
TIMEOUT_S = 60

RECORD_KEYS = {
    "schema", "app", "scheduler", "workers", "iterations", "iteration_name", "makespan_s", "shared_input_s", "verified",
    "seed", "operations", "gflops", "transport", "hosts", "versions", "binding", "options", "accounting", "timing",
    "notes", "load", "ranks", "chunks",
}
OPTION_KEYS = {
    "rows", "inner", "cols", "type", "kernel", "work", "verify", "blas_threads", "scheduler", "workers", "master",
    "master_rank", "prefetch", "wait", "wait_in_force", "reissue", "ranks_per_host",
}


def command(words, ranks=None):
    launcher = [] if ranks is None else [MPIRUN, "-q", "--oversubscribe", "-np", str(ranks)]
    return [*launcher, MATMUL, *map(str, words)]


def whole_numbers(shape, dtype, order="C", seed=1):
    """Small whole numbers: their products are exact in any order of summation."""
    values = np.random.default_rng([seed, *shape]).integers(-8, 9, shape)
    return np.array(values, dtype=dtype, order=order)


class MatmulCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def files(self):
        return sorted(os.listdir(self.directory))

    def run_matmul(self, *words, ranks=None, **options):
        return subprocess.run(command(words, ranks), capture_output=True, text=True, timeout=TIMEOUT_S, **options)

    def start_matmul(self, *words, ranks=None):
        return subprocess.Popen(command(words, ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def assert_good(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done

    def assert_refused(self, words, text, code=2, **options):
        done = self.run_matmul(*words, **options)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", f"error: {text}\n", code))

    def assert_product(self, shape, *words, dtype="float64", orders="CC", ranks=None):
        """A and B written by numpy, C read by numpy: exactly the product numpy computes."""
        rows, inner, cols = shape
        a = whole_numbers((rows, inner), dtype, orders[0])
        b = whole_numbers((inner, cols), dtype, orders[1], seed=2)
        a_file, b_file, c_file = (self.path(name) for name in ("A.npy", "B.npy", "C.npy"))
        np.save(a_file, a)
        np.save(b_file, b)
        self.assert_good(self.run_matmul("--a", a_file, "--b", b_file, "--c", c_file, *words, ranks=ranks))
        c = np.load(c_file)
        self.assertEqual((c.shape, c.dtype), ((rows, cols), np.dtype(dtype)))
        np.testing.assert_array_equal(c, a @ b)

    def record(self, *words, ranks=None, **options):
        """The record of a good run, which every check of a record has passed."""
        done = self.run_matmul(*words, "--json", "-", ranks=ranks, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("makespan", done.stderr)
        record = json.loads(done.stdout)
        self.check_record(record)
        return record

    def check_record(self, record):
        self.assertEqual(set(record), RECORD_KEYS)
        self.assertLessEqual(OPTION_KEYS, set(record["options"]))
        self.assertEqual((record["schema"], record["app"], record["iteration_name"]), (1, "matmul", "columns"))
        self.assertGreaterEqual(len(record["hosts"]), 1)
        self.assertIn("blas", record["versions"])
        self.check_chunks(record)
        self.check_ranks(record)

    def check_chunks(self, record):
        stamps = ["assigned_s", "received_s", "begun_s", "ended_s", "returned_s"]
        columns = np.zeros(record["iterations"], int)
        for chunk in record["chunks"]:
            times = [chunk[stamp] for stamp in stamps]
            for early, late in zip([0, *times], times):
                self.assertLessEqual(early, late + 1e-9, chunk)
            self.assertLess(chunk["worker"], record["workers"])
            self.assertLessEqual(chunk["cpu_s"], chunk["ended_s"] - chunk["begun_s"] + 1e-8)
            self.assertLessEqual(chunk["returned_s"], record["makespan_s"] + 1e-8)
            if not chunk["duplicate"]:
                columns[chunk["first"]:chunk["first"] + chunk["size"]] += 1
        self.assertTrue((columns <= 1).all(), "a column was committed twice")
        timing = record["timing"]
        self.assertEqual(timing["chunks_timed"], len(record["chunks"]))
        if not timing["thinned"]:
            self.assertTrue((columns == 1).all(), "a column is in no chunk")
            self.assertEqual(timing["chunks_total"], sum(not chunk["duplicate"] for chunk in record["chunks"]))

    def check_ranks(self, record):
        workers = [rank for rank in record["ranks"] if rank["worker"] is not None]
        self.assertEqual([rank["worker"] for rank in workers], list(range(record["workers"])))
        computed = sum(rank["iterations"] for rank in workers)
        self.assertEqual(computed, record["iterations"])
        parts = ["computing_s", "stolen_s", "communicating_s", "idle_s", "unaccounted_s"]
        for rank in record["ranks"]:
            self.assertAlmostEqual(sum(rank[part] for part in parts), record["makespan_s"], delta=1e-8)
        if record["makespan_s"] == 0:
            return
        gap = max(abs(rank["unaccounted_s"]) for rank in record["ranks"])
        accounting = record["accounting"]
        self.assertAlmostEqual(accounting["worst_gap"] * record["makespan_s"], gap, delta=1e-8)
        self.assertEqual(accounting["closes"], accounting["worst_gap"] <= 0.01)
