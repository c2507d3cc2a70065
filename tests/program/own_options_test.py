"""Records contain a program's own options, by which commands distinguish loops: `PROGRAM` is own_options.cpp."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM, TOOL = os.environ["PROGRAM"], os.environ["LOADSHARE_TOOL"]


class OwnOptions(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_of(self, *words, scheduler="send:10", file="runs.jsonl"):
        """The record of a run with these words; appended to the file."""
        done = subprocess.run([PROGRAM, *words, "--workers", "2", "--scheduler", scheduler, "--json", file], timeout=60,
                              cwd=self.folder, capture_output=True, text=True,
                              env=os.environ | {"XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / file).read_text().splitlines()[-1])

    def tool(self, *words):
        return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def test_own_options_are_in_the_record_with_their_defaults(self):
        defaults = {"NAME": "plain", "--cost": 0.0002, "--fine": False, "--levels": "1,2"}
        options = self.run_of()["options"]
        self.assertEqual({name: options.get(name) for name in defaults}, defaults)
        given = {"NAME": "rough", "--cost": 0.0003, "--fine": True, "--levels": "3,4"}
        options = self.run_of("rough", "--cost", "3e-4", "--fine", "--levels", "3,4")["options"]
        self.assertEqual({name: options.get(name) for name in given}, given)

    def test_help_shows_no_default_that_it_did_not_show_before(self):
        text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, timeout=60).stdout
        self.assertNotIn("0.0002", text)

    def test_secrets_and_options_that_change_no_result_are_in_no_record(self):
        line = json.dumps(self.run_of("--out", "result.txt", "--api-token", "hush-hush"))
        for word in ("hush-hush", "result.txt", "--out", "--api-token"):
            self.assertNotIn(word, line)

    def test_runs_of_different_loops_are_not_predicted_together(self):
        self.run_of("--cost", "0.0001")
        self.run_of("--cost", "0.0004", scheduler="gss")
        done = self.tool("predict", "runs.jsonl")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("the runs are of different loops (--cost: 0.0004, not 0.0001)", done.stderr)

    def test_an_output_and_another_notation_make_no_other_loop(self):
        self.run_of("--cost", "0.0002", "--out", "one.txt")
        self.run_of("--cost", "2e-4", "--levels", "01,2", "--out", "two.txt", scheduler="gss")
        self.run_of(scheduler="fac2")
        done = self.tool("predict", "runs.jsonl", "--scheduler", "gss", "--replicates", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("according to 3 runs", done.stdout)

    def test_metrics_and_compare_keep_loops_apart(self):
        for cost in ("0.0001", "0.0004"):
            for scheduler in ("send:10", "gss"):
                self.run_of("--cost", cost, scheduler=scheduler)
        settings = json.loads(self.tool("metrics", "runs.jsonl", "--json", "-").stdout)["settings"]
        self.assertEqual(sorted(one["options"]["--cost"] for one in settings), [0.0001, 0.0001, 0.0004, 0.0004])
        done = self.tool("compare", "runs.jsonl", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(one["name"] for one in json.loads(done.stdout)["settings"])
        self.assertEqual([name.rpartition(", ")[2] for name in names], ["--cost 0.0001", "--cost 0.0004"])

    def test_auto_takes_no_run_of_another_loop_for_one_of_this(self):
        self.run_of("--cost", "0.0001")
        known = self.run_of("--cost", "0.0001", "--auto-from", "runs.jsonl", scheduler="auto", file="same.jsonl")
        self.assertFalse([note for note in known["notes"] if "another loop" in note])
        other = self.run_of("--cost", "0.0004", "--auto-from", "runs.jsonl", scheduler="auto", file="other.jsonl")
        self.assertIn("--auto-from runs.jsonl: only the speeds of the hosts are used, because the record "
                      "describes another loop (--cost: 0.0001 in the "
                      "record, 0.0004 here)", other["notes"])

    def test_the_cache_of_auto_keeps_loops_apart(self):
        first = self.run_of("--cost", "0.0001", scheduler="auto")
        other = self.run_of("--cost", "0.0004", scheduler="auto")
        same = self.run_of("--cost", "0.0001", "--out", "o", scheduler="auto")
        known = [record["choice"]["known_from"] for record in (first, other, same)]
        self.assertEqual(known[:2], [None, None])
        self.assertIsNotNone(known[2])

    def test_one_record_given_twice_is_refused(self):
        self.run_of()
        text = (self.folder / "runs.jsonl").read_text()
        (self.folder / "twice.jsonl").write_text(text + text)
        (self.folder / "copy.jsonl").write_text(text)
        for words, problem in ((("runs.jsonl", "./runs.jsonl"), "./runs.jsonl is given twice (each run counts once)"),
                               (("twice.jsonl",), "twice.jsonl:2 is the same run as twice.jsonl:1 (each run counts once)"),
                               (("runs.jsonl", "copy.jsonl"), "copy.jsonl:1 is the same run as runs.jsonl:1 (each run counts once)")):
            for command in ("predict", "compare", "metrics"):
                done = self.tool(command, *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(problem, done.stderr)


if __name__ == "__main__":
    unittest.main()
