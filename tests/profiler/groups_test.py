"""Collectives, communicators and windows, on three ranks."""

import os

from profiled import Case, events_of, shape


class Groups(Case):
    @classmethod
    def setUpClass(cls):
        case = cls()
        case.setUp()
        try:
            cls.whole = case.profile_of(3, "profiled_groups")
        finally:
            case.doCleanups()
        cls.ranks = cls.whole["ranks"]

    def runTest(self):
        """Allows setUpClass to create a case."""

    def group_of(self, event):
        return self.whole["communicators"][event["communicator"]]

    def test_a_split_has_its_members_in_their_order(self):
        sent, = events_of(self.ranks[2], 70)
        received, = events_of(self.ranks[0], 70, part="received")
        self.assertEqual((shape(sent), shape(received)), (("Send", "call", 0, 4), ("Wait", "received", 2, 4)))
        self.assertEqual(sent["communicator"], received["communicator"])
        self.assertEqual(self.group_of(sent), {"name": "halves", "members": [2, 0]})
        self.assertEqual([group["members"] for group in self.whole["communicators"] if group["name"] == "halves"].count([1]), 1)

    def test_remote_ranks_are_world_ranks(self):
        sent, = events_of(self.ranks[0], 71)
        received, = events_of(self.ranks[2], 71)
        self.assertEqual((sent["peer"], received["peer"]), (2, 0))
        self.assertEqual(sent["communicator"], received["communicator"])

    def test_intercommunicators_use_only_a_ranks_own_arguments(self):
        gathers = [events_of(rank, call="MPI_Gather")[0] for rank in self.ranks]
        self.assertEqual([(event["peer"], event["bytes"]) for event in gathers], [(1, 4), (1, 4), (-1, 0)])

    def test_all_ranks_agree_on_every_group(self):
        for name, count in (("MPI_Barrier", 3), ("MPI_Bcast", 2), ("MPI_Win_fence", 2)):
            seen = [[event["communicator"] for event in events_of(rank, call=name)] for rank in self.ranks]
            self.assertEqual(seen[0], seen[1])
            self.assertEqual(seen[0], seen[2])
            self.assertEqual(len(seen[0]), count)
        merged, duplicate, world = (self.group_of(event) for event in events_of(self.ranks[0], call="MPI_Barrier"))
        self.assertEqual(merged, {"name": "MPI_Intercomm_merge", "members": [0, 1, 2]})
        self.assertEqual(duplicate, {"name": "MPI_Comm_idup", "members": [0, 1, 2]})
        self.assertEqual(world["name"], "MPI_COMM_WORLD")

    def test_fences_record_whether_anything_precedes(self):
        for rank in self.ranks:
            self.assertEqual([event["tag"] for event in events_of(rank, call="MPI_Win_fence")], [1, -1])

    def test_settings_of_mpi_are_recorded(self):
        self.assertTrue(self.whole["mpi"]["mpi"].startswith("Open MPI v"), self.whole["mpi"])
        self.assertEqual(self.whole["mpi"].get("btl_tcp_eager_limit"), os.environ.get("OMPI_MCA_btl_tcp_eager_limit"))
        asked = self.profile_of(3, "profiled_groups", OMPI_MCA_btl_tcp_eager_limit="32768")
        self.assertEqual(asked["mpi"]["btl_tcp_eager_limit"], "32768")

    def test_collectives_have_roots_and_bytes(self):
        def of(rank, name):
            event, = events_of(self.ranks[rank], call=name, communicator=0, part="call")
            return event["peer"], event["bytes"]

        self.assertEqual([of(rank, "MPI_Bcast") for rank in range(3)], [(1, 80)] * 3)
        self.assertEqual([of(rank, "MPI_Reduce") for rank in range(3)], [(2, 80), (2, 80), (2, 160)])
        self.assertEqual(of(1, "MPI_Allreduce"), (-1, 160))
        in_place = {event["call"] for event in self.ranks[1]["events"] if event["is_in_place"]}
        self.assertEqual(in_place, {"MPI_Allreduce", "MPI_Allgather"})
        self.assertEqual([of(rank, "MPI_Gatherv") for rank in range(3)], [(0, 8 + 48), (0, 16), (0, 24)])
        self.assertEqual([of(rank, "MPI_Scatter") for rank in range(3)], [(0, 64), (0, 16), (0, 16)])
        self.assertEqual(of(0, "MPI_Allgather"), (-1, 24))
        self.assertEqual(of(0, "MPI_Alltoall"), (-1, 48))
        self.assertEqual(of(2, "MPI_Scan"), (-1, 16))

    def test_a_started_collective_is_completed(self):
        for rank in self.ranks:
            start, = events_of(rank, call="MPI_Iallreduce")
            end, = events_of(rank, request=start["request"], part="completed")
            self.assertEqual((end["call"], end["bytes"]), ("MPI_Wait", 16))

    def test_window_calls_name_their_groups(self):
        zero = self.ranks[0]
        self.assertEqual([shape(event) for event in events_of(zero, call="MPI_Win_start")],
                         [("Win_start", "call", -1, 0), ("Win_start", "member", 1, 0), ("Win_start", "member", 2, 0)])
        self.assertEqual([shape(event) for event in events_of(self.ranks[2], call="MPI_Win_post")],
                         [("Win_post", "call", -1, 0), ("Win_post", "member", 0, 0)])
        put, = events_of(zero, call="MPI_Put")
        self.assertEqual((shape(put), self.group_of(put)),
                         (("Put", "call", 1, 4), {"name": "window", "members": [0, 1, 2]}))
        self.assertEqual([event["peer"] for event in events_of(self.ranks[1], call="MPI_Win_lock")], [0])


class ThreadedGroups(Case):
    def test_the_program_gets_its_own_messages_and_groups_keep_their_ids(self):
        profile = self.profile_of(2, "profiled_threaded_groups")
        zero, one = ([profile["communicators"][event["communicator"]] for event in events_of(rank, call="MPI_Barrier")]
                     for rank in profile["ranks"])
        self.assertEqual([group["name"] for group in zero], ["MPI_Comm_dup"] * 2)
        self.assertEqual([group["members"] for group in one], [[]] * 2)
        self.assertGreater(profile["ranks"][1]["calls_of_other_threads"], 0)
