"""The BLAS of this machine at their best: each as it comes, and with each kind of kernels whose instructions the
processor has, because a library that does not know a processor runs kernels that are slow there. The fastest is the
reference."""

import functools
from dataclasses import dataclass

from comparison import processes
from comparison.figures import Figure

NAMES = {"openblas": "OpenBLAS", "blis": "BLIS"}
SMALL = 1024  # the size of a first product
NEAR = 0.6  # of the fastest there: who is slower does not run again
MOST_ROUNDS = 3  # of those that do
# What blas_reference says where a library is not installed, or runs other kernels than it was asked for.
REFUSALS = ("cannot be loaded", "does not run kernels", "has no kernels")


@dataclass(frozen=True)
class Blas:
    library: str
    core: str = ""  # the kernels it is asked for; empty: none, it comes as it is

    def __str__(self):
        return f"{NAMES[self.library]}, {self.core}" if self.core else f"{NAMES[self.library]} as it comes"

    def words(self):
        return ["--library", self.library, *(["--core", self.core] if self.core else [])]


@dataclass(frozen=True)
class Heat:
    """Who is fastest at one size: all in turn, some rounds."""

    samples: dict  # {name: GFLOP/s, round by round}
    runs: dict  # {name: what runs it once more}
    absent: tuple = ()  # libraries that are not installed

    def best(self):
        """Whose fastest round was the fastest: what slows a round down is not its doing."""
        return max(self.samples, key=lambda name: max(self.samples[name]))

    def named(self):
        """The fastest, and among whom."""
        absent = "".join(f", {name} not installed" for name in self.absent)
        return f"{self.best()}, the fastest BLAS here{absent}"

    def reference(self):
        return self.runs[self.best()]

    def fastest_of_each(self):
        """{name: run} of the fastest BLAS and of pdgemm by it."""
        return {name: run for name, run in self.runs.items() if name == self.best() or name.startswith("pdgemm")}

    def figures(self):
        """All of them, beside the best."""
        return [Figure(name, tuple(own), tuple(self.samples[self.best()])) for name, own in self.samples.items()]


def attempt(programs, blas, element):
    """What it says of a small product, or nothing where this machine or this library has no such thing."""
    try:
        return programs.blas(blas, SMALL, element, repetitions=3)
    except processes.Failed as failure:
        if any(refusal in str(failure) for refusal in REFUSALS) and blas != Blas("openblas"):
            return None
        raise


def first_heat(programs, element):
    """{Blas: its record of a small product; nothing where this machine has no such library or kernels}"""
    found = {}
    for library in NAMES:
        as_it_comes = found[Blas(library)] = attempt(programs, Blas(library), element)
        others = as_it_comes["allowed"] if as_it_comes else []
        found |= {
            Blas(library, core): attempt(programs, Blas(library, core), element)
            for core in others
            if core != as_it_comes["core"]
        }
    return found


def nearest(records):
    """Those that are worth a large product."""
    rates = {blas: max(record["gflops"]) for blas, record in records.items()}
    return [blas for blas, rate in rates.items() if rate >= NEAR * max(rates.values())]


def run_in_turn(runs, rounds):
    samples = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            samples[name].append(run())
    return samples


@functools.cache
def heat(programs, size, element, rounds):
    rounds = min(rounds, MOST_ROUNDS)
    tried = first_heat(programs, element)
    records = {blas: record for blas, record in tried.items() if record}
    absent = tuple(name for library, name in NAMES.items() if not tried[Blas(library)])
    near = nearest(records)
    runs = {str(blas): lambda blas=blas: programs.blas_gflops(blas, size, element) for blas in near}
    found = Heat(run_in_turn(runs, rounds), runs, absent)
    if element != "float64":
        return found
    best = next(blas for blas in near if str(blas) == found.best())
    name = f"pdgemm by {best}"
    runs[name] = lambda: programs.pdgemm_gflops(best, records[best]["asked_by"], size)
    found.samples[name] = [runs[name]() for _ in range(rounds)]
    return found
