"""What the tool judged of sweeps: who ran fastest, by how much, and what makes one doubt it.

`loadshare sweep` prints the same; nothing is judged here, so that a page cannot say otherwise.
"""

from dataclasses import dataclass
from pathlib import Path

FASTEST, EQUAL, MAY_BE_FASTEST, SLOWER, NO_DATA = "fastest", "equal", "may be fastest", "slower", "no data"


@dataclass(frozen=True)
class Ratio:
    """How many times as long."""

    value: float
    low: float | None  # of its interval; nothing of too few rounds
    high: float | None
    is_shown: bool  # to differ from 1
    is_equal: bool  # to 1, within the margin
    text: str


@dataclass(frozen=True)
class Value:
    """One value of the compared axis in one setting."""

    name: str
    point: str
    runs: int
    mean_s: float
    deviation_s: float
    over_fastest: Ratio | None
    over_baseline: Ratio | None


@dataclass(frozen=True)
class Verdict:
    setting: str  # the other axes, in words; empty where there is one only
    is_compared: bool
    baseline: str
    sentence: str  # empty where nothing is compared
    values: tuple  # the fastest first

    def word(self, value):
        """What came of one of its values."""
        if value.runs == 0:
            return NO_DATA
        if value is not self.values[0]:
            return _beside_the_fastest(value.over_fastest)
        rivals = {_beside_the_fastest(other.over_fastest) for other in self.values[1:] if other.runs}
        return MAY_BE_FASTEST if MAY_BE_FASTEST in rivals or not rivals else EQUAL if EQUAL in rivals else FASTEST


def _beside_the_fastest(ratio):
    if ratio and ratio.is_shown and ratio.value > 1:
        return SLOWER
    return EQUAL if ratio and ratio.is_equal else MAY_BE_FASTEST


@dataclass(frozen=True)
class Outcome:
    """Of one experiment."""

    along: str  # the compared axis; empty: none is
    doubts: tuple  # sentences
    verdicts: tuple
    equal_within: float = 0.0  # the margin

    def sentences(self):
        """[(setting in words, sentence)] of what was compared."""
        return [(verdict.setting, verdict.sentence) for verdict in self.verdicts if verdict.sentence]


NOTHING = Outcome("", (), ())


def outcomes_by_folder(given):
    """folder -> name of an experiment -> its Outcome, of what `loadshare report` hands over."""
    return {str(Path(entry["folder"])): {name: _outcome(experiment)
                                         for name, experiment in (entry["experiments"] or {}).items()}
            for entry in given}


def _outcome(given):
    return Outcome(given["along"], tuple(given["doubts"]), tuple(map(_verdict, given["verdicts"])), given["equal_within"])


def _verdict(given):
    values = tuple(Value(**{**value, **{key: ratio_of(value[key]) for key in ("over_fastest", "over_baseline")}})
                   for value in given["values"])
    return Verdict(**{**given, "values": values})


def ratio_of(given):
    """The Ratio that the tool hands over, or nothing."""
    return Ratio(**given) if given else None
