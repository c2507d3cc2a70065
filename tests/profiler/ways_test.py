"""The profile finds every way to wait in MPI, by call and reason, in a program that measures its own waiting."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest

WAYS = os.environ["WAYS"]
ACCOUNT_DUMP = os.environ["ACCOUNT_DUMP"]
PROFILE_LIBRARY = os.environ["PROFILE_LIBRARY"]
MPIRUN = os.environ["MPIRUN"]
# To start on other hosts: "build/bin/loadshare lab run -- mpirun -q"
LAUNCH = shlex.split(os.environ.get("WAYS_LAUNCH", f"{MPIRUN} -q --oversubscribe -np 2"))
TIMEOUT_S = 60
PAUSE_S = 0.03
CLOSE_S = 0.002  # in addition to the kernel's count of stolen time
QUICK_S = 1e-4  # largest unexplained time

NOT_IDLE = ("no waiting", "not told")
# The reason for waiting, by way; that of all others is a late sender.
REASONS = {"late": "late receiver", "neighbor": "late neighbour", "ineighbor": "late neighbour",
           "create": "wait at N x N", "file": "wait at N x N", "fence": "wait at N x N", "post": "late epoch",
           "lock": "lock contention", "flush": "wait for progress", "fetch": "wait for progress"}
# Ways in which MPI decides whether the rank waits.
MAY_NOT_WAIT = {"way_short_send_to_late_receive", "way_file_write_all", "way_flush", "way_fetch_and_op",
                "way_large_receive_from_computing"}


def reason(way):
    if way.endswith("to_late_receive"):
        return REASONS["late"]
    if way.endswith("_computing"):
        return "wait for progress"
    return REASONS.get(re.split("_", way)[1], "late sender")


def truth_and_account():
    """Returns the program's own times and those of its profile."""
    with tempfile.TemporaryDirectory() as directory:
        profile = os.path.join(directory, "ways.profile")
        done = subprocess.run(
            [*LAUNCH, "-x", f"LD_PRELOAD={PROFILE_LIBRARY}", "-x", f"LOADSHARE_PROFILE_OUT={profile}", WAYS,
             os.path.join(directory, "written"), str(PAUSE_S * 1e3)],
            capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        dump = subprocess.run([ACCOUNT_DUMP, profile], capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        return json.loads(done.stdout), json.loads(dump.stdout)


def known_wait_s(way, rank):
    """Returns the wait until the other rank arrived; 0 if the calls had finished before."""
    until_s = way["came_s"][1 - rank]
    return max(0, until_s - way["came_s"][rank]) if way["left_s"][rank] >= until_s else 0


def may_not_have_waited(way, rank):
    """Returns whether stolen time alone may explain the late end of the calls."""
    in_calls_s = way["left_s"][rank] - way["came_s"][rank]
    return way["way"] in MAY_NOT_WAIT and in_calls_s - way["stolen_s"][rank] < known_wait_s(way, rank)


class Ways(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ways, cls.account = truth_and_account()

    def losses(self, way):
        """Returns the seconds by reason, for the calls in the way's function."""
        by_state = {}
        for loss in self.account["losses"]:
            if loss["place"].startswith(way["way"] + "+"):
                by_state[loss["state"]] = by_state.get(loss["state"], 0) + loss["seconds"]
        return by_state

    def test_every_way_is_in_the_profile(self):
        self.assertEqual(len(self.ways), 39)
        for way in self.ways:
            self.assertTrue(self.losses(way), way)

    def test_the_first_of_the_two_waits(self):
        for way in self.ways:
            if way["way"] not in MAY_NOT_WAIT:
                self.assertGreater(known_wait_s(way, 1), 0, way)
        self.assertGreater(sum(known_wait_s(way, 1) for way in self.ways), 0.5 * PAUSE_S * len(self.ways))

    def test_waiting_has_its_reason(self):
        for way in self.ways:
            with self.subTest(way["way"]):
                found = self.losses(way)
                idle = {state: seconds for state, seconds in found.items() if state not in NOT_IDLE and seconds > QUICK_S}
                waited_s = known_wait_s(way, 0) + known_wait_s(way, 1)
                if not idle and may_not_have_waited(way, 1):
                    continue
                self.assertAlmostEqual(sum(idle.values()), waited_s, delta=CLOSE_S + sum(way["stolen_s"]))
                self.assertLessEqual(set(idle), {reason(way["way"])})

    def test_every_wait_is_explained(self):
        for way in self.ways:
            self.assertLess(self.losses(way).get("not told", 0), QUICK_S, way)
        self.assertEqual(self.account["notes"], [])

    def test_other_time_is_not_waiting(self):
        for way in self.ways:
            with self.subTest(way["way"]):
                in_calls_s = sum(left_s - came_s for came_s, left_s in zip(way["came_s"], way["left_s"], strict=True))
                waited_s = known_wait_s(way, 0) + known_wait_s(way, 1)
                moved_s = in_calls_s - (0 if may_not_have_waited(way, 1) else waited_s)
                self.assertLessEqual(self.losses(way).get("no waiting", 0), moved_s + CLOSE_S)


if __name__ == "__main__":
    unittest.main()
