"""The tool's verdicts on sweeps: the fastest value, by how much, and reasons for doubt.

`loadshare sweep` prints the same verdicts; nothing is judged here, so that the page cannot differ.
"""

from dataclasses import dataclass
from pathlib import Path

FASTEST, EQUAL, MAY_BE_FASTEST, SLOWER, NO_DATA = "fastest", "equal", "may be fastest", "slower", "no data"


@dataclass(frozen=True)
class Ratio:
    """A ratio of times."""

    value: float
    low: float | None  # of its interval; None for too few rounds
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
    setting: str  # the other axes in words; empty if there is only one setting
    is_compared: bool
    baseline: str
    sentence: str  # empty if nothing is compared
    values: tuple  # the fastest first

    def word(self, value):
        """Returns the verdict on one of its values."""
        if value.runs == 0:
            return NO_DATA
        if value is not self.values[0]:
            return _next_to_the_fastest(value.over_fastest)
        rivals = {_next_to_the_fastest(other.over_fastest) for other in self.values[1:] if other.runs}
        return MAY_BE_FASTEST if MAY_BE_FASTEST in rivals or not rivals else EQUAL if EQUAL in rivals else FASTEST


def _next_to_the_fastest(ratio):
    if ratio and ratio.is_shown and ratio.value > 1:
        return SLOWER
    return EQUAL if ratio and ratio.is_equal else MAY_BE_FASTEST


@dataclass(frozen=True)
class Outcome:
    """The verdicts on one experiment."""

    along: str  # the compared axis; empty if there is none
    doubts: tuple  # sentences
    verdicts: tuple
    equal_within: float = 0.0  # the margin

    def sentences(self):
        """Returns [(setting in words, sentence)] of the comparisons."""
        return [(verdict.setting, verdict.sentence) for verdict in self.verdicts if verdict.sentence]


NOTHING = Outcome("", (), ())


def outcomes_by_folder(given):
    """Returns folder -> name of an experiment -> Outcome from the JSON of `loadshare report`."""
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
    """Returns the Ratio in the tool's JSON, or None."""
    return Ratio(**given) if given else None
