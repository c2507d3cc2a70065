"""The lab of nine hosts: times to start and stop it, and the transfer of the first matrix in it."""

import contextlib
import os
import time
from dataclasses import dataclass

from comparison import processes, readings
from comparison.figures import Aim, Figure, Group, Target

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "experiments", "tr-97-14", "paper-now.yaml")


def seconds(words):
    begun_s = time.monotonic()
    processes.run(words)
    return time.monotonic() - begun_s


MOST_OF_A_BROADCAST = Target(0.6 / 2.5, Aim.AT_MOST)  # 0.6 s instead of the 2.5 s of MPI_Bcast


class Impossible(Exception):
    """This machine cannot make labs."""


@dataclass
class Life:
    """The times of starting and stopping a lab."""

    up_s: float = 0
    down_s: float = 0


@contextlib.contextmanager
def up(tool, name):
    """Provides a lab while the block runs."""
    life = Life()
    try:
        life.up_s = seconds([tool, "lab", "up", FILE, "--name", name])
        yield life
    except processes.Failed as failure:
        if "a lab cannot be made here" not in str(failure):
            raise
        raise Impossible(str(failure).splitlines()[-1]) from None
    finally:
        life.down_s = seconds([tool, "lab", "down", "--name", name])


def in_lab(tool, name, *words):
    return [tool, "lab", "run", "--name", name, "--", *map(str, words)]


def one_life(tool, mpirun, name):
    """Returns the seconds of (up, a run of mpirun, down)."""
    with up(tool, name) as life:
        run_s = seconds(in_lab(tool, name, mpirun, "true"))
    return life.up_s, run_s, life.down_s


def own_name():
    return f"bench-{os.getpid()}"


def lab(programs, rounds):
    group = Group("lab", "nine hosts at 100 Mbit/s on this machine, from the command line, s")
    try:
        lives = [one_life(programs.path("loadshare"), programs.mpirun, own_name()) for _ in range(rounds)]
    except Impossible as reason:
        group.title += f" (left out: {reason})"
        return group
    up_s, run_s, down_s = zip(*lives)
    group.figures.append(Figure("up", up_s, (), Target(3, Aim.AT_MOST)))
    group.figures.append(Figure("mpirun of an empty program, one rank a host", run_s))
    group.figures.append(Figure("down", down_s, (), Target(2, Aim.AT_MOST)))
    return group


def shared_input_s(programs, name, scheduler, master_rank):
    """Returns the time until the load-sharing paper's first matrix is on every host, while chunks travel too."""
    words = [programs.path("matmul"), "--size", 720, "--kernel", "naive", "--scheduler", scheduler]
    words += ["--master-rank", master_rank, "--progress", "none", "--json", "-"]
    tool = programs.path("loadshare")
    return readings.matmul(processes.run(in_lab(tool, name, programs.mpirun, "-q", *words)))["shared_input_s"]


def broadcast_s(programs, name):
    words = in_lab(programs.path("loadshare"), name, programs.mpirun, "-q", programs.path("mpi_broadcast"))
    return readings.broadcast_s(processes.run(words))


def wire(programs, rounds):
    """Measures the transfer of the first matrix to eight hosts: 4.1 MB, which take 0.34 s at 100 Mbit/s."""
    title = "transfer of the first matrix, 4.1 MB, to eight hosts at 100 Mbit/s, s; reference: MPI_Bcast"
    group = Group("wire", title)
    try:
        with up(programs.path("loadshare"), own_name()):
            for scheduler in ("send:3", "gss:14"):
                for host, rank in (("slow", 0), ("fast", 6)):
                    pairs = [
                        (shared_input_s(programs, own_name(), scheduler, rank), broadcast_s(programs, own_name()))
                        for _ in range(rounds)
                    ]
                    name = f"{scheduler}, master on a {host} host"
                    group.figures.append(Figure(name, *map(tuple, zip(*pairs)), MOST_OF_A_BROADCAST))
    except Impossible as reason:
        group.title += f" (left out: {reason})"
    return group
