#!/usr/bin/env python3
"""Ranks techniques by their regret in the settings of `technique_study` or of a sweep.

The regret is how much longer a technique takes than the best of the other techniques. The best is chosen on the odd
replicates; all are judged on the even ones.

    regret.py FILE.csv... | RESULTS [--by COLUMN] [--of steady,auto] [--worst N]
"""

import argparse
import csv
import json
import os
import statistics
import sys
from collections import defaultdict

OURS = ("steady", "auto")


def read_sweep(folder):
    """Returns the settings of a sweep that compares schedulers, like read(). Its first repetition, number 0, counts as odd."""
    runs = defaultdict(lambda: defaultdict(lambda: ([], [])))
    with open(os.path.join(folder, "runs.jsonl"), encoding="utf-8-sig") as file:
        for run in map(json.loads, file):
            if run["status"] == "ok":
                setting = dict(run["parameters"], experiment=run["experiment"])
                scheduler = setting.pop("scheduler")
                odd_and_even = runs[json.dumps(setting, sort_keys=True)][scheduler]
                odd_and_even[run["repetition"] % 2].append(run["record"]["makespan_s"])
    return {number: (json.loads(setting), {name: tuple(map(statistics.median, both)) for name, both in times.items()})
            for number, (setting, times) in enumerate(sorted(runs.items()))}


def read(paths):
    """Returns the settings by number: their columns, and (odd, even) makespans by scheduler."""
    if len(paths) == 1 and os.path.isdir(paths[0]):
        return read_sweep(paths[0])
    settings = {}
    for path in paths:
        with open(path, newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                number = int(row["setting"])
                facts, times = settings.setdefault(number, ({}, {}))
                facts.update({key: value for key, value in row.items() if key not in ("scheduler", "odd_s", "even_s")})
                times[row["scheduler"]] = (float(row["odd_s"]), float(row["even_s"]))
    return settings


def regrets_of(times):
    """Returns the regrets by scheduler, in percent."""
    others = [name for name in times if name.split(":")[0] not in OURS]
    best = min(others, key=lambda name: times[name][0])
    return {name: 100 * (even / times[best][1] - 1) for name, (_, even) in times.items()}


def quantile(values, share):
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def line(name, values):
    within = 100 * sum(value <= 2 for value in values) / len(values)
    return (f"{name:<28}{len(values):>6}{statistics.median(values):>9.1f}{statistics.fmean(values):>8.1f}"
            f"{quantile(values, 0.9):>8.1f}{quantile(values, 0.99):>8.1f}{max(values):>9.1f}{within:>8.0f}")


HEADER = f"{'regret, %':<28}{'cases':>6}{'median':>9}{'mean':>8}{'90 %':>8}{'99 %':>8}{'worst':>9}{'<= 2 %':>8}"


def bin_of(value):
    """Returns the class of a number; classes span a factor of 4."""
    try:
        number = float(value)
    except ValueError:
        return value
    if number == 0:
        return "0"
    power = 0
    while number >= 4 ** (power + 1):
        power += 1
    while number < 4 ** power:
        power -= 1
    return f"{4.0 ** power:.3g} to {4.0 ** (power + 1):.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="files of technique_study, or a sweep's folder")
    parser.add_argument("--by", action="append", default=[], metavar="COLUMN", help="also group by this column; may be repeated")
    parser.add_argument("--of", default=",".join(OURS), help="techniques for --by and --worst (%(default)s)")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list the N settings with the largest regret")
    options = parser.parse_args()

    settings = read(options.files)
    by_name, chosen = defaultdict(list), defaultdict(list)
    for number, (facts, times) in sorted(settings.items()):
        for name, regret in regrets_of(times).items():
            by_name[name].append(regret)
            chosen[name].append((regret, number, facts))
    everywhere = {name: values for name, values in by_name.items() if len(values) == len(settings)}
    print(HEADER)
    for name in sorted(everywhere, key=lambda name: statistics.fmean(everywhere[name])):
        print(line(name, everywhere[name]))
    for name in (name for name in options.of.split(",") if name in chosen):
        for column in options.by:
            groups = defaultdict(list)
            for regret, _, facts in chosen[name]:
                groups[bin_of(facts[column])].append(regret)
            print(f"\n{name} by {column}")
            for group in sorted(groups):
                print(line(group, groups[group]))
        for regret, number, facts in sorted(chosen[name], key=lambda one: -one[0])[:options.worst]:
            print(f"{name} {regret:6.1f} %  setting {number}: " + ", ".join(f"{k} {v}" for k, v in facts.items()))


if __name__ == "__main__":
    sys.exit(main())
