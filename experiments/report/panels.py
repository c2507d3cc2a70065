"""Plans an experiment's figure without drawing it: its panels, their columns, the common y axis."""

import re
from dataclasses import dataclass

import numpy

from report.samples import MOST_ERROR, summary
from report.sweep import Axis
from report.wording import differing_first, unit_of

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
FEWEST_FOR_A_CURVE = 3
PLACEHOLDER = "x"
RANK_AXES = ("ranks", "workers")  # a figure with one of them is about how a program scales
WIDE = 8  # from this ratio of longest to shortest median on, the axis is logarithmic
# An outlier takes this many times as long as the median, and is this many deviations away from it.
FAR, FAR_DEVIATIONS = 1.25, 5
FLATTENING = 0.5  # the largest part of the height that outliers may add


@dataclass(frozen=True)
class Scale:
    """The x axis of every panel: numbers make a curve, other values columns side by side."""

    label: str
    values: tuple  # texts, in order
    numbers: tuple = ()  # the position of each value; empty for columns

    def place(self, value):
        index = self.values.index(value)
        return self.numbers[index] if self.numbers else index


@dataclass(frozen=True)
class Column:
    """The samples of one point."""

    value: str
    times_s: list
    is_baseline: bool
    predicted_s: float | None = None
    series: str = ""
    error: float = MOST_ERROR  # of the interval of its median


@dataclass(frozen=True)
class Panel:
    setting: dict  # the axes that its columns share
    columns: tuple

    def baseline_median_s(self):
        return next((summary(column.times_s).median for column in self.columns
                     if column.is_baseline and column.times_s), None)


@dataclass(frozen=True)
class Height:
    """The y axis of every panel."""

    least_s: float  # 0 if that is near
    most_s: float
    is_log: bool
    unit: tuple  # (unit, its length in seconds), that of the largest median

    def holds(self, time_s):
        return time_s <= self.most_s


@dataclass(frozen=True)
class FigurePlan:
    scale: Scale
    panels: tuple
    height: Height
    series: tuple = ()  # values with their own curve in every panel; empty if the x axis alone distinguishes the columns
    series_axis: str = ""

    def beyond(self):
        """Returns how many runs are above the y axis."""
        return sum(not self.height.holds(time_s) for panel in self.panels for column in panel.columns
                   for time_s in column.times_s)


def plan_figure(experiment, predicted_s=None):
    """Returns the FigurePlan, or None if no run has a time. `predicted_s`: id of a point -> its predicted median."""
    axis = _axis_along_x(experiment)
    series = _series_axis(experiment, axis)
    panels = _panels(experiment, axis, series, predicted_s or {})
    columns = [column for panel in panels for column in panel.columns]
    if not any(column.times_s for column in columns):
        return None
    return FigurePlan(_scale(axis), panels, _height(columns), series.values if series else (),
                      series.name if series else "")


def _height(columns):
    timed = [column for column in columns if column.times_s]
    medians = [summary(column.times_s).median for column in timed]
    predicted = [column.predicted_s for column in columns if column.predicted_s]
    times = [time for column in timed for time in column.times_s] + predicted
    unit = unit_of(max(medians))
    if max(medians) > WIDE * min(medians):
        return Height(min(times) / FAR, max(times) * FAR, True, unit)
    near = [time for column in timed for time in column.times_s if time <= _far_from(column)]
    near += [time for time in predicted if time <= 2 * max(near)]
    least, most = min(times), max(times)
    if most > max(near) + FLATTENING * (max(near) - least):
        most = max(near)
    margin = 0.06 * (most - least) or 0.05 * most
    is_near_zero = least - margin < 0.1 * most  # cutting so little off would mislead
    return Height(0.0 if is_near_zero else least - margin, most + margin, False, unit)


def _far_from(column):
    middle, low, high = numpy.quantile(column.times_s, (0.5, 0.16, 0.84))
    return max(FAR * middle, middle + FAR_DEVIATIONS * (high - low) / 2)


def _axis_along_x(experiment):
    """Returns the axis of ranks, otherwise the compared one, otherwise the last; without axes a single column."""
    for names in (RANK_AXES, (experiment.compare,)):
        for axis in experiment.axes:
            if axis.name in names and len(axis.values) > 1:
                return axis
    return experiment.axes[-1] if experiment.axes else Axis("", ("",))


def _series_axis(experiment, along_x):
    """Returns the compared axis if the x axis is another one."""
    return next((axis for axis in experiment.axes if axis.name == experiment.compare and axis.name != along_x.name), None)


def _panels(experiment, axis, series, predicted_s):
    groups = {}
    for point in experiment.points:
        setting = experiment.setting_of(point, axis.name)
        of_series = setting.pop(series.name, "") if series else ""
        value = point.parameters.get(axis.name, "")
        compared = of_series if series else value
        column = Column(value, point.times_s(), compared == experiment.baseline and experiment.compare is not None,
                        predicted_s.get(point.id), of_series, point.error)
        groups.setdefault(tuple(sorted(setting.items())), (setting, []))[1].append(column)
    settings = differing_first([setting for setting, _ in groups.values()])
    return tuple(Panel(setting, tuple(columns)) for setting, (_, columns) in zip(settings, groups.values()))


def _scale(axis):
    fewest = 1 if axis.name in RANK_AXES else FEWEST_FOR_A_CURVE
    varying = varying_number(axis.values, fewest)
    if varying is None:
        return Scale(axis.name, axis.values)
    numbers, template = varying
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    label = axis.name if template == PLACEHOLDER else f"{PLACEHOLDER} in {axis.name} {template}"
    return Scale(label, tuple(axis.values[i] for i in order), tuple(numbers[i] for i in order))


def varying_number(values, fewest=FEWEST_FOR_A_CURVE):
    """Returns (numbers, template) of texts that differ in one number only: gss:6, gss:7, gss:12 give gss:x.

    Returns None for fewer values, or if words or several numbers differ.
    """
    templates = {NUMBER.sub("\0", value) for value in values}
    numbers = [NUMBER.findall(value) for value in values]
    if len(set(values)) < fewest or len(templates) != 1:
        return None
    varying = [place for place, column in enumerate(zip(*numbers)) if len(set(column)) > 1]
    if len(varying) != 1:
        return None
    parts = templates.pop().split("\0")
    words = [PLACEHOLDER if place == varying[0] else number for place, number in enumerate(numbers[0])]
    template = parts[0] + "".join(word + part for word, part in zip(words, parts[1:]))
    return [float(of_value[varying[0]]) for of_value in numbers], template
