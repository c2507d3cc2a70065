"""The tests that claims consist of. Each evaluates one setting and returns a Finding.

They compare ratios of times, taken round by round (report.paired), with a threshold. A statement about several points
needs all of them for a yes, without a correction, or one of them for a no, with Bonferroni's. Missing points and too
few rounds decide nothing.
"""

from dataclasses import replace
from itertools import combinations
from statistics import median

from report.claims import Finding
from report.paired import Contrast, shown_in
from report.wording import counted, p_text, ratio_interval_text, ratio_text, seconds_text


def slower(setting, over, under, threshold=1.0):
    """Yes if `over` takes more than `threshold` times as long as `under`."""
    return _held(setting, [(over, 1), (under, -1)], threshold, _against(over, under))


def no_slower(setting, over, under, threshold):
    """Yes if `over` takes at most `threshold` times as long as `under`."""
    return _turned(slower(setting, over, under, threshold))


def no_slower_than_best(setting, picked, others, threshold):
    """Yes if `picked` takes at most `threshold` times as long as each of `others`."""
    return all_of(setting, [no_slower(setting, picked, other, threshold) for other in others])


def differ_little(setting, all_picked, threshold):
    """Yes if each of `all_picked` takes at most `threshold` times as long as each other."""
    pairs = [_within(setting, one, other, threshold) for one, other in combinations(all_picked, 2)]
    return all_of(setting, pairs) if pairs else Finding(setting, "no runs of at least two of them")


def larger_ratio(setting, first, second):
    """Yes if the ratio of the pair `first` is above that of the pair `second`; pairs are (over, under)."""
    terms = [(first[0], 1), (first[1], -1), (second[0], -1), (second[1], 1)]
    return _held(setting, terms, 1.0, f"{_against(*first)}; {_against(*second)}; the first ratio over the second")


def optimum(setting, curve, near):
    """Tests where a curve of (value, Picked) has its minimum.

    Yes if the least median is at a value of `near` and both ends of the curve take longer than such a value. No if each
    value of `near` takes longer than some other one.
    """
    lacking = [picked.label for _, picked in curve if not picked.times_s]
    inside = [picked for value, picked in curve if value in near]
    outside = [picked for value, picked in curve if value not in near]
    if lacking or not inside or len(outside) < 2:
        return Finding(setting, f"no runs of {', '.join(lacking) or 'values inside and outside the range'}")
    best = min(curve, key=lambda entry: _median(entry[1]))[0]
    yes_p = max(_beaten_p(end, inside) for end in (curve[0][1], curve[-1][1])) if best in near else 1.0
    no_p = max(_beaten_p(picked, outside) for picked in inside)
    medians = ", ".join(f"{value}: {seconds_text(_median(picked))}" for value, picked in curve)
    return Finding(setting, f"least median at {best}; medians {medians} (n {_counts(curve)}); p that both ends take longer "
                            f"{p_text(yes_p)}, p that all in the range take longer {p_text(no_p)}",
                   yes_p, no_p, f"at {best}", curve[0][1].rule.error)


def all_of(setting, findings):
    """Yes if all findings say yes, no if one says no; with the numbers of the deciding one."""
    no_p = shown_in([finding.no_p for finding in findings], 1)
    yes_p = max(finding.yes_p for finding in findings)
    against = min(findings, key=lambda finding: finding.no_p)
    decisive = against if no_p < yes_p else max(findings, key=lambda finding: finding.yes_p)
    return replace(decisive, setting=setting, yes_p=yes_p, no_p=no_p)


def _held(setting, terms, threshold, words):
    """Returns the Finding whether a Contrast is above `threshold`; `words` describe the contrast."""
    missing = [picked.label for picked, _ in terms if not picked.times_s]
    if missing:
        return Finding(setting, f"no runs of {' and '.join(dict.fromkeys(missing))}")
    if not set.intersection(*(set(picked.times_s) for picked, _ in terms)):
        return Finding(setting, f"{words}: no round has all of them")
    rule = terms[0][0].rule
    contrast = Contrast(terms, rule)
    p = contrast.p_value(threshold)
    yes_p, no_p = (p, 1.0) if contrast.value > threshold else (1.0, p)
    return Finding(setting, f"{words}: {_contrast_text(contrast, rule)}, p {p_text(p)}", yes_p, no_p,
                   ratio_text(contrast.value), rule.error)


def _contrast_text(contrast, rule):
    interval = contrast.interval(rule.error)
    text = f"{ratio_interval_text((contrast.value, *(interval or (None, None))))} over {counted(contrast.rounds, 'round')}"
    return text if interval else f"{text}, an interval needs at least {rule.fewest_rounds()}"


def _turned(finding):
    return replace(finding, yes_p=finding.no_p, no_p=finding.yes_p)


def _within(setting, one, other, threshold):
    """Tests whether neither takes more than `threshold` times as long as the other."""
    ways = (no_slower(setting, one, other, threshold), no_slower(setting, other, one, threshold))
    return replace(max(ways, key=lambda finding: finding.yes_p), no_p=min(finding.no_p for finding in ways))


def _beaten_p(picked, others):
    """Returns the p-value of the hypothesis that it takes longer than one of `others`."""
    p_values = [slower("", picked, other).yes_p for other in others if other is not picked]
    return shown_in(p_values, 1) if p_values else 1.0


def _against(over, under):
    return f"{_median_text(over)} against {_median_text(under)}"


def _median_text(picked):
    return f"{picked.label} {seconds_text(_median(picked)) if picked.times_s else '–'} (n {len(picked.times_s)})"


def _median(picked):
    return median(picked.times_s.values())


def _counts(curve):
    counts = [len(picked.times_s) for _, picked in curve]
    return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
