"""Messages of all kinds: what is told of each, by its tag."""

from profiled import Case, shape, told


class Messages(Case):
    @classmethod
    def setUpClass(cls):
        case = cls()
        case.setUp()
        try:
            cls.told = case.profile_of(2, "profiled_messages")
        finally:
            case.doCleanups()
        cls.zero, cls.one = cls.told["ranks"]

    def runTest(self):
        """Lets setUpClass make a case."""

    def test_modes(self):
        sent = [shape(event) for tag in range(10, 14) for event in told(self.zero, tag)]
        self.assertEqual(sent, [(name, "call", 1, size) for name, size in
                                (("Send", 8), ("Bsend", 16), ("Ssend", 24), ("Rsend", 32))])
        received = [shape(event) for tag in range(10, 13) for event in told(self.one, tag)]
        self.assertEqual(received, [("Recv", "call", 0, size) for size in (8, 16, 24)])

    def test_a_wildcard_receive_tells_who_it_was_in_the_wait(self):
        start, = [event for event in told(self.one, -1, call="MPI_Irecv", peer=0) if event["bytes"] == 80]
        part, = told(self.one, 13)
        self.assertEqual(shape(part), ("Wait", "received", 0, 32))
        self.assertEqual(part["request"], start["request"])
        self.assertGreater(part["request"], 0)

    def test_messages_to_nobody_are_none(self):
        for rank in (self.zero, self.one):
            self.assertEqual(told(rank, 20), [])
            waits = [i for i, event in enumerate(rank["events"]) if event["call"] == "MPI_Waitall"]
            nobody = rank["events"][waits[0] - 4:waits[0] + 1]
            self.assertEqual([event["call"] for event in nobody],
                             ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall"])
            self.assertEqual({(event["peer"], event["bytes"], event["request"]) for event in nobody}, {(-1, 0, 0)})

    def test_control_is_told_with_its_level(self):
        for rank in (self.zero, self.one):
            levels = [event["tag"] for event in rank["events"] if event["call"] == "MPI_Pcontrol"]
            self.assertEqual(levels, [77, 0])

    def test_every_request_is_completed_once(self):
        for rank, name, part in ((self.zero, "MPI_Isend", "completed"), (self.one, "MPI_Irecv", "received")):
            for tag in range(30, 38):
                start, = told(rank, tag, call=name)
                end, = [event for event in told(rank, tag) if event["part"] != "call"]
                self.assertEqual((end["part"], end["request"], end["bytes"]), (part, start["request"], 4))

    def test_a_received_message_is_told_with_the_call_that_completed_it(self):
        for tag in range(30, 38):
            end, = told(self.one, tag, part="received")
            self.assertEqual(end["call"], "MPI_Waitany" if tag < 34 else "MPI_Testsome")

    def test_a_persistent_request_is_a_new_one_at_each_start(self):
        starts = told(self.zero, 40, call="MPI_Send_init")
        self.assertEqual([shape(event) for event in starts], [("Send_init", "call", 1, 4)] * 2)
        self.assertNotEqual(starts[0]["request"], starts[1]["request"])
        for rank, part in ((self.zero, "completed"), (self.one, "received")):
            ends = told(rank, 40, call="MPI_Wait")
            self.assertEqual([event["part"] for event in ends], [part] * 2)
            self.assertEqual([event["request"] for event in ends],
                             [event["request"] for event in told(rank, 40, part="call")])

    def test_cancelled_and_freed_requests_are_forgotten(self):
        for rank in (self.zero, self.one):
            self.assertEqual([shape(event)[:2] for event in told(rank, 41)], [("Irecv", "call")])
        self.assertEqual([shape(event) for event in told(self.zero, 42)], [("Isend", "call", 1, 4)])
        cancelled, = told(self.one, call="MPI_Cancel")
        self.assertEqual([event["request"] for event in told(self.one, 41)], [cancelled["request"]])
        freed = told(self.zero, call="MPI_Request_free")  # the persistent one, which was not under way, and the send
        self.assertEqual([event["request"] for event in freed], [0, told(self.zero, 42)[0]["request"]])

    def test_probes_in_vain_are_one_event(self):
        in_vain = [event for event in told(self.one, 50, call="MPI_Iprobe") if event["repeats"] > 0]
        self.assertEqual((in_vain[0]["repeats"], in_vain[0]["bytes"]), (5, 0))
        self.assertLessEqual(in_vain[0]["inside_ns"], in_vain[0]["end_ns"] - in_vain[0]["begin_ns"])
        found, = [event for event in told(self.one, 50, call="MPI_Iprobe") if event["repeats"] == 0]
        self.assertEqual(shape(found), ("Iprobe", "call", 0, 2))

    def test_matched_probes(self):
        self.assertEqual([shape(event) for event in told(self.one, 51)],
                         [("Mprobe", "call", 0, 3), ("Mrecv", "call", 0, 3)])
        number, = {event["request"] for event in told(self.one, 51)}
        self.assertGreater(number, 0)
        self.assertEqual([shape(event) for event in told(self.one, 52)],
                         [("Probe", "call", 0, 4), ("Recv", "call", 0, 4)])

    def test_an_exchange_is_a_send_with_a_part(self):
        self.assertEqual([shape(event) for event in told(self.zero, call="MPI_Sendrecv")],
                         [("Sendrecv", "call", 1, 4), ("Sendrecv", "received", 1, 8)])

    def test_places_are_told_and_differ(self):
        places = {event["place"] for event in self.zero["events"]}
        self.assertGreater(len(places), 15)
        self.assertTrue(all("profiled_messages+0x" in place for place in places), places)
