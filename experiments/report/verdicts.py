"""What the tool judged of sweeps: who ran fastest, by how much, and what makes one doubt it.

`loadshare sweep` prints the same; nothing is judged here, so that a page cannot say otherwise.
"""

from dataclasses import dataclass
from pathlib import Path

FASTEST, MAY_BE_FASTEST, SLOWER, NO_DATA = "fastest", "may be fastest", "slower", "no data"


@dataclass(frozen=True)
class Ratio:
    """How many times as long."""

    value: float
    reach: float | None  # half the 95 % interval; nothing of a single round
    is_shown: bool  # to differ from 1
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
        if value.over_fastest and value.over_fastest.is_shown:
            return SLOWER
        rivals = [other for other in self.values if other.runs and other is not value]
        is_first = value is self.values[0]
        is_alone = is_first and all(other.over_fastest and other.over_fastest.is_shown for other in rivals)
        return FASTEST if rivals and is_alone else MAY_BE_FASTEST


@dataclass(frozen=True)
class Outcome:
    """Of one experiment."""

    along: str  # the compared axis; empty: none is
    doubts: tuple  # sentences
    verdicts: tuple

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
    return Outcome(given["along"], tuple(map(_signed, given["doubts"])), tuple(map(_verdict, given["verdicts"])))


def _verdict(given):
    values = tuple(Value(**{**value, **{key: _ratio(value[key]) for key in ("over_fastest", "over_baseline")}})
                   for value in given["values"])
    return Verdict(**{**given, "sentence": _signed(given["sentence"]), "values": values})


def _ratio(given):
    return Ratio(**{**given, "text": _signed(given["text"])}) if given else None


def _signed(text):
    """The tool writes what any terminal shows."""
    return text.replace("+-", "±")
