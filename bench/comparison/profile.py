"""What a profile costs: of each event, and of a program's time."""

import json
import os
import re
import resource
import shutil
import tempfile

from comparison import processes
from comparison.figures import Aim, Figure, Group, Judged, Target

PAIRS = 3  # in a round: a command's time varies by more than the 1 % that is looked for
# Applications that send many messages for their time, which is ten seconds of processor time: name, ranks, command.
# All verify their result themselves.
APPLICATIONS = (
    ("floyd, 3600 vertices", 2, ("floyd", "--size", 3600)),
    ("cannon, size 5400", 4, ("cannon", "--size", 5400)),
    ("bucket_sort, 80 million keys", 2, ("bucket_sort", "--size", 80_000_000)),
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


def instructions(programs, call, steps, folder, variables):
    """Of a whole run with so many calls, which has some tenth more for warming up."""
    log = os.path.join(folder, "callgrind.log")
    processes.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}",
                   programs.path("profile_overhead"), str(steps), call], variables=variables)
    with open(log, encoding="utf-8") as file:
        return int(re.search(r"Collected\s*:\s*(\d+)", file.read()).group(1))


def instructions_a_call(programs, call, folder, variables):
    """By two lengths, so that what MPI's start takes is left out."""
    few, many = 1000, 21_000
    added = [instructions(programs, call, steps, folder, variables) for steps in (few, many)]
    return (added[1] - added[0]) / (1.1 * (many - few))


def instruction_figures(programs):
    """What others do on the machine does not change them. At 3 thousand million instructions a second, 1 % of a
    processor is 30 million: with 300 an event up to 100,000 events a second."""
    if shutil.which("valgrind") is None:
        return []
    figures = []
    for key, (name, events) in EVENTS.items():
        with tempfile.TemporaryDirectory() as folder:
            profiling = {"LD_PRELOAD": library(programs), "LOADSHARE_PROFILE_LIMIT": "1000000000",
                         "LOADSHARE_PROFILE_OUT": os.path.join(folder, "overhead.profile")}
            call = key.removesuffix("_ns")
            plain, profiled = (instructions_a_call(programs, call, folder, variables) for variables in ({}, profiling))
        figures.append(Figure(f"{name}: instructions an event", ((profiled - plain) / events,), (), Target(450, Aim.AT_MOST)))
    return figures


def event_figures(programs, rounds):
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(calls_ns(programs), calls_ns(programs, folder)) for _ in range(rounds)]
    figures = []
    for key, (name, events) in EVENTS.items():
        samples = tuple((profiled[key] - plain[key]) / events for plain, profiled in pairs)
        figures.append(Figure(f"{name}: ns an event", samples, (), Target(150, Aim.AT_MOST)))
    figures += instruction_figures(programs)
    in_vain = tuple(profiled["probe_ns"] - plain["probe_ns"] for plain, profiled in pairs)
    return [*figures, Figure("a test in vain: ns", in_vain)]


# A shell tells the times: python looks for the end of a child at intervals.
TIMED = 'set -e; date +%s%N; "$@" >/dev/null; date +%s%N'


def seconds(words):
    begun_ns, ended_ns = map(int, processes.run(["sh", "-c", TIMED, "sh", *words]).split())
    return 1e-9 * (ended_ns - begun_ns)


def processor_seconds(words):
    """Of the command and all that it waited for, its ranks among them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    processes.run(words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def command_pair(programs, words, folder, measure):
    """The seconds of the whole command: without a profile, and with one."""
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
    title = "cost of a profile: ns and instructions an event; processor seconds of a whole command with one, beside without"
    group = Group("profile", title, event_figures(programs, rounds))
    group.figures.append(shortest_figure(programs, rounds))
    group.figures += [application_figure(programs, rounds, *application) for application in APPLICATIONS]
    return group
