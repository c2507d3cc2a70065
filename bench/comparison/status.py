"""The cost of a run's status page that is read each second."""

import contextlib
import os
import re
import subprocess
import tempfile
import threading
import urllib.request

from comparison import processes, readings
from comparison.figures import Aim, Figure, Group, Judged, Target

WORKERS = 64
# Some five seconds on two cores, with the same work on every machine; many chunks, which the page shows.
LOOP = ("--iterations", 100_000, "--cost", "constant:100us", "--rounds-per-second", 600_000_000, "--scheduler", "send:5",
        "--output-bytes", 64, "--input-bytes", 0, "--prefetch", 1)


@contextlib.contextmanager
def visits(url):
    """Requests the page each second, as a browser does, while the block runs; collects the answers."""
    pages, over = [], threading.Event()

    def visit():
        while not over.wait(1):
            with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=10) as answer:
                pages.append(answer.read().decode())

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        yield pages
    finally:
        over.set()
        visitor.join()


def page_address(notes, child):
    while child.poll() is None:
        if found := re.search(r"status at (\S+)", processes.read(notes)):
            return found[1]
    raise processes.Failed("the program did not print the address of its page")


def run_s(programs, is_visited):
    """Returns the seconds of the loop on 64 workers. The page is served in either case."""
    words = [programs.path("synthetic"), *LOOP, "--workers", WORKERS, "--status", 0, "--progress", "none", "--json", "-"]
    with tempfile.TemporaryDirectory() as folder:
        notes = os.path.join(folder, "notes")
        with open(notes, "w", encoding="utf-8") as file:
            child = processes.start([*map(str, words)], stdout=subprocess.PIPE, stderr=file, text=True)
        try:
            with visits(page_address(notes, child)) if is_visited else contextlib.nullcontext() as pages:
                text, _ = child.communicate(timeout=120)
        finally:
            if child.returncode is None:
                processes.end(child)
    if is_visited and sum("computes" in page for page in pages) < 2:
        raise processes.Failed("the page was answered less than twice")
    return readings.last_line(text, "synthetic")["makespan_s"]


def status(programs, rounds):
    """Measures runs whose page is read, runs whose page is not, and the scatter among the latter."""
    plain, visited, again = ([] for _ in range(3))
    for _ in range(rounds):
        plain.append(run_s(programs, False))
        visited.append(run_s(programs, True))
        again.append(run_s(programs, False))
    group = Group("status", f"a loop of {WORKERS} workers whose page is requested each second, s; reference: without requests")
    group.figures = [
        Figure("page requested each second", tuple(visited), tuple(plain), Target(1.01, Aim.AT_MOST), Judged.BY_MEDIANS),
        Figure("page not requested, repeated: the scatter", tuple(again), tuple(plain), by=Judged.BY_MEDIANS),
    ]
    return group
