"""The content of a sweep's folder as plain data: the sweep, its experiments, their points and runs."""

from dataclasses import dataclass, field

from report.samples import MOST_ERROR, summary
from report.wording import file_word


def value_text(value):
    """Returns a parameter's value as it is written in a sweep file: true, 3, gss:14."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True)
class Run:
    """One line of runs.jsonl."""

    experiment: str
    point: str
    repetition: int
    order: int
    status: str  # ok, failed, timeout, interrupted
    started_at: str  # UTC, ISO 8601; empty when unknown
    wall_s: float | None
    exit_code: int | None
    error: str
    load: str | None
    record: dict | None  # the program's own record, without its chunks

    @property
    def makespan_s(self):
        """The time that is compared, or None if the run failed or its result is wrong."""
        if self.status != "ok" or not self.record or self.record.get("verified") is False:
            return None
        return self.record.get("makespan_s") or None


@dataclass(frozen=True)
class Axis:
    name: str
    values: tuple  # texts, in the order of the sweep file
    walk: int | None = None  # axes of one walk vary together (`zip:`)


@dataclass(frozen=True)
class Point:
    id: str
    parameters: dict  # axis -> text
    runs: tuple = ()
    error: float = MOST_ERROR  # that of its experiment

    def times_by_round(self):
        """Returns repetition -> time; of a repeated repetition the last successful run counts."""
        return {run.repetition: run.makespan_s for run in self.runs if run.makespan_s is not None}

    def times_s(self):
        """Returns one time per repetition, in their order."""
        return [time_s for _, time_s in sorted(self.times_by_round().items())]

    def summary(self):
        """Returns the Summary of its times, or None if there are none."""
        return summary(self.times_s(), self.error)


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    program: str
    launch: dict
    options: dict
    load: str | None
    axes: tuple
    compare: str | None  # the axis whose values are compared
    baseline: str | None  # the value that the others are compared with
    runs_asked: int  # planned runs of a point
    points: tuple
    error: float = MOST_ERROR  # how often an interval may miss; smaller with a stop rule, for each of its checks

    def axes_across(self, along):
        """Returns the axes that stay fixed while `along` varies: all but it and its companions."""
        return [axis for axis in self.axes if axis.name != along and not self._is_companion(axis, along)]

    def setting_of(self, point, along):
        """Returns the setting of `point` as axis -> value, without the axes that vary along `along`."""
        names = [axis.name for axis in self.axes_across(along)]
        return {name: point.parameters[name] for name in names if name in point.parameters}

    def _is_companion(self, axis, along):
        """Whether `axis` varies together with the axis `along`, whose values determine its own."""
        if axis.walk is None or axis.walk not in [other.walk for other in self.axes if other.name == along]:
            return False
        pairs = {(point.parameters.get(along), point.parameters.get(axis.name)) for point in self.points}
        return len(pairs) == len({value for value, _ in pairs})

    def runs(self):
        return [run for point in self.points for run in point.runs]


@dataclass(frozen=True)
class Sweep:
    folder: str
    title: str
    source: str  # the sweep file, as it was given to loadshare sweep
    is_reduced: bool
    seed: int | None
    versions: dict
    host: str
    experiments: tuple
    gaps: list = field(default_factory=list)  # sentences on what is missing or could not be read

    def runs(self):
        return [run for experiment in self.experiments for run in experiment.runs()]

    def resume_command(self):
        """Returns the command that makes the missing runs, for a shell in the folder where the sweep was started."""
        reduced = ["--reduced"] if self.is_reduced else []
        return " ".join(["loadshare", "sweep", file_word(self.source or "FILE"), *reduced, "--resume", "--out",
                         file_word(self.folder)])
