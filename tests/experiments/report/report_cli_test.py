"""`loadshare report` as a user sees it: what it writes, error text, exit code."""

import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from made_comparison import comparison_of, joined, written
from made_sweep import MadeSweep, axis
from metrics_runs import rank, record
from predict_test import FREE, run

TOOL = os.environ["LOADSHARE_TOOL"]
CLAIMS = os.environ["LOADSHARE_CLAIMS"]


def sweep(name="one", **options):
    return MadeSweep().experiment(name, [axis("scheduler", "send:3", "gss:14")], lambda parameters: 2.0,
                                  compare="scheduler", **options)


def alone(run_s):
    """A record of a tenth of a processor that only computes."""
    return record(run_s, [rank(0, 0.1 * run_s, 0.0, stolen_s=0.9 * run_s, capacity=0.1)])


def together(run_s):
    """A record of a tenth and two times three, which compute for 8 s."""
    return record(run_s, [rank(number, 8 * capacity, run_s - 8, stolen_s=8 * (1 - capacity), capacity=capacity)
                          for number, capacity in enumerate((0.1, 0.3, 0.3))])


class Report(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def report(self, *words):
        # Its own folder holds a trap: a module of the name of the report's package must not be taken for it.
        (self.folder / "report.py").write_text("raise SystemExit('the wrong report')")
        return subprocess.run([TOOL, "report", *words], capture_output=True, text=True, timeout=100, cwd=self.folder)

    def assert_refused(self, code, text, *words):
        done = self.report(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", f"loadshare: {text}\n"))

    def names(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def test_one_folder(self):
        sweep().write(self.folder / "results")
        done = self.report("results")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "results/report.html\n", ""))
        self.assertEqual(self.names("results"), ["points.csv", "report.html", "runs.jsonl", "sweep.json"])
        with open(self.folder / "results/points.csv", encoding="utf-8", newline="") as lines:
            points = list(csv.DictReader(lines))
        self.assertEqual([(point["scheduler"], point["n"]) for point in points], [("send:3", "10"), ("gss:14", "10")])

    def test_the_head_names_the_winner_and_doubts(self):
        made = MadeSweep().experiment("one", [axis("scheduler", "send:3", "gss:14")],
                                      lambda parameters: 0.06 if parameters["scheduler"] == "send:3" else 0.05,
                                      compare="scheduler", deviation=0.0)
        made.write(self.folder / "results")
        self.assertEqual(self.report("results").returncode, 0)
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        head = page[page.index("<h1>"):page.index("<nav")]
        self.assertIn("gss:14 is the fastest: 50.0 ms, 1.2000 (1.2000 to 1.2000) times as fast as send:3.", head)
        self.assertIn("runs too short to compare closely: send:3 and gss:14 (50.0 ms per run at the shortest", head)
        self.assertLess(page.index("gss:14 is the fastest"), head.index("Doubtful numbers") + page.index("<h1>"))
        with open(self.folder / "results/points.csv", encoding="utf-8", newline="") as lines:
            self.assertEqual([point["verdict"] for point in csv.DictReader(lines)], ["slower", "fastest"])

    def test_several_folders_with_claims_and_a_title(self):
        sweep("fig3a").write(self.folder / "a")
        sweep("fig4a").write(self.folder / "-b")
        done = self.report("--out", "all.html", "--claims", CLAIMS, "--title", "Once more", "--", "a", "-b")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "all.html\n", ""))
        self.assertTrue((self.folder / "all.csv").exists())
        page = (self.folder / "all.html").read_text(encoding="utf-8")
        self.assertIn("<h1>Once more</h1>", page)
        self.assertIn("0 of 10 claims reproduced, 10 undecided.", page)

    def test_values_and_titles_as_users_write_them(self):
        values = ("a$$b", "$HOME/a", "_x", "50%", "<script>alert(1)</script>", "\\b", "a\nb", "\x1b[31m", "x" * 300, "")
        made = MadeSweep(title="<b>$$</b>").experiment("one", [axis("option", *values)], lambda parameters: 2.0, compare="option")
        made.write(self.folder / "results")
        done = self.report("results")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "results/report.html\n", ""))
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        for text in ("<h1>&lt;b&gt;$$&lt;/b&gt;</h1>", ">a$$b<", ">$HOME/a<", ">&lt;script&gt;alert(1)&lt;/script&gt;<",
                     ">\\x1b[31m<"):
            self.assertIn(text, page)
        self.assertNotIn("\x1b", page)
        self.assertNotIn("<script>alert", page)

    def test_the_users_matplotlib_does_not_matter(self):
        sweep().write(self.folder / "results")
        (self.folder / "matplotlibrc").write_text("text.usetex: True\nbackend: Qt4Agg\n", encoding="utf-8")
        with mock.patch.dict(os.environ, {"MPLBACKEND": "Qt4Agg", "MATPLOTLIBRC": str(self.folder), "HOME": "/proc/none"}):
            done = self.report("results")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "results/report.html\n", ""))

    def test_a_killed_sweep_gives_a_page(self):
        sweep().fail(3).write(self.folder / "results")
        path = self.folder / "results/runs.jsonl"
        path.write_text(path.read_text()[:-99])
        self.assertEqual(self.report("results").returncode, 0)
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        self.assertIn("the line is incomplete, like the last line of a killed sweep", page)
        self.assertIn("exit code 1: matmul: out of luck", page)

    def test_where_every_run_failed_there_is_a_page_that_says_so(self):
        sweep(repeat=1).fail(0).fail(1).write(self.folder / "results")
        self.assertEqual(self.report("results").returncode, 0)
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        self.assertIn("No run of this experiment succeeded, so there is no figure.", page)

    def page_of_efficiencies(self, sequential_s):
        """Returns the page of six rounds, each with a sequential run of `sequential_s(repetition)` seconds."""
        made = MadeSweep().experiment("sort", [axis("ranks", 1, 3)], lambda parameters: 2.0, runs=0)
        for repetition in range(6):
            for ranks, run in ((1, alone(sequential_s(repetition))), (3, together(10 + 0.1 * repetition))):
                made.run("sort", f"sort/ranks={ranks}", {"ranks": ranks}, repetition, run["makespan_s"], record=run)
        made.write(self.folder / "results")
        self.assertEqual(self.report("results").returncode, 0)
        return (self.folder / "results/report.html").read_text(encoding="utf-8")

    def test_the_scatter_of_the_sequential_time_counts(self):
        page = self.page_of_efficiencies(lambda repetition: 50 + 20 * (-1) ** repetition + repetition)
        self.assertIn("At 1 point on several ranks: 1 undecided.", page)

    def test_compares_efficiencies_of_unequal_hosts_by_e_h(self):
        page = self.page_of_efficiencies(lambda repetition: 50 + 0.1 * repetition)
        for text in ("E_H by granularity", "E_H classical", "At 1 point on several ranks: 1 yes.", "the median of 6 runs on 1 rank",
                     "the processors are unequal (by the hosts&#x27; quotas): 3 of them equal 7.00"):
            self.assertIn(text, page)
        self.assertNotIn("runs without efficiencies", page)

    def test_says_why_there_are_no_efficiencies(self):
        sweep().write(self.folder / "results")  # its records tell no idle time and the like
        self.assertEqual(self.report("results").returncode, 0)
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        self.assertIn("1 note on runs without efficiencies", page)
        self.assertIn("results/runs.jsonl holds no runs (results/runs.jsonl:1: ", page)

    def test_bad_folders(self):
        self.assert_refused(2, "cannot read the sweep none (there is no such folder); "
                               "name the folder that loadshare sweep wrote", "none")
        self.assert_refused(2, "cannot read the sweep report.py (it is a file); "
                               "name the folder that loadshare sweep wrote", "report.py")
        sweep(runs=0).write(self.folder / "empty")
        self.assert_refused(1, "empty contains no runs yet (runs.jsonl has none of this sweep); run it first: "
                               "loadshare sweep made.yaml --resume --out empty", "empty")

    def test_bad_words(self):
        self.assert_refused(2, "DIR is required; see loadshare report --help")
        self.assert_refused(2, "several folders need --out (the page could go to any of them); add --out FILE.html",
                            "a", "b")

    def test_a_page_that_cannot_be_written(self):
        sweep().write(self.folder / "results")
        self.assert_refused(1, "cannot write none/page.html (No such file or directory); choose another place with --out",
                            "results", "--out", "none/page.html")

    def test_pages_that_are_none(self):
        sweep().write(self.folder / "results")
        self.assert_refused(2, "cannot write the page to results (it is a folder); give --out results/report.html",
                            "results", "--out", "results")
        self.assert_refused(2, "cannot write the page to . (it is a folder); give --out report.html", "results", "--out", ".")
        for name in ("all.csv", "all.CSV"):
            self.assert_refused(2, f"cannot write the page to {name} (its CSV file gets that name); "
                                   "choose a name that ends in .html", "results", "--out", name)
        self.assert_refused(2, "cannot write the page to results/runs.jsonl (a sweep stores its runs under that "
                               "name); choose a name that ends in .html", "results", "--out", "results/runs.jsonl")

    def test_only_regular_files_are_replaced(self):
        sweep().write(self.folder / "results")
        os.mkfifo(self.folder / "pipe")
        os.mkfifo(self.folder / "page.csv")
        self.assert_refused(2, "cannot write pipe (it is not a regular file); choose another place with --out",
                            "results", "--out", "pipe")
        self.assert_refused(2, "cannot write page.csv (it is not a regular file); choose another place with --out",
                            "results", "--out", "page.html")
        os.symlink("target.html", self.folder / "link.html")
        self.assertEqual(self.report("results", "--out", "link.html").returncode, 0)
        self.assertTrue((self.folder / "link.html").is_symlink())
        self.assertTrue((self.folder / "target.html").is_file())

    def test_words_without_letters_do_not_mean_the_default(self):
        sweep().write(self.folder / "results")
        self.assert_refused(2, "cannot write the page to '' (the name is empty); give --out FILE.html, or leave it out "
                               "for report.html in the one DIR", "results", "--out", "")
        self.assert_refused(2, "cannot read the claims '' (there is no such file)", "results", "--claims", "")
        self.assertEqual(self.names("results"), ["runs.jsonl", "sweep.json"])

    def test_with_too_little_address_space_it_ends(self):
        sweep().write(self.folder / "results")
        done = subprocess.run(["sh", "-c", 'ulimit -v 400000; exec "$0" report results', TOOL], capture_output=True, text=True,
                              timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (2, "loadshare: python has too little address space to draw (numpy, scipy and "
                         "matplotlib need 1 GiB, and ulimit -v allows 390.6 MiB); raise it: ulimit -v unlimited\n"))

    def test_a_title_that_is_no_text(self):
        sweep().write(self.folder / "results")
        self.assertEqual(self.report("results", "--title", b"\xff").returncode, 0)
        self.assertIn("<h1>\\udcff</h1>", (self.folder / "results/report.html").read_text(encoding="utf-8"))

    def test_a_full_disk_leaves_the_exit_code_that_of_the_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "report", str(self.folder)], stdout=subprocess.DEVNULL, stderr=full, timeout=60)
        self.assertEqual(done.returncode, 2)

    def test_predictions_beside_the_runs(self):
        made = sweep()
        made.write(self.folder / "results")
        written(comparison_of(made, "results", lambda parameters: 0.02), self.folder / "c.json")
        done = self.report("results", "--predicted", "c.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "results/report.html\n", ""))
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        for text in ("2 points predicted: median signed error +2.0 %, worst +2.0 %.", "predicted medians",
                     "Predictions come from c.json, written by loadshare compare (messages: a made network)."):
            self.assertIn(text, page)
        with open(self.folder / "results/points.csv", encoding="utf-8", newline="") as lines:
            for point in csv.DictReader(lines):
                self.assertAlmostEqual(float(point["predicted_median_s"]) / float(point["median_s"]), 1.02, places=4)

    def test_what_the_tool_compared(self):
        made = MadeSweep().experiment("one", [axis("scheduler", "send:4", "send:20")], lambda parameters: 2.0, runs=0)
        for size in (4, 20):
            one = run(size)
            made.run("one", f"one/scheduler=send:{size}", {"scheduler": f"send:{size}"}, 0, one["makespan_s"],
                     record=one)
        made.write(self.folder / "results")
        done = subprocess.run([TOOL, "compare", "results", "--costs", FREE, "--json", "c.json", "--plot", "c.svg"],
                              capture_output=True, text=True, timeout=100, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<svg", (self.folder / "c.svg").read_text(encoding="utf-8"))
        self.assertEqual(self.report("results", "--predicted", "c.json").returncode, 0)
        page = (self.folder / "results/report.html").read_text(encoding="utf-8")
        self.assertIn("Predicted and measured times of 2 points: median signed error ", page)
        self.assertIn("2 ranks, the master works on rank 0, no load", page)
        self.assertNotIn("compare again", page)

    def test_experiments_of_one_name_are_distinguished_by_their_folders(self):
        one, other = sweep(), sweep(deviation=0.1)
        one.write(self.folder / "a")
        other.write(self.folder / "b")
        comparison = joined(comparison_of(one, "a", lambda p: 0.01), comparison_of(other, "b/", lambda p: 0.03))
        written(comparison, self.folder / "c.json")
        self.assertEqual(self.report("b", "a", "--out", "all.html", "--predicted", "c.json").returncode, 0)
        with open(self.folder / "all.csv", encoding="utf-8", newline="") as lines:
            ratios = [float(point["predicted_median_s"]) / float(point["median_s"]) for point in csv.DictReader(lines)]
        for ratio, asked in zip(ratios, (1.03, 1.03, 1.01, 1.01), strict=True):
            self.assertAlmostEqual(ratio, asked, places=4)

    def test_predictions_that_are_none(self):
        made = sweep()
        made.write(self.folder / "results")
        write_it = "write it with loadshare compare DIR... --json FILE.json"
        self.assert_refused(2, f"cannot read the predictions none.json (there is no such file); {write_it}",
                            "results", "--predicted", "none.json")
        self.assert_refused(2, f"cannot read the predictions '' (there is no such file); {write_it}",
                            "results", "--predicted", "")
        written(comparison_of(sweep(name="two"), "results"), self.folder / "c.json")
        self.assert_refused(2, "c.json contains no prediction of these runs (it compares other points, of two); "
                               f"{write_it}", "results", "--predicted", "c.json")
        self.assert_refused(2, "cannot write the page to c.json (that file contains the predictions); choose a name that ends in .html",
                            "results", "--predicted", "c.json", "--out", "./c.json")
        self.assertEqual(self.names("results"), ["runs.jsonl", "sweep.json"])

    def test_claims_that_are_none(self):
        sweep().write(self.folder / "results")
        self.assert_refused(2, "cannot read the claims none.py (there is no such file)",
                            "results", "--claims", "none.py")


if __name__ == "__main__":
    unittest.main()
