"""The command-line reference is what the programs say."""

import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["LOADSHARE_SOURCE"], "cmake")))
import write_command_line_page as writer

FOLDER = Path(os.environ["LOADSHARE_BIN"])


class CommandLinePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = writer.page(FOLDER)

    def test_the_committed_page_is_what_the_programs_say(self):
        committed = writer.PAGE.read_text(encoding="utf-8")
        self.assertEqual(committed, self.page, f"the page is out of date; regenerate it with: {writer.COMMAND}")

    def test_every_option_of_every_program_is_there_once(self):
        for name in writer.FARM + writer.SPMD:
            groups = writer.help_of(FOLDER, name).groups
            self.assertIn(f"\n### {name}\n", self.page)
            for row in (row for rows in groups.values() for row in rows if row.name not in writer.ANSWERS):
                with self.subTest(program=name, row=row.name):
                    self.assertIn(writer.row_text(row), self.page)
        self.assertEqual(self.page.count("| `--scheduler` | `SPEC` | `gss` | "), 1)
        self.assertEqual(self.page.count("| `--json` | `FILE` | - | append the run's record"), 1)

    def test_every_subcommand_has_a_section_that_its_list_links(self):
        for words in ("tour", "model fit", "graph predict", "lab up", "calibration show"):
            self.assertIn(f"\n### loadshare {words}\n", self.page)
        sections = {heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", self.page, re.MULTILINE)}
        links = re.findall(r"\]\(#([^)]+)\)", self.page)
        self.assertGreater(len(links), 20)
        self.assertEqual([link for link in links if link not in sections], [])

    def test_nothing_depends_on_the_terminal(self):
        os.environ["COLUMNS"] = "50"
        self.assertEqual(writer.page(FOLDER), self.page)

    def test_lists_keep_their_lines(self):
        full = "packed: " + "x" * 69
        self.assertEqual(writer.joined(["how:", full, "blas: one call, of which the text is so long that it is broken to fit, after",
                                        "      this word", "2^13 to 2^27: so many"]),
                         f"how:\n{full}\nblas: one call, of which the text is so long that it is broken to fit, after this word\n"
                         "2^13 to 2^27: so many")
        self.assertEqual(writer.joined(["x" * 77 + ":", "never"]), "x" * 77 + ": never")

    def test_names_are_split_into_argument_and_default(self):
        for name, cells in (("--size N=720", "`--size` | `N` | `720`"), ("--set n=5,p=8", "`--set` | `n=5,p=8` | -"),
                            ("--limit BYTES=16 GiB", "`--limit` | `BYTES` | `16 GiB`"), ("--reissue", "`--reissue` |  | -"),
                            ("RUN FILE ... REQUIRED", "`RUN` | `FILE ...` | *required*"),
                            ("--json FILE|-", "`--json` | `FILE\\|-` | -"),
                            ("--speeds S1,S2,...", "`--speeds` | `S1,S2,...` | -")):
            with self.subTest(name):
                self.assertEqual(writer.row_text(writer.Row(name, "x")), f"| {cells} | x |")
        self.assertEqual(writer.row_text(writer.Row("--own NAME Excludes: --from", "x|y")),
                         "| `--own` | `NAME` | - | x\\|y; not with `--from` |")


if __name__ == "__main__":
    unittest.main()
