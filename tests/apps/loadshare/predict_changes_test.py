"""`loadshare predict` of hosts that leave, are lost and join, as a user sees it; what comes out follows by hand."""

import json
import os
import pathlib
import unittest

import jsonschema
import yaml

from predict_case import FREE, Case, run

SCHEMA = json.loads((pathlib.Path(os.environ["LOADSHARE_SOURCE"]) / "experiments/changes.schema.json").read_text())
FILE = """schema: 1
changes:
  - {at: 1s, leave: host=2}
  - {at: 1.5s, join: late=2}
"""


class Changes(Case):
    TWO = ("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,1", "--costs", FREE, "--replicates", "1",
           "--scheduler", "send:5")
    ONE = (*TWO[:6], "1", *TWO[7:])

    def makespans(self, *words):
        told = self.json_of(*words)
        return told["predictions"][0]["makespan_s"], told["without_changes"]["makespan_s"], told

    def test_one_of_two_leaves_at_half_time(self):
        with_s, without_s, told = self.makespans(*self.TWO, "--leave", "host=2@1s")
        self.assertAlmostEqual(without_s, 2, delta=0.05)
        self.assertAlmostEqual(with_s, 3, delta=0.05)
        self.assertEqual(told["predictions"][0]["lost_iterations"], 0)
        self.assertEqual([host["goes_s"] for host in told["setting"]["hosts"]], [None, 1])
        self.assertGreater(told["predictions"][0]["busy"], 0.97)  # of the time that each was there

    def test_one_of_two_is_lost_with_its_chunk(self):
        left_s, _, _ = self.makespans(*self.TWO, "--leave", "rank=1@1.02s")
        lost_s, _, told = self.makespans(*self.TWO, "--lose", "rank=1@1.02s")
        self.assertEqual(told["predictions"][0]["lost_iterations"], 5)
        self.assertTrue(told["setting"]["hosts"][1]["is_lost"])
        self.assertAlmostEqual(lost_s - left_s, 0.05, delta=0.011)  # the chunk of five, computed by the other

    def test_one_comes_to_one(self):
        with_s, without_s, told = self.makespans(*self.ONE, "--join", "1@1s")
        self.assertAlmostEqual(without_s, 4, delta=0.01)
        self.assertAlmostEqual(with_s, 1 + 3 / 2, delta=0.06)
        self.assertEqual([host["name"] for host in told["setting"]["hosts"]], ["host1", "host2"])

    def test_a_host_that_left_comes_again_and_leaves_again(self):
        again = ("--leave", "host=2@1s", "--join", "host2=1@2s")
        with_s, _, told = self.makespans(*self.TWO, *again)
        self.assertAlmostEqual(with_s, 2 + 1 / 2, delta=0.06)
        self.assertEqual([host["name"] for host in told["setting"]["hosts"]], ["host1", "host2", "host2"])
        with_s, _, told = self.makespans(*self.TWO, *again, "--lose", "host=host2@2.2s")
        self.assertEqual([host["goes_s"] for host in told["setting"]["hosts"]], [None, 1, 2.2])
        self.assertAlmostEqual(with_s, 2.2 + 0.6, delta=0.12)

    def test_a_file_says_the_same(self):
        (self.folder / "changes.yaml").write_text(FILE)
        jsonschema.validate(yaml.safe_load(FILE), SCHEMA)
        by_file = self.json_of(*self.TWO, "--changes", "changes.yaml")
        by_words = self.json_of(*self.TWO, "--join", "late=2@1.5s", "--leave", "host=2@1s")
        self.assertEqual(by_file["predictions"], by_words["predictions"])
        self.assertEqual(by_file["setting"], by_words["setting"])
        # Two until 1, one until 1.5, then three speeds: 250 are done at 1.5.
        self.assertAlmostEqual(by_file["predictions"][0]["makespan_s"], 1.5 + 1.5 / 3, delta=0.05)

    def test_what_a_person_reads(self):
        done = self.tool(*self.TWO, "--lose", "host=host2@1.02s", "--join", "3x1@1.5s", "--journal", "1ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("changes: host2 is lost at 1.02 s; 3 ranks join at 1.50 s; a journal takes 1.00 ms per iteration",
                     "without these changes it takes 2", "without the journal it takes 1.", "% less",
                     "computed again: 5 iterations, on which lost workers had spent "):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        self.assertNotIn("changes:", self.tool(*self.TWO).stdout)

    def test_the_race_of_techniques_still_answers(self):
        done = self.tool(*self.TWO[:-4], "--load", "on=1s,off=1s,phase=random", "--leave", "host=2@1s", "--join",
                         "0.5@500ms", "--all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("adaptive", done.stdout)

    def test_a_journal_takes_what_its_runs_took(self):
        journal = {"recovered": 0, "kept": 400, "bytes": 3200, "syncs": 1, "longest_sync_s": 0, "safe": True}
        self.keep("kept.jsonl", run(4, journal=journal | {"cpu_s": 0.4}))
        self.keep("old.jsonl", run(4, journal=journal))
        words = ("--costs", FREE, "--scheduler", "send:5", "--replicates", "1", "--hosts", "node0=1", "--journal")
        told = self.json_of("predict", "kept.jsonl", *words, "recorded")
        self.assertAlmostEqual(told["setting"]["journal_iteration_s"], 0.001)
        without_s = told["without_changes"]["makespan_without_journal_s"]
        self.assertAlmostEqual(told["predictions"][0]["makespan_s"] - without_s, 0.4, delta=0.02)
        self.assert_refused(("predict", "old.jsonl", *words, "recorded"), "no run records the time of its journal")

    def test_a_journal_that_the_master_is_busy_with(self):
        done = self.tool("predict", "--iterations", "1000", "--cost", "1ms", "--hosts", "2x1", "--journal", "5ms")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_picture(self):
        done = self.tool(*self.TWO, "--lose", "host=2@1s", "--join", "1@1.5s", "--plot", "g.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = (self.folder / "g.svg").read_text()
        self.assertIn("not in the farm", svg)
        self.assertIn("lost", svg)

    def test_bad_words(self):
        for words, *parts in (
                (("--leave", "host=9@1s"), "--leave is 'host=9@1s' (there is no host '9')", "host 1 is 'host1'"),
                (("--leave", "host=hots2@1s"), "did you mean 'host2'?"),
                (("--lose", "rank=2@1s"), "--lose is 'rank=2@1s' (there are ranks 0 to 1)"),
                (("--leave", "2@1s"), "a worker is given by its host or its rank", "host=NAME"),
                (("--leave", "host=2"), "a worker and a time, separated by @", "host=3@30s"),
                (("--leave", "host=2@1"), "--leave"),
                (("--leave", "host=2@-1s"), "--leave"),
                (("--leave", "host=2@1s", "--lose", "rank=1@2s"), "host2 leaves twice"),
                (("--leave", "host=1@1s"), "the master's host host1 would join late or leave"),
                (("--master", "coordinates", "--leave", "host=2@1s"), "no worker is left to compute", "join"),
                (("--join", "1@2s", "--leave", "host=3@1s"), "host3 joins only at 2 s"),
                (("--master", "coordinates", "--leave", "host=2@1s", "--join", "1@1h"), "there would be no worker for 10 min 00 s"),
                (("--join", "0x1@1s"), "--join is '0x1@1s'", "at least 1"),
                (("--join", "2x1"), "a worker and a time, separated by @", "2x1@60s"),
                (("--how-many", "--join", "1@1s"), "--how-many"),
                (("--journal", "often"), "--journal"),
                (("--changes", "none.yaml"), "none.yaml")):
            with self.subTest(words=words):
                self.assert_refused((*self.TWO, *words), *parts)

    def test_a_bad_file_is_told_with_the_place(self):
        for text, *parts in (
                ("schema: 2\nchanges: []\n", "c.yaml:1:9: schema is 2 (this program reads 1)"),
                ("schema: 1\nchanges:\n  - {at: 1, leave: host=2}\n", "c.yaml:3:10: "),
                ("schema: 1\nchanges:\n  - {at: 1s, leave: host=7}\n", "c.yaml:3:21: leave is 'host=7' (there is no host '7')"),
                ("schema: 1\nchanges:\n  - {at: 1s}\n", "c.yaml:3:5: this change has no kind"),
                ("schema: 1\nchanges:\n  - {at: 1s, leave: host=2, join: 1}\n", "this change has two kinds"),
                ("schema: 1\nchanges:\n  - {at: 1s, leaves: host=2}\n", "c.yaml:3:", "leave"),
                ("schema: 1\nchanges:\n  - {at: 1s, join: 1x}\n", "c.yaml:3:20: join is '1x'"),
                ("schema: 1\nchange: []\n", "c.yaml:2:1: ", "changes")):
            with self.subTest(text=text):
                (self.folder / "c.yaml").write_text(text)
                self.assert_refused((*self.TWO, "--changes", "c.yaml"), *parts)
                if "there is no host" not in parts[0] and "1x" not in parts[0]:
                    with self.assertRaises(jsonschema.ValidationError):
                        jsonschema.validate(yaml.safe_load(text), SCHEMA)


if __name__ == "__main__":
    unittest.main()
