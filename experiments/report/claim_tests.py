"""The tests that claims are made of. Each looks at one setting and gives a Finding.

All of them hold a 95 % interval of a ratio against a threshold: clear of it is yes or no, straddling it is unknown.
So are points that are missing, or too few runs for an interval (it takes four of each).
"""

import math
from dataclasses import dataclass, replace

from report import rank_test
from report.claims import NO, UNKNOWN, YES, Finding
from report.samples import summary
from report.wording import p_text, ratio_interval_text, ratio_text, seconds_text


@dataclass(frozen=True)
class Ratio:
    """The times of `over` in relation to those of `under`."""

    over: object  # Picked
    under: object  # Picked
    value: tuple  # (ratio, low, high)

    def text(self):
        p = rank_test.p_value(self.over.times_s, self.under.times_s)
        return (f"{_median_text(self.over)} against {_median_text(self.under)}: "
                f"ratio over pairs {ratio_interval_text(self.value)}, p {p_text(p)}")


def _median_text(picked):
    return f"{picked.label} {seconds_text(summary(picked.times_s).median)} (n {len(picked.times_s)})"


def _ratio(over, under):
    """(Ratio, "") or (None, why there is none)."""
    missing = [picked.label for picked in (over, under) if not picked.times_s]
    if missing:
        return None, f"no runs of {' and '.join(missing)}"
    ratio = Ratio(over, under, rank_test.ratio(over.times_s, under.times_s))
    if ratio.value[1] is None:
        return None, f"{ratio.text()}; too few runs for an interval"
    return ratio, ""


def _held(setting, over, under, says_of):
    """The Finding of `says_of(low, high)`, the interval of the ratio."""
    ratio, why_none = _ratio(over, under)
    if ratio is None:
        return Finding(setting, UNKNOWN, why_none)
    middle, low, high = ratio.value
    return Finding(setting, says_of(low, high), ratio.text(), ratio_text(middle))


def slower(setting, over, under, threshold=1.0):
    """Yes when `over` takes more than `threshold` times as long as `under`."""
    return _held(setting, over, under,
                 lambda low, high: YES if low > threshold else NO if high < threshold else UNKNOWN)


def no_slower(setting, over, under, threshold):
    """Yes when `over` takes at most `threshold` times as long as `under`."""
    return _held(setting, over, under,
                 lambda low, high: YES if high <= threshold else NO if low > threshold else UNKNOWN)


def no_slower_than_best(setting, picked, others, threshold):
    """Yes when `picked` takes at most `threshold` times as long as the one of `others` with the least median."""
    lacking = [other.label for other in others if not other.times_s]
    if lacking:
        return Finding(setting, UNKNOWN, f"no runs of {', '.join(lacking)}")
    return no_slower(setting, picked, min(others, key=_median), threshold)


def differ_little(setting, all_picked, threshold):
    """Yes when the slowest of `all_picked` takes at most `threshold` times as long as the fastest."""
    lacking = [picked.label for picked in all_picked if not picked.times_s]
    if lacking or len(all_picked) < 2:
        return Finding(setting, UNKNOWN, f"no runs of {', '.join(lacking) or 'more than one'}")
    return no_slower(setting, max(all_picked, key=_median), min(all_picked, key=_median), threshold)


def _median(picked):
    return summary(picked.times_s).median


def larger_ratio(setting, first, second):
    """Yes when the ratio of the pair `first` is above that of the pair `second`; pairs are (over, under).

    The interval of the quotient comes from those of the two ratios by the method of variance estimates recovery
    (Zou and Donner 2008), on logarithms.
    """
    ratios, reasons = zip(*(_ratio(*pair) for pair in (first, second)))
    if None in ratios:
        return Finding(setting, UNKNOWN, "; ".join(filter(None, reasons)))
    quotient = quotient_of_ratios(ratios[0].value, ratios[1].value)
    says = YES if quotient[1] > 1 else NO if quotient[2] < 1 else UNKNOWN
    return Finding(setting, says, f"{ratios[0].text()}; {ratios[1].text()}; "
                                  f"first to second {ratio_interval_text(quotient)}", ratio_text(quotient[0]))


def quotient_of_ratios(first, second):
    """(first / second, low, high) of two (ratio, low, high)."""
    a, a_low, a_high = map(math.log, first)
    b, b_low, b_high = map(math.log, second)
    down = math.hypot(a - a_low, b_high - b)
    up = math.hypot(a_high - a, b - b_low)
    return tuple(math.exp(x) for x in (a - b, a - b - down, a - b + up))


def optimum(setting, curve, near):
    """Where a curve of (value, Picked) has its minimum.

    Level are the values that are not shown to be slower than the one with the least median. Yes when that one is in
    `near` and neither end of the curve is level; no when none in `near` is level; else unknown.
    """
    lacking = [picked.label for _, picked in curve if not picked.times_s]
    if lacking or len(curve) < 3:
        return Finding(setting, UNKNOWN, f"no runs of {', '.join(lacking) or 'three values'}")
    best, best_picked = min(curve, key=lambda entry: _median(entry[1]))
    level = [value for value, picked in curve if value == best or _is_level(picked, best_picked)]
    ends_are_level = curve[0][0] in level or curve[-1][0] in level
    if not set(level) & set(near):
        says = NO
    else:
        says = YES if best in near and not ends_are_level else UNKNOWN
    medians = ", ".join(f"{value}: {seconds_text(_median(picked))}" for value, picked in curve)
    return Finding(setting, says, f"least median at {best}; level with it: {', '.join(map(str, level))}; "
                                  f"medians {medians} (n {_counts(curve)})", f"at {best}")


def _is_level(picked, best):
    low = rank_test.ratio(picked.times_s, best.times_s)[1]
    return low is None or low <= 1


def _counts(curve):
    counts = [len(picked.times_s) for _, picked in curve]
    return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def both(first, second):
    """Yes when both findings of one setting say so, no when one of them does; with the numbers of what decided."""
    for says in (NO, UNKNOWN):
        for finding in (first, second):
            if finding.says == says:
                return replace(finding, setting=first.setting)
    return first
