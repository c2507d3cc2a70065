"""Decides what an experiment's figure shows, without drawing: its panels, their columns, the common y axis."""

import re
from dataclasses import dataclass

from report.samples import summary
from report.sweep import Axis
from report.wording import telling_first, unit_of

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
FEWEST_FOR_A_CURVE = 3
PLACEHOLDER = "x"


@dataclass(frozen=True)
class Scale:
    """The x axis of every panel: numbers along it make a curve, their absence columns side by side."""

    label: str
    values: tuple  # texts, in order
    numbers: tuple = ()  # where each value lies; empty for columns

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


@dataclass(frozen=True)
class Panel:
    setting: dict  # the axes that its columns share
    columns: tuple

    def baseline_median_s(self):
        return next((summary(column.times_s).median for column in self.columns
                     if column.is_baseline and column.times_s), None)


@dataclass(frozen=True)
class FigurePlan:
    scale: Scale
    panels: tuple
    y_range_s: tuple  # begins at 0 where that is near
    y_unit: tuple  # (unit, its length in seconds), that of the largest median


def plan_figure(experiment, predicted_s=None):
    """The FigurePlan, or nothing when no run has a time; `predicted_s`: id of a point -> its predicted median."""
    axis = _axis_along_x(experiment)
    panels = _panels(experiment, axis, predicted_s or {})
    times = [time for panel in panels for column in panel.columns for time in column.times_s]
    if not times:
        return None
    predicted = [column.predicted_s for panel in panels for column in panel.columns if column.predicted_s]
    medians = [summary(column.times_s).median for panel in panels for column in panel.columns if column.times_s]
    return FigurePlan(_scale(axis), panels, _y_range_s(times + predicted), unit_of(max(medians)))


def _y_range_s(times):
    least, most = min(times), max(times)
    margin = 0.06 * (most - least) or 0.05 * most
    is_near_zero = least - margin < 0.1 * most  # to cut so little off would only mislead
    return (0.0 if is_near_zero else least - margin, most + margin)


def _axis_along_x(experiment):
    """The compared axis; without one the last, and without any a single column."""
    for axis in experiment.axes:
        if axis.name == experiment.compare:
            return axis
    return experiment.axes[-1] if experiment.axes else Axis("", ("",))


def _panels(experiment, axis, predicted_s):
    groups = {}
    for point in experiment.points:
        setting = experiment.setting_of(point, axis.name)
        value = point.parameters.get(axis.name, "")
        column = Column(value, point.times_s(), value == experiment.baseline and experiment.compare is not None,
                        predicted_s.get(point.id))
        groups.setdefault(tuple(sorted(setting.items())), (setting, []))[1].append(column)
    settings = telling_first([setting for setting, _ in groups.values()])
    return tuple(Panel(setting, tuple(columns)) for setting, (_, columns) in zip(settings, groups.values()))


def _scale(axis):
    varying = varying_number(axis.values)
    if varying is None:
        return Scale(axis.name, axis.values)
    numbers, template = varying
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    label = axis.name if template == PLACEHOLDER else f"{PLACEHOLDER} in {axis.name} {template}"
    return Scale(label, tuple(axis.values[i] for i in order), tuple(numbers[i] for i in order))


def varying_number(values):
    """(numbers, template) of texts that differ in one number only: gss:6, gss:7, gss:12 give gss:x.

    Nothing for fewer than three values, or where words or several numbers differ.
    """
    templates = {NUMBER.sub("\0", value) for value in values}
    numbers = [NUMBER.findall(value) for value in values]
    if len(set(values)) < FEWEST_FOR_A_CURVE or len(templates) != 1:
        return None
    varying = [place for place, column in enumerate(zip(*numbers)) if len(set(column)) > 1]
    if len(varying) != 1:
        return None
    parts = templates.pop().split("\0")
    words = [PLACEHOLDER if place == varying[0] else number for place, number in enumerate(numbers[0])]
    template = parts[0] + "".join(word + part for word, part in zip(words, parts[1:]))
    return [float(of_value[varying[0]]) for of_value in numbers], template
