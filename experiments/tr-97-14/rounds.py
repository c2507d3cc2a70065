#!/usr/bin/python3
"""Estimates how many rounds would decide each claim, from the rounds so far.

Each point keeps its present mean (of the logarithms of its times) and its own scatter, apart from the scatter that all
points of a round share. The script draws such rounds --draws times, judges them like the report, and prints the share of
draws in which a claim is decided, and how. If even the most rounds decide nothing, the times are too close to the threshold
of the claim's rule.
"""

import argparse
import math
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

from report.claims import UNDECIDED, judge, load_claims  # noqa: E402
from report.reading import read_sweep  # noqa: E402

MOST_RANKED = 64


def law_of(count):
    """Returns P(V < k) of the signed-rank test up to the middle of V, as `loadshare report` passes it."""
    ways = [1]
    for rank in range(1, count + 1):
        longer = [0] * (len(ways) + rank)
        for at, number in enumerate(ways):
            longer[at] += number
            longer[at + rank] += number
        ways = longer
    below, total = [0.0], 0
    for number in ways[:len(ways) // 2 + 1]:
        total += number
        below.append(total / 2**count)
    return below


@dataclass
class Drawn:
    """A point of a drawn sweep, with the interface that claims use."""

    parameters: dict
    times: dict

    def times_by_round(self):
        return self.times


def scatter_of(points):
    """Returns each point's mean and own deviation of the logarithms, over the rounds that all points have."""
    logs = [{turn: math.log(time_s) for turn, time_s in point.times_by_round().items()} for point in points]
    rounds = sorted(set.intersection(*map(set, logs)))
    if len(rounds) < 3:
        sys.exit(f"rounds.py: {points[0].id} has too few common rounds ({len(rounds)}, at least 3 are needed); run the sweep with more repeats")
    common = [fmean(one[turn] for one in logs) for turn in rounds]
    freedom = (len(rounds) - 1) * (1 - 1 / len(points))
    found = []
    for one in logs:
        own = [one[turn] - shared for turn, shared in zip(rounds, common, strict=True)]
        middle = fmean(own)
        found.append((fmean(one[turn] for turn in rounds), math.sqrt(sum((x - middle) ** 2 for x in own) / freedom)))
    return found


def drawn_sweeps(sweeps, scatters, rounds, source):
    drawn = []
    for sweep in sweeps:
        experiments = []
        for experiment in sweep.experiments:
            points = tuple(
                Drawn(point.parameters, {turn: math.exp(source.gauss(*scatter)) for turn in range(rounds)})
                for point, scatter in zip(experiment.points, scatters[experiment.name], strict=True))
            experiments.append(replace(experiment, points=points))
        drawn.append(replace(sweep, experiments=tuple(experiments)))
    return drawn


def decided(claims, sweeps, scatters, rounds, draws, law):
    """Returns by claim how often each verdict occurred."""
    source = random.Random(rounds)
    counts = [{} for _ in claims]
    for _ in range(draws):
        for place, one in enumerate(judge(claims, drawn_sweeps(sweeps, scatters, rounds, source), law)):
            counts[place][one.verdict] = counts[place].get(one.verdict, 0) + 1
    return counts


def cell(counts, draws):
    known = {verdict: number for verdict, number in counts.items() if verdict != UNDECIDED}
    if not known:
        return "0 %"
    likeliest = max(known, key=known.get)
    return f"{100 * known[likeliest] / draws:.0f} % {likeliest}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="the sweeps' folders")
    parser.add_argument("--rounds", default="10,20,40,64", help="numbers of rounds to try (10,20,40,64)")
    parser.add_argument("--draws", type=int, default=100, help="draws for each number of rounds (%(default)s)")
    arguments = parser.parse_args()
    tried = [int(word) for word in arguments.rounds.split(",")]
    claims = load_claims(HERE / "claims.py")
    sweeps = [read_sweep(folder) for folder in arguments.folders]
    law = [law_of(count) for count in range(MOST_RANKED + 1)]
    scatters = {one.name: scatter_of(one.points) for sweep in sweeps for one in sweep.experiments}
    now = judge(claims, sweeps, law)
    columns = [decided(claims, sweeps, scatters, rounds, arguments.draws, law) for rounds in tried]
    print("| claim | now | " + " | ".join(f"{rounds} rounds" for rounds in tried) + " |")
    print("|---" * (len(tried) + 2) + "|")
    for place, claim in enumerate(claims):
        if all(finding.short == "–" for finding in now[place].findings):
            continue  # its figure has no runs
        cells = [cell(counts[place], arguments.draws) for counts in columns]
        print(f"| {claim.name} | {now[place].verdict} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
