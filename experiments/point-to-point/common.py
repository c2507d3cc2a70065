"""The common part of this folder's experiments: running the tool, in a lab or not, and printing tables."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = HERE / "lab.yaml"
PAIR = HERE / "pair.yaml"
# Buffers of a fixed size. The kernel's buffers grow with use, which changes a sender's time from launch to launch.
FIXED_BUFFERS = ["--mca", "btl_tcp_sndbuf", "262144", "--mca", "btl_tcp_rcvbuf", "262144"]
# Large messages in fragments. Otherwise each is sent in one piece when its receiver requests it, and the request queues
# behind a message to the same partner, so that one direction sometimes waits for the other.
FRAGMENTS = ["--mca", "btl_tcp_flags", "send,inplace"]


def program(name):
    """Returns the path of a program in build/bin."""
    path = HERE.parent.parent / "build" / "bin" / name
    if not path.exists():
        sys.exit(f"{path} is missing (nothing was built); run ./quickstart build")
    return str(path)


def run(command, **more):
    """Runs a command and returns its stdout. Exits with the command line if it fails."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed with exit code {done.returncode}")
    return done.stdout


def tool_json(*words):
    """Returns what a subcommand of the tool writes with `--json -`; drops its text on stderr."""
    return json.loads(run([program("loadshare"), *words, "--json", "-"], stderr=subprocess.DEVNULL))


def launches_in(path):
    """Returns the number of launches of a calibration, 0 if there is no file."""
    return len(json.loads(path.read_text())["launches"]) if path.exists() else 0


def calibrate(command, ranks, path, seed, *words):
    """Adds a launch to the calibration at `path`. `command` turns (ranks, *words) into a command of mpirun."""
    how = ["--append"] if path.exists() else []
    run(command(ranks, program("loadshare"), "calibrate", "--out", str(path), *how, "--seed", str(seed),
                "--kernel-size", "none", "--progress", "none", *words))


class Lab:
    """A lab of this folder, which is up during the `with` block."""

    def __init__(self, file):
        self.file = file
        self.name = next(line.split()[1] for line in file.read_text(encoding="utf-8-sig").splitlines()
                         if line.startswith("name:"))

    def __enter__(self):
        run([program("loadshare"), "lab", "up", str(self.file)])
        return self

    def __exit__(self, *_):
        run([program("loadshare"), "lab", "down", "--name", self.name])

    def command(self, ranks, *words):
        """Returns a command of mpirun in the lab, with one rank per host."""
        return [program("loadshare"), "lab", "run", "--name", self.name, "--", "mpirun", "-q", "-np", str(ranks),
                *FIXED_BUFFERS, *FRAGMENTS, *words]


def quantile(values, share):
    """Returns the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * int(share * 100) // 100) - 1)]


def markdown(heading, rows):
    """Returns a table as Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def error_text(errors):
    """Returns median, ninth decile and worst of absolute relative errors."""
    sizes = [abs(error) for error in errors]
    return ", ".join(f"{100 * quantile(sizes, share):.1f}" for share in (0.5, 0.9, 1.0)) + " %"
