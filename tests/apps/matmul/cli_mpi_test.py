"""matmul under mpirun as a user sees it. Starting mpirun takes most of the time, so each start is made to count."""

import json
import math
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from app_cli import FAREWELL, MPIRUN, PROGRAM, TIMEOUT_S
from matmul_cli import MatmulCase
from processes import busy, children_of, in_one_line, stat_of, wait_until
from small_disk import has_small_disks
from status_page import await_page, cells
from tcp_farm import long_run

MESSAGES = ("--ranks-per-host", 1)


class Products(MatmulCase):
    CASES = (
        (1, (65, 70, 33), "float64", "CC", ()),
        (1, (10, 20, 30), "float32", "FF", ("--master", "coordinates", "--prefetch", 4)),
        (2, (130, 67, 129), "float32", "CF", ("--scheduler", "send:5", "--prefetch", 4)),
        (2, (130, 67, 129), "float64", "FC", ("--master", "coordinates", *MESSAGES, "--kernel", "blas")),
        (3, (67, 41, 95), "float64", "FF", ("--scheduler", "factoring:20", "--master-rank", 2, "--reissue")),
        (3, (67, 41, 95), "float32", "CC", ("--scheduler", "adaptive", *MESSAGES, "--prefetch", 4, "--reissue")),
        (4, (67, 41, 95), "float64", "CC", ("--scheduler", "tss:20,2", *MESSAGES, "--master-rank", 3)),
        (4, (67, 41, 95), "float64", "CF",
         ("--scheduler", "gss:14", "--master", "coordinates", "--ranks-per-host", 2, "--kernel", "naive")),
        (4, (5, 6, 2), "float32", "CC", ("--wait", "spin", "--verify", "none")),
        (3, (0, 3, 4), "float64", "CC", MESSAGES),
        (3, (3, 0, 4), "float64", "CC", MESSAGES),
        (3, (3, 4, 0), "float32", "CC", ()),
    )

    def test_products(self):
        for ranks, shape, dtype, orders, words in self.CASES:
            with self.subTest(ranks=ranks, shape=shape, words=words):
                self.assert_product(shape, *words, dtype=dtype, orders=orders, ranks=ranks)


class Reports(MatmulCase):
    def test_records(self):
        for ranks, words in ((3, ("--scheduler", "send:9")), (3, MESSAGES), (2, ("--master", "coordinates", "--reissue"))):
            with self.subTest(ranks=ranks, words=words):
                record = self.record("--rows", 300, "--inner", 400, "--cols", 90, "--kernel", "naive", *words, ranks=ranks)
                self.assertEqual((record["transport"], record["verified"]), ("mpi", True))
                self.assertEqual([rank["rank"] for rank in record["ranks"]], list(range(ranks)))
                self.assertIn("mpi", record["versions"])

    def test_one_rank_speaks(self):
        done = self.assert_good(self.run_program("--size", 50, "--trace", self.path("t"), "--progress", "lines", ranks=3))
        self.assertEqual(done.stdout.count("makespan"), 1)
        with open(self.path("t")) as file:
            self.assertTrue(json.load(file)["traceEvents"])
        self.assertRegex(self.assert_good(self.run_program("--version", ranks=3)).stdout, r"\A\d+\.\d+\.\d+ \(.+, \w+\)\n\Z")

    def test_the_page_shows_where_ranks_are(self):
        running = self.start_program(*long_run(4), "--status", "127.0.0.1:0", *MESSAGES, ranks=3)
        self.addCleanup(running.communicate)
        self.addCleanup(running.terminate)
        url = re.search(r"status at (\S+)", running.stderr.readline())[1]
        page = await_page(url, r"(?s)<td>0<td.*<td>1<td")
        self.assertEqual({row[1] for row in cells(page, "workers")}, {socket.gethostname()})


class Failures(MatmulCase):
    def test_one_rank_reports_an_error_once(self):
        missing = self.path("A.npy")
        for words, text in (
            (["--scheduler", "gsss"], "unknown scheduler 'gsss' (valid: send, gss, factoring, tss, adaptive, static, ss, fsc, mfsc, "
             "fac2, fac, wf, tap, tfss, fiss, viss, pls, rnd, bold, awf, awf-b, awf-c, awf-d, awf-e, af, maf, steady, auto); did you mean 'gss'?"),
            (["--sise", 4], "unknown option '--sise'; did you mean '--size'?"),
            (["--workers", 5], "--workers is 5 (under mpirun every rank is one worker); leave it out, and start as many "
                               "ranks with mpirun -q -np"),
            (["--master-rank", 3],
             "--master-rank is 3 (this run has 3 ranks, from 0); choose one of them"),
            (["--a", missing, "--b", missing, "--master-rank", 2], f"cannot read {missing} (no such file or directory)"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text, ranks=3)

    def test_an_error_on_another_rank_than_the_first_is_reported_by_that_rank(self):
        done = subprocess.run([MPIRUN, "-q", "--oversubscribe", "-np", "1", PROGRAM, "--size", "4", ":",
                               "-np", "1", PROGRAM, "--sise", "4"], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual((done.stderr, done.returncode), ("error: unknown option '--sise'\n  hint: did you mean '--size'?\n", 2))

    def run_in(self, folders, *words):
        """Starts a rank in each of the folders."""
        contexts = [["--wdir", self.path(folder), "-np", "1", PROGRAM, *words] for folder in folders]
        line = [MPIRUN, "-q", "--oversubscribe", *contexts[0]]
        for context in contexts[1:]:
            line += [":", *context]
        done = subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT_S)
        return done.returncode, done.stdout, in_one_line(FAREWELL.sub("", done.stderr))

    def test_a_load_whose_trace_is_not_on_every_host(self):
        for folder in ("has", "lacks"):
            os.mkdir(self.path(folder))
        with open(self.path("has/steps"), "w") as file:
            file.write("0 0.5\n")
        missing = "cannot read the load's trace steps (no such file or directory)"
        message = "error: rank {} on " + socket.gethostname() + ": " + missing + (
            "; compare this host with those of the other ranks, which succeeded\n")
        for folders, text in ((("has", "lacks", "lacks"), message.format(1)), (("lacks", "has"), message.format(0)),
                              (("lacks", "lacks"), f"error: {missing}\n")):
            for words in ((), ("--master-rank", "1")):
                with self.subTest(folders=folders, words=words):
                    self.assertEqual(self.run_in(folders, "--size", "4", "--load", "trace=steps", *words), (2, "", text))
        code, _, _ = self.run_in(("has", "has"), "--size", "4", "--load", "trace=steps")
        self.assertEqual(code, 0)

    def test_reason_and_hint_have_lines_of_their_own(self):
        done = subprocess.run([MPIRUN, "-q", "--oversubscribe", "-np", "2", PROGRAM, "--master-rank", "3"],
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual((done.stderr, done.returncode),
                         ("error: --master-rank is 3\n  why:  this run has 2 ranks, from 0\n"
                          "  hint: choose one of them\n", 2))

    def test_a_wrong_product(self):
        done = self.run_program("--size", 60, "--spoil", 17, "--c", self.path("C.npy"), "--json", "-", "--master-rank", 1,
                                *MESSAGES, ranks=3)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("error: the product is wrong in column 17 (1 of 60)"), 1)
        self.assertIs(json.loads(done.stdout)["verified"], False)
        self.assertEqual(self.files(), [])

    def test_a_worker_that_throws_ends_the_run(self):
        for words in ((), MESSAGES, (*MESSAGES, "--prefetch", 4, "--reissue")):
            with self.subTest(words=words):
                done = self.run_program("--size", 60, "--scheduler", "send:7", "--fail-at", 30, "--c", self.path("C.npy"),
                                        *words, ranks=3)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, r"\Aerror: rank \d+ on \S+ failed on columns 28-34 \(column 30 was to fail; \d+ of \d+ columns were in finished chunks\); "
                                 r"--on-failure retry:3 tries it again, --on-failure skip:1 leaves it out\n\Z")
                self.assertEqual(self.files(), [])

    @unittest.skipUnless(has_small_disks(), "a disk of a few pages takes root and unshare")
    def test_a_full_disk(self):
        done = self.run_on_small_disk("--rows", 300, "--inner", 300, "--cols", 600, "--kernel", "naive", "--scheduler", "send:1",
                                      "--progress", "none", "--json", "kept", ranks=2)
        self.assertEqual((done.returncode, done.stdout), (1, "filler\nkept\nold\n"), done.stderr)
        self.assertEqual(in_one_line(FAREWELL.sub("", done.stderr)),
                         "error: cannot append the JSON line to kept (no space left on device; no part of it was kept); "
                         "make room there, or name another file\n")


class Deaths(MatmulCase):
    SIZE = 1600
    COMPUTING_S = 12  # of all ranks together
    work = None

    def long_work(self):
        """Returns how often each column must be computed to keep the ranks busy for this time on this machine."""
        if Deaths.work is None:
            small = 400
            record = self.record("--size", small, "--kernel", "naive", "--workers", 1)
            once_s = sum(rank["computing_s"] for rank in record["ranks"]) * (self.SIZE / small) ** 3
            Deaths.work = math.ceil(self.COMPUTING_S / once_s)
        return Deaths.work

    def start_long_run(self, *words):
        with open(self.path("C.npy"), "w") as file:
            file.write("old")
        running = self.start_program("--size", self.SIZE, "--kernel", "naive", "--work", self.long_work(),
                                     "--scheduler", "send:4", "--c", self.path("C.npy"), "--progress", "none", *words, ranks=3)
        for stream in (running.stdout, running.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(running.kill)
        return running

    def ranks_of(self, running):
        """Returns the processes of a job once each computes; the run takes far longer."""
        ranks = wait_until(lambda: busy(children_of(running.pid), 3))
        self.assertTrue(ranks, "the ranks did not start")
        self.addCleanup(self.remove, {path for pid in ranks for path in self.shared_memory(pid)})
        return ranks

    def shared_memory(self, pid):
        """Removes Open MPI's files of killed processes, which would occupy memory."""
        with open(f"/proc/{pid}/maps") as file:
            return [line.split()[-1] for line in file if "/dev/shm/" in line and "(deleted)" not in line]

    def remove(self, paths):
        for path in filter(os.path.exists, paths):
            os.unlink(path)

    def assert_ends(self, running, ranks):
        begun_s = time.monotonic()
        running.communicate(timeout=TIMEOUT_S)
        self.assertLess(time.monotonic() - begun_s, 15)
        self.assertNotEqual(running.returncode, 0)
        wait_until(lambda: not any(map(stat_of, ranks)), 15)  # mpirun may end a little before them
        self.assertFalse(list(filter(stat_of, ranks)))
        self.assertEqual(self.files(), ["C.npy"])
        with open(self.path("C.npy")) as file:
            self.assertEqual(file.read(), "old")

    def test_a_killed_rank_ends_the_job(self):
        for words, victim in (((), 2), ((), 0), (MESSAGES, 1)):
            with self.subTest(words=words, victim=victim):
                running = self.start_long_run(*words)
                ranks = self.ranks_of(running)
                os.kill(ranks[victim], signal.SIGKILL)
                self.assert_ends(running, ranks)

    def test_reissue_does_not_wait_for_a_stopped_rank(self):
        running = self.start_long_run("--reissue")
        ranks = self.ranks_of(running)
        os.kill(ranks[2], signal.SIGSTOP)
        self.addCleanup(self.wake, ranks[2])
        self.assertTrue(wait_until(lambda: not self.is_old_c_there(), TIMEOUT_S), "the product waits for a rank that is stopped")
        self.wake(ranks[2])
        out, _ = running.communicate(timeout=TIMEOUT_S)
        self.assertEqual(running.returncode, 0)
        self.assertIn("rank 2 had not answered when the run ended", out)

    def is_old_c_there(self):
        with open(self.path("C.npy"), "rb") as file:
            return file.read(3) == b"old"

    def wake(self, pid):
        if os.path.exists(f"/proc/{pid}"):
            os.kill(pid, signal.SIGCONT)

    def test_an_interrupted_job_ends(self):
        running = self.start_long_run()
        ranks = self.ranks_of(running)
        running.send_signal(signal.SIGINT)
        self.assert_ends(running, ranks)


if __name__ == "__main__":
    unittest.main()
