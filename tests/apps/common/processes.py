"""What /proc, and their stderr, tell of processes that a test has started."""

import glob
import os
import re
import time


def in_one_line(stderr):
    """Errors as they stand in a pipe, where under mpirun reason and hint have lines of their own."""
    return re.sub(r"\n  hint: ", "; ", re.sub(r"\n  why:  (.*)", r" (\1)", stderr))


def read(path):
    """A file of /proc, or nothing where its process has just ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def stat_of(pid):
    """The fields of its `stat` from the state on, behind a name that may hold anything; none where it is gone."""
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def is_alive(pid):
    return stat_of(pid)[:1] not in ([], ["Z"], ["X"])


def parent_of(pid):
    return int(stat_of(pid)[1])


def processor_s(pid):
    return sum(map(int, stat_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def children_of(pid):
    return [int(child) for path in glob.glob(f"/proc/{pid}/task/*/children") for child in read(path).split()]


def descendants(pid):
    children = children_of(pid)
    return children + [below for child in children for below in descendants(child)]


def wait_until(condition, timeout_s=30):
    """Asks for the condition until it holds or the time is up, and returns it."""
    deadline_s = time.monotonic() + timeout_s
    while not (value := condition()) and time.monotonic() < deadline_s:
        time.sleep(0.02)
    return value


def busy(pids, count, least_s=0.5):
    """The processes, if there are so many and each has computed for longer than that, or than it takes to start."""
    return pids if len(pids) == count and all(processor_s(pid) > least_s for pid in pids) else []
