"""Run records as programs write them, with times that a test chooses."""

import copy
import json


def rank(number, computing_s, idle_s, *, communicating_s=0.0, stolen_s=0.0, **fields):
    row = {"rank": number, "role": "worker", "worker": number, "host": f"node{number}", "cpus": [number], "capacity": 1.0,
           "chunks": 1, "iterations": 10, "computing_s": computing_s, "stolen_s": stolen_s,
           "communicating_s": communicating_s, "idle_s": idle_s, "unaccounted_s": 0.0, "waiting_cpu_s": 0.0,
           "coordinating_cpu_s": 0.0, "clock_offset_s": 0.0}
    return {**row, **fields}


def record(makespan_s, ranks, *, options=None, **fields):
    workers = sum(row.get("role") != "master" for row in ranks)
    line = {"schema": 1, "app": "synthetic", "scheduler": "gss", "workers": workers, "iterations": 400,
            "iteration_name": "iterations", "makespan_s": makespan_s, "shared_input_s": 0.0, "verified": True, "seed": 1,
            "operations": None, "gflops": None, "transport": "mpi", "hosts": ["node0"],
            "versions": {"loadshare": "0.1.0"}, "binding": "none",
            "options": {"workers": workers, "master": "works", **(options or {})},
            "accounting": {"closes": True, "worst_gap": 0.0},
            "timing": {"thinned": False, "chunks_total": 1, "chunks_timed": 1}, "notes": [], "load": None,
            "ranks": ranks, "chunks": [{"first": 0, "size": 400, "worker": 0}]}
    return {**copy.deepcopy(line), **fields}


def quiet(ranks, efficiency, sequential_s=8.0, **fields):
    """A run of equal ranks that are idle for what they do not compute."""
    makespan_s = sequential_s / ranks / efficiency
    rows = [rank(number, efficiency * makespan_s, (1 - efficiency) * makespan_s, iterations=400 // ranks)
            for number in range(ranks)]
    return record(makespan_s, rows, **fields)


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)
