"""The paper's claims on made worlds: one as the paper found it, one the other way round, and too few runs.

The points are those of the sweep files themselves, so that claims and sweeps cannot come apart.
"""

import tempfile
import unittest
from pathlib import Path

import yaml
from made_law import law
from made_sweep import MadeSweep, axis
from report.claims import judge, load_claims
from report.reading import read_sweep

PAPER = Path(__file__).resolve().parents[3] / "experiments" / "tr-97-14"
FIGURES = (3, 4, 5, 6, 7)


def parts(parameters):
    """(technique, last number, master works, master on a slow host); figures 4 to 6 have a fast one."""
    technique, _, numbers = parameters["scheduler"].partition(":")
    works = parameters["master"] == "works"
    return technique, int(numbers.split(",")[-1]), works, parameters.get("master-rank", 6) == 0


def as_the_paper(figure, parameters):
    technique, number, works, is_slow = parts(parameters)
    if figure == 3:
        time = {"send": 3.1, "gss": 3.0, "factoring": 3.03, "tss": 3.06}[technique]
        if technique == "tss" and works and is_slow:
            time *= 1.2
        return time * (1.0 if works else 1.1 if is_slow else 1.3)
    if figure == 4:
        return 3 + 0.01 * abs(number - 12) + (1.0 if number == 6 and not works else 0)
    if figure == 5:
        return 3 + 0.02 * abs(number - 35)
    if figure == 6:
        return 3.5 if number == 1 else 3 + 0.01 * number
    return {"send": 3.0, "adaptive": 3.2}[technique]


def the_other_way_round(figure, parameters):
    technique, number, works, is_slow = parts(parameters)
    if figure == 3:
        time = 3.5 if technique == "gss" else 3.0
        return time if is_slow else time * (0.7 if works else 0.9)
    if figure in (4, 5):
        return 4 - 0.03 * number
    if figure == 6:
        return 3 + 0.2 * number
    return {"send": 3.2, "adaptive": 3.0}[technique]


def made(figure, world, is_reduced, **options):
    """The folder's content that this world makes of a figure's sweep file."""
    file = yaml.safe_load((PAPER / f"figure-{figure}.yaml").read_text(encoding="utf-8"))
    sweep = MadeSweep(file["title"], f"figure-{figure}.yaml", file["seed"], is_reduced)
    for entry in file["experiments"]:
        entry = {"repeat": file["repeat"], **entry, **(entry["reduced"] if is_reduced else {})}
        axes = [axis(name, *values) for name, values in entry["matrix"].items()]
        sweep.experiment(entry["name"], axes, lambda parameters: world(figure, parameters),
                         **{"compare": entry["compare"], "baseline": entry["baseline"], "repeat": entry["repeat"],
                            "load": entry.get("load"), "deviation": 0.005, **options})
    return sweep


class Claims(unittest.TestCase):
    def verdicts(self, world, figures=FIGURES, is_reduced=False, **options):
        with tempfile.TemporaryDirectory() as folder:
            sweeps = [read_sweep(made(figure, world, is_reduced, **options).write(Path(folder) / str(figure)))
                      for figure in figures]
            return judge(load_claims(PAPER / "claims.py"), sweeps, law())

    def assert_all(self, verdict, judgements):
        self.assertEqual(len(judgements), 10)
        for judgement in judgements:
            self.assertEqual(judgement.verdict, verdict, (judgement.claim.name, judgement.findings))

    def test_as_the_paper_found_it(self):
        judgements = self.verdicts(as_the_paper)
        self.assert_all("reproduced", judgements)
        for judgement in judgements:
            self.assertTrue(all("no runs" not in finding.numbers for finding in judgement.findings), judgement)

    def test_the_reduced_setting_can_decide_too(self):
        self.assert_all("reproduced", self.verdicts(as_the_paper, is_reduced=True))

    def test_the_opposite_world_reproduces_no_claim(self):
        self.assert_all("not reproduced", self.verdicts(the_other_way_round))

    def test_too_few_runs_decide_nothing(self):
        self.assert_all("undecided", self.verdicts(as_the_paper, repeat=3))

    def test_missing_sweeps_decide_nothing(self):
        judgements = self.verdicts(as_the_paper, figures=(3,))
        self.assertEqual([judgement.verdict for judgement in judgements], ["reproduced"] * 5 + ["undecided"] * 5)
        self.assertTrue(all("no runs of" in finding.numbers
                            for judgement in judgements[5:] for finding in judgement.findings))

    def test_every_setting_has_load_and_none(self):
        for judgement in self.verdicts(as_the_paper):
            loads = {finding.setting.split(", ")[1].split(";")[0] for finding in judgement.findings}
            self.assertEqual(loads, {"load", "no load"}, judgement.claim.name)


class SweepFiles(unittest.TestCase):
    def test_the_reduced_setting_is_small(self):
        for figure in FIGURES:
            self.assertLessEqual(len(made(figure, as_the_paper, is_reduced=True).runs), 320, figure)


if __name__ == "__main__":
    unittest.main()
