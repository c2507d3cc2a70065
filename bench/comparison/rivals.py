"""The BLAS libraries of this machine, each with its default kernels and with every kind that the processor can run.

A library that does not know a processor may choose slow kernels. The fastest combination is the reference."""

import functools
from dataclasses import dataclass

from comparison import processes
from comparison.figures import Figure

NAMES = {"openblas": "OpenBLAS", "blis": "BLIS"}
SMALL = 1024  # size of the first product
NEAR = 0.6  # of the fastest rate; slower ones do not run again
MOST_ROUNDS = 3  # of the others
# Errors of blas_reference if a library is not installed, or runs other kernels than requested.
REFUSALS = ("cannot be loaded", "does not run kernels", "has no kernels")


@dataclass(frozen=True)
class Blas:
    library: str
    core: str = ""  # the requested kernels; empty: the library's default

    def __str__(self):
        return f"{NAMES[self.library]}, {self.core}" if self.core else f"{NAMES[self.library]}, default"

    def words(self):
        return ["--library", self.library, *(["--core", self.core] if self.core else [])]


@dataclass(frozen=True)
class Heat:
    """Rates of all candidates at one size, measured in turn for some rounds."""

    samples: dict  # {name: GFLOP/s, round by round}
    runs: dict  # {name: function that runs it again}
    absent: tuple = ()  # libraries that are not installed

    def best(self):
        """Returns the name with the fastest round, because slow rounds are due to disturbances."""
        return max(self.samples, key=lambda name: max(self.samples[name]))

    def named(self):
        """Returns the fastest, and which libraries are missing."""
        absent = "".join(f", {name} not installed" for name in self.absent)
        return f"{self.best()}, the fastest BLAS here{absent}"

    def reference(self):
        return self.runs[self.best()]

    def fastest_of_each(self):
        """Returns {name: run} of the fastest BLAS and of pdgemm with it."""
        return {name: run for name, run in self.runs.items() if name == self.best() or name.startswith("pdgemm")}

    def figures(self):
        """Returns figures of all candidates, with the best as reference."""
        return [Figure(name, tuple(own), tuple(self.samples[self.best()])) for name, own in self.samples.items()]


def attempt(programs, blas, element):
    """Returns the record of a small product, or None if the machine or the library does not support it."""
    try:
        return programs.blas(blas, SMALL, element, repetitions=3)
    except processes.Failed as failure:
        if any(refusal in str(failure) for refusal in REFUSALS) and blas != Blas("openblas"):
            return None
        raise


def first_heat(programs, element):
    """Returns {Blas: its record of a small product}; None if this machine has no such library or kernels."""
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
    """Returns the candidates that run the large product."""
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
    name = f"pdgemm with {best}"
    runs[name] = lambda: programs.pdgemm_gflops(best, records[best]["asked_by"], size)
    found.samples[name] = [runs[name]() for _ in range(rounds)]
    return found
