"""synthetic as a user sees it, with threads and under mpirun."""

import json
import os
import resource
import signal
import subprocess
import time
import unittest

from app_cli import command
from farm_cli import MESSAGES, FarmCase

SCHEDULERS = ("send", "gss:14,min=2", "factoring:40", "tss:40,2", "adaptive:3,1,9", "static", "fac2", "tfss", "fiss", "rnd",
              "bold:mu=20e-6,sigma=20e-6,overhead=5e-6", "wf:weights=1:2:3", "awf", "awf-b", "awf-e", "af", "maf", "steady")
CHEAP = ("--cost", "exponential:20us")
COSTS = ("constant:5us", "uniform:0,9us", "normal:5us,0.5", "exponential:5us", "gamma:5us,2", "rising:0,9us",
         "falling:0,9us", "bimodal:1us,40us,0.1")


def processor_s_since(before):
    """Returns the processor time of programs that ran and ended since then."""
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime


class Runs(FarmCase):
    def test_every_scheduler(self):
        for scheduler in SCHEDULERS:
            with self.subTest(scheduler=scheduler):
                record = self.record("--iterations", 500, *CHEAP, "--scheduler", scheduler, "--workers", 3)
                self.assertIs(record["verified"], True)

    def test_every_cost(self):
        for cost in COSTS:
            with self.subTest(cost=cost):
                self.assertIs(self.record("--iterations", 300, "--cost", cost, "--workers", 2)["verified"], True)

    def test_every_size(self):
        for words in (("--iterations", 0), ("--iterations", 1, "--workers", 1), ("--iterations", 3, "--workers", 8),
                      ("--input-bytes", 0), ("--shared-bytes", 1), ("--shared-bytes", 5000001), ("--output-bytes", 1),
                      ("--input-bytes", 3, "--output-bytes", 13, "--prefetch", 4, "--reissue"), ("--master", "works")):
            with self.subTest(words=words):
                iterations = () if "--iterations" in words else ("--iterations", 200)
                self.assertIs(self.record(*CHEAP, *iterations, *words)["verified"], True)

    def test_without_results_nothing_is_verified(self):
        record = self.record(*CHEAP, "--iterations", 20, "--output-bytes", 0, "--input-bytes", 0)
        self.assertIsNone(record["verified"])

    def test_mpi(self):
        for ranks, words in ((1, ("--iterations", 50)), (3, ("--iterations", 500)), (3, ("--iterations", 0)),
                             (3, ("--iterations", 500, *MESSAGES, "--shared-bytes", 5000001, "--prefetch", 2)),
                             (3, ("--iterations", 300, *MESSAGES, "--master", "coordinates", "--scheduler", "adaptive",
                                  "--input-bytes", 13, "--output-bytes", 100001)),
                             (4, ("--iterations", 2, *MESSAGES, "--shared-bytes", 3, "--master-rank", 2, "--reissue"))):
            with self.subTest(ranks=ranks, words=words):
                record = self.record(*CHEAP, *words, ranks=ranks)
                self.assertEqual((record["verified"], record["transport"]), (True, "mpi"))
                self.assertEqual(len(record["ranks"]), ranks)

    def test_costs_of_a_file(self):
        with open(self.path("costs, in s.txt"), "w", encoding="utf-8") as file:
            file.write("\ufeff1e-5\n# seconds, behind a byte order mark\n" + "1e-5\n" * 98 + "0.02\n")
        for ranks in (None, 3):
            with self.subTest(ranks=ranks):
                record = self.record("--iterations", 100, "--cost", "file:" + self.path("costs, in s.txt"), *MESSAGES,
                                     "--scheduler", "send:5", ranks=ranks)
                self.assertIs(record["verified"], True)
                self.assertAlmostEqual(record["options"]["cost_total_s"], 0.02099)
                self.assertEqual(record["options"]["cost_dearest_s"], 0.02)


class Effort(FarmCase):
    def test_rounds_are_the_work(self):
        """The same cost in twice the rounds takes twice the processor time."""
        words = ("--iterations", 100, "--cost", "constant:1ms", "--workers", 1, "--rounds-per-second")
        # The least of some tries: other programs cost processor time too, by way of the caches.
        some, more = (min(self.computing_s(self.record(*words, rounds)) for _ in range(3)) for rounds in (10**8, 2 * 10**8))
        self.assertGreater(more, 1.5 * some)
        self.assertLess(more, 2.7 * some)

    def computing_s(self, record):
        self.assertIs(record["options"]["rounds_are_measured"], False)
        return sum(rank["computing_s"] for rank in record["ranks"])

    def test_a_second_of_cost_is_one_of_the_master(self):
        record = self.record("--iterations", 100, "--cost", "constant:3ms", "--workers", 1)
        self.assertIs(record["options"]["rounds_are_measured"], True)
        self.assertGreater(record["options"]["rounds_per_second"], 10**6)
        computing_s = sum(rank["computing_s"] for rank in record["ranks"])
        self.assertGreater(computing_s, 0.15)
        self.assertLess(computing_s, 0.9)

    def test_sleepers_leave_the_processor_alone(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        record = self.record("--iterations", 4000, "--cost", "gamma:1ms", "--how", "sleep", "--workers", 4,
                             "--scheduler", "send:500", "--wait", "nap")
        self.assertGreater(record["makespan_s"], 0.9)
        self.assertLess(processor_s_since(before), 0.3 * record["makespan_s"])
        self.assertNotIn("rounds_per_second", record["options"])
        for rank in record["ranks"]:
            self.assertEqual(rank["stolen_s"], 0)
        slept_s = sum(rank["computing_s"] for rank in record["ranks"])
        self.assertAlmostEqual(slept_s, record["options"]["cost_total_s"], delta=0.2)  # 8 times late

    def test_short_sleeps_do_not_pile_up(self):
        """A chunk sleeps once: 10,000 sleeps of 10 us would take a second or so if each were one."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        record = self.record("--iterations", 10000, "--cost", "constant:10us", "--how", "sleep", "--workers", 1,
                             "--scheduler", "send:1000", "--input-bytes", 0, "--output-bytes", 8)
        self.assertGreater(record["makespan_s"], 0.1)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before.ru_nvcsw, 500)

    def test_a_waiting_worker_sleeps(self):
        """One chunk, which sleeps as well: the other two workers have nothing to do but wait, as has the master."""
        for ranks, words in ((None, ("--workers", 3)), (3, ()), (3, MESSAGES)):
            with self.subTest(ranks=ranks, words=words):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                record = self.record("--iterations", 1, "--cost", "constant:1s", "--how", "sleep", "--scheduler", "send:1",
                                     "--wait", "nap", *words, ranks=ranks)
                idle = [rank for rank in record["ranks"] if rank["worker"] is not None and rank["chunks"] == 0]
                self.assertEqual(len(idle), 2)
                for rank in idle:
                    self.assertGreater(rank["idle_s"], 0.9)
                for rank in record["ranks"]:
                    burnt_s = rank["waiting_cpu_s"] + rank["coordinating_cpu_s"]
                    # Between naps MPI is polled for messages, by the master also for its own worker. On one idle machine
                    # that took a worker 0.009 to 0.025 of the time within an hour. A worker that does not sleep takes all of it.
                    most = 0.005 if words != MESSAGES else 0.05 if rank["role"] == "worker" else 0.2
                    self.assertLess(burnt_s, most * record["makespan_s"])
                if ranks is None:
                    self.assertLess(processor_s_since(before), 0.3 * record["makespan_s"])

    def test_messages_of_long_chunks_cost_little(self):
        """Chunks of 100 ms, a core a rank: what carries messages meanwhile sleeps."""
        record = self.record("--iterations", 20, "--cost", "constant:100ms", "--how", "sleep", "--scheduler", "send:1",
                             "--master", "coordinates", *MESSAGES, ranks=2)
        worker = next(rank for rank in record["ranks"] if rank["role"] == "worker")
        self.assertLess(worker["coordinating_cpu_s"], 0.02 * record["makespan_s"])

    def test_costs_are_the_same_for_every_technique(self):
        words = ("--iterations", 300, "--cost", "gamma:20us,2", "--seed", 9)
        totals = {self.record(*words, "--scheduler", scheduler, "--workers", workers)["options"]["cost_total_s"]
                  for scheduler, workers in (("send:1", 1), ("gss", 3), ("factoring", 2))}
        self.assertEqual(len(totals), 1)

    def test_an_interrupted_sleep_ends(self):
        with subprocess.Popen(command(("--iterations", 2, "--cost", "constant:1000s", "--how", "sleep", "--workers", 2)),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            self.addCleanup(running.kill)
            deadline_s = time.monotonic() + 30
            while len(os.listdir(f"/proc/{running.pid}/task")) <= 2 and time.monotonic() < deadline_s:
                time.sleep(0.02)  # until its two workers are there
            running.send_signal(signal.SIGINT)
            _, text = running.communicate(timeout=10)
        self.assertEqual(running.returncode, 130)
        self.assertIn("interrupted", text)


class Reports(FarmCase):
    def test_the_record(self):
        record = self.record("--iterations", 400, "--cost", "gamma:20us,0.5", "--shared-bytes", 9, "--workers", 2,
                             "--seed", 7, "--scheduler", "send:50")
        options = record["options"]
        self.assertEqual((record["iterations"], record["seed"], record["workers"]), (400, 7, 2))
        self.assertEqual((options["cost"], options["how"]), ("gamma:cv=0.5,mean=20us", "busy"))
        self.assertEqual((options["input_bytes"], options["output_bytes"], options["shared_bytes"]), (5760, 5760, 9))
        self.assertAlmostEqual(options["cost_total_s"], 400 * 20e-6, delta=0.1 * 400 * 20e-6)
        self.assertAlmostEqual(options["cost_cv"], 0.5, delta=0.1)
        self.assertAlmostEqual(options["least_makespan_s"], options["cost_total_s"] / 2)
        self.assertEqual([chunk["size"] for chunk in record["chunks"]], [50] * 8)

    def test_the_summary(self):
        done = self.run_program("--iterations", 40, "--cost", "constant:50us", "--scheduler", "gss:3", "--workers", 2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Asynthetic: 40 iterations by gss:divisor=3 on 2 workers, 1 host \(threads\)\n\n"
                                      r"rank  host .*\n(.*\n){3}\nmakespan +\S+ \w+\nefficiency  .*\nlost +.*\n"
                                      r"(?s:.*)verified    yes\n")
        text = " ".join(done.stdout.split())
        self.assertIn("note 40 iterations cost 2.00 ms, 50.0 us each (cv 0.00); 2 equal, undisturbed workers need at least "
                      "1.00 ms note for the same work again: --rounds-per-second ", text)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_help_and_version(self):
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for default in ("--iterations N=10000", "--how HOW=busy", "--input-bytes N=5760", "--output-bytes N=5760",
                        "--shared-bytes N=0", "--seed N=1", "--scheduler SPEC=gss"):
            self.assertIn(default + " ", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)
        self.assertRegex(self.run_program("--version", ranks=2).stdout, r"\A\d+\.\d+\.\d+ \(.+, \w+\)\n\Z")
        self.assertRegex(self.run_program("--cost", "help").stdout, r"(?m)^gamma:mean,cv$")
        self.assertRegex(self.run_program("--scheduler", "help").stdout, r"(?m)^gss:divisor")


class Journal(FarmCase):
    def test_the_same_command_resumes(self):
        words = ("--iterations", 300, *CHEAP, "--workers", 2, "--journal", self.path("journal"))
        begun = self.told_record(*words)
        record = self.told_record(*words, "--resume")
        self.assertEqual((record["verified"], record["journal"]["recovered"], record["chunks"]), (True, 300, []))
        self.assertIs(begun["options"]["rounds_are_measured"], True)

    def test_another_cost_is_another_job(self):
        words = ("--iterations", 300, "--workers", 2, "--journal", self.path("journal"))
        self.assert_good(self.run_program(*words, *CHEAP))
        done = self.run_program(*words, "--cost", "exponential:21us", "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is the journal of another job", done.stderr)
        self.assertIn("mean=20us", done.stderr)


class Failures(FarmCase):
    def test_a_spoilt_result(self):
        for ranks in (None, 3):
            with self.subTest(ranks=ranks):
                done = self.run_program("--iterations", 60, *CHEAP, "--spoil", 17, "--json", "-", ranks=ranks)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.count("error: the result is wrong in iteration 17 (1 of 60)\n"), 1)
                self.assertIs(json.loads(done.stdout)["verified"], False)

    def test_words(self):
        for words, text in (
            (["--cost", "gama"], "unknown cost 'gama' (valid: constant, uniform, normal, exponential, gamma, rising, "
                                 "falling, bimodal, file); did you mean 'gamma'?"),
            (["--cost", "gamma:5"], "cost gamma: mean is '5' (it has no unit); write it as 200us, 1.5ms or 2s"),
            (["--how", "bussy"], "unknown --how 'bussy' (valid: busy, sleep); did you mean 'busy'?"),
            (["--how", "sleep", "--rounds-per-second", "9"],
             "--rounds-per-second is given (--how sleep computes none); leave it out"),
            (["--rounds-per-second", "0"], "--rounds-per-second is 0 (at least 1)"),
            (["--iterations", "-1"], "--iterations is -1 (at least 0)"),
            (["--iteration", "1"], "unknown option '--iteration'; did you mean '--iterations'?"),
            (["--iterations", "9", "--spoil", "9"], "--spoil is 9 (the loop has 9 iterations, from 0)"),
            (["--output-bytes", "0", "--spoil", "9"],
             "--spoil is 9 (without output bytes there is no result); give --output-bytes"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_one_rank_reports_an_error_once(self):
        self.assert_refused(["--cost", "uniform:2ms,1ms"],
                            "cost uniform: low is 2.00 ms (it is more than high, which is 1.00 ms); give a smaller low "
                            "or a larger high", ranks=3)

    def test_a_bad_file_of_costs(self):
        path = self.path("costs.txt")
        with open(path, "w") as file:
            file.write("0.1\n0.2 s\n")
        self.assert_refused(["--cost", f"file:{path}", "--iterations", 2],
                            f"{path}:2:5: 's' follows a cost (one cost in seconds a line); write it as 0.0002",
                            ranks=2)
        self.assert_refused(["--cost", f"file:{path}", "--json", path],
                            f"--cost and --json are the same file ({path}); name another file")

    def test_data_that_do_not_fit_into_memory(self):
        done = self.run_program("--iterations", 10**12)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aerror: a loop of 1,000,000,000,000 iterations needs \S+ PiB of memory \(.*\); use "
                                      r"fewer iterations or smaller ones\n\Z")


if __name__ == "__main__":
    unittest.main()
