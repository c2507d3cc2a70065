"""Texts on narrow terminals: no line is longer than the terminal, and no word is cut."""

import json
import os
import re
import subprocess
import unittest

from at_terminal import at_terminal
from calibration_test import CALIBRATION
from metrics_runs import quiet, rank, record
from predict_case import FREE, Case, run

TOOL, SYNTHETIC = os.environ["LOADSHARE_TOOL"], os.environ["LOADSHARE_SYNTHETIC"]
COMMANDS = ("tour", "chunks", "schedulers", "doctor", "load", "hosts", "lab", "lab up", "lab run", "lab status", "lab down",
            "sweep", "report", "profile", "metrics", "survey", "calibrate", "calibration", "calibration show",
            "calibration check", "model", "model fit", "model predict", "graph", "graph show", "graph evaluate",
            "graph predict", "predict", "compare")
NARROW, WIDE = (80, 60), 300
BAR = re.compile(r"[#.|+*-]+|\.*\S*~")  # bars, and names of hosts that are marked as cut
STILL_WAITING = re.compile(r"^loadshare: still .*?Ctrl-C\s+ends\s+it\s", re.DOTALL | re.MULTILINE)
UNSET = {name: value for name, value in os.environ.items()
         if name != "COLUMNS" and not name.startswith(("OMPI_COMM_WORLD", "SLURM_"))}
GRAPH = """\
name: ring
parameters: {n: 1000, p: 4}
processes:
  - ranks: all
    steps:
      - loop: 10
        as: i
        steps:
          - compute: 2e-9 * n
          - send: {to: (rank + 1) % p, bytes: 8 * n, mode: standard}
          - receive: {from: (rank + p - 1) % p}
"""


def at_width(columns, *words, folder=None, **variables):
    return at_terminal(*words, columns=columns, stdin=subprocess.DEVNULL, cwd=folder,
                       env={**UNSET, "TERM": "dumb", "NO_COLOR": "1", **variables})


def words_of(text):
    """Returns the words of the answer, without the notes that a slow command prints while it computes."""
    return [word for word in STILL_WAITING.sub("", text).split() if not BAR.fullmatch(word)]


class TerminalWidth(Case):
    def assert_fits(self, columns, text):
        too_long = [line for line in text.splitlines() if len(line) > columns]
        self.assertEqual(too_long, [])

    def assert_same_words(self, *words, code=0):
        """On narrow terminals, in whatever order: tables may be split."""
        wide = at_width(WIDE, *words, folder=self.folder)
        self.assertEqual(wide[0], code, wide[1])
        expected = set(words_of(wide[1]))
        for columns in NARROW:
            with self.subTest(words[1:], columns=columns):
                done, text = at_width(columns, *words, folder=self.folder)
                self.assertEqual(done, code, text)
                self.assert_fits(columns, text)
                self.assertEqual(set(words_of(text)) - expected, set())
                self.assertEqual(expected - set(words_of(text)), set())

    def assert_same_text(self, *words, code=0):
        wide = at_width(WIDE, *words, folder=self.folder)
        self.assertEqual(wide[0], code)
        for columns in NARROW:
            with self.subTest(words[1:], columns=columns):
                done, text = at_width(columns, *words, folder=self.folder)
                self.assertEqual((done, text.split()), (code, wide[1].split()))
                self.assert_fits(columns, text)

    def test_help(self):
        self.assert_same_text(TOOL, "--help")
        for command in COMMANDS:
            self.assert_same_text(TOOL, *command.split(), "--help")
        self.assert_same_text(SYNTHETIC, "--help")

    def test_lists_of_specs(self):
        self.assert_same_text(SYNTHETIC, "--scheduler", "help")
        self.assert_same_text(SYNTHETIC, "--cost", "help")
        self.assert_same_text(TOOL, "schedulers")
        self.assert_same_text(TOOL, "model", "fit", "--fit", "help")

    def test_errors(self):
        self.assert_same_text(TOOL, "metrics", "no-such-file", code=2)
        self.assert_same_text(TOOL, "predict", "--iterations", "100", "--cost", "many words that are not a duration",
                              code=2)
        self.assert_same_text(TOOL, "report", "no-such-folder-of-a-sweep", code=2)
        self.assert_same_text(SYNTHETIC, "--scheduler", "no-such-technique", code=2)

    def test_tables(self):
        self.assert_same_words(TOOL, "schedulers", "--compare")
        self.assert_same_words(TOOL, "chunks", "gss", "--iterations", "1000", "--workers", "4")

    def test_predictions(self):
        self.keep("runs.jsonl", run(4), run(10), run(100))
        self.assert_same_words(TOOL, "compare", "runs.jsonl", "--costs", FREE)
        self.assert_same_words(TOOL, "predict", "--iterations", "500", "--cost", "1ms", "--hosts", "2x1,2x0.5", "--how-many",
                               "--scheduler", "gss", "factoring", "tss")

    def test_metrics(self):
        rows = [rank(number, 6.0 + number, 3.0 - number, communicating_s=1.0) for number in range(3)]
        self.keep("one.jsonl", record(10.0, rows))
        self.keep("two.jsonl", quiet(1, 1.0), quiet(2, 0.9), quiet(4, 0.7))
        for name in ("one.jsonl", "two.jsonl"):
            self.assert_same_words(TOOL, "metrics", name, "--details")

    def test_calibrations_and_graphs(self):
        (self.folder / "made.json").write_text(json.dumps(CALIBRATION))
        self.assert_same_words(TOOL, "calibration", "show", "made.json")
        (self.folder / "ring.yaml").write_text(GRAPH)
        self.assert_same_words(TOOL, "graph", "show", "ring.yaml")
        self.assert_same_words(TOOL, "graph", "evaluate", "ring.yaml")

    def test_what_doctor_finds_here(self):
        for columns in NARROW:
            self.assert_fits(columns, at_width(columns, TOOL, "doctor")[1])

    def test_the_summary_of_a_run(self):
        for columns in NARROW:
            for more in ((), ("--explain",)):
                with self.subTest(columns=columns, more=more):
                    code, text = at_width(columns, SYNTHETIC, "--iterations", "1000", "--cost", "constant:1us",
                                          "--workers", "3", "--reissue", "--progress", "none", *more)
                    self.assertEqual(code, 0, text)
                    self.assertRegex(text, r"(?m)^rank +host .* iterations +chunks +busy% ")
                    self.assert_fits(columns, text)

    def test_a_bar_gets_shorter_before_anything_else_does(self):
        def summary(columns):
            return at_width(columns, SYNTHETIC, "--iterations", "100", "--cost", "constant:1us", "--workers", "1",
                            "--progress", "none")[1]
        for columns in (100, 90, 80):
            self.assertRegex(summary(columns), r"(?m)^rank  host +role +iterations  chunks  busy%  ")

    def test_columns_overrides_the_terminal_and_is_heeded_in_a_pipe(self):
        def widest(text):
            return max(map(len, text.splitlines()))
        self.assertLessEqual(widest(at_width(200, TOOL, "predict", "--help", COLUMNS="60")[1]), 60)
        self.assertGreater(widest(at_width(60, TOOL, "predict", "--help", COLUMNS="100")[1]), 60)
        for junk in ("", "0", "-7", "many", "60x"):
            self.assertLessEqual(widest(at_width(60, TOOL, "predict", "--help", COLUMNS=junk)[1]), 60)
        for variables, most in (({}, 110), ({"COLUMNS": "60"}, 60)):
            piped = subprocess.run([TOOL, "predict", "--help"], capture_output=True, text=True, timeout=60,
                                   env={**UNSET, **variables}).stdout
            self.assertTrue(most - 15 < widest(piped) <= most, widest(piped))

    def test_json_is_never_broken(self):
        for words in (("doctor", "--json"), ("chunks", "gss", "--iterations", "1000", "--workers", "4", "--json")):
            done = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60, env={**UNSET, "COLUMNS": "40"})
            self.assertGreater(len(done.stdout), 80)
            json.loads(done.stdout)
            self.assertEqual(done.stdout.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
