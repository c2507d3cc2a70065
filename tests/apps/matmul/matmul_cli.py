"""Runs matmul as a user does, and checks its results."""

import numpy as np

from app_cli import RECORD_KEYS, AppCase
from exact_matrices import whole_numbers

OPTION_KEYS = {
    "rows", "inner", "cols", "type", "kernel", "work", "verify", "blas_threads", "scheduler", "workers", "master",
    "master_rank", "prefetch", "wait", "wait_in_force", "reissue", "copies", "crash_limit", "ranks_per_host",
}


class MatmulCase(AppCase):
    def assert_product(self, shape, *words, dtype="float64", orders="CC", ranks=None):
        """Checks that C, read by numpy, is exactly numpy's product of A and B."""
        rows, inner, cols = shape
        a = whole_numbers((rows, inner), dtype, orders[0])
        b = whole_numbers((inner, cols), dtype, orders[1], seed=2)
        a_file, b_file, c_file = (self.path(name) for name in ("A.npy", "B.npy", "C.npy"))
        np.save(a_file, a)
        np.save(b_file, b)
        self.assert_good(self.run_program("--a", a_file, "--b", b_file, "--c", c_file, *words, ranks=ranks))
        c = np.load(c_file)
        self.assertEqual((c.shape, c.dtype), ((rows, cols), np.dtype(dtype)))
        np.testing.assert_array_equal(c, a @ b)

    def record(self, *words, **options):
        """Returns the record of a good run, after all checks of records."""
        record = self.told_record(*words, **options)
        self.check_record(record)
        return record

    def check_record(self, record):
        self.assertEqual(set(record), RECORD_KEYS)
        self.assertLessEqual(OPTION_KEYS, set(record["options"]))
        self.assertEqual(record["iteration_name"], "columns")
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
        parts = ["computing_s", "stolen_s", "communicating_s", "idle_s", "away_s", "unaccounted_s"]
        for rank in record["ranks"]:
            self.assertAlmostEqual(sum(rank[part] for part in parts), record["makespan_s"], delta=1e-8)
        if record["makespan_s"] == 0:
            return
        gap = max(abs(rank["unaccounted_s"]) for rank in record["ranks"])
        accounting = record["accounting"]
        self.assertAlmostEqual(accounting["worst_gap"] * record["makespan_s"], gap, delta=1e-8)
        self.assertEqual(accounting["closes"], accounting["worst_gap"] <= 0.01)
