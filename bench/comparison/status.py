"""What it costs a run that its page is looked at each second."""

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
# Some five seconds of two cores, the same work whoever measures; many chunks, of which the page tells.
LOOP = ("--iterations", 100_000, "--cost", "constant:100us", "--rounds-per-second", 600_000_000, "--scheduler", "send:5",
        "--output-bytes", 64, "--input-bytes", 0, "--prefetch", 1)


@contextlib.contextmanager
def visits(url):
    """The pages that were shown to somebody who asks each second, as a browser does, as long as the block runs."""
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
    raise processes.Failed("it did not say where its page is")


def run_s(programs, is_visited):
    """Seconds of the loop by 64 workers, whose page is served in either case."""
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
        raise processes.Failed("the page was hardly seen")
    return readings.last_line(text, "synthetic")["makespan_s"]


def status(programs, rounds):
    """The scatter is that of runs which nobody looks at, beside others of the same kind."""
    plain, seen, again = ([] for _ in range(3))
    for _ in range(rounds):
        plain.append(run_s(programs, False))
        seen.append(run_s(programs, True))
        again.append(run_s(programs, False))
    group = Group("status", f"a loop of {WORKERS} workers whose page is asked for each second, s; beside the same without")
    group.figures = [
        Figure("asked each second", tuple(seen), tuple(plain), Target(1.01, Aim.AT_MOST), Judged.BY_MEDIANS),
        Figure("not asked, again: the scatter", tuple(again), tuple(plain), by=Judged.BY_MEDIANS),
    ]
    return group
