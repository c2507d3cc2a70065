"""Messages of all kinds, identified by their tags, and their events."""

from profiled import Case, events_of, shape


class Messages(Case):
    @classmethod
    def setUpClass(cls):
        case = cls()
        case.setUp()
        try:
            cls.profiled = case.profile_of(2, "profiled_messages")
        finally:
            case.doCleanups()
        cls.zero, cls.one = cls.profiled["ranks"]

    def runTest(self):
        """Allows setUpClass to create a case."""

    def test_sends_have_their_mode(self):
        sent = [shape(event) for tag in range(10, 14) for event in events_of(self.zero, tag)]
        self.assertEqual(sent, [(name, "call", 1, size) for name, size in
                                (("Send", 8), ("Bsend", 16), ("Ssend", 24), ("Rsend", 32))])
        received = [shape(event) for tag in range(10, 13) for event in events_of(self.one, tag)]
        self.assertEqual(received, [("Recv", "call", 0, size) for size in (8, 16, 24)])

    def test_a_wildcard_receive_has_its_source_in_the_wait(self):
        start, = [event for event in events_of(self.one, -1, call="MPI_Irecv", peer=0) if event["bytes"] == 80]
        part, = events_of(self.one, 13)
        self.assertEqual(shape(part), ("Wait", "received", 0, 32))
        self.assertEqual(part["request"], start["request"])
        self.assertGreater(part["request"], 0)

    def test_messages_to_no_process_are_not_recorded(self):
        for rank in (self.zero, self.one):
            self.assertEqual(events_of(rank, 20), [])
            waits = [i for i, event in enumerate(rank["events"]) if event["call"] == "MPI_Waitall"]
            unaddressed = rank["events"][waits[0] - 4:waits[0] + 1]
            self.assertEqual([event["call"] for event in unaddressed],
                             ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall"])
            self.assertEqual({(event["peer"], event["bytes"], event["request"]) for event in unaddressed}, {(-1, 0, 0)})

    def test_pcontrol_is_recorded_with_its_level(self):
        for rank in (self.zero, self.one):
            levels = [event["tag"] for event in rank["events"] if event["call"] == "MPI_Pcontrol"]
            self.assertEqual(levels, [77, 0])

    def test_every_request_is_completed_once(self):
        for rank, name, part in ((self.zero, "MPI_Isend", "completed"), (self.one, "MPI_Irecv", "received")):
            for tag in range(30, 38):
                start, = events_of(rank, tag, call=name)
                end, = [event for event in events_of(rank, tag) if event["part"] != "call"]
                self.assertEqual((end["part"], end["request"], end["bytes"]), (part, start["request"], 4))

    def test_a_received_message_belongs_to_the_completing_call(self):
        for tag in range(30, 38):
            end, = events_of(self.one, tag, part="received")
            self.assertEqual(end["call"], "MPI_Waitany" if tag < 34 else "MPI_Testsome")

    def test_a_persistent_request_is_a_new_one_at_each_start(self):
        starts = events_of(self.zero, 40, call="MPI_Send_init")
        self.assertEqual([shape(event) for event in starts], [("Send_init", "call", 1, 4)] * 2)
        self.assertNotEqual(starts[0]["request"], starts[1]["request"])
        for rank, part in ((self.zero, "completed"), (self.one, "received")):
            ends = events_of(rank, 40, call="MPI_Wait")
            self.assertEqual([event["part"] for event in ends], [part] * 2)
            self.assertEqual([event["request"] for event in ends],
                             [event["request"] for event in events_of(rank, 40, part="call")])

    def test_cancelled_and_freed_requests_are_forgotten(self):
        for rank in (self.zero, self.one):
            self.assertEqual([shape(event)[:2] for event in events_of(rank, 41)], [("Irecv", "call")])
        self.assertEqual([shape(event) for event in events_of(self.zero, 42)], [("Isend", "call", 1, 4)])
        cancelled, = events_of(self.one, call="MPI_Cancel")
        self.assertEqual([event["request"] for event in events_of(self.one, 41)], [cancelled["request"]])
        freed = events_of(self.zero, call="MPI_Request_free")  # the persistent one, which was not under way, and the send
        self.assertEqual([event["request"] for event in freed], [0, events_of(self.zero, 42)[0]["request"]])

    def test_unsuccessful_probes_are_one_event(self):
        in_vain = [event for event in events_of(self.one, 50, call="MPI_Iprobe") if event["repeats"] > 0]
        self.assertEqual((in_vain[0]["repeats"], in_vain[0]["bytes"]), (5, 0))
        self.assertLessEqual(in_vain[0]["inside_ns"], in_vain[0]["end_ns"] - in_vain[0]["begin_ns"])
        found, = [event for event in events_of(self.one, 50, call="MPI_Iprobe") if event["repeats"] == 0]
        self.assertEqual(shape(found), ("Iprobe", "call", 0, 2))

    def test_matched_probes_share_a_number_with_their_receive(self):
        self.assertEqual([shape(event) for event in events_of(self.one, 51)],
                         [("Mprobe", "call", 0, 3), ("Mrecv", "call", 0, 3)])
        number, = {event["request"] for event in events_of(self.one, 51)}
        self.assertGreater(number, 0)
        self.assertEqual([shape(event) for event in events_of(self.one, 52)],
                         [("Probe", "call", 0, 4), ("Recv", "call", 0, 4)])

    def test_an_exchange_is_a_send_with_a_part(self):
        self.assertEqual([shape(event) for event in events_of(self.zero, call="MPI_Sendrecv")],
                         [("Sendrecv", "call", 1, 4), ("Sendrecv", "received", 1, 8)])

    def test_calls_have_different_places(self):
        places = {event["place"] for event in self.zero["events"]}
        self.assertGreater(len(places), 15)
        self.assertTrue(all("profiled_messages+0x" in place for place in places), places)
