"""What both experiments of this folder do: run the tool, in a lab or not, and print tables."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = HERE / "lab.yaml"
PAIR = HERE / "pair.yaml"
# Buffers of a fixed size: the kernel's own grow with use, and with them a sender's time from launch to launch.
FIXED_BUFFERS = ["--mca", "btl_tcp_sndbuf", "262144", "--mca", "btl_tcp_rcvbuf", "262144"]
# Large messages in fragments: else each goes as a whole when its receiver asks for it, and what a receiver asks stands in
# line behind the message it is sending to the same partner, so that one direction waits for the other, or not.
FRAGMENTS = ["--mca", "btl_tcp_flags", "send,inplace"]


def program(name):
    """A program of the build, or the installed one beside this file's folder's root."""
    path = HERE.parent.parent / "build" / "bin" / name
    if not path.exists():
        sys.exit(f"{path} is missing (nothing was built); run ./quickstart build")
    return str(path)


def run(command, **more):
    """Runs a command to its end; its stdout. Ends this program, with the command's words, where it fails."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed with exit code {done.returncode}")
    return done.stdout


def tool_json(*words):
    """What a subcommand of the tool writes with `--json -`; its text goes to stderr, which is left out."""
    return json.loads(run([program("loadshare"), *words, "--json", "-"], stderr=subprocess.DEVNULL))


def launches_in(path):
    """How many launches a calibration has; none where there is no file."""
    return len(json.loads(path.read_text())["launches"]) if path.exists() else 0


def calibrate(command, ranks, path, seed, *words):
    """Adds a launch to the calibration at `path`; `command` makes one of mpirun of (ranks, *words)."""
    how = ["--append"] if path.exists() else []
    run(command(ranks, program("loadshare"), "calibrate", "--out", str(path), *how, "--seed", str(seed),
                "--kernel-size", "none", "--progress", "none", *words))


class Lab:
    """A lab of this folder, up while the `with` lasts."""

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
        """mpirun in the lab, one rank a host."""
        return [program("loadshare"), "lab", "run", "--name", self.name, "--", "mpirun", "-q", "-np", str(ranks),
                *FIXED_BUFFERS, *FRAGMENTS, *words]


def quantile(values, share):
    """The smallest value that so many are not above."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * int(share * 100) // 100) - 1)]


def markdown(heading, rows):
    """A table as Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def error_text(errors):
    """Median, ninth decile and worst of absolute relative errors."""
    sizes = [abs(error) for error in errors]
    return ", ".join(f"{100 * quantile(sizes, share):.1f}" for share in (0.5, 0.9, 1.0)) + " %"
