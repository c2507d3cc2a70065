"""What a profile costs: of each event, and of a program's time."""

import json
import os
import tempfile

from comparison import processes
from comparison.figures import Aim, Figure, Group, Judged, Target

PAIRS = 3  # in a round: a command's time varies by more than the 1 % that is looked for
# Applications that send many messages for their time, which is some seconds: name, ranks, command.
# All verify their result themselves.
APPLICATIONS = (
    ("floyd, 2000 vertices", 2, ("floyd", "--size", 2000)),
    ("cannon, size 3600", 4, ("cannon", "--size", 3600)),
    ("bucket_sort, 20 million keys", 2, ("bucket_sort", "--size", 20_000_000)),
    ("mandelbrot, 10,000 tiles", 2, ("mandelbrot", "--tasks", 10_000, "--scheduler", "send:1", "--depth", 40_000)),
)
# A command that does next to nothing, for what a profile adds to any: the tool's start, MPI_Init, the file. With the cost
# of an event that bounds an application's share, where the ratios' noise is larger than the 1 % that is looked for.
SHORTEST = (2, ("floyd", "--size", 16))
# Calls of profile_overhead, and the events that the profile tells of each.
EVENTS = {"nobody_ns": ("a message to nobody", 1), "self_ns": ("a message to oneself and its wait", 5)}


def library(programs):
    return os.path.abspath(os.path.join(programs.build, "lib", "libloadshare_profile.so"))


def calls_ns(programs, folder=None):
    """The nanoseconds of each call, with the library where there is a folder for the profile."""
    words = [programs.path("profile_overhead")]
    if folder:
        out = os.path.join(folder, "overhead.profile")
        words = ["env", f"LD_PRELOAD={library(programs)}", f"LOADSHARE_PROFILE_OUT={out}",
                 "LOADSHARE_PROFILE_LIMIT=1000000000", *words]
    return json.loads(processes.run(words))


def event_figures(programs, rounds):
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(calls_ns(programs), calls_ns(programs, folder)) for _ in range(rounds)]
    figures = []
    for key, (name, events) in EVENTS.items():
        samples = tuple((profiled[key] - plain[key]) / events for plain, profiled in pairs)
        figures.append(Figure(f"{name}: ns an event", samples, (), Target(150, Aim.AT_MOST)))
    in_vain = tuple(profiled["probe_ns"] - plain["probe_ns"] for plain, profiled in pairs)
    return [*figures, Figure("a test in vain: ns", in_vain)]


# A shell tells the times: python looks for the end of a child at intervals.
TIMED = 'set -e; date +%s%N; "$@" >/dev/null; date +%s%N'


def seconds(words):
    begun_ns, ended_ns = map(int, processes.run(["sh", "-c", TIMED, "sh", *words]).split())
    return 1e-9 * (ended_ns - begun_ns)


def command_pair(programs, words, folder):
    """The seconds of the whole command, from the shell to the prompt: without a profile, and with one."""
    out = os.path.join(folder, "application.profile")
    return seconds(words), seconds([programs.path("loadshare"), "profile", "-o", out, "--", *words])


def command_pairs(programs, rounds, ranks, words):
    command = programs.under_mpi(ranks, *words, "--progress", "none")
    with tempfile.TemporaryDirectory() as folder:
        return [command_pair(programs, command, folder) for _ in range(rounds * PAIRS)]


def shortest_figure(programs, rounds):
    ranks, words = SHORTEST
    pairs = command_pairs(programs, rounds, ranks, words)
    return Figure(f"{' '.join(map(str, words))}, {ranks} ranks: ms added", tuple(1e3 * (b - a) for a, b in pairs))


def application_figure(programs, rounds, name, ranks, words):
    plain, profiled = zip(*command_pairs(programs, rounds, ranks, words), strict=True)
    return Figure(f"{name}, {ranks} ranks", profiled, plain, Target(1.01, Aim.AT_MOST), Judged.BY_MEDIANS)


def profile(programs, rounds):
    title = "cost of a profile: ns an event; seconds of a whole command with one, beside without"
    group = Group("profile", title, event_figures(programs, rounds))
    group.figures.append(shortest_figure(programs, rounds))
    group.figures += [application_figure(programs, rounds, *application) for application in APPLICATIONS]
    return group
