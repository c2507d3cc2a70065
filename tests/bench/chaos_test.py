"""The errors that bench/chaos finds in the record of a run whose workers joined and left."""

import os
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))

from trials import ways  # noqa: E402
from trials.workers import Worker, has_crashed, judge_culprit, judge_events, judge_losses  # noqa: E402


def members(*lives, lost=0, chunks=0):
    """Makes a record of workers with these events, a second apart; a lost worker loses `chunks` chunks."""
    events = [{"what": what, "worker": worker, "chunks": chunks if what == "lost" else 0, "at_s": at_s}
              for worker, life in enumerate(lives) for at_s, what in enumerate(life.split(", "))]
    return {"lost": lost, "events": sorted(events, key=lambda event: event["at_s"])}


class Lives(unittest.TestCase):
    def test_consistent_events_are_accepted(self):
        for life in ("joined", "joined, silent, heard, silent", "joined, lost, joined, silent, lost", "joined, silent, left",
                     "joined, set aside, lost"):
            self.assertIsNone(judge_events(members(life, "joined, lost")), life)

    def test_inconsistent_events_are_reported(self):
        for life in ("lost", "joined, left, lost", "joined, joined", "joined, lost, lost", "joined, lost, heard, joined", "joined, heard",
                     "joined, silent, silent", "joined, lost, silent"):
            self.assertIn("worker 1 has inconsistent events", judge_events(members("joined", life)) or "", life)


class Accounts(unittest.TestCase):
    def test_the_lost_chunks_are_those_of_the_events(self):
        self.assertIsNone(judge_events(members("joined, lost", "joined, lost", lost=4, chunks=2)))
        self.assertEqual(judge_events(members("joined, lost", lost=1, chunks=2)), "1 chunks were lost, but 2 according to the events")

    def test_events_are_in_the_order_of_their_times(self):
        record = members("joined, silent")
        record["events"].reverse()
        self.assertIsNotNone(judge_events(record))

    def test_no_more_workers_are_lost_than_disturbances_explain(self):
        record = members("joined, lost, joined", "joined, lost", "joined")
        self.assertIsNone(judge_losses(record, 2))
        self.assertEqual(judge_losses(record, 1), "2 workers were lost, but disturbances explain only 1")


class Ends(unittest.TestCase):
    def test_every_signal_except_an_intended_kill_is_a_crash(self):
        for name in ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGILL", "SIGBUS", "SIGPIPE"):
            self.assertTrue(has_crashed(-getattr(signal, name), False), name)
            self.assertTrue(has_crashed(-getattr(signal, name), True), name)
        self.assertTrue(has_crashed(-signal.SIGKILL, False), "it was not killed on purpose")
        self.assertFalse(has_crashed(-signal.SIGKILL, True))
        for code in (None, 0, 1, 3):
            self.assertFalse(has_crashed(code, False), code)


class Idle(ways.Way):
    def command(self, words):
        return ["sleep", 60]


class Culprits(unittest.TestCase):
    def worker(self, has_joined=True):
        """Starts a process that only waits, and writes that it joined."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "said")
        worker = Worker("", Idle("nowhere"), 1, [], path)
        self.addCleanup(worker.end)
        if has_joined:
            with open(path, "w") as said:
                said.write("joined the master at nowhere")
        return worker

    def test_three_workers_killed_at_work_may_convict_an_iteration(self):
        self.assertIsNone(judge_culprit("workers were lost with column 7", 3))
        self.assertIn("only 2 processes died at work", judge_culprit("workers were lost with column 7", 2))

    def test_only_running_workers_died_at_work(self):
        killed, stopped, cut, new = self.worker(), self.worker(), self.worker(), self.worker(has_joined=False)
        stopped.signal(signal.SIGSTOP)
        cut.way.is_cut = True
        for worker in (killed, stopped, cut, new):
            worker.signal(signal.SIGKILL)
        self.assertEqual([worker.died_at_work for worker in (killed, stopped, cut, new)], [True, False, False, False])


if __name__ == "__main__":
    unittest.main()
