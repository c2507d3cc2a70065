"""Predictions on the page: their errors, and the cost of following them."""

from report.markup import joined, table, tag
from report.predictions import spread
from report.wording import counted, percent_text, seconds_text, setting_text


def predicted_line(experiment, prediction):
    """Returns the line under an experiment's figure."""
    errors = prediction.errors(experiment)
    if not errors:
        return tag("p", "This experiment has no predictions.")
    middle, _ = spread([error for error, _ in errors])
    worst, point = max(errors, key=lambda one: abs(one[0]))
    of_all = f" of {len(experiment.points)}" if len(errors) < len(experiment.points) else ""
    line = (f"Predicted and measured times of {len(errors)}{of_all} point{'s' * (len(experiment.points) != 1)}: "
            f"median signed error {signed_percent(middle)}, worst {signed_percent(worst)}{_where(point)}.")
    return tag("p", line, _outdated(prediction.outdated(experiment)))


def _where(point):
    return f" ({setting_text(point.parameters)})" if point.parameters else ""


def _outdated(points):
    if not points:
        return ""
    return f" The runs of {counted(len(points), 'point')} have changed since the comparison: run loadshare compare again."


def predicted_numbers(point, prediction):
    """Returns the cells of a point: predicted, error."""
    error = prediction.error(point)
    return [seconds_text(prediction.medians_s.get(point.id)), "–" if error is None else signed_percent(error)]


def choices_table(prediction):
    """Returns HTML of each setting's choice; empty if there was nothing to choose from."""
    if not prediction.choices:
        return ""
    rows = [[one.setting, one.chosen, one.best, percent_text(one.regret), f"{100 * one.order:.0f} %"]
            for one in prediction.choices]
    headers = ["setting", "predicted best", "measured best", "regret", "pairs in order"]
    what = ("Regret: how much longer the predicted best technique takes than the measured best. Pairs in order: correctly "
            "ordered pairs among those more than 2 % apart.")
    return joined((tag("h4", "Choice by prediction"), tag("p", what), table(headers, rows, numbers=(3, 4))))


def predicted_lead(sweeps, predictions):
    """Returns a sentence on all predictions of the page."""
    errors = [error for sweep in sweeps for experiment in sweep.experiments
              for error, _ in predictions.of(sweep, experiment).errors(experiment)]
    middle, worst = spread(errors)
    return (f"{counted(len(errors), 'point')} predicted: median signed error {signed_percent(middle)}, "
            f"worst {signed_percent(worst)}.")


def predicted_method(predictions):
    messages = f" (messages: {predictions.messages})" if predictions.messages else ""
    return (f"Predictions come from {predictions.source}, written by loadshare compare{messages}. The prediction of a point is the "
            f"median of simulated runs, several per measured run, under the same load. Its error is above 0 if the prediction is "
            f"longer than the measured median.")


def signed_percent(share):
    """Returns `+3.4 %`, `−1.2 %`."""
    return f"{100 * share:+.1f} %".replace("-", "−")
