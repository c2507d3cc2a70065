"""Counts the data sent to matmul's workers over TCP."""

import contextlib
import os
import signal
import socket
import threading
import unittest

from processes import wait_until
from tcp_farm import OTHER_USER, TcpCase, long_run, require_other_user


class CountingRelay:
    """A relay to the master that counts the bytes sent to workers on this connection."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.master = (host, int(port))
        self.to_workers = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                worker = self.listener.accept()[0]
                master = socket.create_connection(self.master)
                threading.Thread(target=self.carry, args=(worker, master, False), daemon=True).start()
                threading.Thread(target=self.carry, args=(master, worker, True), daemon=True).start()

    def carry(self, source, target, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                self.to_workers += len(data) if counts else 0
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()


class SharedInput(TcpCase):
    """The first matrix, 8 x 1200 x 1200 bytes, is the shared input; the second one's columns travel as well."""

    FIRST_MATRIX = 8 * 1200 * 1200
    SECOND_MATRIX = FIRST_MATRIX

    def relay(self, master):
        relay = CountingRelay(master.address)
        self.addCleanup(relay.close)
        return relay

    def join_by(self, relay, *words):
        return self.start("--join", relay.address, *(words or ("--workers", 1)))

    def test_two_processes_of_a_host_get_the_input_once(self):
        master = self.listen(*long_run(), "--expect", 2)
        relay = self.relay(master)
        members = [self.join_by(relay) for _ in range(2)]
        record = self.good_record(master)
        self.assertEqual([member.ended() for member in members], [0, 0])
        self.assertTrue(record["verified"])
        self.assertTrue(all(rank["iterations"] > 0 for rank in record["ranks"] if rank["worker"] is not None))
        self.assertGreater(relay.to_workers, self.FIRST_MATRIX + 0.9 * self.SECOND_MATRIX)
        self.assertLess(relay.to_workers, 1.2 * (self.FIRST_MATRIX + self.SECOND_MATRIX))

    def test_several_workers_of_a_process_get_the_input_once(self):
        master = self.listen(*long_run(), "--expect", 3)
        relay = self.relay(master)
        member = self.join_by(relay, "--workers", 3)
        self.good_record(master)
        self.assertEqual(member.ended(), 0)
        self.assertLess(relay.to_workers, 1.2 * (self.FIRST_MATRIX + self.SECOND_MATRIX))

    def test_a_worker_that_rejoins_a_host_with_the_input_gets_none(self):
        master = self.listen(*long_run(2), "--expect", 2)
        first, second, again = (self.relay(master) for _ in range(3))
        stays, dies = self.join_by(first), self.join_by(second)
        self.await_joined(master, 2)
        self.assertTrue(wait_until(lambda: first.to_workers + second.to_workers > 1.1 * self.FIRST_MATRIX, 20))
        dies.kill(signal.SIGKILL)
        self.assertTrue(wait_until(lambda: " was lost" in master.stderr, 20), master.stderr)
        comes_again = self.join_by(again)
        record = self.good_record(master)
        self.assertEqual((stays.ended(), comes_again.ended()), (0, 0))
        self.assertTrue(record["verified"])
        self.assertGreater(record["ranks"][-1]["iterations"], 0)
        self.assertLess(again.to_workers, 0.95 * self.SECOND_MATRIX)

    def test_a_worker_that_may_not_read_the_others_memory_gets_the_input_too(self):
        require_other_user(self)
        master = self.listen(*long_run(), "--expect", 2, "--without-secret")
        relay = self.relay(master)
        members = [self.join_by(relay), self.start("--join", relay.address, "--workers", 1, "--without-secret", user=OTHER_USER)]
        record = self.good_record(master)
        self.assertEqual([member.ended() for member in members], [0, 0])
        self.assertTrue(record["verified"])
        self.assertGreater(relay.to_workers, 2 * self.FIRST_MATRIX)


if __name__ == "__main__":
    unittest.main()
