"""What the page says of predictions: how far they are off, and what following them would have cost."""

from report.markup import joined, table, tag
from report.predictions import spread
from report.wording import counted, percent_text, seconds_text, setting_text


def predicted_line(experiment, prediction):
    """The line under an experiment's figure."""
    errors = prediction.errors(experiment)
    if not errors:
        return tag("p", "Nothing of this experiment is predicted.")
    middle, _ = spread([error for error, _ in errors])
    worst, point = max(errors, key=lambda one: abs(one[0]))
    of_all = f" of {len(experiment.points)}" if len(errors) < len(experiment.points) else ""
    line = (f"Predicted beside measured, at {len(errors)}{of_all} point{'s' * (len(experiment.points) != 1)}: "
            f"signed error {signed_percent(middle)} in the median, {signed_percent(worst)} at worst{_where(point)}.")
    return tag("p", line, _outdated(prediction.outdated(experiment)))


def _where(point):
    return f" ({setting_text(point.parameters)})" if point.parameters else ""


def _outdated(points):
    if not points:
        return ""
    return f" {counted(len(points), 'point')} had other runs when they were compared: run loadshare compare again."


def predicted_numbers(point, prediction):
    """The cells of a point: predicted, error."""
    error = prediction.error(point)
    return [seconds_text(prediction.medians_s.get(point.id)), "–" if error is None else signed_percent(error)]


def choices_table(prediction):
    """HTML: each setting's choice; empty where there was nothing to choose from."""
    if not prediction.choices:
        return ""
    rows = [[one.setting, one.chosen, one.best, percent_text(one.regret), f"{100 * one.order:.0f} %"]
            for one in prediction.choices]
    headers = ["setting", "chosen by prediction", "best as measured", "regret", "pairs in order"]
    what = ("Regret: how much longer the chosen technique takes than the best, as measured. Pairs in order: of those "
            "more than 2 % apart.")
    return joined((tag("h4", "The choice by prediction"), tag("p", what), table(headers, rows, numbers=(3, 4))))


def predicted_lead(sweeps, predictions):
    """A sentence on all of the page."""
    errors = [error for sweep in sweeps for experiment in sweep.experiments
              for error, _ in predictions.of(sweep, experiment).errors(experiment)]
    middle, worst = spread(errors)
    return (f"{counted(len(errors), 'point')} predicted: signed error {signed_percent(middle)} in the median, "
            f"{signed_percent(worst)} at worst.")


def predicted_method(predictions):
    messages = f" (messages: {predictions.messages})" if predictions.messages else ""
    return (f"Predictions stand in {predictions.source}, written by loadshare compare{messages}. A point’s is the "
            f"median of simulated runs, some for each measured one, beside the same load; its error is signed: above 0 where the "
            f"prediction is longer than the measured median.")


def signed_percent(share):
    """+3.4 %, −1.2 %"""
    return f"{100 * share:+.1f} %".replace("-", "−")
