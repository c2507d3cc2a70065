"""Programs in C and Fortran are profiled without changes."""

from profiled import Case, events_of, shape


class Languages(Case):
    def test_a_c_program_is_profiled(self):
        ranks = self.profile_of(3, "profiled_ring_c")["ranks"]
        for number, rank in enumerate(ranks):
            sent, = events_of(rank, 5, call="MPI_Send")
            received, = events_of(rank, 5, call="MPI_Recv")
            self.assertEqual((sent["peer"], received["peer"]), ((number + 1) % 3, (number + 2) % 3))
            self.assertIn("profiled_ring_c+0x", sent["place"])

    def fortran(self, name):
        done = self.run_ranks(2, name)
        self.assertEqual((done.returncode, done.stdout.split(), done.stderr), (0, ["1.0", "1.0"], ""))
        profile = self.profile()
        self.assertTrue(profile["is_complete"])
        for number, rank in enumerate(profile["ranks"]):
            other = 1 - number
            self.assertEqual([shape(event) for event in rank["events"]],
                             [("Irecv", "call", other, 800), ("Isend", "call", other, 800),
                              ("Waitall", "call", -1, 0), ("Waitall", "received", other, 800),
                              ("Waitall", "completed", other, 800), ("Sendrecv", "call", other, 80),
                              ("Sendrecv", "received", other, 80), ("Allreduce", "call", -1, 16)])
            self.assertEqual(len({event["place"] for event in rank["events"]}), 5)
            self.assertTrue(all(f"{name}+0x" in event["place"] for event in rank["events"]))

    def test_a_duplicate_by_request_is_recorded(self):
        done = self.run_ranks(2, "profiled_idup_fortran")
        self.assertEqual((done.returncode, done.stdout.split(), done.stderr), (0, ["561400"] * 2, ""))
        profile = self.profile()
        barrier, = events_of(profile["ranks"][1], call="MPI_Barrier")
        self.assertEqual(profile["communicators"][barrier["communicator"]]["members"], [0, 1])

    def test_use_mpi_is_profiled(self):
        self.fortran("profiled_ring_fortran")

    def test_use_mpi_f08_is_profiled(self):
        self.fortran("profiled_ring_fortran08")
