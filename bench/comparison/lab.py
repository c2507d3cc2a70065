"""The lab of nine hosts: how long until it is up, until mpirun has been in it, until it is down."""

import os
import time

from comparison import processes
from comparison.figures import Aim, Figure, Group, Target

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "experiments", "tr-97-14", "paper-now.yaml")


def seconds(words):
    begun_s = time.monotonic()
    processes.run(words)
    return time.monotonic() - begun_s


def one_life(tool, mpirun, name):
    """(up, a run of mpirun, down) in seconds; whatever fails, the lab is down at the end."""
    chosen = ["--name", name]
    try:
        up_s = seconds([tool, "lab", "up", FILE, *chosen])
        run_s = seconds([tool, "lab", "run", *chosen, "--", mpirun, "true"])
    finally:
        down_s = seconds([tool, "lab", "down", *chosen])
    return up_s, run_s, down_s


def lab(programs, rounds):
    group = Group("lab", "nine hosts at 100 Mbit/s on this machine, from the command line, s")
    try:
        lives = [one_life(programs.path("loadshare"), programs.mpirun, f"bench-{os.getpid()}") for _ in range(rounds)]
    except processes.Failed as failure:
        if "a lab cannot be made here" not in str(failure):
            raise
        group.title += f" (left out: {str(failure).splitlines()[-1]})"
        return group
    up_s, run_s, down_s = zip(*lives)
    group.figures.append(Figure("up", up_s, (), Target(3, Aim.AT_MOST)))
    group.figures.append(Figure("mpirun of an empty program, one rank a host", run_s))
    group.figures.append(Figure("down", down_s, (), Target(2, Aim.AT_MOST)))
    return group
