#!/usr/bin/env python3
"""Checks that includes point one way through the rooms: base, schedulers, runtime, profiler, models, program, apps.

Prints `file:line: problem (why) suggestion` for every other include, and then exits 1.
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
    folder: str  # ends in /; the longest matching folder is the room of a file
    may_use: tuple  # folders of other rooms; its own is always allowed
    is_pure: bool = False  # only standard headers, except those for clocks, threads and files


PURE = ("base/", "schedulers/", "runtime/dispatch/")
RUNTIME = (*PURE, "base/io/", "runtime/host/", "runtime/load/", "runtime/records/", "runtime/journal/",
           "runtime/transport/", "runtime/farm/")
MODELS = ("models/messages/", "models/efficiency/", "models/farm/", "models/program/")
APPS = (*RUNTIME, *MODELS, "program/", "apps/common/")

ROOMS = (
    Room("base/", (), is_pure=True),
    Room("base/io/", ("base/",)),
    Room("schedulers/", ("base/",), is_pure=True),
    Room("runtime/dispatch/", ("base/", "schedulers/"), is_pure=True),
    Room("runtime/host/", ("base/", "base/io/")),
    Room("runtime/load/", ("base/", "base/io/", "runtime/host/")),
    Room("runtime/records/", ("base/", "base/io/", "schedulers/")),
    Room("runtime/journal/", ("base/", "base/io/", "runtime/host/", "runtime/records/")),
    Room("runtime/transport/", (*PURE, "base/io/", "runtime/host/", "runtime/records/")),
    Room("runtime/farm/", RUNTIME),
    Room("profiler/", ("base/", "base/io/", "runtime/host/")),
    Room("models/messages/", ("base/", "base/io/")),
    Room("models/efficiency/", ("base/", "base/io/", "profiler/", "runtime/records/")),
    Room("models/farm/", (*PURE, "base/io/", "runtime/load/", "runtime/records/", "models/messages/")),
    Room("models/program/", ("base/", "base/io/", "profiler/", "models/messages/", "models/efficiency/")),
    Room("program/", (*RUNTIME, "models/farm/")),
    Room("apps/common/", APPS),
    Room("apps/spmd/", APPS),
    Room("apps/", APPS),  # and its own folder each
    *(Room(f"apps/{app}/", (*APPS, "apps/spmd/")) for app in ("bucket_sort", "cannon", "floyd", "integer_sort")),
    Room("apps/loadshare/", (*APPS, "profiler/", "experiments/", "apps/")),
    Room("experiments/", ("base/", "base/io/", "schedulers/", "runtime/host/", "runtime/load/", "runtime/records/")),
    Room("bench/", ("",)),
    Room("tests/", ("",)),
)

# External libraries that are restricted to certain folders: pattern of the header, its name, allowed folders.
PLACES = (
    (re.compile(r"mpi\.h$|mpi-ext\.h$"), "MPI",
     ("runtime/transport/mpi", "profiler/preload/", "apps/spmd/", "apps/loadshare/mpi/", "bench/",
      "tests/")),
    (re.compile(r"asio(\.hpp|/)"), "Asio", ("runtime/load/", "runtime/transport/", "bench/", "tests/")),
    (re.compile(r"openssl/"), "OpenSSL", ("runtime/transport/tcp/", "tests/")),
    (re.compile(r"muParser"), "muParser", ("models/program/", "tests/")),
    (re.compile(r"yaml-cpp/"), "yaml-cpp", ("experiments/", "tests/")),
    (re.compile(r"simgrid/|xbt/"), "SimGrid", ("bench/reference/simgrid_",)),
)

TOP_FOLDERS = {room.folder.split("/")[0] for room in ROOMS}
INCLUDE = re.compile(r'\s*#\s*include\s*(?P<open>[<"])(?P<path>[^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_]+$")  # C++'s own headers contain neither a dot nor a folder


def room_of(path):
    fitting = [room for room in ROOMS if path.startswith(room.folder)]
    return max(fitting, key=lambda room: len(room.folder), default=None)


def may_use(path, header):
    room, other = room_of(path), room_of(header)
    if room == other:  # each folder of `apps/` is a room of its own
        return room.folder != "apps/" or path.split("/")[1] == header.split("/")[1]
    return "" in room.may_use or other.folder in room.may_use


def problem_with(path, header, is_quoted):
    """Returns what is wrong with `path` including `header`, or None."""
    header = header.removeprefix("loadshare/")
    room = room_of(path)
    for file in (path, header):
        if file.split("/")[0] in TOP_FOLDERS and "/" in file and room_of(file) is None:
            return f"{file} is in no room (ROOMS of cmake/check_layers.py has them); name its folder there"
    if header.startswith("../") or (is_quoted and "/" not in header and header.endswith(".hpp")):
        return f'include of "{header}" (paths start at the top folder); write the whole path'

    if header.split("/")[0] in TOP_FOLDERS and "/" in header:
        if may_use(path, header):
            return None
        rooms = ", ".join(room.may_use) or "no other room"
        return f'include of "{header}" ({room.folder} may use {rooms}) move the code or the include'

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
    """Yields every violation below `root` as a line of text."""
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
