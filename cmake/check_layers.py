#!/usr/bin/env python3
"""Checks that includes point one way through the folders: schedulers, runtime, models, apps, experiments.

Prints `file:line: problem (why) suggestion` for every include that does not, and exits 1 then.
"""

import os
import re
import sys
from dataclasses import dataclass

CLOCKS_THREADS_FILES = {
    "chrono", "ctime", "thread", "future", "iostream", "fstream", "filesystem",
}


@dataclass(frozen=True)
class Room:
    folder: str  # ends in /; the longest that fits a file is its room
    may_use: tuple  # prefixes of paths from the top
    is_pure: bool = False  # standard headers only, and no clock, thread or file among them


ROOMS = (
    Room("schedulers/", ("schedulers/",), is_pure=True),
    Room("runtime/dispatch/", ("runtime/dispatch/", "schedulers/"), is_pure=True),
    Room("runtime/timing/", ("runtime/timing/", "schedulers/")),
    Room("runtime/host/", ("runtime/host/", "schedulers/")),
    Room("runtime/profile/", ("runtime/profile/", "runtime/host/", "schedulers/")),
    Room("runtime/load/", ("runtime/load/", "runtime/host/", "runtime/timing/", "schedulers/")),
    Room("runtime/transport/", ("runtime/transport/", "runtime/host/", "runtime/timing/", "runtime/dispatch/", "schedulers/")),
    Room("runtime/", ("runtime/", "schedulers/")),
    Room("models/", ("models/", "runtime/dispatch/", "runtime/load/load_plan.hpp",
                     "runtime/load/load_spec.hpp", "runtime/transport/shared_units.hpp", "runtime/profile/calls.hpp", "runtime/profile/profile.hpp",
                     "runtime/timing/records.hpp", "schedulers/")),
    Room("apps/loadshare/", ("apps/loadshare/", "apps/common/", "experiments/", "models/", "runtime/", "schedulers/")),
    Room("apps/loadshare/calibrate/", ("apps/loadshare/", "apps/common/", "apps/matmul/kernel", "experiments/", "models/",
                                       "runtime/", "schedulers/")),
    *(Room(f"apps/{app}/", ("{own}", "apps/spmd/", "apps/common/", "models/", "runtime/", "schedulers/"))
      for app in ("bucket_sort", "cannon", "floyd", "integer_sort")),
    Room("apps/", ("{own}", "apps/common/", "models/", "runtime/", "schedulers/")),
    Room("experiments/", ("experiments/", "models/", "runtime/host/", "runtime/load/load_spec.hpp", "runtime/timing/",
                          "schedulers/")),
    Room("bench/", ("",)),
    Room("tests/", ("",)),
)

# Outside libraries with a place of their own: pattern of the header, its name, who may include it.
PLACES = (
    (re.compile(r"mpi\.h$|mpi-ext\.h$"), "MPI",
     ("runtime/transport/mpi", "runtime/profile/interpose/", "apps/spmd/", "apps/loadshare/calibrate/mpi/", "bench/",
      "tests/")),
    (re.compile(r"asio(\.hpp|/)"), "Asio", ("runtime/load/", "runtime/transport/", "bench/", "tests/")),
    (re.compile(r"muParser"), "muParser", ("models/timing_graph/compiled_expression", "tests/")),
    (re.compile(r"yaml-cpp/"), "yaml-cpp", ("experiments/", "tests/")),
    (re.compile(r"simgrid/|xbt/"), "SimGrid", ("bench/reference/simgrid_",)),
)

TOP_FOLDERS = {room.folder.split("/")[0] for room in ROOMS}
INCLUDE = re.compile(r'\s*#\s*include\s*(?P<open>[<"])(?P<path>[^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_]+$")  # C++'s own headers have neither a dot nor a folder


def room_of(path):
    fitting = [room for room in ROOMS if path.startswith(room.folder)]
    return max(fitting, key=lambda room: len(room.folder))


def allowed_prefixes(path, room):
    own = "/".join(path.split("/")[:2]) + "/"
    return tuple(prefix.format(own=own) for prefix in room.may_use)


def problem_with(path, header, is_quoted):
    """What is wrong with `path` including `header`, or nothing."""
    header = header.removeprefix("loadshare/")
    room = room_of(path)
    if header.startswith("../") or (is_quoted and "/" not in header and header.endswith(".hpp")):
        return f'include of "{header}" (paths start at the top folder) write the whole path'

    if header.split("/")[0] in TOP_FOLDERS and "/" in header:
        allowed = allowed_prefixes(path, room)
        if header.startswith(allowed):
            return None
        return f'include of "{header}" ({room.folder} may use {", ".join(allowed)}) move the code or the include'

    for pattern, library, places in PLACES:
        if pattern.match(header) and not path.startswith(places):
            return f"include of <{header}> ({library} stays in {', '.join(places)}*) hide it behind an interface there"

    if room.is_pure:
        if not STANDARD.match(header):
            return f"include of <{header}> ({room.folder} uses the standard library only) hand the result in"
        if header in CLOCKS_THREADS_FILES:
            return f"include of <{header}> ({room.folder} has no clock, thread or file of its own) hand it in"
    return None


def sources(root):
    for top in sorted(TOP_FOLDERS):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if name.endswith((".cpp", ".hpp", ".h", ".ipp")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def check(root):
    """Every violation below `root`, as a line of text."""
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                include = INCLUDE.match(line)
                if not include:
                    continue
                problem = problem_with(path, include["path"], include["open"] == '"')
                if problem:
                    yield f"{path}:{number}: {problem}"


def main(arguments):
    if len(arguments) > 1:
        print("usage: check_layers.py [ROOT]", file=sys.stderr)
        return 2
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    problems = list(check(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
