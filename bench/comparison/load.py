"""The accuracy of the background load: the times of its changes, and its share."""

from comparison.figures import Aim, Figure, Group, Target

SHARES = (0.25, 0.5, 0.75)
# 200 changes per round are enough for a 99th percentile.
MANY_EDGES = ("--on", "20ms", "--off", "20ms", "--for", "4s")
FEW_EDGES = ("--on", "500ms", "--off", "500ms", "--for", "4s")


def edges(programs, rounds):
    return [programs.load(*MANY_EDGES) for _ in range(rounds)]


def edges_with_worker(programs, rounds):
    def run():
        with programs.hog(cpu=0):
            return programs.load(*MANY_EDGES)

    return [run() for _ in range(rounds)]


def late_figures(where, runs, target=None):
    p99 = tuple(run["late_p99_s"] * 1e3 for run in runs)
    worst = tuple(run["late_max_s"] * 1e3 for run in runs)
    return [
        Figure(f"change, {where}: 99th percentile, ms", p99, (), target),
        Figure(f"change, {where}: worst, ms", worst),
    ]


def share_off_points(programs, share):
    """Returns the error of the load's share while another program wants the whole processor, in percentage points."""
    with programs.hog(cpu=0):
        measured = programs.load(*FEW_EDGES, "--share", str(share))
    return 100 * abs(measured["share_taken"] - share)


def load(programs, rounds):
    group = Group("load", "the background load: delay of its changes, ms; error of its share, percentage points")
    group.figures += late_figures("idle processor", edges(programs, rounds), Target(5, Aim.AT_MOST))
    group.figures += late_figures("with a worker", edges_with_worker(programs, rounds))
    for share in SHARES:
        samples = tuple(share_off_points(programs, share) for _ in range(rounds))
        group.figures.append(Figure(f"share {share:g} with a worker", samples, (), Target(5, Aim.AT_MOST)))
    return group
