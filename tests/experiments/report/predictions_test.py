"""The assignment of predictions to experiments by folder and name, and refused files."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from made_comparison import comparison_of, joined, written
from made_sweep import MadeSweep, axis
from report.errors import USAGE, ReportError
from report.predictions import read_predictions, spread
from report.reading import read_sweep

SPECS = axis("scheduler", "send:3", "gss:14")


def made(*names, **options):
    sweep = MadeSweep()
    for name in names:
        sweep.experiment(name, [SPECS], lambda parameters: 2.0, **options)
    return sweep


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)

    def kept(self, folder, *names):
        """(the MadeSweep in the folder, as it is read)"""
        sweep = made(*names)
        return sweep, read_sweep(sweep.write(folder))

    def read(self, comparison, *sweeps):
        return read_predictions(written(comparison, Path("c.json")), sweeps)

    def errors(self, comparison, *sweeps):
        """Returns the errors of each experiment of the page, in percent."""
        found = self.read(comparison, *sweeps)
        return [[round(100 * error, 6) for error, _ in found.of(sweep, experiment).errors(experiment)]
                for sweep in sweeps for experiment in sweep.experiments]

    def assert_refused(self, text, comparison, *sweeps):
        with self.assertRaises(ReportError) as caught:
            self.read(comparison, *sweeps)
        self.assertEqual(caught.exception.code, USAGE)
        self.assertIn(text, str(caught.exception))


class Places(Case):
    def test_every_point_has_its_own(self):
        sweep, read = self.kept("a", "one", "two")
        comparison = comparison_of(sweep, "a", lambda parameters: 0.02 if parameters["scheduler"] == "send:3" else -0.01)
        self.assertEqual(self.errors(comparison, read), [[2, -1], [2, -1]])

    def test_folders_of_experiments_of_one_name(self):
        (one, first), (other, second) = self.kept("a", "one"), self.kept("b", "one")
        comparison = joined(comparison_of(other, "b/", lambda p: 0.02),
                      comparison_of(one, str(Path("a").resolve()), lambda p: 0.01))
        self.assertEqual(self.errors(comparison, first, second), [[1, 1], [2, 2]])
        self.assertEqual(self.errors(comparison, second), [[2, 2]])

    def test_a_folder_that_was_moved(self):
        sweep, read = self.kept("here", "one")
        self.assertEqual(self.errors(comparison_of(sweep, "there"), read), [[2, 2]])
        without = comparison_of(sweep, "")
        for setting in without["settings"]:
            del setting["sweep"]
        self.assertEqual(self.errors(without, read), [[2, 2]])

    def test_one_of_two_that_was_moved(self):
        (one, first), (other, second) = self.kept("a", "one"), self.kept("b", "one")
        comparison = joined(comparison_of(one, "a", lambda p: 0.01), comparison_of(other, "moved", lambda p: 0.03))
        self.assertEqual(self.errors(comparison, first, second), [[1, 1], [3, 3]])
        self.assertEqual(self.errors(comparison, first), [[1, 1]])

    def test_an_ambiguous_experiment_is_refused(self):
        (one, first), (other, second) = self.kept("a", "one"), self.kept("b", "one")
        why = "the name one in c.json may mean several experiments ("
        self.assert_refused(why + "on the page it is in a and b, in the comparison in moved)",
                            comparison_of(one, "moved"), first, second)
        self.assert_refused(why + "on the page it is in a, in the comparison in x and y)",
                            joined(comparison_of(one, "x"), comparison_of(other, "y")), first)

    def test_part_of_a_page(self):
        sweep, read = self.kept("a", "one", "two")
        self.assertEqual(self.errors(comparison_of(sweep, "a", experiments=("two",)), read), [[], [2, 2]])

    def test_a_point_without_a_time_has_no_error(self):
        sweep = made("one", repeat=1)
        comparison = comparison_of(sweep, "a")
        self.assertEqual(self.errors(comparison, read_sweep(sweep.fail(0).write("a"))), [[2]])

    def test_choices(self):
        sweep, read = self.kept("a", "one")
        comparison = comparison_of(sweep, "a")
        comparison["settings"][0] |= {"name": "one, 9 ranks", "regret": 0.034, "order": 0.5, "chosen": "x", "best": "y"}
        (choice,) = self.read(comparison, read).of(read, read.experiments[0]).choices
        self.assertEqual((choice.setting, choice.chosen, choice.best, choice.regret, choice.order),
                         ("9 ranks", "x", "y", 0.034, 0.5))

    def test_spread(self):
        self.assertEqual(spread([0.01, -0.09, 0.03]), (0.01, -0.09))


class Refused(Case):
    def test_predictions_of_other_sweeps_are_refused(self):
        sweep, read = self.kept("a", "one")
        self.assert_refused("contains no prediction of these runs (it compares other points, of two)",
                            comparison_of(made("two"), "a"), read)
        other = comparison_of(sweep, "a")
        for point in other["settings"][0]["points"]:
            point["point"] += "/seed=1"
        self.assert_refused("contains no prediction of these runs (it compares other points, of one)", other, read)
        other["settings"][0]["experiment"] = ""
        self.assert_refused("contains no prediction of these runs (it compares runs that are not from a sweep)", other, read)

    def test_a_file_that_is_no_comparison_is_refused(self):
        sweep, read = self.kept("a", "one")
        for text in ("{", "\x00", "\udcff"):
            Path("c.json").write_text(text, encoding="utf-8", errors="surrogateescape")
            with self.assertRaisesRegex(ReportError, "cannot read the predictions c.json .it is not JSON"):
                read_predictions("c.json", [read])
        for value in ([], 3, {}, {"schema": 2, "settings": []}):
            self.assert_refused("its schema is not 1); use the version of loadshare that wrote it", value, read)
        for value in ({"schema": 1}, {"schema": 1, "settings": None}, {"schema": 1, "settings": [3]},
                      {"schema": 1, "settings": [{"experiment": "one", "sweep": "a"}]}):
            self.assert_refused("cannot read the predictions c.json (they are not as loadshare compare writes them: ", value, read)

    def test_invalid_predicted_times_are_refused(self):
        sweep, read = self.kept("a", "one")
        for time_s in (0, -1, None, "soon", float("nan"), float("inf"), []):
            comparison = json.loads(json.dumps(comparison_of(sweep, "a")))
            comparison["settings"][0]["points"][1]["predicted_median_s"] = time_s
            self.assert_refused("they are not as loadshare compare writes them", comparison, read)


if __name__ == "__main__":
    unittest.main()
