"""Reads what `loadshare compare` wrote of the page's sweeps: the predicted times of their points."""

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from report.errors import USAGE, ReportError
from report.reading import json_object

HOW_TO_WRITE = "write it with loadshare compare DIR... --json FILE.json"
SAME = 1e-6  # medians of the same runs differ by less, relatively


@dataclass(frozen=True)
class Choice:
    """What following the prediction would have cost in one setting."""

    setting: str  # in words, as the comparison names it
    chosen: str
    best: str
    regret: float  # how much longer the chosen takes than the best, as measured
    order: float  # share of the pairs that are predicted in their order


@dataclass(frozen=True)
class Prediction:
    """Of one experiment."""

    medians_s: dict  # id of a point -> predicted median
    measured_s: dict  # id of a point -> the measured median that the comparison saw
    choices: tuple

    def error(self, point):
        """Signed, more than 0 where the prediction is too long; nothing where either time is missing."""
        predicted_s, facts = self.medians_s.get(point.id), point.summary()
        return predicted_s / facts.median - 1 if predicted_s and facts else None

    def errors(self, experiment):
        """[(error, point)] of the points that have one."""
        return [(self.error(point), point) for point in experiment.points if self.error(point) is not None]

    def outdated(self, experiment):
        """The points that have other runs now than when they were compared."""
        return [point for error, point in self.errors(experiment)
                if abs(point.summary().median / self.measured_s[point.id] - 1) > SAME]


@dataclass(frozen=True)
class Predictions:
    """Of a page's sweeps."""

    source: str  # the file
    messages: str  # the costs of messages that it took
    experiments: dict  # (folder of a sweep, name of an experiment) -> Prediction

    def of(self, sweep, experiment):
        return self.experiments.get((sweep.folder, experiment.name), Prediction({}, {}, ()))


def spread(errors):
    """(the median, the worst) of signed errors."""
    return median(errors), max(errors, key=abs)


def read_predictions(path, sweeps):
    """The Predictions in the file; ReportError where it is no comparison, or one of other sweeps."""
    comparison = _read(path)
    try:
        by_experiment = _by_experiment(comparison["settings"])
        found = {_experiment_meant(path, key, by_experiment, sweeps): _prediction(settings)
                 for key, settings in by_experiment.items()}
        messages = str(comparison.get("messages") or "")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReportError(USAGE, f"{path} cannot be understood",
                          f"it is not as loadshare compare writes it: {error!r}", HOW_TO_WRITE) from error
    found.pop(None, None)
    predictions = Predictions(str(path), messages, found)
    if not any(predictions.of(sweep, experiment).errors(experiment)
               for sweep in sweeps for experiment in sweep.experiments):
        raise ReportError(USAGE, f"{path} predicts none of these runs", _what_it_has(by_experiment), HOW_TO_WRITE)
    return predictions


def _read(path):
    if not Path(path).is_file():
        raise ReportError(USAGE, f"cannot read the predictions {path or repr(path)}", "there is no such file",
                          HOW_TO_WRITE)
    try:
        return json_object(Path(path).read_bytes(), f"the predictions {path}", HOW_TO_WRITE)
    except OSError as error:
        raise ReportError(USAGE, f"cannot read the predictions {path}", error.strerror) from error


def _by_experiment(settings):
    """(folder of a sweep, name of an experiment) -> its settings."""
    found = {}
    for setting in settings:
        if setting["experiment"]:  # otherwise records that no sweep made
            found.setdefault((setting.get("sweep") or "", setting["experiment"]), []).append(setting)
    return found


def _experiment_meant(path, key, by_experiment, sweeps):
    """Its key on the page: that in the folder of the same place, or else the only one of its name; or nothing."""
    folder, name = key
    folders = [sweep.folder for sweep in sweeps if name in [experiment.name for experiment in sweep.experiments]]
    same = [other for other in folders if _is_same(folder, other)]
    if same:
        return same[0], name
    # Folders are moved, and named from elsewhere; those that other settings mean are not meant.
    namesakes = [other for other, others_name in by_experiment if others_name == name and other != folder]
    left = [other for other in dict.fromkeys(folders) if not any(_is_same(one, other) for one in namesakes)]
    unplaced = [other for other in namesakes if not any(_is_same(other, one) for one in folders)]
    if not left:
        return None
    if len(left) > 1 or unplaced:
        of_page = f"on the page it is in {' and '.join(left)}"
        of_file = f"in the comparison in {' and '.join(filter(None, (folder, *unplaced))) or 'no folder'}"
        raise ReportError(USAGE, f"{path} may mean several experiments by the name {name}", f"{of_page}, {of_file}",
                          "compare the same folders as on the page: loadshare compare DIR... --json FILE.json")
    return left[0], name


def _is_same(folder, other):
    return bool(folder) and Path(folder).resolve() == Path(other).resolve()


def _prediction(settings):
    points = [point for setting in settings for point in setting["points"]]
    return Prediction({point["point"]: _time_s(point["predicted_median_s"]) for point in points},
                      {point["point"]: _time_s(point["measured_median_s"]) for point in points},
                      tuple(_choice(setting) for setting in settings if len(setting["points"]) > 1))


def _time_s(value):
    seconds = float(value)
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"a median is {value}")
    return seconds


def _choice(setting):
    words = setting["name"].removeprefix(setting["experiment"] + ", ")
    return Choice(words, setting["chosen"], setting["best"], float(setting["regret"]), float(setting["order"]))


def _what_it_has(by_experiment):
    names = ", ".join(dict.fromkeys(name for _, name in by_experiment))
    return f"it compares points of {names} that the page has not" if names else "it compares runs that no sweep made"
