"""The profile of a killed run contains the time after the last call of each rank."""

import os
import signal
import subprocess
import time

from profiled import LIBRARY, MPIRUN, Case, call, events_of, program


class Killed(Case):
    def killed(self, after_s, ranks, *words, by=signal.SIGTERM):
        """Sends mpirun a signal this long after the ranks have begun."""
        with subprocess.Popen([MPIRUN, "-q", "--oversubscribe", *self.context(ranks, words)], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            deadline_s = time.monotonic() + 30
            while not os.path.exists(self.file) and running.poll() is None and time.monotonic() < deadline_s:
                time.sleep(0.02)
            time.sleep(after_s)
            running.send_signal(by)
        return self.partial()

    def partial(self):
        profile = self.profile()
        self.assertFalse(profile["is_complete"])
        for rank in profile["ranks"]:
            self.assert_account_closes(rank)
        return profile

    def test_computing_before_sigterm_is_in_the_profile(self):
        profile = self.killed(2, 2, "profiled_ends", "compute", "20000")
        self.assertRegex(profile["notes"][-1], "ended without MPI_Finalize")
        for rank in profile["ranks"]:
            self.assertFalse(rank["ends_in_call"])
            self.assertGreater(rank["outside_ns"], 1e9)
            ran_ns = rank["outside_ns"] - rank["stolen_ns"] - rank["blocked_ns"]
            self.assertGreater(ran_ns, 0.1e9)  # it waited only for a processor, if other programs had it
            self.assertLess(rank["blocked_ns"], 0.2 * rank["outside_ns"])

    def test_sleeping_before_sigterm_is_blocked(self):
        rank, = self.killed(2, 1, "profiled_ends", "sleep", "20000")["ranks"]
        self.assertGreater(rank["blocked_ns"], 1e9)
        self.assertAlmostEqual(rank["blocked_ns"] / rank["outside_ns"], 1, delta=0.05)

    def test_a_deadlock_is_reported_with_its_call(self):
        profile = self.killed(2.5, 2, "profiled_ends", "hang", "300")
        self.assertRegex(profile["notes"][0], r"^ranks 0, 1 did not return from MPI_Recv \(called from .*profiled_ends")
        for rank in profile["ranks"]:
            last = rank["events"][-1]
            self.assertEqual((last["call"], last["peer"], last["tag"]), ("MPI_Recv", 1 - rank["rank"], 4))
            self.assertEqual((rank["ends_in_call"], last["end_ns"]), (True, rank["end_ns"]))
            self.assertGreater(last["inside_ns"], 0.7e9)
            self.assertEqual(rank["inside_ns"], last["inside_ns"])
            self.assertAlmostEqual(rank["outside_ns"] / 1e6, 300, delta=150)

    def test_a_rank_killed_in_a_call_has_an_unknown_end(self):
        self.run_ranks(2, "profiled_ends", "cut", "300")
        profile = self.partial()
        zero, one = profile["ranks"]
        self.assertEqual(zero["ended_by"], "")
        self.assertRegex(" ".join(profile["notes"]),
                         "rank 0 ended without MPI_Finalize at an unknown time, as after SIGKILL")
        self.assertGreater(zero["inside_ns"], 0.15e9)
        self.assertLessEqual(zero["end_ns"], one["end_ns"])
        self.assertEqual(len(events_of(zero, call="MPI_Recv")), 1)

    def test_a_rank_killed_outside_mpi_has_an_unknown_end(self):
        self.run_ranks(2, "profiled_ends", "kill", "30")
        zero, one = self.partial()["ranks"]
        self.assertEqual((zero["ended_by"], zero["ends_in_call"]), ("", False))
        self.assertLessEqual(zero["end_ns"], one["end_ns"])

    def test_a_fault_ends_the_program_as_without_the_profiler(self):
        done = self.run_ranks(1, "profiled_ends", "crash", "200")
        self.assertRegex(done.stderr, "Segmentation fault")
        self.assertRegex(done.stderr, "Address not mapped")
        rank, = self.partial()["ranks"]
        self.assertEqual(rank["ended_by"], "SIGSEGV")
        self.assertGreater(rank["outside_ns"], 0.2e9)

    def test_ranks_of_a_killed_mpirun_have_a_profile(self):
        for rank in self.killed(2, 2, "profiled_ends", "compute", "20000", by=signal.SIGKILL)["ranks"]:
            self.assertGreater(rank["outside_ns"], 0.5e9)

    def test_a_rank_may_end_by_exit(self):
        self.run_ranks(1, "profiled_ends", "exit", "30")
        rank, = self.partial()["ranks"]
        self.assertEqual(rank["ended_by"], "exit")


def other_threads_cpu_s(pid):
    """Returns the processor time of a process's other threads, which start late on a busy machine."""
    ticks = 0
    for thread in set(os.listdir(f"/proc/{pid}/task")) - {str(pid)}:
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        ticks += int(user) + int(system)
    return ticks / os.sysconf("SC_CLK_TCK")


class KilledAlone(Case):
    """A rank without mpirun, which only the test ends: mpirun sends SIGKILL shortly after its SIGTERM."""

    def started(self, *words):
        variables = {"LD_PRELOAD": LIBRARY, "LOADSHARE_PROFILE_OUT": self.file}
        rank = subprocess.Popen([program("profiled_ends"), *words], env={**os.environ, **variables}, cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(rank.wait)
        self.addCleanup(rank.kill)
        return rank

    def ended(self, rank):
        """Waits for the rank. Returns its exit code in Python's form, and its profile."""
        code = rank.wait(timeout=30)
        profile = self.profile()
        self.assertFalse(profile["is_complete"])
        self.assert_account_closes(profile["ranks"][0])
        return code, profile["ranks"][0]

    def killed(self, *words, by=signal.SIGTERM, is_ready=lambda rank: True):
        """Sends the signal some time after the rank's profile has begun."""
        rank = self.started(*words, "20000")
        until = time.monotonic() + 20
        while not (os.path.exists(self.file) and is_ready(rank)) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.6)
        rank.send_signal(by)
        return self.ended(rank)

    def test_sigterm_is_recorded(self):
        code, rank = self.killed("compute")
        self.assertEqual((code, rank["ended_by"]), (-signal.SIGTERM, "SIGTERM"))
        self.assertGreater(rank["outside_ns"], 0.3e9)
        self.assertTrue(rank["is_stolen_known"])
        self.assertLess(rank["other_threads_cpu_ns"], 0.05e9)

    def test_a_handler_of_the_program_is_kept(self):
        for words in ("handle", "early"):
            code, rank = self.killed(words)
            self.assertEqual((code, rank["ended_by"]), (5, "exit"), words)
            self.assertGreater(rank["outside_ns"], 0.3e9)
            os.remove(self.file)

    def test_a_handler_may_call_the_previous_one(self):
        for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGFPE):
            code, rank = self.ended(self.started("chain", str(int(number))))
            self.assertEqual((code, rank["ended_by"]), (-number, number.name))
            os.remove(self.file)

    def test_a_rank_may_end_by_bare_exit(self):
        code, rank = self.ended(self.started("leave", "5"))
        self.assertEqual((code, rank["ended_by"]), (5, "exit"))

    def test_an_ignored_signal_stays_ignored(self):
        self.assertEqual(self.started("ignore").wait(timeout=30), 0)
        profile = self.profile()
        self.assertTrue(profile["is_complete"], profile["notes"])
        self.assertEqual(len(profile["ranks"][0]["events"]), 10)

    def test_the_exit_of_a_child_does_not_end_the_profile(self):
        code, rank = self.killed("child")
        self.assertEqual((code, rank["ended_by"]), (-signal.SIGTERM, "SIGTERM"))
        self.assertGreater(rank["outside_ns"], 0.3e9)
        self.assertEqual(len(rank["events"]), 10)

    def test_other_threads_are_counted_for_any_signal(self):
        for by, ended_by in ((signal.SIGTERM, "SIGTERM"), (signal.SIGKILL, "")):
            code, rank = self.killed("two-threads", by=by, is_ready=lambda rank: other_threads_cpu_s(rank.pid) > 0.2)
            self.assertEqual((code, rank["ended_by"]), (-by, ended_by))
            self.assertGreater(rank["other_threads_cpu_ns"], 0.1e9)
            os.remove(self.file)

    def test_unreported_times_are_unknown_instead_of_zero(self):
        code, rank = self.killed("snatch")
        self.assertEqual((code, rank["ended_by"], rank["is_stolen_known"]), (-signal.SIGTERM, "SIGTERM", False))
