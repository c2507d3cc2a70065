"""matmul under a background load: record and summary, and that no load outlives its run."""

import os
import signal
import subprocess
import unittest

from app_cli import PROGRAM, TIMEOUT_S
from matmul_cli import MatmulCase
from processes import descendants, is_alive, parent_of, processor_s, read, wait_until

RUN = ("--kernel", "naive", "--scheduler", "send:8", "--progress", "none", "--verify", "none")
ENDLESS = (*RUN, "--size", 4000)
LOADED_KEYS = {
    "rank", "host", "cpu", "capacity", "phase_s", "share_asked", "share_taken", "worker_share", "cpu_s", "on_s",
    "late_p99_s", "late_max_s", "cycles",
}


def loads_below(pid):
    return [below for below in descendants(pid) if read(f"/proc/{below}/comm").strip() == "loadshare-load"]


class LoadCase(MatmulCase):
    def loads_of(self, running, count):
        """Returns the load processes of a run once all of them work: a rank that is killed while MPI
        still starts may leave mpirun waiting forever."""
        def at_work():
            loads = loads_below(running.pid)
            return loads if len(loads) >= count and all(processor_s(pid) > 0.02 for pid in loads) else None
        self.assertTrue(wait_until(at_work, 20), "the loads did not begin")
        return loads_below(running.pid)

    def start_loaded(self, ranks=None, loads=2):
        words = [*ENDLESS, "--load", "constant", *(["--workers", 2] if ranks is None else [])]
        running = self.start_program(*words, ranks=ranks)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.kill)
        return running, self.loads_of(running, loads)

    def assert_gone(self, pids, timeout_s=10):
        self.assertTrue(wait_until(lambda: not any(map(is_alive, pids)), timeout_s), "a load outlived its run")


class Record(LoadCase):
    def check_load(self, record, spec, ranks):
        load = record["load"]
        self.assertEqual((load["spec"], [rank["rank"] for rank in load["ranks"]]), (spec, ranks))
        for rank in load["ranks"]:
            self.assertEqual(set(rank), LOADED_KEYS)
            self.assertIn(rank["host"], record["hosts"])
            self.assertLess(rank["on_s"], record["makespan_s"] + 0.5)
        return load["ranks"]

    def test_a_run_without_a_load_records_none(self):
        self.assertIsNone(self.record("--size", 9)["load"])

    def test_threads_that_share_their_processor(self):
        spec = "on=200ms,off=100ms,share=0.5,phase=50ms"
        # Long enough for several turns of the load: of two turns, a worker that began late sees too little.
        record = self.record(*RUN, "--size", 1600, "--workers", 2, "--load", spec)
        for rank in self.check_load(record, spec, [1, 2]):
            self.assertEqual((rank["phase_s"], rank["share_asked"]), (0.05, 0.5))
            self.assertGreater(rank["cpu_s"], 0.01)  # a machine that others keep busy gives it less than its share
            self.assertLess(rank["share_taken"], 0.6)
            # Empty if other programs took more of the time without the load than expected.
            self.assertTrue(rank["worker_share"] is None or 0 <= rank["worker_share"] < 0.75, rank)
            self.assertGreaterEqual(rank["cycles"], 1)

    def test_ranks_of_choice(self):
        record = self.record(*RUN, "--size", 700, "--load", "constant,share=0.25,where=1", ranks=2)
        (rank,) = self.check_load(record, "constant,share=0.25,where=1", [1])
        self.assertEqual((rank["phase_s"], rank["share_asked"], rank["cycles"]), (0, 0.25, 1))

    def test_a_coordinating_master_is_loaded_only_when_all_are(self):
        words = (*RUN, "--size", 400, "--master", "coordinates")
        self.check_load(self.record(*words, "--load", "constant", ranks=2), "constant", [1])
        ranks = self.check_load(self.record(*words, "--load", "constant,where=all", ranks=2), "constant,where=all", [0, 1])
        self.assertIsNone(ranks[0]["worker_share"])

    def test_the_same_seed_is_the_same_phases(self):
        spec = "on=1s,off=1s,phase=random,seed=7"
        for scheduler in ("send:3", "gss"):
            record = self.record("--size", 60, "--workers", 2, "--scheduler", scheduler, "--load", spec)
            phases = [rank["phase_s"] for rank in self.check_load(record, spec, [1, 2])]
            self.assertAlmostEqual(phases[1], 0.23482856206903602, delta=1e-9)

    def test_the_summary_reports_the_load(self):
        done = self.assert_good(self.run_program(*RUN, "--size", 700, "--workers", 1, "--load", "constant"))
        self.assertRegex(done.stdout, r"(?m)^load +constant on 1 rank: took \S+ % of a")
        self.assertIn("stolen by the load and other programs", done.stdout.replace("\n            ", " "))


class Refused(LoadCase):
    def test_words_that_make_no_sense(self):
        self.assert_refused(["--load", "on=1s,off=1s,phse=0"],
                            "unknown part of a load 'phse' (valid: on, off, share, phase, seed, where, constant, trace); "
                            "did you mean 'phase'?")
        self.assert_refused(["--workers", 2, "--load", "constant,where=7"],
                            "load: there is no rank 7 to disturb (this run has 3 ranks, from 0); say where=workers, "
                            "or other ranks")
        self.assert_refused(["--load", "constant,where=7"],
                            "load: there is no rank 7 to disturb (this run has 2 ranks, from 0); say where=workers, "
                            "or other ranks", ranks=2)


class Outliving(LoadCase):
    def test_a_good_end(self):
        # A reader of a pipe would wait for any process that still held it.
        script = f'"{PROGRAM}" --size 60 --workers 2 --load constant | cat'
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertIn("makespan", done.stdout)

    def test_an_interrupt_ends_the_run_in_good_order(self):
        running, loads = self.start_loaded()
        running.send_signal(signal.SIGINT)
        for pid in loads:
            os.kill(pid, signal.SIGINT)  # as the terminal does
        output, errors = running.communicate(timeout=TIMEOUT_S)
        self.assertEqual((running.returncode, output), (130, ""))
        self.assertRegex(errors, r"\Amatmul: interrupted: .*\nerror: interrupted")
        self.assert_gone(loads)

    def test_kill_9_of_a_run_of_threads(self):
        running, loads = self.start_loaded()
        running.kill()
        running.wait(timeout=TIMEOUT_S)
        self.assert_gone(loads, 1)

    def test_kill_9_of_a_rank(self):
        running, loads = self.start_loaded(ranks=2)
        rank = parent_of(loads[1])
        os.kill(rank, signal.SIGKILL)
        self.assert_gone(loads[1:], 1)
        running.communicate(timeout=TIMEOUT_S)
        self.assert_gone(loads)

    def test_kill_9_of_mpirun(self):
        running, loads = self.start_loaded(ranks=2)
        running.kill()
        running.wait(timeout=TIMEOUT_S)
        self.assert_gone(loads, 20)


if __name__ == "__main__":
    unittest.main()
