"""Reads /proc and stderr of processes that a test has started."""

import glob
import os
import re
import time


def in_one_line(stderr):
    """Returns errors in one line each; under mpirun reason and hint have lines of their own."""
    return re.sub(r"\n  hint: ", "; ", re.sub(r"\n  why:  (.*)", r" (\1)", stderr))


def read(path):
    """Returns a file of /proc, or nothing if its process has just ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def stat_of(pid):
    """Returns the fields of `stat` from the state on, after a name with any characters; none if the process has ended."""
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
    """Polls the condition until it holds or the time is up, and returns it."""
    deadline_s = time.monotonic() + timeout_s
    while not (value := condition()) and time.monotonic() < deadline_s:
        time.sleep(0.02)
    return value


def busy(pids, count, least_s=0.5):
    """Returns the processes if their number is right and each has computed for longer than the given time, or than its start."""
    return pids if len(pids) == count and all(processor_s(pid) > least_s for pid in pids) else []
