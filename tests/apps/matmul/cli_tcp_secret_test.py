"""Access to a master over TCP: secrets, and hostile peers."""

import contextlib
import os
import re
import select
import socket
import ssl
import threading
import time
import unittest

from processes import wait_until
from tcp_farm import OTHER_USER, TcpCase, long_run, require_other_user


def connected(master):
    host, port = master.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=10)


def is_put_out(peer, within_s):
    """Whether the other side ends the connection without data other than a TLS alert."""
    end_s = time.monotonic() + within_s
    received = b""
    while time.monotonic() < end_s:
        if not select.select([peer], [], [], 0.1)[0]:
            continue
        try:
            some = peer.recv(4096)
        except ConnectionError:
            return True
        received += some
        if not some:
            return b"LS" not in received
    return False


def client_hello():
    """Returns the first message of a TLS 1.3 client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    said = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), said, server_hostname="master").do_handshake()
    return said.read()


class Recorder:
    """A relay between a worker and the master that records the worker's messages."""

    def __init__(self, master):
        self.said = b""
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.thread = threading.Thread(target=self.carry, args=(master,), daemon=True)
        self.thread.start()

    def carry(self, master):
        with self.server:
            worker, _ = self.server.accept()
        ends = {worker: connected(master)}
        ends[ends[worker]] = worker
        while True:
            for end in select.select(list(ends), [], [])[0]:
                try:
                    some = end.recv(1 << 16)
                except ConnectionError:
                    some = b""
                if not some:
                    for one in ends:
                        one.close()
                    return
                if end is worker:
                    self.said += some
                ends[end].sendall(some)


class Secrets(TcpCase):
    def secret(self, name="secret", content=b"0123456789abcdef\0\xff", mode=0o600):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def test_a_worker_with_the_secret_takes_part(self):
        secret = self.secret()
        master = self.listen("--size", 400, "--secret-file", secret, "--expect", 3, "--master", "coordinates")
        workers = [self.join(master, "--workers", count, "--secret-file", secret) for count in (1, 2)]
        record = self.good_record(master)
        self.assertEqual((record["verified"], record["workers"]), (True, 3))
        self.assertEqual([worker.ended() for worker in workers], [0, 0])

    def test_a_worker_without_the_secret_is_refused(self):
        secret, other = self.secret(), self.secret("other", b"0123456789abcdeX")
        master = self.listen(*long_run(), "--secret-file", secret)
        for words, why in ((("--secret-file", other), "the secrets differ"), (("--patience", "1s"), "it closed the connection")):
            with self.subTest(words=words):
                done = self.run_program("--join", master.address, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"refuses this process ({why}); give both sides", done.stderr)
        self.assertNotIn("joined", master.stderr)
        for why in ("the secrets differ", "it has no secret, or is not a loadshare program"):
            self.assertTrue(wait_until(lambda: re.search(rf"matmul: 127\.0\.0\.1:\d+ was refused: {why}\n", master.stderr), 10),
                            master.stderr)
        right = self.join(master, "--secret-file", secret)
        self.assertEqual(self.good_record(master)["verified"], True)
        self.assertEqual(right.ended(), 0)

    def test_a_master_without_a_secret_is_refused_by_a_worker_with_one(self):
        master = self.listen("--size", 100, "--master", "coordinates")
        done = self.run_program("--join", master.address, "--secret-file", self.secret(), "--patience", "1s")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("(it closed the connection); give both sides the same --secret-file, or none", done.stderr)

    def test_files_that_are_no_secret(self):
        few, open_to_all = self.secret("few", b"short"), self.secret("open", mode=0o640)
        zeros, letters = self.secret("zeros", bytes(32)), self.secret("letters", b"a" * 20 + b"\r\n")
        how = "make one: (umask 077; head -c 32 /dev/urandom > "
        for path, why in ((few, f"it has 5 bytes, and at least 16 are needed); {how}{few})"),
                          (zeros, f"all of its bytes are equal, so it can be guessed); {how}{zeros})"),
                          (letters, f"all of its bytes are equal, so it can be guessed); {how}{letters})"),
                          (open_to_all, f"users other than its owner may read or write it); run chmod 600 {open_to_all}"),
                          (self.path("none"), "no such file or directory)")):
            with self.subTest(path=path):
                self.assert_refused(("--listen", "127.0.0.1:0", "--secret-file", path), f"cannot use the secret in {path} ({why}")

    def test_files_of_others_are_no_secret(self):
        require_other_user(self)
        theirs = self.secret()
        os.chown(theirs, OTHER_USER, OTHER_USER)
        why = (f"it belongs to user {OTHER_USER}, and this process to user 0); make one of your own, or, if you trust that user: "
               f"--secret-file - < {theirs}")
        for words in (("--listen", "127.0.0.1:0"), ("--join", "127.0.0.1:1"), ("--status", 0, "--workers", 1)):
            with self.subTest(words=words):
                self.assert_refused((*words, "--secret-file", theirs), f"cannot use the secret in {theirs} ({why}")
        with open(theirs) as trusted:
            done = self.start("--size", 50, "--listen", "127.0.0.1:0", "--workers", 1, "--secret-file", "-", stdin=trusted)
            self.assertEqual(done.ended(), 0, done.stderr)

    def test_equal_bytes_on_stdin_are_no_secret(self):
        with open(self.secret("zeros", bytes(32))) as zeros:
            done = self.start("--size", 50, "--listen", "127.0.0.1:0", "--workers", 1, "--secret-file", "-", stdin=zeros)
            self.assertEqual(done.ended(), 2, done.stderr)
        self.assertIn("cannot use the secret on stdin (all of its bytes are equal", done.stderr)

    def test_other_hosts_need_one_or_have_to_be_asked_in_by_name(self):
        self.assert_refused(("--listen", "0.0.0.0:0"), "0.0.0.0:0 can be reached from other hosts, and there is no secret (anyone in "
                            "the network could take part, and read what is computed); give --secret-file FILE on all sides, "
                            "or --without-secret")
        master = self.start("--size", 50, "--listen", "0.0.0.0:0", "--without-secret", "--workers", 1)
        self.assertEqual(master.ended(), 0, master.stderr)


class Neighbours(TcpCase):
    """Processes of another user of this host, without a secret."""

    def setUp(self):
        super().setUp()
        require_other_user(self)

    def test_processes_of_another_user_do_not_join(self):
        master = self.listen(*long_run())
        done = self.join(master, user=OTHER_USER)
        self.assertEqual(done.ended(), 2, done.stderr)
        self.assertIn(f"error: the master belongs to user 0, and this process to user {OTHER_USER} (without a secret, only processes of "
                      "one user work together over loopback); give both sides the same --secret-file, or --without-secret", done.stderr)
        self.await_message(master, rf"matmul: 127\.0\.0\.1:\d+ was refused: a process of user {OTHER_USER} cannot join a master of user 0 ")
        insists = self.join(master, "--workers", 1, "--without-secret", user=OTHER_USER)
        self.assertEqual(insists.ended(), 2, insists.stderr)
        self.assertIn(f"error: a process of user {OTHER_USER} cannot join a master of user 0 (", insists.stderr)
        self.assertNotIn("joined", master.stderr)
        own = self.join(master)
        self.assertEqual((self.good_record(master)["verified"], own.ended()), (True, 0))

    def test_workers_do_not_join_another_users_master(self):
        folder = self.path("theirs")
        os.mkdir(folder)
        os.chown(folder, OTHER_USER, OTHER_USER)
        os.chmod(os.path.dirname(folder), 0o755)
        master = self.start("--listen", "127.0.0.1:0", "--progress", "none", *long_run(), user=OTHER_USER, cwd=folder)
        self.assertTrue(wait_until(lambda: "listening at" in master.stderr, 20), master.stderr)
        address = re.search(r"listening at (\S+)", master.stderr)[1]
        for words, text in (((), f"the master belongs to user {OTHER_USER}, and this process to user 0"),
                            (("--without-secret",), f"a process of user 0 cannot join a master of user {OTHER_USER}")):
            done = self.start("--join", address, "--workers", 1, *words)
            self.assertEqual(done.ended(), 2, done.stderr)
            self.assertIn(f"error: {text} (without a secret, ", done.stderr)

    def test_processes_of_another_user_take_part_if_any_user_may(self):
        master = self.listen(*long_run(), "--expect", 1, "--without-secret")
        worker = self.join(master, "--workers", 1, "--without-secret", user=OTHER_USER)
        self.assertEqual((self.good_record(master)["verified"], worker.ended()), (True, 0))

    def test_processes_of_another_user_take_part_with_the_secret(self):
        path = self.path("secret")
        with open(path, "wb") as file:
            file.write(os.urandom(32))
        os.chmod(path, 0o600)
        master = self.listen(*long_run(), "--expect", 1, "--secret-file", path)
        with open(path, "rb") as secret:
            worker = self.join(master, "--workers", 1, "--secret-file", "-", user=OTHER_USER, stdin=secret)
        self.assertEqual((self.good_record(master)["verified"], worker.ended()), (True, 0))


class Strangers(TcpCase):
    """Hostile connections during a run, which they must not disturb."""

    def setUp(self):
        super().setUp()
        self.file = self.path("secret")
        with open(self.file, "wb") as file:
            file.write(os.urandom(32))
        os.chmod(self.file, 0o600)

    def run_beside(self, strangers, words=(), work=1):
        """`strangers(master)` while a worker computes."""
        master = self.listen(*long_run(work), *words)
        worker = self.join(master, "--workers", 1, *words)
        self.await_joined(master, 1)
        strangers(master)
        self.assertIsNone(master.running.poll(), "the run was to go on meanwhile")
        self.assertEqual(master.stderr.count("joined"), 1)
        record = self.good_record(master)
        self.assertEqual((record["verified"], worker.ended()), (True, 0))
        self.assertEqual(len(self.events(record, "joined")), 1)
        self.assertEqual(self.events(record, "silent") + self.events(record, "lost"), [])

    def test_connections_in_other_protocols(self):
        def speak(master):
            for said in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, b"LS\x09\x01" + b"\0" * 40, b"LS\x01\x07" + b"\xff" * 40):
                with connected(master) as peer:
                    peer.sendall(said)
                    self.assertTrue(is_put_out(peer, 2), said)
            refused = lambda: re.findall(r"matmul: 127\.0\.0\.1:\d+ was refused: (.*)\n", master.stderr)
            self.assertTrue(wait_until(lambda: len(refused()) == 4, 10), master.stderr)
            self.assertEqual([why.split(" version")[0] for why in refused()], ["the other side does not use this protocol"] * 2 +
                             ["the other side uses", "a frame of unknown kind arrived"])
        self.run_beside(speak)

    def test_many_of_them_fill_no_log(self):
        master = self.listen(*long_run())
        for _ in range(100):
            with connected(master) as peer:
                peer.sendall(b"\x1b[2Jnonsense")
                self.assertTrue(is_put_out(peer, 2))
        counts = lambda: [int(count) for count in re.findall(r"(\d+) more notes like the last were left out", master.stderr)]
        shown = lambda: master.stderr.count("was refused")
        self.assertTrue(wait_until(lambda: counts() and shown() + sum(counts()) == 100, 30), master.stderr)
        self.assertLessEqual(shown(), 20 * (1 + len(counts())), "20 within a while")

    def assert_clock_puts_out_who_says(self, hello, master):
        """Sends a byte every half second, next to a silent connection: both are closed after five seconds."""
        with connected(master) as silent, connected(master) as slow:
            begun_s = time.monotonic()
            out_s = {}
            for byte in hello:
                with contextlib.suppress(ConnectionError):
                    slow.sendall(bytes([byte]))
                for peer in {silent, slow} - out_s.keys():
                    if is_put_out(peer, 0.25):
                        out_s[peer] = time.monotonic() - begun_s
                if len(out_s) == 2 or time.monotonic() > begun_s + 10:
                    break
            self.assertEqual(len(out_s), 2, "a connection may stay")
            for seconds in out_s.values():
                self.assertTrue(4 < seconds < 7, out_s)

    def test_a_silent_connection_and_one_that_sends_two_bytes_a_second(self):
        self.run_beside(lambda master: self.assert_clock_puts_out_who_says(client_hello(), master),
                        ("--secret-file", self.file), work=3)

    def test_the_same_without_a_secret(self):
        hello = b"LS\x01\x01\x40\0\0\0" + bytes(4) + bytes(100)  # the part of a frame's header that is checked
        self.run_beside(lambda master: self.assert_clock_puts_out_who_says(hello, master), work=3)

    def test_a_flood(self):
        def flood(master):
            peers = [connected(master) for _ in range(300)]
            first, next_ones = peers[:64], peers[64:128]
            self.assertTrue(wait_until(lambda: all(is_put_out(peer, 0.01) for peer in first), 4), "they make room in a second")
            self.assertTrue(wait_until(lambda: all(is_put_out(peer, 0.01) for peer in next_ones), 4))
            for peer in peers:
                peer.close()
        self.run_beside(flood, work=4)

    def test_a_recorded_session_played_back(self):
        first = self.listen("--size", 300, "--master", "coordinates", "--secret-file", self.file)
        recorder = Recorder(first)
        worker = self.start("--join", recorder.address, "--workers", 1, "--secret-file", self.file)
        self.assertEqual((first.ended(), worker.ended()), (0, 0), first.stderr)
        self.assertGreater(len(recorder.said), 1000)

        def play_back(master):
            with connected(master) as peer:
                try:
                    peer.sendall(recorder.said)
                except ConnectionError:
                    pass
                self.assertTrue(is_put_out(peer, 7))
        self.run_beside(play_back, ("--secret-file", self.file))


if __name__ == "__main__":
    unittest.main()
