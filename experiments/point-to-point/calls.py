#!/usr/bin/env python3
"""How well calls with a root are foretold: broadcast, reduce, gather and scatter in launches and at sizes not fitted.

python3 experiments/point-to-point/calls.py FOLDER    # as root, for the lab; five minutes; `--help` for more

Launches that are fitted and others that they predict, in turns, each with sizes of its own. Writes FOLDER/calls.md.
"""

import argparse
from pathlib import Path

from common import PAIR, Lab, calibrate, error_text, launches_in, markdown, tool_json

ROOTED = "bcast,reduce,gather,scatter"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--launches", type=int, default=2, help="to fit, and as many to predict: %(default)s")
    parser.add_argument("--lab", type=Path, default=PAIR, help="calls.yaml has four hosts; %(default)s")
    parser.add_argument("--ranks", type=int, default=2, help="one a host of the lab: %(default)s")
    parser.add_argument("--seconds", type=float, default=30, help="for each number of ranks: %(default)s")
    parser.add_argument("--max-bytes", default="256KiB", help="of a call: %(default)s")
    return parser.parse_args()


def yielding(command):
    """Ranks that wait let others have their processor."""
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
    """By call, number of ranks, who of them it is, and whether it left by its own begin or by another one's."""
    parts = {}
    for call in calls:
        who = ("root" if call["who"] == "root" else "others") + (", waiting" if call["after"] == "awaited" else "")
        parts.setdefault((call["call"], call["ranks"], who), []).append(error(call))
    return [[name, str(ranks), who, str(len(errors)), error_text(errors)]
            for (name, ranks, who), errors in sorted(parts.items())]


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    with Lab(options.lab) as lab:
        fitted, measured = measure(options, lab.command)
    calls = tool_json("calibration", "check", str(fitted), str(measured), "--min-bytes", "1")["calls"]
    text = "\n\n".join([
        markdown(["call", "ranks", "who", "times", "errors (median, ninth decile, worst)"], rows(calls)),
        f"All {len(calls)}: {error_text(map(error, calls))}.", ""])
    (options.folder / "calls.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
