"""integer_sort on more ranks, and with more keys, than a short test may use: ctest -L long."""

from spmd_cli import SpmdCase

KEYS = {"S": 2**16, "A": 2**23, "C": 2**27}


class LargerRuns(SpmdCase):
    SIZE = "class"

    def test_ranks_are_right(self):
        for ranks, problem in ((8, "S"), (8, "A"), (4, "C"), (8, "C")):
            with self.subTest(ranks=ranks, problem=problem):
                record = self.record("--class", problem, ranks=ranks)
                self.assertIs(record["verified"], True)
                self.assertEqual(record["iterations"], KEYS[problem])
                findings = record["findings"]
                self.assertEqual((findings["partial_checks_passed"], findings["full_verification"]), (50, True))

    def test_a_spoiled_key_is_found(self):
        record = self.record("--class", "A", "--spoil", 7, ranks=8, code=1)
        self.assertIs(record["verified"], False)
        self.assertIs(record["findings"]["full_verification"], False)
