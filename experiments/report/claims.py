"""Claims about sweeps, each held against the runs there are: reproduced, not reproduced, or undecided.

A file of claims is a python file with a list CLAIMS of Claim; report.claim_tests has what their `examine` is made of.
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
    """The times of one point, with the name under which a finding speaks of it."""

    label: str
    times_s: dict  # by repetition
    rule: Rule | None = None  # nothing: the point is not there


@dataclass(frozen=True)
class Finding:
    """What one setting says of a claim."""

    setting: str
    numbers: str  # what decided it, for people
    yes_p: float = 1.0  # how likely the runs would be at least so much for it if it were not so
    no_p: float = 1.0  # ditto against it
    short: str = "–"  # the one number of them
    error: float = MOST_ERROR  # the greatest p that counts

    @property
    def says(self):
        return NO if self.no_p <= self.error else YES if self.yes_p <= self.error else UNKNOWN


@dataclass(frozen=True)
class Claim:
    name: str
    quote: str  # of the paper
    place: str  # where in the paper
    rule: str  # what counts as yes and as no in one setting, and how many settings it takes
    verdict_of: Callable  # [Finding] -> verdict: in_all or in_most
    examine: Callable  # Evidence -> [Finding]


@dataclass(frozen=True)
class Judgement:
    claim: Claim
    verdict: str
    findings: tuple


class Evidence:
    """The points of several sweeps, found by experiment and parameters; `law`: see report.paired.Rule."""

    def __init__(self, sweeps, law):
        self._law = law
        self._experiments = {}
        folders = {}
        for sweep in sweeps:
            for experiment in sweep.experiments:
                if experiment.name in folders:
                    raise ReportError(USAGE, f"experiment {experiment.name} is there twice",
                                      f"in {folders[experiment.name]} and in {sweep.folder}; claims could mean either",
                                      "give one of them")
                folders[experiment.name] = sweep.folder
                self._experiments[experiment.name] = experiment

    def pick(self, experiment, parameters, label):
        """The Picked of the one point with these parameters; without times when it is not there."""
        found = self._experiments.get(experiment)
        for point in found.points if found else ():
            if point.parameters == parameters:
                return Picked(label, point.times_by_round(), Rule(self._law, found.error))
        return Picked(label, {})

    def values(self, experiment, axis):
        """The values of an axis in the order of the sweep file; empty when there is no such experiment."""
        found = self._experiments.get(experiment)
        return [value for one in (found.axes if found else ()) if one.name == axis for value in one.values]


def in_all(findings):
    """Reproduced when every setting is shown to say yes, not reproduced when one is shown to say no."""
    return _verdict(findings, len(findings), 1)


def in_most(findings):
    """Reproduced when more than half of the settings are shown to say yes, not reproduced when half of them or more
    are shown to say no."""
    return _verdict(findings, len(findings) // 2 + 1, (len(findings) + 1) // 2)


def _verdict(findings, yes_needed, no_needed):
    """With all settings together: of many, some would say yes or no by chance."""
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
    """The CLAIMS of a python file; ReportError when there are none."""
    if not Path(path).is_file():
        raise ReportError(USAGE, f"cannot read the claims {path or repr(path)}", "there is no such file")
    spec = importlib.util.spec_from_file_location("claims_of_user", path)
    if spec is None:
        raise ReportError(USAGE, f"cannot read the claims {path}", "it is not a python file, *.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return list(module.CLAIMS)
    except Exception as error:  # whatever a user's file may throw
        raise ReportError(USAGE, f"cannot read the claims {path}", f"{type(error).__name__}: {error}",
                          "see experiments/tr-97-14/claims.py for one that works") from error
