"""The cost of a journal for a run, and the time of a resumed run that was killed at half time."""

import contextlib
import os
import signal
import tempfile
import time

from comparison import processes, readings
from comparison.figures import Aim, Figure, Group, Target

SHORT = ("--iterations", 100_000, "--cost", "constant:20us", "--output-bytes", 64, "--scheduler", "send:1", "--prefetch", 4)


@contextlib.contextmanager
def folder_on_disk(programs):
    """Provides a folder next to the programs, because /tmp may be memory."""
    with tempfile.TemporaryDirectory(dir=programs.build, prefix="journal-") as folder:
        yield os.path.join(folder, "journal")


def timed(words):
    """Returns the record of a run, and the seconds of the whole command."""
    begun_s = time.monotonic()
    text = processes.run([*map(str, words)])
    return readings.last_line(text, words[0]), time.monotonic() - begun_s


def with_journal(programs, words):
    with folder_on_disk(programs) as folder:
        return timed([*words, "--journal", folder])


def product_words(programs):
    return programs.matmul_words("gss", programs.size)


def in_turn(programs, rounds, words):
    """Returns ((record, seconds), ...) with and without a journal."""
    kept, plain = [], []
    for _ in range(rounds):
        plain.append(timed(words))
        kept.append(with_journal(programs, words))
    return kept, plain


def costs(name, kept, plain):
    at_most = Target(1.03, Aim.AT_MOST)
    spans = [tuple(record["makespan_s"] for record, _ in runs) for runs in (kept, plain)]
    commands = [tuple(took_s for _, took_s in runs) for runs in (kept, plain)]
    return [Figure(f"{name}: makespan, s", *spans, at_most), Figure(f"{name}: the whole command, s", *commands)]


def resumed_s(programs, words, makespan_s):
    """Returns by how many seconds a resumed run, killed at about half time, exceeds the remaining work."""
    with folder_on_disk(programs) as folder:
        words = [*map(str, words), "--journal", folder]
        child = processes.start(words, stdout=-3, stderr=-3, env=processes.environment_with({}))
        try:
            while child.poll() is None and not os.path.exists(os.path.join(folder, "loop-0.log")):
                time.sleep(0.005)
            time.sleep(makespan_s / 2)
            for rank in processes.ranks_of(child.pid, "matmul") or [child.pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rank, signal.SIGKILL)
            child.wait(timeout=30)
        finally:
            if child.returncode is None:
                processes.end(child)
        record, _ = timed([*words, "--resume"])
        rest = 1 - record["journal"]["recovered"] / record["iterations"]
        return record["makespan_s"] - rest * makespan_s


def journal(programs, rounds):
    title = "cost of a journal; reference: without it; product of the large size by ranks, 100,000 chunks of 20 us by threads"
    group = Group("journal", title)
    product = product_words(programs)
    kept, plain = in_turn(programs, rounds, product)
    group.figures += costs("product", kept, plain)
    short = [programs.path("synthetic"), *SHORT, "--workers", 2, "--progress", "none", "--json", "-"]
    group.figures += costs("short chunks", *in_turn(programs, rounds, short))
    late = tuple(resumed_s(programs, product, plain[i][0]["makespan_s"]) for i in range(rounds))
    group.figures.append(Figure("killed at half time and resumed: excess over the remaining work, s", late, (), Target(1, Aim.AT_MOST)))
    return group
