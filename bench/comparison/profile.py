"""The cost of a profile: per event, and of a program's time."""

import json
import os
import re
import resource
import shutil
import tempfile

from comparison import processes
from comparison.figures import Aim, Figure, Group, Judged, Target

PAIRS = 3  # per round, because a command's time varies by more than the expected 1 %
# Applications with many messages, of ten seconds of processor time each: name, ranks, command. All verify their results.
APPLICATIONS = (
    ("floyd, 3600 vertices", 2, ("floyd", "--size", 3600)),
    ("cannon, size 5400", 4, ("cannon", "--size", 5400)),
    ("bucket_sort, 80 million keys", 2, ("bucket_sort", "--size", 80_000_000)),
    ("mandelbrot, 10,000 tiles", 2, ("mandelbrot", "--tasks", 10_000, "--scheduler", "send:1", "--depth", 40_000)),
)
# A command with almost no work, for the fixed cost of a profile: the tool's start, MPI_Init, the file. With the cost per
# event it bounds an application's cost, even if the ratios' noise is larger than the expected 1 %.
SHORTEST = (2, ("floyd", "--size", 16))
# Calls of profile_overhead, and the events that the profile records of each.
EVENTS = {"null_ns": ("a message to MPI_PROC_NULL", 1), "self_ns": ("a message to oneself and its wait", 5)}


def library(programs):
    return os.path.abspath(os.path.join(programs.build, "lib", "libloadshare_profile.so"))


def calls_ns(programs, folder=None):
    """Returns the nanoseconds of each call, with the library if there is a folder for the profile."""
    words = [programs.path("profile_overhead")]
    if folder:
        out = os.path.join(folder, "overhead.profile")
        words = ["env", f"LD_PRELOAD={library(programs)}", f"LOADSHARE_PROFILE_OUT={out}",
                 "LOADSHARE_PROFILE_LIMIT=1000000000", *words]
    return json.loads(processes.run(words))


def instructions(programs, call, steps, folder, variables):
    """Returns the instructions of a run with so many calls, plus a tenth for warming up."""
    log = os.path.join(folder, "callgrind.log")
    processes.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}",
                   programs.path("profile_overhead"), str(steps), call], variables=variables)
    with open(log, encoding="utf-8") as file:
        return int(re.search(r"Collected\s*:\s*(\d+)", file.read()).group(1))


def instructions_a_call(programs, call, folder, variables):
    """Returns the instructions of a call from two lengths, so that MPI's start cancels out."""
    few, many = 1000, 21_000
    added = [instructions(programs, call, steps, folder, variables) for steps in (few, many)]
    return (added[1] - added[0]) / (1.1 * (many - few))


def instruction_figures(programs):
    """Returns figures that other programs on the machine do not change.

    At 3 thousand million instructions per second, 1 % of a processor is 30 million: at 300 per event, 100,000 events per
    second."""
    if shutil.which("valgrind") is None:
        return []
    figures = []
    for key, (name, events) in EVENTS.items():
        with tempfile.TemporaryDirectory() as folder:
            profiling = {"LD_PRELOAD": library(programs), "LOADSHARE_PROFILE_LIMIT": "1000000000",
                         "LOADSHARE_PROFILE_OUT": os.path.join(folder, "overhead.profile")}
            call = key.removesuffix("_ns")
            plain, profiled = (instructions_a_call(programs, call, folder, variables) for variables in ({}, profiling))
        figures.append(Figure(f"{name}: instructions per event", ((profiled - plain) / events,), (), Target(450, Aim.AT_MOST)))
    return figures


def event_figures(programs, rounds):
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(calls_ns(programs), calls_ns(programs, folder)) for _ in range(rounds)]
    figures = []
    for key, (name, events) in EVENTS.items():
        samples = tuple((profiled[key] - plain[key]) / events for plain, profiled in pairs)
        figures.append(Figure(f"{name}: ns per event", samples, (), Target(150, Aim.AT_MOST)))
    figures += instruction_figures(programs)
    failed_tests = tuple(profiled["probe_ns"] - plain["probe_ns"] for plain, profiled in pairs)
    return [*figures, Figure("a test without success: ns", failed_tests)]


# A shell measures the times, because python polls for the end of a child.
TIMED = 'set -e; date +%s%N; "$@" >/dev/null; date +%s%N'


def seconds(words):
    begun_ns, ended_ns = map(int, processes.run(["sh", "-c", TIMED, "sh", *words]).split())
    return 1e-9 * (ended_ns - begun_ns)


def processor_seconds(words):
    """Returns the processor time of the command and its descendants, including ranks."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    processes.run(words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def command_pair(programs, words, folder, measure):
    """Returns the seconds of the whole command without and with a profile."""
    out = os.path.join(folder, "application.profile")
    return measure(words), measure([programs.path("loadshare"), "profile", "-o", out, "--", *words])


def command_pairs(programs, rounds, ranks, words, measure):
    command = programs.under_mpi(ranks, *words, "--progress", "none")
    with tempfile.TemporaryDirectory() as folder:
        return [command_pair(programs, command, folder, measure) for _ in range(rounds * PAIRS)]


def shortest_figure(programs, rounds):
    ranks, words = SHORTEST
    pairs = command_pairs(programs, rounds, ranks, words, seconds)
    return Figure(f"{' '.join(map(str, words))}, {ranks} ranks: ms added", tuple(1e3 * (b - a) for a, b in pairs))


def application_figure(programs, rounds, name, ranks, words):
    plain, profiled = zip(*command_pairs(programs, rounds, ranks, words, processor_seconds), strict=True)
    return Figure(f"{name}, {ranks} ranks", profiled, plain, Target(1.01, Aim.AT_MOST), Judged.BY_MEDIANS)


def profile(programs, rounds):
    title = "cost of a profile: ns and instructions per event; processor seconds of a whole command; reference: without profile"
    group = Group("profile", title, event_figures(programs, rounds))
    group.figures.append(shortest_figure(programs, rounds))
    group.figures += [application_figure(programs, rounds, *application) for application in APPLICATIONS]
    return group
