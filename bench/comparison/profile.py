"""What a profile costs: of each event, and of a program's time."""

import json
import os
import tempfile

from comparison import processes, readings
from comparison.figures import Aim, Figure, Group, Target

SCHEDULER = "gss:4,32"
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


def matmul_s(programs, folder=None):
    words = programs.matmul_words(SCHEDULER, programs.size)
    if folder:
        out = os.path.join(folder, "matmul.profile")
        words = [programs.path("loadshare"), "profile", "-o", out, "--", *words]
    return readings.matmul(processes.run(words))["makespan_s"]


def profile(programs, rounds):
    group = Group("profile", "cost of a profile: ns an event; makespan of matmul with one beside without")
    group.figures += event_figures(programs, rounds)
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(matmul_s(programs), matmul_s(programs, folder)) for _ in range(rounds)]
    plain, profiled = zip(*pairs, strict=True)
    group.figures.append(Figure(f"matmul {programs.size}, 2 ranks", profiled, plain, Target(1.01, Aim.AT_MOST)))
    return group
