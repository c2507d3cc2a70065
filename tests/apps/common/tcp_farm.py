"""A master that listens and workers that join it, as processes on this host."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import threading
import time

from app_cli import PROGRAM, TIMEOUT_S, AppCase
from processes import wait_until


def long_run(times=1):
    """Some 150 chunks of about 20 ms, `times` over. The computing is a library's, which no sanitizer slows down."""
    return ("--size", 1200, "--kernel", "blas", "--work", 15 * times, "--scheduler", "send:8", "--master", "coordinates",
            "--patience", "30s")


class Process:
    """A program that runs, with what it has said so far."""

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
        """Whatever became of it."""
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
    """The way to the master, which can be cut, and is there again at once; it may be slow."""

    def __init__(self, master, bytes_per_s=float("inf")):
        self.bytes_per_s = bytes_per_s
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        host, port = master.address.rsplit(":", 1)
        self.master = (host, int(port))
        self.ends = []
        self.is_accepting = True
        threading.Thread(target=self.accept, daemon=True).start()

    def stop_accepting(self):
        """Who comes from now on is connected by the kernel, and hears nothing more."""
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
            for one, other in (self.ends, self.ends[::-1]):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while some := one.recv(1 << 16):
                time.sleep(len(some) / self.bytes_per_s)
                other.sendall(some)
        except OSError:
            pass
        for end in (one, other):
            end.close()

    def cut(self):
        for end in self.ends:
            with contextlib.suppress(OSError):  # who carries closes both as soon as one is shut
                end.shutdown(socket.SHUT_RDWR)


class TcpCase(AppCase):
    def start(self, *words, **options):
        """`options`: of Popen."""
        return self.start_command(PROGRAM, *words, **options)

    def start_command(self, *command, **options):
        process = Process(*command, **options)
        self.addCleanup(process.end)
        return process

    def listen(self, *words, at="127.0.0.1:0"):
        """A master, once it says where it listens."""
        master = self.start("--listen", at, "--progress", "none", "--json", self.path("runs"), *words)
        self.assertTrue(wait_until(lambda: "listening at" in master.stderr, 20), master.stderr)
        master.address = re.search(r"listening at (\S+)", master.stderr)[1]
        return master

    def join(self, master, *words):
        return self.start("--join", master.address, *(words or ("--workers", 1)))

    def await_joined(self, master, count):
        joined = lambda: master.stderr.count(" joined with ") >= count
        self.assertTrue(wait_until(joined, 20), master.stderr)

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
        """Every chunk that was given is somewhere, and every iteration in one chunk that counted."""
        members = record["membership"]
        parts = ("counted", "second", "failed", "handed_back", "lost", "left")
        self.assertEqual(members["given"], sum(members[part] for part in parts), members)
        self.assertEqual(members["counted"], record["timing"]["chunks_total"])
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), record["iterations"])
        lost = [event["worker"] for event in members["events"] if event["what"] == "lost"]
        self.assertEqual(len(lost), len(set(lost)), "nobody is lost twice")

    def events(self, record, what):
        return [event for event in record["membership"]["events"] if event["what"] == what]
