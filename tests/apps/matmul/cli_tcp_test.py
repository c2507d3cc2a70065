"""matmul with workers that join and leave over TCP, as a user sees it."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

import numpy as np

from app_cli import PROGRAM, TIMEOUT_S
from exact_matrices import whole_numbers
from processes import wait_until
from tcp_farm import Relay, TcpCase, blas_work, long_run

TIME_TO_START = "10s"  # of a worker under sanitizers, on a busy machine


class OtherProgram:
    """A server of another protocol that greets clients."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(0.1)
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.visits = 0
        self.is_ending = False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        with self.server:
            while not self.is_ending:
                with contextlib.suppress(OSError), self.server.accept()[0] as visitor:
                    self.visits += 1
                    visitor.settimeout(5)
                    visitor.sendall(b"220 mail.example ready\r\n")
                    while visitor.recv(1000):
                        pass

    def end(self):
        self.is_ending = True
        self.thread.join()


class Products(TcpCase):
    CASES = (
        ((65, 70, 33), "float64", (), [1]),
        ((10, 20, 30), "float32", ("--master", "coordinates", "--prefetch", 4), [1]),
        ((130, 67, 129), "float64", ("--scheduler", "send:5", "--prefetch", 4), [1, 2]),
        ((67, 41, 95), "float32", ("--scheduler", "adaptive", "--master", "coordinates"), [1, 1, 1]),
        ((0, 3, 4), "float64", (), [1]),
        ((3, 4, 0), "float64", (), [1]),
    )

    def test_products(self):
        for shape, dtype, words, members in self.CASES:
            with self.subTest(shape=shape, words=words):
                self.assert_tcp_product(shape, dtype, words, members)

    def assert_tcp_product(self, shape, dtype, words, members):
        rows, inner, cols = shape
        a, b = whole_numbers((rows, inner), dtype, "C"), whole_numbers((inner, cols), dtype, "C", seed=2)
        names = [self.path(name) for name in ("A.npy", "B.npy", "C.npy")]
        np.save(names[0], a)
        np.save(names[1], b)
        own = 0 if "coordinates" in words else 1
        master = self.listen("--a", names[0], "--b", names[1], "--c", names[2], *words, "--workers", 1,
                             "--expect", own + sum(members))
        joined = [self.join(master, "--workers", count) for count in members]
        record = self.good_record(master)
        self.assertEqual([worker.ended() for worker in joined], [0] * len(members))
        self.assertEqual(record["workers"], own + sum(members))
        np.testing.assert_array_equal(np.load(names[2]), a @ b)


class Members(TcpCase):
    def test_a_late_worker_takes_part(self):
        master = self.listen(*long_run())
        first = self.join(master)
        self.await_joined(master, 1)
        time.sleep(0.3)
        second = self.join(master, "--workers", 2)
        record = self.good_record(master)
        self.assertEqual((first.ended(), second.ended()), (0, 0))
        self.assertEqual(record["verified"], True)
        self.assertEqual(len(self.events(record, "joined")), 3)
        self.assertGreater(self.events(record, "joined")[-1]["at_s"], 0.1)
        self.assertTrue(all(rank["iterations"] > 0 for rank in record["ranks"] if rank["worker"] is not None))

    def test_the_broadcast_time_ends_when_the_last_worker_that_takes_part_has_the_input(self):
        master = self.listen("--size", 600, *blas_work(300), "--scheduler", "send:4", "--master", "coordinates", "--expect", 2)
        workers = [self.join(master)]
        self.await_joined(master, 1)
        time.sleep(0.3)  # it is ready earlier than the next worker
        workers.append(self.join(master))
        self.assertTrue(wait_until(lambda: master.stderr.count(" joined with ") == 2, 20), master.stderr)
        time.sleep(0.5)
        workers.append(self.join(master))
        record = self.good_record(master)
        late = self.events(record, "joined")[-1]["at_s"]
        self.assertGreater(late, 0.1)
        self.assertLess(late, record["shared_input_s"])
        self.assertLess(record["shared_input_s"], record["makespan_s"])
        self.assertEqual([worker.ended() for worker in workers], [0, 0, 0])

    def test_a_broadcast_input_that_is_there_before_the_start_takes_none_of_the_run(self):
        master = self.listen("--size", 600, *blas_work(100), "--scheduler", "send:4", "--master", "coordinates", "--expect", 3)
        workers = []
        for _ in range(3):
            workers.append(self.join(master))
            time.sleep(0.3)
        record = self.good_record(master)
        self.assertGreaterEqual(record["shared_input_s"], 0)
        self.assertEqual([worker.ended() for worker in workers], [0, 0, 0])

    def test_a_killed_worker_is_lost_immediately_and_another_computes_its_chunk(self):
        master = self.listen(*long_run(), "--expect", 2)
        workers = [self.join(master), self.join(master)]
        self.await_joined(master, 2)
        time.sleep(0.4)
        workers[0].kill()
        record = self.good_record(master)
        self.assertEqual(record["verified"], True)
        self.assertEqual(self.events(record, "left"), [])
        [lost] = self.events(record, "lost")
        self.assertEqual(lost["chunks"], 1)
        self.assertRegex(master.stderr, r"\n\S*: ?rank \d+ on \S+ \(127\.0\.0\.1:\d+\) was lost \(its connection ended unexpectedly\)\n")
        self.assertNotIn(" left\n", master.stderr)
        again = [one for one in record["membership"]["given_again"] if one["at_s"] >= lost["at_s"]]
        self.assertTrue(again)
        self.assertEqual(workers[1].ended(), 0)

    def test_a_stopped_worker_is_silent_after_a_second_until_it_continues(self):
        master = self.listen(*long_run(4), "--expect", 2)
        workers = [self.join(master), self.join(master)]
        self.await_joined(master, 2)
        time.sleep(0.5)
        workers[0].kill(signal.SIGSTOP)
        self.addCleanup(workers[0].kill, signal.SIGCONT)
        time.sleep(2)
        workers[0].kill(signal.SIGCONT)
        record = self.good_record(master)
        silent, back = self.events(record, "silent"), self.events(record, "heard")
        self.assertEqual((len(silent), len(back)), (1, 1))
        self.assertLess(silent[0]["at_s"], back[0]["at_s"])
        self.assertEqual(silent[0]["chunks"], 1)
        self.assertEqual(self.events(record, "lost"), [])
        self.assertEqual((record["verified"], workers[0].ended(), workers[1].ended()), (True, 0, 0))

    def test_a_worker_on_a_slow_connection_is_not_silent(self):
        master = self.listen("--size", 128, "--master", "coordinates", "--expect", 1, "--scheduler", "send:64")
        slow = self.start("--join", Relay(master, up=40_000).address, "--workers", 1)
        record = self.good_record(master)
        self.assertEqual((record["verified"], slow.ended()), (True, 0))
        self.assertEqual({event["what"] for event in record["membership"]["events"]}, {"joined"}, "a frame took 1.6 s")

    def test_a_worker_that_stays_stopped_delays_no_other(self):
        master = self.listen(*long_run(), "--expect", 2)
        workers = [self.join(master), self.join(master)]
        self.await_joined(master, 2)
        time.sleep(0.4)
        workers[0].kill(signal.SIGSTOP)
        record = self.good_record(master, 20)
        self.assertEqual(record["verified"], True)
        self.assertEqual(workers[1].ended(), 0)

    def test_an_interrupted_worker_leaves_without_blame(self):
        master = self.listen(*long_run(100))
        for count in range(1, 5):  # one more than a chunk may be lost
            worker = self.join(master)
            self.await_joined(master, count)
            time.sleep(0.3)
            worker.kill(signal.SIGINT)
            self.assertEqual(worker.ended(), 130, worker.stderr)
        self.assertIsNone(master.running.poll(), master.stderr)
        master.kill(signal.SIGINT)
        self.assertEqual(master.ended(), 130, master.stderr)

    def test_a_worker_interrupted_while_it_sends_a_result_slowly_is_not_lost(self):
        master = self.listen("--size", 1000, "--master", "coordinates", "--expect", 1, "--scheduler", "static")
        slow = self.start("--join", Relay(master, up=2_000_000).address, "--workers", 1)
        self.await_joined(master, 1)
        time.sleep(1)  # its result takes four
        slow.kill(signal.SIGINT)
        self.assertEqual(slow.ended(), 130, slow.stderr)
        other = self.join(master)
        record = self.good_record(master)
        self.assertEqual((record["verified"], other.ended()), (True, 0))
        self.assertEqual((len(self.events(record, "left")), self.events(record, "lost")), (1, []))

    def test_a_worker_that_waits_for_the_master_leaves_at_the_first_interrupt(self):
        master = self.listen(*long_run(), "--expect", 2)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            worker = self.join(master)
            self.assertTrue(wait_until(lambda: "joined the master" in worker.stderr, 20), worker.stderr)
            worker.kill(number)
            self.assertEqual(worker.ended(5), 130, worker.stderr)
            self.assertIn("error: interrupted", worker.stderr)

    def test_a_worker_that_finds_no_master_yet_leaves_at_the_first_interrupt(self):
        with socket.socket() as silent:  # has the port, and does not listen
            silent.bind(("127.0.0.1", 0))
            for number in (signal.SIGINT, signal.SIGTERM):
                worker = self.start("--join", f"127.0.0.1:{silent.getsockname()[1]}", "--workers", 1)
                time.sleep(1)
                self.assertIsNone(worker.running.poll(), worker.stderr)
                worker.kill(number)
                self.assertEqual(worker.ended(5), 130, worker.stderr)
                self.assertIn("error: interrupted", worker.stderr)

    def test_a_worker_that_receives_nothing_reports_it_and_ends_with_its_patience(self):
        with socket.create_server(("127.0.0.1", 0)) as mute:
            address = f"127.0.0.1:{mute.getsockname()[1]}"
            worker = self.start("--join", address, "--workers", 1, "--patience", "6s")
            self.assertEqual(worker.ended(20), 1, worker.stderr)
        self.assertIn(f"the master at {address} has not answered yet", worker.stderr)
        self.assertIn(f"error: the master at {address} does not answer (a program listens there, but sends nothing)", worker.stderr)

    def test_a_worker_that_finds_another_program_tries_again_until_its_patience_ends(self):
        secret = self.path("secret")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(bytes(range(32)))
        for words, why in (((), "the other side does not use this protocol"),
                           (("--secret-file", secret), "it has no secret, or is not a loadshare program")):
            other = OtherProgram()
            self.addCleanup(other.end)
            begun_s = time.monotonic()
            worker = self.start("--join", other.address, "--workers", 1, "--patience", "3s", *words)
            self.assertEqual(worker.ended(60), 1, worker.stderr)
            self.assertGreater(time.monotonic() - begun_s, 2.9)
            self.assertGreater(other.visits, 1)
            self.assertRegex(worker.stderr, rf"matmul: {other.address} does not answer as a master does \({why}\); trying again for ")
            self.assertIn(f"error: no master at {other.address} (another program seems to use that port: {why}); check the address "
                          "given to --join; --patience sets how long a worker tries", worker.stderr)

    def test_a_worker_that_finds_another_program_joins_the_master_that_takes_its_place(self):
        other = OtherProgram()
        self.addCleanup(other.end)
        worker = self.start("--join", other.address, "--workers", 1)
        self.assertTrue(wait_until(lambda: "does not answer as a master does" in worker.stderr, 20), worker.stderr)
        other.end()
        master = self.listen(*long_run(), "--expect", 1, at=other.address)
        self.assertEqual((self.good_record(master)["verified"], worker.ended()), (True, 0))

    # Like a master that was resumed and is killed before it accepts a worker, or that refuses its journal.
    def test_a_worker_that_waits_for_its_master_outlasts_one_that_ends_soon(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = "127.0.0.1:%d" % listener.getsockname()[1]
            begun_s = time.monotonic()
            waiting = subprocess.Popen([PROGRAM, "--join", address, "--workers", "1", "--patience", "4s"], stderr=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, text=True, env=os.environ | {"LOADSHARE_KNOWN_AS": "somebody", "LOADSHARE_MASTER_MAY_COME_BACK": "1"})
            self.addCleanup(waiting.kill)
            for _ in range(2):
                listener.accept()[0].close()
        _, stderr = waiting.communicate(timeout=60)
        self.assertGreater(time.monotonic() - begun_s, 3.9, stderr)
        self.assertIn("no master at " + address, stderr)
        self.assertEqual(waiting.returncode, 1)

    def test_a_master_that_was_suspended_blames_no_worker(self):
        master = self.listen(*long_run(2), "--expect", 2)
        workers = [self.join(master), self.join(master)]
        self.await_joined(master, 2)
        time.sleep(0.4)
        master.kill(signal.SIGSTOP)
        time.sleep(3)
        master.kill(signal.SIGCONT)
        record = self.good_record(master)
        self.assertEqual((record["verified"], workers[0].ended(), workers[1].ended()), (True, 0, 0))
        self.assertEqual({event["what"] for event in record["membership"]["events"]}, {"joined"})

    def test_a_master_without_workers_waits_and_reports_it(self):
        master = self.listen(*long_run())
        worker = self.join(master)
        self.await_joined(master, 1)
        time.sleep(0.4)
        worker.kill()
        self.assertTrue(wait_until(lambda: master.stderr.count("no worker is connected: waiting for one") >= 2, 10), master.stderr)
        saviour = self.join(master)
        record = self.good_record(master)
        self.assertEqual((record["verified"], saviour.ended()), (True, 0))

    def test_three_killed_workers_convict_no_chunk(self):
        master = self.listen(*long_run(100)[:-1], TIME_TO_START)
        for count in range(1, 4):
            worker = self.join(master)
            self.await_joined(master, count)
            time.sleep(1)  # the shared input has arrived
            worker.kill()
        self.assertEqual(master.ended(), 3)
        self.assertIn("error: no worker is left", master.stderr)

    def test_a_worker_that_was_stopped_and_then_ended_blames_no_chunk(self):
        master = self.listen(*long_run(100)[:-1], TIME_TO_START)
        for count in range(1, 5):  # one more than a chunk may be lost
            worker = self.join(master)
            self.await_joined(master, count)
            time.sleep(0.5)
            worker.kill(signal.SIGSTOP)
            time.sleep(2)  # it is silent
            worker.kill()
        self.assertEqual(master.ended(), 3)
        self.assertIn("error: no worker is left", master.stderr)

    def test_a_chunk_that_was_still_on_its_way_is_not_the_culprit(self):
        master = self.listen("--size", 1024, "--scheduler", "static", "--master", "coordinates", "--patience", TIME_TO_START)
        for count in range(1, 5):  # one more than a chunk may be lost
            worker = self.start("--join", Relay(master, down=200_000).address, "--workers", 1)
            self.await_joined(master, count)
            time.sleep(1)  # its 2 MB take ten
            worker.kill()
        self.assertEqual(master.ended(), 3)
        self.assertIn("error: no worker is left", master.stderr)

    def test_patience_ends(self):
        master = self.listen("--size", 200, "--master", "coordinates", "--patience", "300ms")
        self.assertEqual(master.ended(), 3)
        self.assertIn("error: no worker is left", master.stderr)
        self.assertIn("0 of 200 columns were in finished chunks", master.stderr)

    def test_a_chunk_that_throws_is_given_again_and_then_left_out(self):
        master = self.listen("--size", 300, "--fail-at", 42, "--on-failure", "skip", "--master", "coordinates", "--verify",
                             "none", "--expect", 2)
        workers = [self.join(master), self.join(master)]
        self.assertEqual(master.ended(), 0, master.stderr)
        with open(self.path("runs")) as file:
            self.assertIn('"iteration":42,', file.read())
        self.assertEqual([worker.ended() for worker in workers], [0, 0])

    def test_the_masters_end_ends_its_workers(self):
        master = self.listen(*long_run())
        worker = self.join(master)
        self.await_joined(master, 1)
        time.sleep(0.3)
        master.kill()
        self.assertEqual(worker.ended(), 1)
        self.assertIn("error: the connection to the master at", worker.stderr)


class Refusals(TcpCase):
    def test_another_program_is_refused_with_both_named(self):
        master = self.listen("--size", 100, "--master", "coordinates")
        other = self.path("othermul")
        shutil.copy(PROGRAM, other)
        done = subprocess.run([other, "--join", master.address], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"othermul \d\S* cannot join \(the master is matmul \d\S*\); start the same program")

    def test_options_that_make_no_sense(self):
        for words, text in (
            (("--listen", "here"), "--listen is 'here' (a host and a port are needed); give it as HOST:PORT: 127.0.0.1:4711"),
            (("--join", "::1:5"), "--join is '::1:5' (an address with colons needs brackets: [::1]:4711); give it as "
                                  "HOST:PORT: 127.0.0.1:4711"),
            (("--join", "127.0.0.1:70000"), "--join is '127.0.0.1:70000' (a port is a number from 0 to 65535); give it as "
                                            "HOST:PORT: 127.0.0.1:4711"),
            (("--listen", "127.0.0.1:0", "--join", "127.0.0.1:1"), "both --listen and --join are given (a process is "
             "either a master or joins one); leave one of them out"),
            (("--listen", "127.0.0.1:0", "--load", "constant"), "--load and --listen are both given (a load disturbs the ranks "
             "that a farm begins with); start `loadshare load` on the hosts that are to be disturbed"),
            *((("--join", "127.0.0.1:1", *words), f"'{words[0]}' is given to a worker that joins (the master decides what is "
               "computed and how, and sends these options); leave it out here")
              for words in (("--size", 3000), ("--kernel", "blas"), ("--expect", 2), ("--reissue",), ("--json", "runs"))),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_an_address_that_only_this_host_can_reach(self):
        for at, has_note in (("127.0.1.1:0", True), ("127.0.0.1:0", False), ("localhost:0", False)):
            done = self.run_program("--listen", at, "--status", at, "--size", 10, "--workers", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            for text in ("127.0.1.1 is an address that only this host can reach: for workers on other hosts give --listen an address of "
                         "their network\n", "127.0.1.1 is an address that only this host can reach: for a browser on another host use"):
                (self.assertIn if has_note else self.assertNotIn)(text, done.stderr)

    def test_a_port_that_is_taken(self):
        master = self.listen("--size", 100, "--master", "coordinates")
        done = self.run_program("--listen", master.address, "--size", 10)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another master may use it", done.stderr)


if __name__ == "__main__":
    unittest.main()
