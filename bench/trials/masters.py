"""Trials in which the master is killed, on every transport, and resumed from its journal."""

import contextlib
import glob
import json
import os
import re
import signal
import struct
import subprocess
import threading
import time

from trials import ways
from trials.workers import TIMEOUT_S, Trial


def recorded_iterations(path):
    """Returns the iterations of the complete records in a journal (without a power cut)."""
    content = open(path, "rb").read() if os.path.exists(path) else b""
    iterations, place = 0, 24 + int.from_bytes(content[8:16], "little")  # after the head and the loop's description
    while place + 32 <= len(content):
        _, size, results, _ = struct.unpack_from("<4Q", content, place)
        place += 32 + results
        if size == 0 or place > len(content):  # zeros fill the last block
            break
        iterations += size
    return iterations


class MasterTrial(Trial):
    """A trial that also kills the master, once or several times, and starts another one from its journal."""

    must_happen = ("kill", "resume with some done")

    def words(self):
        if not self.fixed:
            scheduler = self.dice.choice(["gss", "factoring", "send:7", "fac2", "adaptive"])
            self.transport = self.dice.choice(["threads", "tcp", "tcp", "ranks", "messages"])
            size, work = self.dice.choice([400, 600, 800]), self.dice.choice([3, 6]) * self.times
            self.fixed = ["--size", size, "--kernel", "naive", "--work", work, "--scheduler", scheduler,
                          "--prefetch", self.dice.randrange(3)]
        how = {"threads": ["--workers", 2], "ranks": [], "messages": ["--ranks-per-host", 1],
               "tcp": ["--listen", "127.0.0.1:0", "--workers", 1, "--patience", "20s"]}[self.transport]
        words = [*self.fixed, *how, "--progress", "none", "--json", self.record, "--journal", self.journal, "--resume"]
        return words + (self.secret if self.transport == "tcp" else [])

    def start_master(self):
        words = [self.program, *self.words()]
        if self.transport in ("ranks", "messages"):
            words = ["mpirun", "-q", "--oversubscribe", "-np", "3", *words]
        self.left = recorded_iterations(self.log)
        self.master = ways.start(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = [self.master.stderr.readline()] if self.transport == "tcp" else []
        self.said = said
        threading.Thread(target=lambda: said.extend(self.master.stderr), daemon=True).start()
        if self.transport == "tcp":
            self.address = re.search(r"listening at (\S+)", said[0])[1]
            for _ in range(self.dice.randint(0, 2)):
                self.add_worker()

    def master_process(self):
        """Returns the master's process id; under mpirun that of the rank, or None before it has started."""
        if self.transport not in ("ranks", "messages"):
            return self.master.pid
        for path in glob.glob(f"/proc/{self.master.pid}/task/*/children"):
            for child in open(path).read().split():
                if "OMPI_COMM_WORLD_RANK=0\0" in open(f"/proc/{child}/environ").read():
                    return int(child)
        return None

    def ranks_left(self):
        """Returns the states of its children according to the kernel."""
        at = []
        for path in glob.glob(f"/proc/{self.master.pid}/task/*/children"):
            for child in open(path).read().split():
                with contextlib.suppress(OSError):
                    at.append(re.search(r"State:\s+(.*)", open(f"/proc/{child}/status").read())[1])
        return f"ranks left: {', '.join(at) or 'none'}"

    def kill_master(self):
        with contextlib.suppress(OSError):  # it has just ended
            os.kill(self.master_process() or self.master.pid, signal.SIGKILL)
            self.kills += 1

    def await_end_of_killed(self):
        """Waits for the killed master. Sometimes mpirun never ends after its rank was killed: then it gets signals, which are
        counted with the remaining ranks, for which it may be waiting."""
        for ask in (None, signal.SIGTERM, signal.SIGKILL):
            try:
                if ask:
                    self.asked.append(f"mpirun ended by {ask.name} ({self.ranks_left()})")
                    self.master.send_signal(ask)
                code = self.master.wait(TIMEOUT_S / 3)
                if self.transport in ("ranks", "messages") and not ask:
                    self.asked.append(f"mpirun that returned {code}")
                return
            except subprocess.TimeoutExpired:
                pass

    def time_of_the_kill(self):
        """Returns when to kill the master, mostly some time after the journal has grown."""
        if self.dice.random() < 0.2:
            return time.monotonic() + self.dice.uniform(0, 1)
        before = self.kept
        while self.master.poll() is None and self.kept <= before:
            time.sleep(0.005)
            self.kept = self.kept_bytes()
        return time.monotonic() + self.dice.uniform(0, 0.3)

    def kept_bytes(self):
        size = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        return size if size > 1000 else 0  # otherwise it is only the head

    def run(self):
        self.kept = self.kills = 0
        self.asked = []
        self.fixed = None
        self.journal = self.record + ".journal"
        self.log = os.path.join(self.journal, "loop-0.log")
        kills_planned = self.dice.randint(1, 3)
        for attempt in range(kills_planned + 1):
            self.start_master()
            end_s = time.monotonic() + TIMEOUT_S
            try:
                if attempt < kills_planned:
                    end_s = self.time_of_the_kill()
                while self.master.poll() is None and time.monotonic() < end_s:
                    time.sleep(0.02)
                    before, self.kept = self.kept, self.kept_bytes()
                    if attempt == kills_planned and self.kept > before:  # it does not hang while the journal grows
                        end_s = time.monotonic() + TIMEOUT_S
                    if self.workers and self.dice.random() < 0.03:
                        self.dice.choice(self.workers).signal(signal.SIGKILL)
                is_over = self.master.poll() is not None
                if not is_over and attempt == kills_planned:
                    return "it hung"
                if not is_over:
                    self.kill_master()
                    self.await_end_of_killed()
            finally:
                for worker in self.workers:
                    worker.end()
                self.workers = []
                self.master.kill()
                self.master.wait()
            if is_over:
                return self.judge()
        return "it did not end"

    def judge(self):
        if self.master.returncode != 0:
            return f"exit code {self.master.returncode}: {''.join(self.said)}"
        with open(self.record) as file:
            record = json.loads(file.readlines()[-1])
        journal = record["journal"]
        if record["verified"] is not True:
            return "the product is wrong"
        computed = sum(rank["iterations"] for rank in record["ranks"])
        if computed != journal["kept"] or computed + journal["recovered"] != record["iterations"]:
            return f"the account does not add up: {computed} computed, {journal}"
        if journal["recovered"] != self.left:
            return f"{self.left} iterations were in the journal, {journal['recovered']} recovered"
        self.events = [f"over {self.transport}"] + ["kill"] * self.kills + ["resume with some done"] * (journal["recovered"] > 0)
        self.events += self.asked
        return None
