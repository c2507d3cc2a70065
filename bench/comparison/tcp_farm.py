"""Masters and workers over TCP as processes of this host, and the cost of losing workers."""

import contextlib
import subprocess
import threading
import time

from comparison import processes, readings
from comparison.figures import Aim, Figure, Judged, Target

# Workers sleep, so that four of them are as fast as on four hosts, with any number of cores.
SLEEPING = ("--cost", "constant:10ms", "--how", "sleep", "--master", "coordinates")
LONG = (*SLEEPING, "--iterations", 1600, "--scheduler", "send:8")
SHORT = (*SLEEPING, "--iterations", 800, "--scheduler", "send:1")
KILLED = 10
LOST = " lost ("  # in the master's note


class TcpFarm:
    """A master, which waits for all workers, and one process per worker. All end with the block."""

    def __init__(self, program, words, workers, own=0):
        self.program, self.workers, self.notes = program, [], []
        self.words = [*words, "--workers", 1, "--expect", own + workers, "--listen", "127.0.0.1:0"]
        self.count = workers
        self.ends = contextlib.ExitStack()

    def __enter__(self):
        words = [self.program, *map(str, self.words), "--progress", "none", "--json", "-"]
        self.master = self.start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stderr, self.master.stderr = self.master.stderr, None  # otherwise communicate() reads there too, and both may wait
        threading.Thread(target=self.listen, args=(stderr,), daemon=True).start()
        address = readings.listening_address(lambda: "".join(note for _, note in self.notes))
        for _ in range(self.count):
            words = [self.program, "--join", address, "--workers", "1"]
            self.workers.append(self.start(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return self

    def __exit__(self, *_):
        self.ends.close()

    def start(self, words, **options):
        child = processes.start(words, env=processes.environment_with({}), **options)
        self.ends.callback(processes.end, child)
        return child

    def listen(self, stream):
        with stream:
            for line in stream:
                self.notes.append((time.monotonic(), line))

    def notes_of(self, what):
        """Returns the times of the master's notes that contain `what`."""
        return [at_s for at_s, note in self.notes if what in note]

    def await_notes(self, what, count, timeout_s=30):
        end_s = time.monotonic() + timeout_s
        while len(self.notes_of(what)) < count:
            if time.monotonic() > end_s or self.master.poll() is not None:
                raise processes.Failed(f"the master did not write '{what}' {count} times")
            time.sleep(1e-4)

    def kill(self, which):
        """Kills a worker. Returns the seconds until the master reports the loss."""
        known = len(self.notes_of(LOST))
        killed_s = time.monotonic()
        self.workers[which].kill()
        self.await_notes(LOST, known + 1)
        return self.notes_of(LOST)[known] - killed_s

    def record(self):
        out, _ = self.master.communicate(timeout=120)
        return readings.last_line(out, self.program)


def makespan_s(program, workers):
    with TcpFarm(program, LONG, workers) as farm:
        return farm.record()["makespan_s"]


def with_a_loss(program, half_s):
    """Returns the record of four workers, one of which is killed after `half_s`, and the time until that was noticed."""
    with TcpFarm(program, LONG, 4) as farm:
        farm.await_notes(" joined with ", 4)
        time.sleep(half_s)
        noticed_s = farm.kill(0)
        return farm.record(), noticed_s


def noticed_ms(program):
    """Kills workers one after the other. Returns the delays until each loss was noticed; the last worker ends the loop."""
    with TcpFarm(program, SHORT, KILLED + 1) as farm:
        farm.await_notes(" joined with ", KILLED + 1)
        delays_ms = []
        for which in range(KILLED):
            time.sleep(0.05)
            delays_ms.append(1e3 * farm.kill(which))
        farm.record()
        return delays_ms


def loss_figures(programs, rounds):
    program = programs.path("synthetic")
    makespans_s, three_s, over_s = [], [], []
    for _ in range(rounds):
        four_s = makespan_s(program, 4)
        three_s.append(makespan_s(program, 3))
        record, noticed_s = with_a_loss(program, four_s / 2)
        makespans_s.append(record["makespan_s"])
        over_s.append(readings.over_ideal_of_loss_s(record, four_s, three_s[-1], noticed_s))
    delays_ms = [delay_ms for _ in range(rounds) for delay_ms in noticed_ms(program)]
    lost = "one of four workers is killed at half time"
    return [
        Figure(f"{lost}: s; reference: three workers from the start", tuple(makespans_s), tuple(three_s)),
        Figure("the same: excess over the ideal and the lost chunk, s", tuple(over_s), (), Target(0.1, Aim.AT_MOST), Judged.BY_LARGEST),
        Figure("time until a killed worker is noticed, ms", tuple(delays_ms), (), Target(10, Aim.AT_MOST), Judged.BY_NINE_OF_TEN, KILLED),
    ]
