"""What the tests of `loadshare predict` and `loadshare compare` have in common: records whose times are made."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from metrics_runs import lines, rank, record

TOOL = os.environ["LOADSHARE_TOOL"]
COLUMN_S = 0.01
SPEEDS = (1.0, 0.45)  # so that no two chunks end at the same time
FREE = "latency=0s,bandwidth=1000GB/s"  # messages that cost nothing


def chunks(size, speeds=SPEEDS, iterations=400):
    """Chunks of one size, handed to who is free first: what a run without any cost beside computing would do."""
    ends, made, first = [0.0] * len(speeds), [], 0
    while first < iterations:
        worker = min(range(len(speeds)), key=lambda one: ends[one])
        size = min(size, iterations - first)
        begun_s, ended_s = ends[worker], ends[worker] + size * COLUMN_S / speeds[worker]
        made.append({"first": first, "size": size, "worker": worker, "assigned_s": begun_s, "received_s": begun_s,
                     "begun_s": begun_s, "ended_s": ended_s, "returned_s": ended_s, "cpu_s": ended_s - begun_s,
                     "duplicate": False})
        ends[worker], first = ended_s, first + size
    return made, max(ends)


def run(size, **fields):
    made, makespan_s = chunks(size)
    rows = [rank(number, makespan_s, 0.0) for number in range(len(SPEEDS))]
    rows[0]["role"] = "working master"
    loop = {"input_bytes": 0, "result_bytes": 0, "shared_bytes": 0, "shared_piece_bytes": 0, "work": None}
    return record(makespan_s, rows, **{"scheduler": f"send:size={size}", "chunks": made, "loop": loop, **fields})


def calibration(hosts, bytes_per_s):
    """Messages from the first of the hosts to each other, at one rate each."""
    def series(receiver, rate, posted, size):
        times = [round(1e9 * (1e-4 + size / rate) * factor) for factor in (0.99, 1, 1.01)]
        told = {"launch": 0, "sender": 0, "receiver": receiver, "mode": "standard", "posted": posted, "bytes": size,
                "sender_ns": times, "receiver_ns": times}
        return told if posted == "before" else told | {"has_waited": [0, 0, 0]}
    launch = {"begun": "2026-01-31T12:00:00Z", "seconds": 12, "seed": 7, "clock_s": 0, "transport": {}, "versions": {},
              "ranks": [{"host": host, "cpus": [0]} for host in hosts]}
    messages = [series(receiver + 1, rate, posted, size) for receiver, rate in enumerate(bytes_per_s)
                for posted in ("before", "after") for size in (0, 10**3, 10**4, 10**5, 10**6, 10**7)]
    trips = [{"launch": 0, "sender": 0, "receiver": receiver, "ns": [200000]} for receiver in range(1, len(hosts))]
    return json.dumps({"kind": "loadshare calibration", "schema": 1, "launches": [launch], "messages": messages,
                       "round_trips": trips, "chunks": []})


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def tool(self, *words):
        return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def keep(self, name, *records):
        (self.folder / name).write_text(lines(*records))
        return name

    def json_of(self, *words):
        done = self.tool(*words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, words, *parts):
        done = self.tool(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
