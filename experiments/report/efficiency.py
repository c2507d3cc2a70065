"""The comparison of the granularity paper: efficiency from the parallel run alone beside the classical one.

What stands here was computed by `loadshare metrics`' model and is only picked out and put side by side.
"""

from dataclasses import dataclass
from pathlib import Path

from report.errors import USAGE, ReportError
from report.sweep import value_text

SCHEMA = 1
EXPERIMENT = "experiment"  # among a setting's options: that of the sweep
UNEQUAL_FROM = 0.05  # of the ranks: from here on, processors count as unequal


@dataclass(frozen=True)
class Point:
    """The runs of a setting on one number of ranks: medians, with (least, most) over the runs, or nothing."""

    ranks: int
    runs: int
    by_granularity: float
    by_granularity_range: tuple | None
    classical: float
    classical_range: tuple | None
    speedup: float
    classical_speedup: float
    stolen: float
    virtual_processors: float | None

    @property
    def difference(self):
        """By granularity over classical, minus 1."""
        return self.by_granularity / self.classical - 1

    @property
    def is_upper_bound(self):
        return self.by_granularity >= self.classical


@dataclass(frozen=True)
class Curve:
    """A setting over the numbers of ranks, ascending; `is_heterogeneous`: its efficiencies are E_H."""

    setting: dict
    is_heterogeneous: bool
    sequential: str  # where the sequential time comes from
    points: tuple
    notes: tuple


def studies_by_folder(given):
    """folder -> its settings, of what `loadshare report` hands over; ReportError where that is not understood."""
    if given.get("schema") != SCHEMA:
        raise ReportError(USAGE, "cannot read the efficiencies", f"their schema is not {SCHEMA}",
                          "use one version of loadshare")
    return {str(Path(entry["folder"])): (entry["study"] or {}).get("settings", []) for entry in given["folders"]}


def curves(experiment, settings):
    """The Curves of one experiment: those of its settings that have a sequential time and several ranks."""
    own = [setting for setting in settings if setting["options"].get(EXPERIMENT) == experiment.name
           and len(setting["points"]) > 1 and any(point["E_relative"] is not None for point in setting["points"])]
    names = [axis.name for axis in experiment.axes if _varies(axis.name, own)]
    return [_curve(setting, {name: value_text(_option(setting, name)) for name in names}) for setting in own]


def _option(setting, axis):
    """The value of an axis among a setting's options, where names have no dashes; "none" of what is not there."""
    return setting["options"].get(axis.replace("-", "_"), "none")


def _varies(axis, settings):
    return len({str(_option(setting, axis)) for setting in settings}) > 1


def _curve(setting, named):
    compared = [point for point in setting["points"] if point["E_relative"] is not None]
    unequal = any(_is_unequal(point) for point in compared)
    suffix = "_H" if unequal else ""
    points = tuple(_point(point, suffix) for point in compared if point[f"E{suffix}"] is not None)
    return Curve(named, unequal, setting["sequential_source"], points, tuple(setting["notes"]))


def _is_unequal(point):
    virtual = point["virtual_processors"]
    return virtual is not None and abs(virtual / point["processors"] - 1) > UNEQUAL_FROM


def _point(point, suffix):
    ranges = point["range"] or {}
    by_granularity, classical = f"E{suffix}", f"E{suffix}_relative"
    return Point(ranks=point["processors"], runs=point["runs"], by_granularity=point[by_granularity],
                 by_granularity_range=_pair(ranges.get(by_granularity)), classical=point[classical],
                 classical_range=_pair(ranges.get(classical)), speedup=point[f"speedup{suffix}"],
                 classical_speedup=point["speedup_relative"], stolen=point["stolen"],
                 virtual_processors=point["virtual_processors"])


def _pair(values):
    return tuple(values) if values else None
