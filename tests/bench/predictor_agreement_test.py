"""The predictor's makespans agree with SimGrid's on small farms to 1 % for the same network."""

import os
import subprocess
import sys
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.path.insert(0, BENCH)

from comparison import predictor, programs  # noqa: E402

BUILT = programs.Programs(os.environ["BUILD"])
HARDEST = predictor.WORKERS["unequal and loaded"]


class Agreement(unittest.TestCase):
    def check(self, words, port):
        for technique, off in zip(predictor.TECHNIQUES, predictor.differences(BUILT, words, port), strict=True):
            with self.subTest(technique):
                self.assertLessEqual(off, predictor.WITHIN_PERCENT)

    def test_messages_in_turn(self):
        for bound, words in predictor.BOUNDS.items():
            with self.subTest(bound):
                self.check((*words, *HARDEST), "in-turn")

    def test_messages_that_share_a_link(self):
        for bound, words in predictor.BOUNDS.items():
            with self.subTest(bound):
                self.check((*words, *HARDEST), "shared")

    def test_means_of_chaotic_farms_agree(self):
        for workers, words in predictor.WORKERS.items():
            with self.subTest(workers):
                self.assertLessEqual(predictor.mean_difference(BUILT, words), predictor.WITHIN_PERCENT)

    def test_a_loaded_master(self):
        load = ("--load", "on=50ms,off=50ms,share=0.5,phase=random,where=all")
        self.check((*predictor.BOUNDS["network"], *predictor.UNEQUAL, *load), "in-turn")


class Programs(unittest.TestCase):
    def refusal(self, name, *words):
        run = subprocess.run([BUILT.path(name), *words], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        return run.stderr

    def test_unsupported_repetitions_are_refused(self):
        self.assertIn("once per process", self.refusal("simgrid_farm", "--repetitions", "2"))

    def test_wrong_scenarios(self):
        for name in ("predictor_bench", "simgrid_farm"):
            self.assertIn("did you mean 'shared'?", self.refusal(name, "--port", "shard"))
            self.assertIn("--speeds is 0 (it must be more than 0)", self.refusal(name, "--speeds", "1,0"))
            self.assertIn("there is no rank 9", self.refusal(name, "--load", "constant,where=9"))


if __name__ == "__main__":
    unittest.main()
