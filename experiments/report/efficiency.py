"""The comparison of the granularity paper: efficiency from the parallel run alone and the classical efficiency.

The model of `loadshare metrics` computes both, and the tool judges whether the first is an upper bound of the second:
run by run, each with the sequential run of its round.
"""

from dataclasses import dataclass
from pathlib import Path

from report.errors import USAGE, ReportError
from report.sweep import value_text
from report.verdicts import Ratio, ratio_of
from report.wording import counted, differing_first

SCHEMA = 1
EXPERIMENT = "experiment"  # key of the sweep's experiment in a setting's options
YES, NO, EQUAL, UNDECIDED = "yes", "no", "equal", "undecided"


@dataclass(frozen=True)
class Point:
    """The runs of a setting on one number of ranks: medians, and both efficiencies of each run."""

    ranks: int
    runs: int
    by_granularity: float
    by_granularity_runs: tuple
    classical: float
    classical_runs: tuple
    difference: float  # by granularity over classical, minus 1
    over_classical: Ratio | None  # the same round by round, as judged; None if no round has both
    speedup: float
    classical_speedup: float
    stolen: float
    virtual_processors: float | None

    @property
    def by_granularity_range(self):
        return _range(self.by_granularity_runs)

    @property
    def classical_range(self):
        return _range(self.classical_runs)

    @property
    def upper_bound(self):
        """Whether the efficiency by granularity is an upper bound: YES or NO if the runs show a difference."""
        ratio = self.over_classical
        if ratio and ratio.is_shown:
            return YES if ratio.value > 1 else NO
        return EQUAL if ratio and ratio.is_equal else UNDECIDED


@dataclass(frozen=True)
class Curve:
    """A setting over the numbers of ranks, ascending; `is_heterogeneous`: its efficiencies are E_H."""

    setting: dict
    is_heterogeneous: bool
    sequential: str  # where the sequential time comes from
    points: tuple
    notes: tuple


@dataclass(frozen=True)
class Study:
    """The model's results for a sweep's folder: its settings, and notes on what was left out or unreadable."""

    settings: tuple = ()
    notes: tuple = ()


def studies_by_folder(given):
    """Returns folder -> Study from the JSON of `loadshare report`. Raises ReportError for another schema."""
    if given.get("schema") != SCHEMA:
        raise ReportError(USAGE, "cannot read the efficiencies", f"their schema is not {SCHEMA}",
                          "use one version of loadshare")
    return {str(Path(entry["folder"])): _study(entry) for entry in given["folders"]}


def _study(entry):
    return Study(tuple((entry["study"] or {}).get("settings", ())), tuple(entry["notes"]))


def curves(experiment, settings):
    """Returns the Curves of an experiment: its settings that have a sequential time and several ranks."""
    own = [setting for setting in settings if setting["options"].get(EXPERIMENT) == experiment.name
           and any(point["E_relative"] is not None and point["processors"] > 1 for point in setting["points"])]
    names = [axis.name for axis in experiment.axes if _varies(axis.name, own)]
    named = differing_first([{name: value_text(_option(setting, name)) for name in names} for setting in own])
    return [_curve(setting, words) for setting, words in zip(own, named)]


def _option(setting, axis):
    """Returns the value of an axis in a setting's options, whose names have no dashes; "none" if it is missing."""
    return setting["options"].get(axis.replace("-", "_"), "none")


def _varies(axis, settings):
    return len({str(_option(setting, axis)) for setting in settings}) > 1


def _curve(setting, named):
    suffix = "_H" if setting["is_unequal"] else ""
    points = tuple(_point(point, suffix) for point in setting["points"]
                   if point[f"E{suffix}_relative"] is not None and point[f"E{suffix}"] is not None)
    notes = [f"{counted(point['processors'], 'rank')}: {note}" for point in setting["points"] for note in point["notes"]]
    return Curve(named, setting["is_unequal"], setting["sequential_source"], points, (*notes, *setting["notes"]))


def _point(point, suffix):
    by_granularity, classical = f"E{suffix}", f"E{suffix}_relative"
    return Point(ranks=point["processors"], runs=point["runs"], by_granularity=point[by_granularity],
                 by_granularity_runs=tuple(point["by_run"][by_granularity]), classical=point[classical],
                 classical_runs=tuple(point["by_run"][classical]), difference=point[f"E{suffix}_over_relative"],
                 over_classical=ratio_of(point.get("over_classical")),
                 speedup=point[f"speedup{suffix}"], classical_speedup=point["speedup_relative"], stolen=point["stolen"],
                 virtual_processors=point["virtual_processors"])


def _range(values):
    """Returns the least and the most; None for a single run."""
    return (min(values), max(values)) if len(values) > 1 else None
