"""matmul with little memory: it ends, with its product or with a readable error."""

import resource
import subprocess
import unittest

from app_cli import PROGRAM, AppCase

LIMIT_S = 20


class LittleMemory(AppCase):
    def run_within(self, kibibytes, *words):
        """Runs it as after `ulimit -v`."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (kibibytes * 1024, kibibytes * 1024))
        return subprocess.run([PROGRAM, "--progress", "none", *words], capture_output=True, text=True,
                              timeout=LIMIT_S, preexec_fn=limit)

    def check(self, done):
        if done.returncode == 0:
            self.assertIn("verified    yes\n", done.stdout)
        else:
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertRegex(done.stderr, r"\Aerror: .*memory|\Aerror: only \d of \d worker threads|\Aerror: OpenBLAS cannot be loaded")

    def test_a_run_ends_with_any_amount_of_memory(self):
        for kibibytes in range(50_000, 400_001, 50_000):
            with self.subTest(kibibytes=kibibytes):
                self.check(self.run_within(kibibytes, "--size", "400", "--workers", "2"))

    def test_a_run_ends_if_blas_takes_memory_for_each_call(self):
        for kibibytes in (150_000, 300_000, 500_000, 800_000):
            with self.subTest(kibibytes=kibibytes):
                self.check(self.run_within(kibibytes, "--size", "400", "--kernel", "blas", "--workers", "4"))

    def test_a_product_that_does_not_fit_is_refused_before(self):
        done = self.run_within(200_000, "--size", "20000")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"available under ulimit -v\); ")


if __name__ == "__main__":
    unittest.main()
