"""`loadshare hosts` lists a listening master's workers and asks them to leave, as a user sees it."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

from app_cli import PROGRAM, TIMEOUT_S
from processes import wait_until
from status_page import cells, get, url_of
from tcp_farm import OTHER_USER, Relay, TcpCase, blas_work, long_run, require_other_user

TOOL = os.path.join(os.path.dirname(PROGRAM), "loadshare")


class HostsCase(TcpCase):
    def hosts(self, master, *words, **options):
        return subprocess.run([TOOL, "hosts", master.address, *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S,
                              **options)

    def listed(self, master, *words):
        done = self.hosts(master, "--json", "-", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["workers"]

    def start_long(self, count, *words, times=3):
        """Starts a master that only coordinates, and workers that have each returned a chunk."""
        master = self.listen(*long_run(times), "--expect", count, *words)
        workers = [self.join(master) for _ in range(count)]
        self.await_joined(master, count)
        busy = lambda: [one for one in self.listed(master) if one["done"] > 0]
        self.assertTrue(wait_until(lambda: len(busy()) == count, 60), master.stderr)
        ranks = {worker: rank for worker, rank in zip(workers, self.ranks_by_port(master, workers))}
        return master, workers, ranks

    def ranks_by_port(self, master, workers):
        by_port = {int(one["address"].rsplit(":", 1)[1]): one["rank"] for one in self.listed(master)}
        for worker in workers:
            [rank] = [rank for port, rank in by_port.items() if has_port(worker.running.pid, port)]
            yield rank

    def assert_left(self, record, worker_count=1):
        self.assertEqual(record["verified"], True)
        self.assertEqual(self.events(record, "lost"), [])
        self.assertEqual([len(self.events(record, what)) for what in ("drained", "left")], [worker_count] * 2)


def has_port(pid, port):
    """Whether one of the process's sockets is bound there."""
    inodes = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            inodes.add(os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            pass
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return any(int(row[1].rsplit(":", 1)[1], 16) == port and f"socket:[{row[9]}]" in inodes for row in rows)


class Listing(HostsCase):
    def test_each_worker_is_listed_with_its_chunks_and_rate(self):
        master, _, ranks = self.start_long(2)
        rows = self.listed(master)
        self.assertEqual(sorted(one["rank"] for one in rows), sorted(ranks.values()))
        for one in rows:
            self.assertEqual(one["state"], "here")
            self.assertEqual(one["computes"]["size"], 8)
            self.assertLess(one["computes"]["for_s"], 5)
            self.assertGreater(one["per_s"], 0)
        text = self.hosts(master).stdout
        self.assertRegex(text, rf"^master at {master.address}: 2 workers on 1 host\n\n")
        self.assertRegex(text, r"\n\S+ +127\.0\.0\.1:\d+ +here +\d+-\d+ +\d +[\d.]+ \S+ +[\d,]+ +[\d.,]+\n")

    def test_the_masters_own_worker_is_listed_and_cannot_leave(self):
        master = self.listen("--size", 1200, *blas_work(600), "--scheduler", "send:8", "--workers", 1)
        computing = lambda: [one for one in self.listed(master) if one["computes"]]
        self.assertTrue(wait_until(lambda: computing(), 60))
        self.assertEqual([(one["rank"], one["state"]) for one in computing()], [(1, "here")])
        for rank in (0, 1):
            self.assertEqual(self.hosts(master, "--drain", rank).returncode, 2)

    def test_a_wrong_request_gets_the_reason(self):
        master = self.listen(*long_run(100))
        done = self.hosts(master, "--drain", "nobody")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no process is called nobody (it must be the name of a host, or the rank or address of a process)", done.stderr)
        for words, text in ((("--deadline", "1s"), "--deadline is given without --drain or --remove"),
                            (("--drain", 1, "--remove", 1), "both --drain and --remove are given")):
            done = self.hosts(master, *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)
        master.end()
        done = self.hosts(master)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"loadshare: no master at {master.address}", done.stderr)

    def test_a_master_that_just_ends_blames_no_secret(self):
        with socket.create_server(("127.0.0.1", 0)) as ending:
            def end():
                for _ in range(2):
                    ending.accept()[0].close()
            threading.Thread(target=end, daemon=True).start()
            for words in ((), ("--secret-file", self.secret("secret", b"0123456789abcdef"))):
                done = subprocess.run([TOOL, "hosts", f"127.0.0.1:{ending.getsockname()[1]}", *words], capture_output=True,
                                      text=True, timeout=TIMEOUT_S)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("ended the connection", done.stderr)

    def test_another_user_neither_asks_nor_removes(self):
        require_other_user(self)
        master, workers, _ = self.start_long(1, times=4)
        for words in ((), ("--remove", socket.gethostname()), ("--without-secret", "--remove", socket.gethostname())):
            done = self.hosts(master, *words, user=OTHER_USER)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("give both sides the same --secret-file", done.stderr)
        refused = f" was refused: a process of user {OTHER_USER} cannot join a master of user 0"
        self.await_message(master, refused, 3)
        self.assertEqual(master.stderr.count(refused), 3)
        self.assertNotIn("was asked to leave", master.stderr)
        self.assertEqual((self.good_record(master)["verified"], workers[0].ended()), (True, 0))

    def test_another_program_there_is_no_master(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            def greet():
                with other.accept()[0] as visitor:
                    visitor.sendall(b"220 mail.example ready\r\n")
                    visitor.recv(1000)
            threading.Thread(target=greet, daemon=True).start()
            address = f"127.0.0.1:{other.getsockname()[1]}"
            done = subprocess.run([TOOL, "hosts", address], capture_output=True, text=True, timeout=TIMEOUT_S)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"no master at {address}", done.stderr)
            self.assertIn("the other side does not use this protocol", done.stderr)

    def test_only_users_with_the_secret_may_ask(self):
        secret, other = self.secret("secret", b"0123456789abcdef"), self.secret("other", b"0123456789abcdeX")
        master = self.listen(*long_run(100), "--secret-file", secret)
        for words, code, why in (((), 1, "ended the connection"), (("--secret-file", other), 2, "refuses this process")):
            done = self.hosts(master, *words)
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertIn(why, done.stderr)
        self.assertEqual(self.hosts(master, "--secret-file", secret).stdout, f"master at {master.address}: 0 workers on 0 hosts\n")

    def secret(self, name, content):
        path = self.path(name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)
        return path


class Leaving(HostsCase):
    def test_a_drained_worker_finishes_its_chunk_and_leaves(self):
        master, workers, ranks = self.start_long(2)
        done = self.hosts(master, "--drain", ranks[workers[0]])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(workers[0].ended(), 0, workers[0].stderr)
        self.assertIn("this process was asked to leave, and ends", workers[0].stderr)
        self.assertNotIn("error", workers[0].stderr)
        record = self.good_record(master)
        self.assertRegex(master.stderr, r"\(127\.0\.0\.1:\d+\) left\n")
        self.assertNotIn("was lost", master.stderr)
        self.assert_left(record)
        self.assert_stay(record, ranks[workers[0]])
        self.assertEqual(record["membership"]["handed_back"], 0)
        self.assertEqual(workers[1].ended(), 0)

    def assert_stay(self, record, rank):
        """A worker that left counts for the time of its presence, with its chunks, also for metrics."""
        [row] = [one for one in record["ranks"] if one["rank"] == rank]
        [left] = self.events(record, "left")
        self.assertAlmostEqual(row["away_s"], record["makespan_s"] - left["at_s"], delta=0.1)
        chunks = [chunk for chunk in record["chunks"] if chunk["worker"] == row["worker"]]
        self.assertAlmostEqual(row["computing_s"], sum(chunk["cpu_s"] for chunk in chunks), delta=1e-6)
        self.assertGreater(row["computing_s"], 0)
        self.assertIs(record["accounting"]["closes"], True)
        self.assertEqual([note for note in record["notes"] if f"rank {rank} " in note],
                         [f"rank {rank} left; only the times of its chunks are known"])
        done = subprocess.run([TOOL, "metrics", self.path("runs")], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"rank {rank} was absent for \d+ % of the run")

    def test_a_host_is_drained_by_its_name_and_what_it_queued_goes_to_others(self):
        master, workers, _ = self.start_long(2, "--prefetch", 3)
        self.assertEqual(self.hosts(master, "--drain", os.uname().nodename).returncode, 0)
        self.assertEqual([worker.ended() for worker in workers], [0, 0])
        self.await_message(master, "no worker is connected: waiting")
        saviour = self.join(master)
        record = self.good_record(master)
        self.assert_left(record, 2)
        self.assertGreater(record["membership"]["handed_back"], 0)
        self.assertEqual(saviour.ended(), 0)

    def test_a_removed_worker_leaves_immediately_without_blame(self):
        master = self.listen("--size", 1200, *blas_work(2000), "--scheduler", "send:1200", "--master", "coordinates")
        for count in range(1, 5):  # one more than a chunk may be lost
            worker = self.join(master)
            self.await_joined(master, count)
            self.assertTrue(wait_until(lambda: self.listed(master)[-1]["computes"], 60))
            begun_s = time.monotonic()
            self.hosts(master, "--remove", count)
            self.assertEqual(worker.ended(), 0, worker.stderr)
            self.assertLess(time.monotonic() - begun_s, 5)
        self.assertIsNone(master.running.poll(), master.stderr)

    def test_a_stopped_worker_is_left_behind_at_the_deadline(self):
        master, workers, ranks = self.start_long(2)
        workers[0].kill(signal.SIGSTOP)
        self.hosts(master, "--drain", ranks[workers[0]], "--deadline", "300ms")
        record = self.good_record(master, 40)
        self.assert_left(record)
        [left] = self.events(record, "left")
        self.assertEqual(left["chunks"], 1)
        again = [one for one in record["membership"]["given_again"] if one["at_s"] >= left["at_s"]]
        self.assertTrue(again)


    def test_any_rank_of_the_summary_names_its_process(self):
        master = self.listen("--size", 1200, *blas_work(60), "--scheduler", "send:8", "--workers", 2, "--expect", 5)
        pair = self.join(master, "--workers", 2)
        self.await_joined(master, 1)
        single = self.join(master)
        self.assertTrue(wait_until(lambda: len([one for one in self.listed(master) if one["done"] > 0]) == 5, 30), master.stderr)
        of_pair = [one["rank"] for one in self.listed(master) if one["address"] == self.address_of(master, pair)]
        self.assertEqual(len(of_pair), 2)
        done = self.hosts(master, "--drain", of_pair[1])
        self.assertRegex(done.stdout, rf"^asked to leave: ranks {of_pair[0]}-{of_pair[1]} on \S+ \(127\.0\.0\.1:\d+\)\n\nmaster at ")
        self.assertEqual(pair.ended(), 0, pair.stderr)
        [left] = {one["address"] for one in self.listed(master) if one["address"]}
        done = self.hosts(master, "--remove", left)
        self.assertEqual(single.ended(), 0, single.stderr)
        record = self.good_record(master)
        ranks = {rank["worker"]: rank["rank"] for rank in record["ranks"]}
        drained = [ranks[event["worker"]] for event in self.events(record, "drained")]
        self.assertEqual(drained[:2], of_pair)
        for rank in of_pair:
            self.assertRegex(master.stdout, rf"members +rank {rank} on \S+ was drained")

    def test_the_page_shows_the_ranks_that_remove_takes(self):
        master = self.listen("--size", 1200, *blas_work(60), "--scheduler", "send:8", "--workers", 2, "--expect", 4,
                             "--status", "127.0.0.1:0")
        for _ in range(2):
            self.join(master)
        page = lambda: {row[0]: row for row in cells(get(url_of(master))[1], "workers")}
        self.assertTrue(wait_until(lambda: len(page()) == 4, 30), master.stderr)
        listed = [(str(one["rank"]), one["host"], one["address"]) for one in self.listed(master)]
        self.assertEqual(sorted(tuple(row[:3]) for row in page().values()), sorted(listed))
        rank, host, address = next(one for one in listed if one[0] == "3")
        done = self.hosts(master, "--remove", rank)
        self.assertIn(f"asked to leave: rank {rank} on {host} ({address})\n", done.stdout)
        self.assertTrue(wait_until(lambda: page()[rank][3] in ("lost", "left"), 60), page())
        self.assertEqual([row[3] for number, row in sorted(page().items()) if number != rank].count("left"), 0)
        self.await_message(master, re.escape(f"rank {rank} on {host} ({address}) left\n"))
        record = self.good_record(master)
        [row] = [one for one in record["ranks"] if one["rank"] == int(rank)]
        self.assertEqual([event["worker"] for event in self.events(record, "left")], [row["worker"]])
        self.assertRegex(master.stdout, rf"members +rank {rank} on {host} left after")

    def address_of(self, master, worker):
        addresses = {one["address"] for one in self.listed(master) if one["address"]}
        [address] = [one for one in addresses if has_port(worker.running.pid, int(one.rsplit(":", 1)[1]))]
        return address


class Changes(HostsCase):
    def test_a_worker_that_was_cut_off_keeps_its_identity(self):
        master = self.listen(*long_run(6), "--expect", 2)
        relay = Relay(master)
        cut, other = self.start("--join", relay.address, "--workers", 2), self.join(master)
        of_two = lambda: [one for one in self.listed(master) if one["address"] == self.address_of_two(master) and one["done"] > 0]
        self.assertTrue(wait_until(lambda: len(of_two()) == 2, 60), master.stderr)
        workers, before = {one["worker"] for one in of_two()}, sum(one["done"] for one in of_two())
        relay.cut()
        self.await_message(master, " joined again with 2 workers")
        record = self.good_record(master)
        self.assertEqual((record["verified"], cut.ended(), other.ended()), (True, 0, 0), cut.stderr)
        self.assertEqual({event["worker"] for event in self.events(record, "lost")}, workers)
        joined = [event["worker"] for event in self.events(record, "joined")]
        self.assertEqual([joined.count(worker) for worker in sorted(workers)], [2, 2])
        self.assertEqual(record["workers"], 3, "no worker is counted twice")
        done = sum(rank["iterations"] for rank in record["ranks"] if rank["worker"] in workers)
        self.assertGreater(done, before)

    def test_a_worker_that_is_cut_off_can_be_interrupted(self):
        master = self.listen(*long_run(2))
        relay = Relay(master)
        worker = self.start("--join", relay.address, "--workers", 1)
        self.assertTrue(wait_until(lambda: self.listed(master), 60), master.stderr)
        relay.stop_accepting()
        relay.cut()
        self.await_message(worker, "the connection to the master at")
        time.sleep(0.5)
        worker.kill(signal.SIGINT)
        self.assertEqual(worker.ended(5), 130, worker.stderr)

    def test_a_worker_that_is_asked_to_leave_does_so_although_it_is_cut_off(self):
        master, relay, worker = self.start_torn()
        self.hosts(master, "--drain", 1)
        relay.cut()
        self.assertEqual(worker.ended(20), 0, master.stderr)
        self.await_message(master, " joined again")
        self.assertEqual(self.listed(master), [])
        self.assertIsNone(master.running.poll(), master.stderr)

    def test_a_worker_that_rejoins_blames_no_chunk(self):
        master, relay, worker = self.start_torn()
        for times in range(1, 5):  # one more than a chunk may be lost
            relay.cut()
            self.assertTrue(wait_until(lambda: master.stderr.count(" joined again") == times, 60), master.stderr + worker.stderr)
            self.assertTrue(wait_until(lambda: self.computing(master), 60), master.stderr)
        self.assertIsNone(master.running.poll(), master.stderr)

    def start_torn(self):
        """Starts a worker with a long chunk, whose connection can be cut."""
        master = self.listen("--size", 1200, *blas_work(2000), "--scheduler", "send:1200", "--master", "coordinates")
        relay = Relay(master)
        worker = self.start("--join", relay.address, "--workers", 1)
        self.assertTrue(wait_until(lambda: self.computing(master), 60), master.stderr)
        return master, relay, worker

    def computing(self, master):
        return [one for one in self.listed(master) if one["computes"]]

    def address_of_two(self, master):
        addresses = [one["address"] for one in self.listed(master)]
        return next((address for address in addresses if addresses.count(address) == 2), None)

    def test_a_worker_that_joins_gets_chunks_that_others_have_queued(self):
        master = self.listen("--size", 1200, *blas_work(60), "--scheduler", "send:60", "--master", "coordinates",
                             "--prefetch", 30, "--expect", 1)
        first = self.join(master)
        self.assertTrue(wait_until(lambda: any(one["done"] > 0 for one in self.listed(master)), 60), master.stderr)
        second = self.join(master)
        record = self.good_record(master)
        self.assertEqual((first.ended(), second.ended(), record["verified"]), (0, 0, True))
        late = [rank for rank in record["ranks"] if rank["worker"] == 1]
        self.assertGreaterEqual(late[0]["iterations"], 2 * 60)
        self.assertGreaterEqual(record["membership"]["handed_back"], 2)
        self.assertEqual(self.events(record, "lost"), [])

    @unittest.skipUnless(subprocess.run(["unshare", "--uts", "hostname", "badhost"], stderr=subprocess.DEVNULL).returncode == 0,
                         "another name for this host needs root")
    def test_a_host_that_ends_its_workers_is_set_aside_and_named(self):
        master = self.listen("--size", 600, *blas_work(1500), "--scheduler", "send:50", "--master", "coordinates")
        good = self.join(master)
        of = lambda state: [one for one in self.listed(master) if one["state"] == state]
        self.assertTrue(wait_until(lambda: of("here") and of("here")[0]["done"] > 0, 60), master.stderr)
        for _ in range(3):
            bad = self.join_as("badhost", master)
            computing = lambda: [one for one in of("here") if one["host"] == "badhost" and one["computes"]]
            self.assertTrue(wait_until(computing, 60), master.stderr)
            time.sleep(0.5)  # its inputs have arrived
            bad.kill()
            self.assertTrue(wait_until(lambda: all(one["host"] != "badhost" for one in self.listed(master)), 60))
        self.await_message(master, r"badhost \(127\.0\.0\.1\) gets no more work: everything fails there")
        another = self.join_as("badhost", master)
        self.assertTrue(wait_until(lambda: of("set aside"), 60), master.stderr)
        record = self.good_record(master)
        self.assertEqual((record["verified"], good.ended(), another.ended()), (True, 0, 0))
        self.assertEqual([len(self.events(record, what)) for what in ("lost", "set aside")], [3, 2])
        self.assertEqual(next(rank["iterations"] for rank in record["ranks"] if rank["worker"] == 0), 600)

    def join_as(self, host, master):
        return self.start_command("unshare", "--uts", "sh", "-c", f'hostname {host}; exec "$@"', "sh", PROGRAM, "--join",
                                  master.address, "--workers", 1)


if __name__ == "__main__":
    unittest.main()
