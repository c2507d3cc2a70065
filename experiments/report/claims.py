"""Claims about sweeps, each tested with the available runs: reproduced, not reproduced, or undecided.

A file of claims is a python file with a list CLAIMS of Claim; `examine` uses the tests in report.claim_tests.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from report.errors import USAGE, ReportError
from report.paired import Rule, shown_in
from report.samples import MOST_ERROR

YES, NO, UNKNOWN = "yes", "no", "unknown"
REPRODUCED, NOT_REPRODUCED, UNDECIDED = "reproduced", "not reproduced", "undecided"


@dataclass(frozen=True)
class Picked:
    """The times of one point, with the name that findings use for it."""

    label: str
    times_s: dict  # by repetition
    rule: Rule | None = None  # None if there is no such point


@dataclass(frozen=True)
class Finding:
    """The result of a claim in one setting."""

    setting: str
    numbers: str  # the deciding numbers, for people
    yes_p: float = 1.0  # probability of runs that support the claim at least as much if it does not hold
    no_p: float = 1.0  # the same for runs that contradict it
    short: str = "–"  # the most important number
    error: float = MOST_ERROR  # the greatest significant p

    @property
    def says(self):
        return NO if self.no_p <= self.error else YES if self.yes_p <= self.error else UNKNOWN


@dataclass(frozen=True)
class Claim:
    name: str
    quote: str  # of the paper
    place: str  # where in the paper
    rule: str  # when a setting says yes or no, and how many settings are needed
    verdict_of: Callable  # [Finding] -> verdict: in_all or in_most
    examine: Callable  # Evidence -> [Finding]


@dataclass(frozen=True)
class Judgement:
    claim: Claim
    verdict: str
    findings: tuple


class Evidence:
    """The points of several sweeps by experiment and parameters. `law`: see report.paired.Rule."""

    def __init__(self, sweeps, law):
        self._law = law
        self._experiments = {}
        folders = {}
        for sweep in sweeps:
            for experiment in sweep.experiments:
                if experiment.name in folders:
                    raise ReportError(USAGE, f"experiment {experiment.name} is in two folders",
                                      f"{folders[experiment.name]} and {sweep.folder}; claims could mean either",
                                      "name only one of the folders")
                folders[experiment.name] = sweep.folder
                self._experiments[experiment.name] = experiment

    def pick(self, experiment, parameters, label):
        """Returns the Picked of the point with these parameters, without times if there is no such point."""
        found = self._experiments.get(experiment)
        for point in found.points if found else ():
            if point.parameters == parameters:
                return Picked(label, point.times_by_round(), Rule(self._law, found.error))
        return Picked(label, {})

    def values(self, experiment, axis):
        """Returns the values of an axis in the order of the sweep file; empty if there is no such experiment."""
        found = self._experiments.get(experiment)
        return [value for one in (found.axes if found else ()) if one.name == axis for value in one.values]


def in_all(findings):
    """Reproduced if every setting significantly says yes, not reproduced if one significantly says no."""
    return _verdict(findings, len(findings), 1)


def in_most(findings):
    """Reproduced if more than half of the settings significantly say yes, not reproduced if at least half
    significantly say no."""
    return _verdict(findings, len(findings) // 2 + 1, (len(findings) + 1) // 2)


def _verdict(findings, yes_needed, no_needed):
    """Judges all settings together, because some of many would say yes or no by chance."""
    if not findings:
        return UNDECIDED
    error = min(finding.error for finding in findings)
    if shown_in([finding.no_p for finding in findings], no_needed) <= error:
        return NOT_REPRODUCED
    return REPRODUCED if shown_in([finding.yes_p for finding in findings], yes_needed) <= error else UNDECIDED


def judge(claims, sweeps, law):
    evidence = Evidence(sweeps, law)
    judgements = []
    for claim in claims:
        findings = tuple(claim.examine(evidence))
        judgements.append(Judgement(claim, claim.verdict_of(findings), findings))
    return judgements


def load_claims(path):
    """Loads the CLAIMS of a python file. Raises ReportError if there are none."""
    if not Path(path).is_file():
        raise ReportError(USAGE, f"cannot read the claims {path or repr(path)}", "there is no such file")
    spec = importlib.util.spec_from_file_location("claims_of_user", path)
    if spec is None:
        raise ReportError(USAGE, f"cannot read the claims {path}", "its name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return list(module.CLAIMS)
    except Exception as error:  # a user's file may raise anything
        raise ReportError(USAGE, f"cannot read the claims {path}", f"{type(error).__name__}: {error}",
                          "experiments/tr-97-14/claims.py is an example") from error
