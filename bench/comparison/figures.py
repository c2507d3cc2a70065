"""Figures: samples and references, their ratio, and whether it reaches its target. Pure."""

import math
import statistics
from dataclasses import dataclass, field
from enum import Enum


class Aim(Enum):
    AT_LEAST = ">="
    AT_MOST = "<="


class Judged(Enum):
    """The quantity that a target limits: the median of the ratios to the references, or the ratio of the medians, for
    samples that scatter by more than the expected difference. Or the largest sample, if each is another case; or the limit
    that nine of ten samples keep."""

    BY_RATIOS = "median ratio"
    BY_MEDIANS = "ratio of medians"
    BY_LARGEST = "largest sample"
    BY_NINE_OF_TEN = "nine samples of ten"


class Verdict(Enum):
    REACHED = "reached"
    MISSED = "missed"
    UNMEASURED = "unmeasured"
    NONE = "-"


@dataclass(frozen=True)
class Target:
    value: float
    aim: Aim = Aim.AT_LEAST

    def is_reached_by(self, value):
        return value >= self.value if self.aim is Aim.AT_LEAST else value <= self.value

    def text(self):
        return f"{self.aim.value} {self.value:g}"


@dataclass(frozen=True)
class Figure:
    """One line of the table: samples[i] was taken right after references[i]."""

    name: str
    samples: tuple
    references: tuple = ()  # empty: the target limits the samples themselves
    target: Target | None = None
    by: Judged = Judged.BY_RATIOS
    fewest: int = 1  # number of samples that a verdict needs

    def ratios(self):
        if not self.references:
            return ()
        return tuple(sample / reference for sample, reference in zip(self.samples, self.references, strict=True))

    def is_measured(self):
        return len(self.samples) >= self.fewest

    def judged(self):
        """Returns the judged quantity: the ratio, or the value if there is no reference; None without samples."""
        if not self.samples:
            return None
        if self.by is Judged.BY_LARGEST:
            return max(self.samples)
        if self.by is Judged.BY_NINE_OF_TEN:
            return sorted(self.samples)[math.ceil(0.9 * len(self.samples)) - 1]
        if self.references and self.by is Judged.BY_MEDIANS:
            return statistics.median(self.samples) / statistics.median(self.references)
        return statistics.median(self.ratios() or self.samples)

    def verdict(self):
        if self.target is None:
            return Verdict.NONE
        if not self.is_measured():
            return Verdict.UNMEASURED
        return Verdict.REACHED if self.target.is_reached_by(self.judged()) else Verdict.MISSED


@dataclass
class Group:
    """The figures of one experiment."""

    name: str
    title: str  # quantity, unit and reference
    figures: list = field(default_factory=list)


def missed(groups):
    """Returns a line for each figure that misses its target or has too few samples for a verdict."""

    def result(figure):
        if figure.is_measured():
            return f"{figure.judged():.3g}"
        return f"only {len(figure.samples)} of {figure.fewest} samples"

    return [
        f"{group.name}: {figure.name} ({result(figure)}, target {figure.target.text()})"
        for group in groups
        for figure in group.figures
        if figure.verdict() in (Verdict.MISSED, Verdict.UNMEASURED)
    ]


def to_json(group):
    """Returns the raw samples of a group, for a file."""
    return {
        "name": group.name,
        "title": group.title,
        "figures": [
            {
                "name": figure.name,
                "samples": figure.samples,
                "references": figure.references,
                "ratios": figure.ratios(),
                "by": figure.by.value,
                "fewest": figure.fewest,
                "judged": figure.judged(),
                "target": figure.target.text() if figure.target else None,
                "verdict": figure.verdict().value,
            }
            for figure in group.figures
        ],
    }


def target_of(text):
    """Parses the text of a target."""
    aim, value = text.split()
    return Target(float(value), Aim(aim))


def from_json(group):
    """Returns the group that to_json was given."""
    figures = [
        Figure(
            one["name"],
            tuple(one["samples"]),
            tuple(one["references"]),
            target_of(one["target"]) if one["target"] else None,
            Judged(one["by"]),
            one["fewest"],
        )
        for one in group["figures"]
    ]
    return Group(group["name"], group["title"], figures)
