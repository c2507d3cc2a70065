"""A master that listens and workers that join it, as processes on this host."""

import contextlib
import errno
import functools
import json
import math
import os
import re
import signal
import socket
import subprocess
import threading
import time

from app_cli import PROGRAM, TIMEOUT_S, AppCase
from processes import wait_until


@functools.cache
def speed():
    """Returns how many times as fast as 17 GFLOP/s a processor of this host multiplies, at least 1."""
    done = subprocess.run([PROGRAM, "--size", "1200", "--kernel", "blas", "--scheduler", "send:8", "--workers", "1", "--progress", "none",
                           "--json", "-"], capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
    chunk_s = min(chunk["cpu_s"] for chunk in json.loads(done.stdout)["chunks"])
    return max(1, 2 * 1200 * 1200 * 8 / chunk_s / 17e9)


def blas_work(repetitions):
    """Returns options that take as long as so many repetitions at 17 GFLOP/s. A library computes, which no sanitizer slows down."""
    return ("--kernel", "blas", "--work", math.ceil(repetitions * speed()))


def long_run(times=1):
    """Returns options for about 150 chunks of 20 ms, `times` over."""
    return ("--size", 1200, *blas_work(15 * times), "--scheduler", "send:8", "--master", "coordinates", "--patience", "30s")


OTHER_USER = 65534


def require_other_user(case):
    """Skips a test that runs the program as another user, OTHER_USER."""
    if os.geteuid() != 0:
        case.skipTest("to run a program as another user takes root")
    try:
        subprocess.run([PROGRAM, "--version"], user=OTHER_USER, check=True, capture_output=True)
    except PermissionError:
        case.skipTest("another user may not run the program where it is")
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        case.skipTest("there is no other user in this container")


class Process:
    """A running program, with its output so far."""

    def __init__(self, *command, **options):
        self.running = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.stderr = ""
        self.stdout = ""
        self.readers = [threading.Thread(target=self.read, args=(name,)) for name in ("stdout", "stderr")]
        for reader in self.readers:
            reader.start()

    def read(self, name):
        stream = getattr(self.running, name)
        for line in stream:
            setattr(self, name, getattr(self, name) + line)
        stream.close()

    def kill(self, number=signal.SIGKILL):
        self.running.send_signal(number)

    def end(self):
        """Returns its exit code; kills it if it does not end."""
        if self.running.poll() is None:
            self.running.kill()
        self.running.wait()
        for reader in self.readers:
            reader.join()

    def ended(self, timeout_s=TIMEOUT_S):
        code = self.running.wait(timeout_s)
        for reader in self.readers:
            reader.join()
        return code


class Relay:
    """A relay to the master, which can be cut and is available again immediately. `up` and `down`: maximum bytes per second
    to and from the master; 0: unlimited."""

    def __init__(self, master, up=0, down=0):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.up, self.down = up, down
        host, port = master.address.rsplit(":", 1)
        self.master = (host, int(port))
        self.ends = []
        self.is_accepting = True
        threading.Thread(target=self.accept, daemon=True).start()

    def stop_accepting(self):
        """From now on the kernel accepts connections, but they receive nothing."""
        self.is_accepting = False
        socket.create_connection(self.server.getsockname()).close()

    def accept(self):
        while True:
            worker, _ = self.server.accept()
            if not self.is_accepting:
                return
            try:
                self.ends = [worker, socket.create_connection(self.master)]
            except OSError:
                return worker.close()
            for one, other, rate in ((*self.ends, self.up), (*self.ends[::-1], self.down)):
                threading.Thread(target=self.carry, args=(one, other, rate), daemon=True).start()

    def carry(self, one, other, rate):
        if rate:  # keeps little data in transit
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        try:
            while some := one.recv(rate // 50 or 1 << 16):
                other.sendall(some)
                time.sleep(len(some) / rate if rate else 0)
        except OSError:
            pass
        for end in (one, other):
            with contextlib.suppress(OSError):  # otherwise the other direction's wait would keep it open
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def cut(self):
        for end in self.ends:
            with contextlib.suppress(OSError):  # the carrying thread closes both as soon as one is shut
                end.shutdown(socket.SHUT_RDWR)


class TcpCase(AppCase):
    def start(self, *words, **options):
        """`options`: of Popen."""
        return self.start_command(PROGRAM, *words, **options)

    def start_command(self, *command, **options):
        process = Process(*command, **options)
        self.addCleanup(process.end)
        return process

    def listen(self, *words, at="127.0.0.1:0", **options):
        """Starts a master and returns it once it listens."""
        master = self.start("--listen", at, "--progress", "none", "--json", self.path("runs"), *words, **options)
        self.assertTrue(wait_until(lambda: "listening at" in master.stderr, 20), master.stderr)
        master.address = re.search(r"listening at (\S+)", master.stderr)[1]
        return master

    def join(self, master, *words, **options):
        return self.start("--join", master.address, *(words or ("--workers", 1)), **options)

    def await_message(self, process, pattern, count=1):
        """Waits until so many matches are on a running process's standard error, which arrives later than what others see of it."""
        self.assertTrue(wait_until(lambda: len(re.findall(pattern, process.stderr)) >= count, 20), process.stderr)

    def await_joined(self, master, count):
        self.await_message(master, " joined with ", count)

    def good_record(self, master, timeout_s=TIMEOUT_S):
        self.assertEqual(master.ended(timeout_s), 0, master.stderr)
        return self.last_record()

    def last_record(self):
        with open(self.path("runs")) as file:
            record = json.loads(file.readlines()[-1])
        self.assertEqual(record["transport"], "tcp")
        self.check_accounts(record)
        return record

    def check_accounts(self, record):
        """Checks that every chunk is accounted for, and that every iteration counted once."""
        members = record["membership"]
        parts = ("counted", "second", "failed", "handed_back", "lost", "left")
        self.assertEqual(members["given"], sum(members[part] for part in parts), members)
        self.assertEqual(members["counted"], record["timing"]["chunks_total"])
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), record["iterations"])
        lost = [event["worker"] for event in members["events"] if event["what"] == "lost"]
        self.assertEqual(len(lost), len(set(lost)), "no worker is lost twice")

    def events(self, record, what):
        return [event for event in record["membership"]["events"] if event["what"] == what]
