"""Every value of an experiment's compared axis against its baseline, all other axes held equal."""

from dataclasses import dataclass

from report import rank_test
from report.samples import Summary, summary
from report.wording import p_text

SIGNIFICANCE = 0.05
FEW = 10  # samples; a comparison of fewer says so

BETTER, WORSE, TIE, NO_DATA = "better", "worse", "tie", "no data"


@dataclass(frozen=True)
class Comparison:
    setting: dict  # the other axes -> value
    value: str
    baseline: str
    value_times: Summary | None
    baseline_times: Summary | None
    ratio: tuple | None = None  # (ratio, low, high) of the value's time to the baseline's, over all pairs of runs
    p: float | None = None
    p_holm: float | None = None  # corrected over the comparisons of the experiment
    wins: float | None = None  # share of pairs in which the value took less time
    verdict: str = NO_DATA
    remark: str = ""

    def ratio_of_medians(self):
        return self.value_times.median / self.baseline_times.median


def compare(experiment):
    """The Comparisons of `experiment`, in the order of its points; none without a compared axis."""
    if experiment.compare is None:
        return []
    by_setting = _points_by_setting(experiment)
    pairs = [(setting, point, points.get(experiment.baseline))
             for setting, points in by_setting for value, point in points.items() if value != experiment.baseline]
    raw = [_measured(experiment, setting, point, baseline) for setting, point, baseline in pairs]
    return _judged(raw)


def _points_by_setting(experiment):
    """[(setting, {compared value: point})]"""
    groups = {}
    for point in experiment.points:
        setting = experiment.setting_of(point, experiment.compare)
        group = groups.setdefault(tuple(sorted(setting.items())), (setting, {}))
        group[1][point.parameters.get(experiment.compare, "")] = point
    return list(groups.values())


def _measured(experiment, setting, point, baseline):
    a = point.times_s()
    b = baseline.times_s() if baseline else []
    facts = {"setting": setting, "value": point.parameters.get(experiment.compare, ""),
             "baseline": experiment.baseline, "value_times": summary(a), "baseline_times": summary(b)}
    if not a or not b:
        lacking = "the value" if baseline and not a else "the baseline"
        return Comparison(**facts, remark=f"no run of {lacking} with a time" if baseline else
                          "the baseline has no point in this setting")
    return Comparison(**facts, ratio=rank_test.ratio(a, b), p=rank_test.p_value(a, b),
                      wins=rank_test.share_of_wins(a, b))


def _judged(raw):
    measured = [comparison for comparison in raw if comparison.p is not None]
    corrected = iter(rank_test.holm([comparison.p for comparison in measured]))
    return [_with_verdict(comparison, next(corrected), len(measured)) if comparison.p is not None else comparison
            for comparison in raw]


def _with_verdict(comparison, p_holm, tests):
    is_shown = p_holm < SIGNIFICANCE and comparison.wins != 0.5
    verdict = (BETTER if comparison.wins > 0.5 else WORSE) if is_shown else TIE
    return Comparison(**{**vars(comparison), "p_holm": p_holm, "verdict": verdict,
                         "remark": _remark(comparison, verdict, tests)})


def _remark(comparison, verdict, tests):
    counts = comparison.value_times.count, comparison.baseline_times.count
    is_few = min(counts) < FEW
    if is_few and verdict == TIE and rank_test.least_p_value(*counts) * tests >= SIGNIFICANCE:
        return f"fewer than {FEW} samples: too few for any difference to show"
    remarks = [f"fewer than {FEW} samples"] if is_few else []
    if verdict == TIE and comparison.p < SIGNIFICANCE:
        remarks.append(f"p {p_text(comparison.p)} before the correction for {tests} comparisons")
    return "; ".join(remarks)
