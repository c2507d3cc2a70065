"""Every point of every sweep as one line of CSV, with its times and its verdict."""

import csv
import io

from report.point_facts import busy_share
from report.verdicts import NOTHING

BEFORE = ("sweep", "experiment", "point")
AFTER = ("n", "mean_s", "deviation_s", "median_s", "low_s", "high_s", "min_s", "max_s", "predicted_median_s",
         "busy_share", "runs_without_time", "over_fastest", "over_fastest_low", "over_fastest_high", "over_baseline",
         "over_baseline_low", "over_baseline_high", "verdict", "samples_s")


def points_csv(sweeps, predictions=None, outcomes=None):
    """Returns the CSV text; times are in seconds, missing numbers are empty fields."""
    axes = list(dict.fromkeys(axis.name for sweep in sweeps for experiment in sweep.experiments
                              for axis in experiment.axes))
    out = io.StringIO()
    rows = csv.DictWriter(out, [*BEFORE, *axes, *AFTER], restval="", lineterminator="\n")
    rows.writeheader()
    for sweep in sweeps:
        for experiment in sweep.experiments:
            predicted_s = predictions.of(sweep, experiment).medians_s if predictions else {}
            outcome = (outcomes or {}).get(sweep.folder, {}).get(experiment.name, NOTHING)
            _write_experiment(rows, sweep, experiment, predicted_s, outcome)
    return out.getvalue()


def _write_experiment(rows, sweep, experiment, predicted_s, outcome):
    judged = {value.point: (verdict, value) for verdict in outcome.verdicts for value in verdict.values}
    for point in experiment.points:
        rows.writerow({"sweep": sweep.source or sweep.folder, "experiment": experiment.name, "point": point.id,
                       **point.parameters, **_time_fields(point),
                       "predicted_median_s": _number(predicted_s.get(point.id)),
                       **_judged_fields(*judged.get(point.id, (None, None)))})


def _time_fields(point):
    times = point.times_s()
    busy = busy_share(point)
    fields = {"n": len(times), "runs_without_time": sum(run.makespan_s is None for run in point.runs),
              "busy_share": "" if busy is None else f"{busy:.4f}", "samples_s": " ".join(map(_number, times))}
    if times:
        facts = point.summary()
        low, high = facts.interval or (None, None)
        fields |= {"median_s": _number(facts.median), "low_s": _number(low), "high_s": _number(high),
                   "min_s": _number(facts.least), "max_s": _number(facts.most)}
    return fields


def _judged_fields(verdict, value):
    if value is None or not value.runs:
        return {}
    fields = {"mean_s": _number(value.mean_s), "deviation_s": _number(value.deviation_s)}
    for key, ratio in (("over_fastest", value.over_fastest), ("over_baseline", value.over_baseline)):
        if ratio:
            fields |= {key: _number(ratio.value), f"{key}_low": _number(ratio.low), f"{key}_high": _number(ratio.high)}
    return fields | ({"verdict": verdict.word(value)} if verdict.is_compared else {})


def _number(value):
    return "" if value is None else f"{value:.6g}"
