"""A small sweep of a small program, for the tests of `loadshare sweep` from outside."""


import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

TOOL = os.environ["LOADSHARE_TOOL"]

# A program that takes a short time; with --fail yes it fails.
PROGRAM = """\
#!/bin/sh
echo $$ >> {folder}/pids
while [ $# -gt 0 ]; do
  case $1 in
    --json) json=$2 ;;
    --nap) nap=$2 ;;
    --fail) fail=$2 ;;
  esac
  shift
done
sleep ${{nap:-0.02}}
[ "$fail" != yes ] || [ -e {folder}/repaired ] || {{ echo "no luck today" >&2; exit 4; }}
[ "$fail" != record ] || exit 0
echo '{{"makespan_s": 0.5}}' >> "$json"
"""

SWEEP = """\
schema: 1
title: A test
program: ./program
repeat: {repeat}
experiments:
  - name: e
    {more}
    matrix:
      letter: [a, b, c]
      number: [1, 2]
"""


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition, timeout_s=20):
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline_s:
            raise AssertionError("the condition was not met in time")
        time.sleep(0.01)


class SweepCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")
        self.runs_file = os.path.join(self.out, "runs.jsonl")
        program = os.path.join(self.folder, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(folder=self.folder))
        os.chmod(program, 0o755)
        self.write()

    def write(self, repeat=3, more="title: All of it", name="sweep.yaml"):
        self.file = os.path.join(self.folder, name)
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(SWEEP.format(repeat=repeat, more=more))

    def words(self, *more):
        return [TOOL, "sweep", self.file, "--out", self.out, *more]

    def sweep(self, *more, **options):
        quiet = () if "--progress" in more else ("--progress", "none")  # a slow machine shows progress on stderr
        return subprocess.run(self.words(*more, *quiet), capture_output=True, text=True, timeout=60, **options)

    def start(self, *more, **options):
        child = subprocess.Popen(self.words(*more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(child.kill)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        return child

    def runs(self):
        with open(self.runs_file, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def count(self):
        try:
            with open(self.runs_file, "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def done(self):
        return sorted((run["point"], run["repetition"]) for run in self.runs() if run["status"] == "ok")

    def expected(self, repeat=3):
        return sorted((f"e/letter={letter}/number={number}", repetition)
                      for letter in "abc" for number in (1, 2) for repetition in range(repeat))

    def programs(self):
        """Returns the process ids of the program so far."""
        try:
            with open(os.path.join(self.folder, "pids"), encoding="utf-8") as file:
                return [int(pid) for pid in file.read().split("\n")[:-1]]
        except FileNotFoundError:
            return []
