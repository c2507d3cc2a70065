"""Running `loadshare metrics` on records that a test makes."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from metrics_runs import lines

TOOL = os.environ["LOADSHARE_TOOL"]


class MetricsCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, *records, name="runs.jsonl"):
        (self.folder / name).write_text(lines(*records), encoding="utf-8")
        return name

    def metrics(self, *words):
        return subprocess.run([TOOL, "metrics", *words], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def json_of(self, *words):
        done = self.metrics(*words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, text, *words):
        done = self.metrics(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))
