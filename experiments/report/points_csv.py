"""Every point of every sweep as one line of CSV, with its samples and its comparison with the baseline."""

import csv
import io

from report.comparison import compare
from report.point_facts import busy_share
from report.samples import summary

BEFORE = ("sweep", "experiment", "point")
AFTER = ("n", "median_s", "low_s", "high_s", "min_s", "max_s", "predicted_median_s", "busy_share", "runs_without_time",
         "baseline", "baseline_median_s", "ratio_of_medians", "ratio", "ratio_low", "ratio_high", "p", "p_holm",
         "faster_in", "verdict", "remark", "samples_s")


def points_csv(sweeps, predictions=None):
    """The whole text; times in seconds, an empty field where there is no number."""
    axes = list(dict.fromkeys(axis.name for sweep in sweeps for experiment in sweep.experiments
                              for axis in experiment.axes))
    out = io.StringIO()
    rows = csv.DictWriter(out, [*BEFORE, *axes, *AFTER], restval="", lineterminator="\n")
    rows.writeheader()
    for sweep in sweeps:
        for experiment in sweep.experiments:
            predicted_s = predictions.of(sweep, experiment).medians_s if predictions else {}
            _write_experiment(rows, sweep, experiment, predicted_s)
    return out.getvalue()


def _write_experiment(rows, sweep, experiment, predicted_s):
    comparisons = {(comparison.value, tuple(sorted(comparison.setting.items()))): comparison
                   for comparison in compare(experiment)}
    for point in experiment.points:
        setting = tuple(sorted(experiment.setting_of(point, experiment.compare).items()))
        comparison = comparisons.get((point.parameters.get(experiment.compare), setting))
        rows.writerow({"sweep": sweep.source or sweep.folder, "experiment": experiment.name, "point": point.id,
                       **point.parameters, **_time_fields(point),
                       "predicted_median_s": _number(predicted_s.get(point.id)), **_comparison_fields(comparison)})


def _time_fields(point):
    times = point.times_s()
    busy = busy_share(point)
    fields = {"n": len(times), "runs_without_time": sum(run.makespan_s is None for run in point.runs),
              "busy_share": "" if busy is None else f"{busy:.4f}", "samples_s": " ".join(map(_number, times))}
    if times:
        facts = summary(times)
        low, high = facts.interval or (None, None)
        fields |= {"median_s": _number(facts.median), "low_s": _number(low), "high_s": _number(high),
                   "min_s": _number(facts.least), "max_s": _number(facts.most)}
    return fields


def _comparison_fields(comparison):
    if comparison is None or comparison.ratio is None:
        return {}
    ratio, low, high = comparison.ratio
    return {"baseline": comparison.baseline, "baseline_median_s": _number(comparison.baseline_times.median),
            "ratio_of_medians": _number(comparison.ratio_of_medians()), "ratio": _number(ratio),
            "ratio_low": _number(low), "ratio_high": _number(high),
            "p": _number(comparison.p), "p_holm": _number(comparison.p_holm), "faster_in": _number(comparison.wins),
            "verdict": comparison.verdict, "remark": comparison.remark}


def _number(value):
    return "" if value is None else f"{value:.6g}"
