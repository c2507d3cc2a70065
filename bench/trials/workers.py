"""Trials of a verified product whose workers join over TCP and are killed, stopped, cut off and added."""

import json
import os
import random
import re
import signal
import subprocess
import threading
import time

from trials import ways

TIMEOUT_S = 60
DISTURBED_S = 30  # no disturbances afterwards, because a slow link that is reset each second never delivers the input
CRASH_LIMIT = 3  # processes lost with an iteration before it is declared the cause
LEAVING_S = 20  # a worker that receives the end has left by then
PARTS = ("counted", "second", "failed", "handed_back", "lost", "left")


class Worker:
    def __init__(self, program, way, count, words, path):
        """Starts a process of `count` workers; its stderr goes to `path`."""
        self.way, self.count, self.path = way, count, path
        with open(path, "w") as said:
            self.process = ways.start(way.command([program, "--join", way.address, "--workers", count, *words]),
                                      stdout=subprocess.DEVNULL, stderr=said)
        self.begun_s = time.monotonic()
        self.is_stopped = self.is_touched = self.is_killed = False
        self.died_at_work = False  # killed while it took part, so that its chunk may be suspected
        self.losses = 0  # disturbances that may cause a loss

    def is_running(self):
        return self.process.poll() is None

    def is_useful(self):
        return self.is_running() and not self.is_stopped and not self.way.is_cut

    def may_be_lost(self):
        self.losses += 1
        self.is_touched = True

    def has_joined(self):
        with open(self.path) as said:
            return "joined the master" in said.read()

    def signal(self, number):
        if self.is_running():
            self.is_touched = True
            self.is_killed |= number == signal.SIGKILL
            self.died_at_work |= number == signal.SIGKILL and self.is_useful() and self.has_joined()
            self.process.send_signal(number)
            self.is_stopped = number == signal.SIGSTOP

    def end(self):
        self.process.kill()
        self.process.wait()
        self.way.close()


class Trial:
    must_happen = ()  # events that some of many trials must have
    OPERATIONS = (2e9, 8e9)  # of the product with plain loops: a second or two

    def __init__(self, program, seed, folder, times=1):
        """`times` multiplies the work."""
        self.program, self.dice, self.folder, self.times = program, random.Random(seed), folder, times
        self.record = os.path.join(folder, f"{seed}.json")
        self.workers, self.said, self.events = [], [], []
        self.secret = ["--secret-file", self.make_secret()] if self.dice.random() < 0.3 else []

    def make_secret(self):
        path = os.path.join(self.folder, "secret")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(self.dice.randbytes(32))
        return path

    def words(self):
        scheduler = self.dice.choice(["gss", "factoring", "send:7", "fac2", "adaptive"])
        size = self.dice.choice([400, 600, 800])
        work = round(self.dice.uniform(*self.OPERATIONS) * self.times / (2 * size**3))
        words = ["--size", size, "--kernel", "naive", "--work", work, "--scheduler", scheduler,
                 "--prefetch", self.dice.randrange(3), "--patience", "20s", "--progress", "none", "--json", self.record,
                 *self.secret, "--listen", "127.0.0.1:0", "--workers", 1]
        return words + (["--master", "coordinates"] if self.dice.random() < 0.8 else [])

    def start_master(self):
        self.master = ways.start([self.program, *self.words()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said.append(self.master.stderr.readline())
        threading.Thread(target=lambda: self.said.extend(self.master.stderr), daemon=True).start()
        return re.search(r"listening at (\S+)", self.said[0])[1]

    def way(self):
        if self.dice.random() < 0.6:
            return ways.Way(self.address)
        return ways.Relay(self.address, self.dice.choice([None, None, 2e6, 1e7]))

    def add_worker(self):
        path = os.path.join(self.folder, f"worker{len(self.workers)}")
        self.workers.append(Worker(self.program, self.way(), self.dice.randint(1, 2), self.secret, path))

    def some(self, condition):
        """Returns one of the running workers that satisfy the condition, or None."""
        found = [worker for worker in self.workers if worker.is_running() and condition(worker)]
        return self.dice.choice(found) if found else None

    def disturb(self):
        """Makes one disturbance. At least one worker stays or is added."""
        useful = [worker for worker in self.workers if worker.is_useful()]
        act = self.dice.choice(["add", "kill", "kill", "stop", "continue", "cut", "mend", "tear"])
        if act == "add" and len(self.workers) < 6 or not useful:
            self.add_worker()
        elif act in ("kill", "stop", "cut") and len(useful) > 1:
            self.strike(act, self.dice.choice(useful))
        elif act == "continue" and (worker := self.some(lambda worker: worker.is_stopped)):
            worker.signal(signal.SIGCONT)
        elif act == "mend" and (worker := self.some(lambda worker: worker.way.is_cut)):
            worker.way.mend()
        elif act == "tear" and (worker := self.some(lambda worker: worker.way.can_be_torn)):
            worker.may_be_lost()
            worker.way.tear()  # the worker joins again by itself

    def strike(self, act, worker):
        if act == "kill":
            worker.may_be_lost()
            worker.signal(signal.SIGKILL)
        elif act == "stop":
            worker.signal(signal.SIGSTOP)
        elif act == "cut" and worker.way.can_be_cut:
            self.cut(worker)

    def cut(self, worker):
        worker.may_be_lost()
        worker.way.cut()

    def run(self):
        """Runs the trial. Returns what went wrong, or None."""
        self.address = self.start_master()
        for _ in range(self.dice.randint(1, 4)):
            self.add_worker()
        begun_s = time.monotonic()
        disturbed_until_s, end_s = (begun_s + most_s * max(1, self.times) for most_s in (DISTURBED_S, TIMEOUT_S))
        try:
            while self.master.poll() is None:
                if time.monotonic() > end_s:
                    return "it hung"
                time.sleep(self.dice.uniform(0.02, 0.3))
                if time.monotonic() < disturbed_until_s or not any(worker.is_useful() for worker in self.workers):
                    self.disturb()
            return self.judge_workers() or self.judge()
        finally:
            for worker in self.workers:
                worker.end()
            self.master.kill()
            self.master.wait()

    def judge_workers(self):
        """Checks that reachable workers end with the master and that none crashes."""
        for worker in self.workers:
            if worker.is_stopped or worker.way.is_cut or time.monotonic() < worker.begun_s + 1:  # it may be connecting
                continue
            try:
                worker.process.wait(LEAVING_S)
            except subprocess.TimeoutExpired:
                return "a worker did not end"
            if not worker.is_touched and worker.has_joined() and worker.process.returncode != self.master.returncode:
                return f"an undisturbed worker ended with exit code {worker.process.returncode}"
        crashes = [worker.process.poll() for worker in self.workers if has_crashed(worker.process.poll(), worker.is_killed)]
        return f"a worker crashed: {crashes}" if crashes else None

    def judge(self):
        said = "".join(self.said)
        if self.master.returncode == 3 and "workers were lost with" in said:
            self.events = ["run ended: an iteration was declared the cause of crashes"]  # by chance, in at most three of a thousand loops
            return judge_culprit(said, sum(worker.died_at_work for worker in self.workers))
        if self.master.returncode != 0:
            return f"exit code {self.master.returncode}: {said}"
        with open(self.record) as file:
            record = json.loads(file.read())
        members = record["membership"]
        if record["verified"] is not True:
            return "the product is wrong"
        if members["given"] != sum(members[part] for part in PARTS) or members["counted"] != record["timing"]["chunks_total"]:
            return f"the account does not add up: {members}"
        if sum(rank["iterations"] for rank in record["ranks"]) != record["iterations"]:
            return "iterations are missing in the account"
        self.events = [event["what"] for event in members["events"]]
        return judge_events(members) or judge_losses(members, sum(worker.losses * worker.count for worker in self.workers))


def has_crashed(returncode, is_killed):
    """Whether a signal ended a process that was not killed on purpose."""
    return returncode is not None and returncode < 0 and not (is_killed and returncode == -signal.SIGKILL)


def judge_culprit(said, died_at_work):
    """Checks that an iteration is declared the cause only of processes that died while they may have computed it."""
    return f"only {died_at_work} processes died at work: {said}" if died_at_work < CRASH_LIMIT else None


def judge_losses(members, most):
    """Checks that no more workers are lost than the disturbances can explain."""
    lost = sum(event["what"] == "lost" for event in members["events"])
    return f"{lost} workers were lost, but disturbances explain only {most}" if lost > most else None


def judge_events(members):
    """Checks that the events of each worker are consistent, and that the lost chunks add up."""
    events = members["events"]
    lost = sum(event["chunks"] for event in events if event["what"] == "lost")
    if lost != members["lost"]:
        return f"{members['lost']} chunks were lost, but {lost} according to the events"
    lives = {}
    for event in events:
        lives.setdefault(event["worker"], []).append(event["what"])
    for worker, life in lives.items():
        sequence = "".join(what + " " for what in life if what != "set aside")
        if not re.fullmatch("(joined (silent heard )*(silent )?(lost |left ))*(joined (silent heard )*(silent )?)?", sequence):
            return f"worker {worker} has inconsistent events: {life}"
    if [event["at_s"] for event in events] != sorted(event["at_s"] for event in events):
        return "events are not in the order of their times"
    return None


class NetworkTrial(Trial):
    """A trial with each worker on its own host, whose cable is unplugged: briefly; for longer than the kernel retries, after
    which the worker joins again; or for ever. In some trials the whole network is down for that long."""

    OPERATIONS = (4e9, 16e9)
    PATIENCE_S = 15  # the kernel's time of retries

    def __init__(self, *words):
        super().__init__(*words)
        self.secret = self.secret or ["--without-secret"]
        self.mends_at_s, self.dark_until_s = {}, 0
        self.blackout_at_s = time.monotonic() + self.dice.uniform(0.5, 3) if self.dice.random() < 0.5 else None

    def words(self):
        words = super().words()
        for option, value in (("--listen", f"{ways.Host.NETWORK}.1:0"), ("--patience", "60s")):
            words[words.index(option) + 1] = value
        return words

    def way(self):
        return ways.Host(self.address)

    def cut(self, worker):
        super().cut(worker)
        lasts_s = self.dice.choice([self.dice.uniform(0.3, 4), self.PATIENCE_S + self.dice.uniform(1, 4), TIMEOUT_S])
        self.mends_at_s[worker] = time.monotonic() + lasts_s

    def disturb(self):
        now_s = time.monotonic()
        for worker in [worker for worker, at_s in self.mends_at_s.items() if at_s < now_s]:
            self.mends_at_s.pop(worker)
            worker.way.mend()
        if self.blackout_at_s and self.blackout_at_s < now_s:
            self.black_out(now_s + self.PATIENCE_S + self.dice.uniform(1, 4))
        elif self.dark_until_s < now_s:
            super().disturb()

    def black_out(self, until_s):
        """Cuts all workers off; none is added until all are connected again."""
        self.blackout_at_s, self.dark_until_s = None, until_s
        for worker in self.workers:
            if worker.is_running():
                worker.may_be_lost()
                worker.way.cut()
                self.mends_at_s[worker] = until_s
