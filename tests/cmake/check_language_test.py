#!/usr/bin/env python3
"""The language check on small trees: what must pass, what must fail, and what the message says."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmake"))
import check_language


def run_on(path, line):
    """Checks a tree of one file; (exit code, output)."""
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write("\n" + line + "\n")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = check_language.main([root])
    return code, output.getvalue()


class Language(unittest.TestCase):
    def test_plain_sentences_are_good(self):
        for path, line in (
            ("base/names.hpp", "/// Returns the name that is closest to `text`."),
            ("base/names.hpp", "// A worker that joins late gets the remaining iterations."),
            ("docs/how-to/slurm.md", "What does a time limit do to a run?"),
            ("docs/how-to/slurm.md", "## What a run costs"),
            ("docs/how-to/slurm.md", "| journal | what survives the master |"),
            ("program/version.cpp", "} else if (is_dearth(stolen)) {"),
        ):
            with self.subTest(line=line):
                self.assertEqual(run_on(path, line), (0, ""))

    def test_words_that_were_written_out_are_named_with_what_to_write(self):
        for path, line, word in (
            ("base/names.hpp", "/// Whether it was told.", "told"),
            ("profiler/reader.cpp", "std::size_t untold_bytes = 0;", "untold"),
            ("program/version.cpp", 'throw Error("Nobody is left");', "Nobody"),
            ("docs/how-to/slurm.md", "Workers come and go.", "come and go"),
        ):
            with self.subTest(line=line):
                code, output = run_on(path, line)
                self.assertEqual(code, 1)
                self.assertTrue(output.startswith(f"{path}:2: '{word}' (this word is not plain English); "), output)

    def test_openings_without_a_subject_are_named(self):
        for path, line in (
            ("base/names.hpp", "/// Who joins late gets the rest."),
            ("base/names.hpp", "  int rest;  ///< What is left of the loop."),
            ("bench/compare.py", '    """What a chunk costs: Whose time it is."""'),
            ("docs/how-to/slurm.md", "The run waits. Else it ends."),
        ):
            with self.subTest(line=line):
                code, output = run_on(path, line)
                self.assertEqual(code, 1)
                self.assertIn("(this opening is not plain English); ", output)

    def test_rooms_that_were_not_rewritten_yet_are_left_alone(self):
        self.assertEqual(run_on("apps/loadshare/metrics.cpp", "// Nobody was told."), (0, ""))
        self.assertEqual(run_on("tests/base/names_test.cpp", "// Nobody was told."), (0, ""))


if __name__ == "__main__":
    unittest.main()
