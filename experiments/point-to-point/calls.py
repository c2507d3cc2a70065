#!/usr/bin/env python3
"""Accuracy of predicted calls with a root: broadcast, reduce, gather and scatter in launches and at sizes not fitted.

python3 experiments/point-to-point/calls.py FOLDER    # as root, for the lab; five minutes; `--help` for more

Measures launches that are fitted and launches that are predicted, in turns and at different sizes. Writes FOLDER/calls.md.
"""

import argparse
from pathlib import Path

from common import PAIR, Lab, calibrate, error_text, launches_in, markdown, tool_json

ROOTED = "bcast,reduce,gather,scatter"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where calibrations and results go")
    parser.add_argument("--launches", type=int, default=2, help="number of fitted launches, and of predicted ones (%(default)s)")
    parser.add_argument("--lab", type=Path, default=PAIR, help="the lab file; calls.yaml has four hosts (%(default)s)")
    parser.add_argument("--ranks", type=int, default=2, help="number of ranks, one per host of the lab (%(default)s)")
    parser.add_argument("--seconds", type=float, default=30, help="measuring time for each number of ranks (%(default)s)")
    parser.add_argument("--max-bytes", default="256KiB", help="largest call (%(default)s)")
    return parser.parse_args()


def yielding(command):
    """Returns a command whose waiting ranks yield the processor."""
    return lambda ranks, *words: command(ranks, "--mca", "mpi_yield_when_idle", "1", *words)


def measure(options, command):
    paths = [options.folder / f"calls-{name}.json" for name in ("fit", "test")]
    for launch in range(options.launches):
        for number, path in enumerate(paths):
            if launches_in(path) > launch:
                continue
            print(f"{path.stem}, launch {launch + 1}", flush=True)
            calibrate(yielding(command), options.ranks, path, 100 * number + launch + 1, "--partners", "1", "--modes",
                      "standard", "--seconds", "3", "--max-bytes", options.max_bytes, "--collectives", ROOTED,
                      "--collective-seconds", str(options.seconds))
    return paths


def error(call):
    return call["predicted_s"] / call["measured_s"] - 1


def rows(calls):
    """Returns errors by call, number of ranks, role of the rank, and whether it had to wait for another rank."""
    parts = {}
    for call in calls:
        role = ("root" if call["who"] == "root" else "others") + (", waiting" if call["after"] == "awaited" else "")
        parts.setdefault((call["call"], call["ranks"], role), []).append(error(call))
    return [[name, str(ranks), role, str(len(errors)), error_text(errors)]
            for (name, ranks, role), errors in sorted(parts.items())]


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    with Lab(options.lab) as lab:
        fitted, measured = measure(options, lab.command)
    calls = tool_json("calibration", "check", str(fitted), str(measured), "--min-bytes", "1")["calls"]
    text = "\n\n".join([
        markdown(["call", "ranks", "role", "times", "errors (median, ninth decile, worst)"], rows(calls)),
        f"All {len(calls)} times: {error_text(map(error, calls))}.", ""])
    (options.folder / "calls.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
