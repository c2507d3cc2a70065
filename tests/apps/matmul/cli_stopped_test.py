"""A rank that is stopped for good under re-issue: the product is complete, and the stopped rank is reported."""

import json
import os
import re
import signal
import time

from app_cli import command
from matmul_cli import MatmulCase
from processes import descendants, is_alive, read, wait_until
from status_page import cells, get, url_of
from tcp_farm import Process

RANKS = 3
# Chunks of some 20 ms and enough of them that the run is not over when a rank is stopped.
WORDS = ("--size", 1600, "--kernel", "naive", "--scheduler", "send:40", "--reissue", "--progress", "none")


class Stopped(MatmulCase):
    def started(self, *words):
        self.product, self.record = self.path("C.npy"), self.path("runs")
        running = Process(*command((*WORDS, "--status", 0, "--c", self.product, "--json", self.record, *words), RANKS))
        self.addCleanup(running.end)
        return running

    def stop_a_rank(self, running):
        """Returns the last rank once it has a chunk; stopped earlier, it would delay the start of MPI."""
        url = url_of(running)

        def has_chunk():
            workers = cells(get(url)[1], "workers")
            return len(workers) == RANKS and re.match(r"\d+-\d+", workers[-1][6])
        self.assertTrue(wait_until(has_chunk, 30), "it never began")
        name = f"\0OMPI_COMM_WORLD_RANK={RANKS - 1}\0"
        [pid] = [pid for pid in descendants(running.running.pid) if name in "\0" + read(f"/proc/{pid}/environ")]
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(lambda: is_alive(pid) and os.kill(pid, signal.SIGKILL))
        return pid

    def check(self, running, timeout_s):
        self.assertEqual(running.ended(timeout_s), 0, running.stderr)
        with open(self.record) as file:
            record = json.load(file)
        self.assertIs(record["verified"], True)
        return record

    def test_a_stopped_rank_wakes_when_all_is_done(self):
        for ranks_per_host in (0, 1):
            with self.subTest(ranks_per_host):
                running = self.started("--ranks-per-host", ranks_per_host)
                pid = self.stop_a_rank(running)
                self.assertTrue(wait_until(lambda: os.path.exists(self.product), 30), "there is no product")
                time.sleep(2)
                os.kill(pid, signal.SIGCONT)
                record = self.check(running, 30)
                self.assertIn(f"note: rank {RANKS - 1} has not answered since the last loop ended", running.stderr)
                self.assertNotIn("left behind", running.stderr)
                # On a busy machine, a copy of another rank's last chunk may have counted, too.
                self.assertIn({"worker": RANKS - 1, "chunks": 1}, record["reissue"]["saved"])
                self.assertRegex(running.stdout, rf"(?s)\nre-issue +\d+ chunks? w.* also\s+sent to a second worker; .*instead\s+of.*\srank\s+{RANKS - 1}\s")
                os.remove(self.product), os.remove(self.record)

    def test_a_stopped_rank_never_wakes(self):
        running = self.started("--ranks-per-host", 1)
        pid = self.stop_a_rank(running)
        self.check(running, 60)
        self.assertIn(f"note: rank {RANKS - 1} has not answered; the program ends without waiting any longer", running.stderr)
        self.assertTrue(wait_until(lambda: not is_alive(pid), 10), "it outlived its run")
