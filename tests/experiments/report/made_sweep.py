"""Makes the folder of a sweep that never ran, for tests: sweep.json and runs.jsonl, the same for the same seed."""

import itertools
import json
import random
from pathlib import Path


def axis(name, *values):
    return {"name": name, "values": list(values)}


class MadeSweep:
    """Experiments are added with a function that gives the median time of a point; noise is laid over it."""

    def __init__(self, title="A made sweep", source="made.yaml", seed=1, reduced=False):
        self.manifest = {"schema": 1, "title": title, "source": source, "reduced": reduced, "seed": seed,
                         "experiments": [], "versions": {"loadshare": "0.1.0", "mpirun": "4.1.4"}, "host": "made"}
        self.runs = []
        self.random = random.Random(seed)

    def experiment(self, name, axes, median_s, *, compare=None, baseline=None, repeat=10, deviation=0.01, load=None,
                   runs=None):
        """`median_s(parameters)` in seconds; `runs` of the `repeat` that were asked for are there."""
        points = []
        for values in itertools.product(*(axis["values"] for axis in axes)):
            parameters = {axis["name"]: value for axis, value in zip(axes, values)}
            point = "/".join([name, *(f"{key}={value}" for key, value in parameters.items())])
            points.append({"id": point, "parameters": parameters})
            for repetition in range(repeat if runs is None else runs):
                makespan_s = median_s(parameters) * self.random.lognormvariate(0, deviation)
                self.run(name, point, parameters, repetition, makespan_s, load)
        self.manifest["experiments"].append(
            {"name": name, "title": f"{name}, made", "program": "matmul",
             "launch": {"with": "lab", "lab": "paper-now.yaml", "ranks": 9}, "options": {"size": 720}, "load": load,
             "axes": list(axes), "compare": compare, "baseline": baseline, "repeat": {"times": repeat},
             "points": points})
        return self

    def run(self, experiment, point, parameters, repetition, makespan_s, load=None, **changes):
        """Appends a line of runs.jsonl, with `changes` laid over it."""
        order = len(self.runs)
        line = {"schema": 1, "experiment": experiment, "point": point, "parameters": parameters,
                "repetition": repetition, "order": order, "load_seed": 7 if load else None, "load": load,
                "command": ["mpirun", "matmul"],
                "started_at": f"2026-11-20T{order // 3600 % 24:02}:{order // 60 % 60:02}:{order % 60:02}Z",
                "wall_s": makespan_s + 0.8, "overhead_s": 0.01, "exit_code": 0, "status": "ok", "error": None,
                "record": record(makespan_s, load)}
        self.runs.append(line | changes)
        return self

    def fail(self, index, status="failed", exit_code=1, error="matmul: out of luck"):
        self.runs[index] |= {"status": status, "exit_code": exit_code, "error": error, "record": None}
        return self

    def write(self, folder):
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sweep.json").write_text(json.dumps(self.manifest), encoding="utf-8")
        shuffled = random.Random(2).sample(self.runs, len(self.runs))
        lines = "".join(json.dumps(line) + "\n" for line in shuffled)
        (folder / "runs.jsonl").write_text(lines, encoding="utf-8")
        return folder


def record(makespan_s, load=None):
    """A program's record of a run on two hosts, as far as the report reads it."""
    ranks = [{"rank": 0, "role": "master", "worker": None, "host": "slow1", "computing_s": 0.0},
             {"rank": 1, "role": "worker", "worker": 0, "host": "slow1", "computing_s": 0.8 * makespan_s},
             {"rank": 2, "role": "worker", "worker": 1, "host": "fast1", "computing_s": 0.9 * makespan_s}]
    loads = [{"rank": 1, "host": "slow1", "phase_s": 0.1, "share_asked": 0.5, "share_taken": 0.49, "on_s": 1.0,
              "worker_share": 0.5}]
    return {"schema": 1, "app": "matmul", "makespan_s": makespan_s, "verified": True, "hosts": ["slow1", "fast1"],
            "versions": {"loadshare": "0.1.0", "compiler": "12.2.0"}, "accounting": {"closes": True, "worst_gap": 0.0},
            "ranks": ranks, "load": {"spec": load, "ranks": loads} if load else None, "chunks": [{"first": 0}]}
