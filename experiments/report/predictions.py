"""Reads the predicted times of the page's points from the file of `loadshare compare`."""

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
    """The cost of following the prediction in one setting."""

    setting: str  # in words, as the comparison names it
    chosen: str
    best: str
    regret: float  # measured time of the chosen over that of the best, minus 1
    order: float  # share of the pairs whose order is predicted correctly


@dataclass(frozen=True)
class Prediction:
    """The predictions of one experiment."""

    medians_s: dict  # id of a point -> predicted median
    measured_s: dict  # id of a point -> the measured median in the comparison
    choices: tuple

    def error(self, point):
        """Returns the signed error, above 0 if the prediction is too long; None if either time is missing."""
        predicted_s, facts = self.medians_s.get(point.id), point.summary()
        return predicted_s / facts.median - 1 if predicted_s and facts else None

    def errors(self, experiment):
        """Returns [(error, point)] of the points that have an error."""
        return [(self.error(point), point) for point in experiment.points if self.error(point) is not None]

    def outdated(self, experiment):
        """Returns the points whose runs have changed since the comparison."""
        return [point for error, point in self.errors(experiment)
                if abs(point.summary().median / self.measured_s[point.id] - 1) > SAME]


@dataclass(frozen=True)
class Predictions:
    """The predictions of a page's sweeps."""

    source: str  # the file
    messages: str  # the message costs that were used
    experiments: dict  # (folder of a sweep, name of an experiment) -> Prediction

    def of(self, sweep, experiment):
        return self.experiments.get((sweep.folder, experiment.name), Prediction({}, {}, ()))


def spread(errors):
    """Returns (the median, the worst) of signed errors."""
    return median(errors), max(errors, key=abs)


def read_predictions(path, sweeps):
    """Reads the Predictions of a file. Raises ReportError if it is not a comparison, or one of other sweeps."""
    comparison = _read(path)
    try:
        by_experiment = _by_experiment(comparison["settings"])
        found = {_experiment_meant(path, key, by_experiment, sweeps): _prediction(settings)
                 for key, settings in by_experiment.items()}
        messages = str(comparison.get("messages") or "")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReportError(USAGE, f"cannot read the predictions {path}",
                          f"they are not as loadshare compare writes them: {error!r}", HOW_TO_WRITE) from error
    found.pop(None, None)
    predictions = Predictions(str(path), messages, found)
    if not any(predictions.of(sweep, experiment).errors(experiment)
               for sweep in sweeps for experiment in sweep.experiments):
        raise ReportError(USAGE, f"{path} contains no prediction of these runs", _what_it_has(by_experiment), HOW_TO_WRITE)
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
    """Returns (folder of a sweep, name of an experiment) -> its settings."""
    found = {}
    for setting in settings:
        if setting["experiment"]:  # otherwise records that no sweep made
            found.setdefault((setting.get("sweep") or "", setting["experiment"]), []).append(setting)
    return found


def _experiment_meant(path, key, by_experiment, sweeps):
    """Returns the experiment's key on the page: of the same folder, otherwise the only one of that name, otherwise None."""
    folder, name = key
    folders = [sweep.folder for sweep in sweeps if name in [experiment.name for experiment in sweep.experiments]]
    same = [other for other in folders if _is_same(folder, other)]
    if same:
        return same[0], name
    # Folders may have been moved. Those that other settings of the file mean are left out.
    namesakes = [other for other, others_name in by_experiment if others_name == name and other != folder]
    left = [other for other in dict.fromkeys(folders) if not any(_is_same(one, other) for one in namesakes)]
    unplaced = [other for other in namesakes if not any(_is_same(other, one) for one in folders)]
    if not left:
        return None
    if len(left) > 1 or unplaced:
        of_page = f"on the page it is in {' and '.join(left)}"
        of_file = f"in the comparison in {' and '.join(filter(None, (folder, *unplaced))) or 'no folder'}"
        raise ReportError(USAGE, f"the name {name} in {path} may mean several experiments", f"{of_page}, {of_file}",
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
    return f"it compares other points, of {names}" if names else "it compares runs that are not from a sweep"
