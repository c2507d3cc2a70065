#!/usr/bin/env python3
"""Loops of unequal iterations: each technique's run is predicted from a run of every other technique.

Every program runs with every technique, with threads and with ranks of this machine. Each pair is a prediction:
`loadshare predict` from one run's record for the other's technique. The target is the undisturbed time of the other run: its
chunks' processor times, given in their order to the worker that is free first. So other programs on the machine matter only
because they make processor time longer. Therefore errors are printed twice: as they are, and at the other run's speed (with
the processor times of both runs set equal). The wall time is in pairs.json (wall_s).
"""

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

SPECS = ("send:1", "send:10", "gss", "factoring", "tss", "fac2", "static")
PROGRAMS = {
    "mandelbrot": ("mandelbrot", "--tasks", "400", "--width", "600", "--height", "600", "--depth", "4000"),
    "mandelbrot part": ("mandelbrot", "--tasks", "400", "--width", "600", "--height", "600", "--depth", "2000",
                        "--region", "part"),
    "rising": ("synthetic", "--iterations", "1000", "--cost", "rising:100us,1.9ms"),
    "falling": ("synthetic", "--iterations", "1000", "--cost", "falling:100us,1.9ms"),
    "bimodal": ("synthetic", "--iterations", "1000", "--cost", "bimodal:500us,5.5ms,0.1"),
    "gamma": ("synthetic", "--iterations", "1000", "--cost", "gamma:1ms,0.5"),
    "orbits": ("orbits",),
}
# A run of synthetic would measure this at its start; fixed here, so that all runs have the same loop.
SPIN = 600_000_000


def command_of(words, programs, spec, transport, workers, record):
    words = [str(programs[words[0]]), *words[1:], "--scheduler", spec, "--json", str(record), "--progress", "none"]
    if "--cost" in words:
        words += ["--rounds-per-second", str(SPIN)]
    if transport == "ranks":
        return ["mpirun", "-q", "--oversubscribe", "-np", str(workers), *words]
    return [*words, "--workers", str(workers)]


def run(words, programs, spec, transport, workers, record):
    """Returns the record of one run, which is stored: a repeated study makes only missing runs."""
    if not record.exists():
        done = subprocess.run(command_of(words, programs, spec, transport, workers, record), capture_output=True, text=True,
                              timeout=300)
        if done.returncode or not record.exists():
            sys.exit(f"{' '.join(words)} {spec}: exit code {done.returncode}: {done.stderr}")
    return json.loads(record.read_text().splitlines()[0])


def undisturbed_s(record, workers):
    """Returns the makespan of the run's chunks by their processor times, each given to the worker that is free first."""
    free = [0.0] * workers
    for chunk in sorted(record["chunks"], key=lambda one: (one["assigned_s"], one["first"])):
        if not chunk["duplicate"]:
            free[free.index(min(free))] += chunk["cpu_s"]
    return max(free)


def cpu_s(record):
    return sum(chunk["cpu_s"] for chunk in record["chunks"])


def predicted(programs, record, specs):
    done = subprocess.run([str(programs["loadshare"]), "predict", str(record), "--scheduler", *specs, "--json", "-"],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"loadshare predict {record}: {done.stderr}")
    answer = json.loads(done.stdout)
    refuted = any(guess.startswith("the runs contradict the model") for guess in answer["guesses"])
    return answer["predictions"], refuted


def make_runs(name, transport, programs, arguments):
    """Returns technique -> (file of the record, record)."""
    folder = arguments.results / f"{name.replace(' ', '-')}-{transport}"
    folder.mkdir(parents=True, exist_ok=True)
    paths = {spec: folder / f"{spec.replace(':', '-')}.json" for spec in SPECS}
    return {spec: (path, run(PROGRAMS[name], programs, spec, transport, arguments.workers, path))
            for spec, path in paths.items()}


def pairs_of(programs, records, workers):
    """Returns one row per pair: from, to, measured, predicted with its interval, and the slowdown of the other run's processor."""
    rows = []
    for spec, (path, own) in records.items():
        predictions, refuted = predicted(programs, path, SPECS)
        for other, prediction in zip(SPECS, predictions):
            if other == spec:
                continue
            rows.append({"from": spec, "to": other, "measured_s": undisturbed_s(records[other][1], workers),
                         "wall_s": records[other][1]["makespan_s"], "predicted_s": prediction["makespan_s"], "low_s": prediction["low_s"],
                         "high_s": prediction["high_s"], "slower": cpu_s(records[other][1]) / cpu_s(own),
                         "refuted": refuted})
    return rows


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, math.floor(share * len(values)))]


def figures(rows):
    raw = [abs(row["predicted_s"] / row["measured_s"] - 1) for row in rows]
    own = [abs(row["predicted_s"] * row["slower"] / row["measured_s"] - 1) for row in rows]
    held = sum(row["low_s"] <= row["measured_s"] <= row["high_s"] for row in rows)
    held_own = sum(row["low_s"] <= row["measured_s"] / row["slower"] <= row["high_s"] for row in rows)
    return {"pairs": len(rows), "median": statistics.median(raw), "ninth": quantile(raw, 0.9), "worst": max(raw),
            "own_median": statistics.median(own), "own_ninth": quantile(own, 0.9), "own_worst": max(own), "held": held, "held_own": held_own,
            "refuted": sum(row["refuted"] for row in rows)}


def line(name, errors):
    percents = (f"{100 * errors[key]:.1f}" for key in ("median", "ninth", "worst", "own_median", "own_ninth", "own_worst"))
    return f"| {name} | {errors['pairs']} | " + " | ".join(percents) + f" | {errors['held']} | {errors['held_own']} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a folder for the records; existing ones are not made again")
    parser.add_argument("--programs", type=Path, default=Path("build/bin"), help="the folder of the programs (%(default)s)")
    parser.add_argument("--orbits", type=Path, help="the program of examples/orbits.cpp, built as in docs/tutorial/own-loop.md (default: left out)")
    parser.add_argument("--workers", type=int, default=2, help="workers of each run (%(default)s)")
    parser.add_argument("--runs-only", action="store_true", help="make the runs only, on a quiet machine, and predict them in a later call")
    parser.add_argument("--only", help="one of: " + ", ".join(PROGRAMS))
    arguments = parser.parse_args()
    programs = {name: arguments.programs / name for name in ("loadshare", "mandelbrot", "synthetic")}
    programs["orbits"] = arguments.orbits
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    chosen = [(name, transport) for name, transport in itertools.product(PROGRAMS, ("threads", "ranks"))
              if name == (arguments.only or name) and programs[PROGRAMS[name][0]]]
    records = {one: make_runs(*one, programs, arguments) for one in chosen}
    if arguments.runs_only:
        return
    print("| program | pairs | median % | 9th decile | worst | at its speed: median | 9th decile | worst | in intervals | at its speed |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    rows = []
    for name, transport in chosen:
        found = pairs_of(programs, records[name, transport], arguments.workers)
        rows += [{"program": name, "transport": transport, **row} for row in found]
        print(line(f"{name}, {transport}", figures(found)), flush=True)
    for spec in SPECS:
        print(line(f"from {spec}", figures([row for row in rows if row["from"] == spec])))
    print(line("all", figures(rows)))
    (arguments.results / "pairs.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
