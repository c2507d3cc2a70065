"""A profile is readable and names its gaps however the run ends; a profile that cannot be written does not disturb the run."""

import os

from profiled import MPIRUN, Case, call, events_of, program


class Ends(Case):
    def cut_short(self, ranks, *words):
        self.run_ranks(ranks, *words)
        profile = self.profile()
        self.assertFalse(profile["is_complete"])
        self.assertFalse(profile["ranks"][0]["has_finalized"])
        self.assertRegex(profile["notes"][-1], "ended without MPI_Finalize")
        for rank in profile["ranks"]:
            self.assert_account_closes(rank)
        return profile

    def test_a_killed_run_has_a_partial_profile(self):
        profile = self.cut_short(2, "profiled_ends", "kill", "3000")
        self.assertEqual(len(events_of(profile["ranks"][0], call="MPI_Sendrecv")), 6000)
        self.assertFalse(profile["ranks"][0]["has_aborted"])

    def test_an_aborted_run_has_a_partial_profile(self):
        profile = self.cut_short(2, "profiled_ends", "abort", "30")
        self.assertEqual(len(events_of(profile["ranks"][0], call="MPI_Sendrecv")), 60)
        self.assertEqual(profile["notes"][0], "rank 0 called MPI_Abort, where the profile ends")

    def test_a_rank_in_mpi_is_ended_by_the_abort_of_another(self):
        one, zero = self.cut_short(2, "profiled_ends", "wait", "300")["ranks"][::-1]
        for rank in (zero, one):
            self.assertGreater(rank["outside_ns"], 0.2e9)
            taken_ns = rank["stolen_ns"] + rank["blocked_ns"]  # by other programs, while it computed
            self.assertLess(rank["outside_ns"] - taken_ns, 0.4e9)
        self.assertEqual((zero["has_aborted"], one["has_aborted"]), (False, True))

    def test_a_run_without_finalize_has_a_partial_profile(self):
        profile = self.cut_short(1, "profiled_ends", "exit", "30")
        self.assertEqual(len(events_of(profile["ranks"][0], call="MPI_Sendrecv")), 60)

    def test_sums_continue_beyond_the_limit(self):
        self.run_ranks(1, "profiled_ends", "flood", "20000", LOADSHARE_PROFILE_LIMIT=200000)
        self.assertLess(os.path.getsize(self.file), 500000)
        profile = self.profile()
        rank, = profile["ranks"]
        self.assertEqual(len(rank["events"]) + rank["events_dropped"], 40000)
        self.assertLessEqual(len(rank["events"]) * 64, 200000)
        self.assertGreater(len(rank["events"]), 1000)
        self.assertFalse(profile["is_complete"])
        self.assertTrue(rank["has_finalized"])
        self.assertLess(rank["events_end_ns"], rank["end_ns"])
        self.assertLessEqual(rank["events"][-1]["begin_ns"], rank["events_end_ns"])
        self.assert_account_closes(rank)

    def test_a_limit_of_zero_keeps_no_events(self):
        self.run_ranks(1, "profiled_ends", "flood", "100", LOADSHARE_PROFILE_LIMIT=0)
        rank, = self.profile()["ranks"]
        self.assertEqual((rank["events"], rank["events_dropped"]), ([], 200))
        self.assertEqual(rank["events_end_ns"], rank["begin_ns"])

    def test_communicators_count_against_the_limit(self):
        self.run_ranks(1, "profiled_ends", "duplicates", "5000", LOADSHARE_PROFILE_LIMIT=200000)
        self.assertLess(os.path.getsize(self.file), 500000)
        self.assertRegex(" ".join(self.profile()["notes"]), r"the members of [1-9]\d* communicators are unknown")

    def test_many_events_stay_in_order(self):
        rank, = self.profile_of(1, "profiled_ends", "flood", "5000")["ranks"]
        begins = [event["begin_ns"] for event in rank["events"]]
        self.assertEqual((len(begins), begins), (10000, sorted(begins)))


class Threads(Case):
    def test_another_threads_calls_are_counted(self):
        done = self.run_ranks(1, "profiled_ends", "threads")
        self.assertEqual(done.returncode, 0)
        profile = self.profile()
        rank, = profile["ranks"]
        self.assertEqual((rank["calls_of_other_threads"], len(rank["events"])), (10, 20))
        self.assertIn("other threads of rank 0 called MPI too", " ".join(profile["notes"]))

    def test_a_forked_child_does_not_change_the_profile(self):
        rank, = self.profile_of(1, "profiled_ends", "fork")["ranks"]
        self.assertEqual((len(rank["events"]), rank["calls_of_other_threads"]), (10, 0))


class Outside(Case):
    def ran(self, make, is_blocked_below):
        """Returns the result of `make`. Repeats it up to twice if it was blocked for longer: a virtual machine that
        waits for a processor of its host looks like that. An error of the profiler would occur each time."""
        for _ in range(2):
            rank = make()
            if rank["blocked_ns"] < is_blocked_below * rank["outside_ns"]:
                return rank
            os.remove(self.file)
        return make()

    def test_sleeping_is_blocked_and_computing_is_not(self):
        asleep, = self.profile_of(1, "profiled_ends", "sleep", "100")["ranks"]
        self.assertTrue(asleep["is_stolen_known"])
        self.assertAlmostEqual(asleep["blocked_ns"] / 1e6, 100, delta=10)
        busy = self.ran(lambda: self.profile_of(1, "profiled_ends", "compute", "100")["ranks"][0], 0.1)
        self.assertLess(busy["blocked_ns"] / 1e6, 10)
        self.assertGreater(busy["outside_ns"] / 1e6, 99)

    def profile_next_to_a_burner(self, *words):
        """On one processor with a program that computes for as long as the run lasts, 20 s at most."""
        words = self.context(1, ["profiled_ends", *words])
        burner = "import time\nend = time.time() + 20\nwhile time.time() < end: pass"
        cpu = str(min(os.sched_getaffinity(0)))
        script = (f"taskset -c {cpu} python3 -c '{burner}' & burner=$!; "
                  f"taskset -c {cpu} {MPIRUN} -q --bind-to none {' '.join(words)}; code=$?; kill $burner; exit $code")
        self.assertEqual(call("sh", "-c", script, cwd=self.folder).returncode, 0)
        rank, = self.profile()["ranks"]
        self.assert_account_closes(rank)
        return rank

    def test_time_of_another_program_is_stolen(self):
        rank = self.ran(lambda: self.profile_next_to_a_burner("compute", "400"), 0.1)
        self.assertGreater(rank["stolen_ns"] / rank["outside_ns"], 0.3)
        self.assertLess(rank["blocked_ns"] / rank["outside_ns"], 0.1)

    def test_time_stolen_inside_mpi_is_counted_separately(self):
        rank = self.profile_next_to_a_burner("move", "400")
        self.assertGreater(rank["stolen_inside_ns"] / rank["inside_ns"], 0.3)
        self.assertLess(rank["stolen_ns"], 0.25 * rank["stolen_inside_ns"])

    def test_naps_between_tests_are_blocked(self):
        rank, = self.profile_of(1, "profiled_ends", "nap", "400")["ranks"]
        away_ns = rank["blocked_ns"] + rank["stolen_ns"] + rank["stolen_inside_ns"]
        self.assertGreater(rank["blocked_ns"] / 1e6, 100)
        self.assertLess(rank["outside_ns"] + rank["inside_ns"] - away_ns, 150e6)  # the rest is the time that it ran

    def test_a_descriptor_reused_by_the_program_is_abandoned(self):
        rank, = self.profile_of(1, "profiled_ends", "snatch", "100")["ranks"]
        self.assertFalse(rank["is_stolen_known"])
        self.assertEqual(rank["stolen_ns"], 0)

    def test_calls_that_are_only_timed_count_as_inside(self):
        rank, = self.profile_of(1, "profiled_ends", "files", "5")["ranks"]
        names = [event["call"] for event in rank["events"]]
        self.assertEqual(names.count("MPI_File_write_at"), 5)
        self.assertEqual((names.count("MPI_File_open"), names.count("MPI_File_close")), (1, 1))
        vain, = events_of(rank, call="MPI_Request_get_status")
        self.assertEqual(vain["repeats"], 5)
        self.assertEqual(names.count("MPI_Buffer_detach"), 1)


class Kernels(Case):
    def contexts(self, words):
        return [*self.context(2, words, LOADSHARE_PROFILE_KERNEL="a"), ":",
                *self.context(1, words, LOADSHARE_PROFILE_KERNEL="b")]

    def test_parts_of_other_kernels_are_merged(self):
        done = call(MPIRUN, "-q", "--oversubscribe", *self.contexts(["profiled_ends", "private"]), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.listdir(self.folder), ["run.profile"])
        profile = self.profile()
        self.assertTrue(profile["is_complete"])
        self.assertEqual([rank["rank"] for rank in profile["ranks"]], [0, 1, 2])

    def test_unmerged_parts_are_found(self):
        call(MPIRUN, "-q", "--oversubscribe", *self.contexts(["profiled_ends", "kill"]), cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.profile", "run.profile.rank2"])
        self.assertEqual([len(rank["events"]) for rank in self.profile()["ranks"]], [40, 40, 40])
        os.remove(os.path.join(self.folder, "run.profile.rank2"))
        profile = self.profile()
        self.assertEqual(len(profile["ranks"]), 2)
        self.assertIn("the profile has no data of rank 2", profile["notes"])

    def test_parts_without_room_stay_in_their_files(self):
        done = call(MPIRUN, "-q", "--oversubscribe", *self.contexts(["profiled_ends", "confined"]), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.profile", "run.profile.rank2"])
        self.assertEqual([rank["rank"] for rank in self.profile()["ranks"]], [0, 1, 2])


class NoProfile(Case):
    def assert_unprofiled(self, file, why):
        self.file = file
        done = self.run_ranks(2, "profiled_ends")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, rf"\Aloadshare profile: [^\n]*{why}[^\n]* the program continues without a profile\n\Z")

    def test_a_rank_without_the_library_is_reported(self):
        """Lasts as long as rank 0 waits for the others."""
        words = ["-np", "1", program("profiled_ends")]
        done = call(MPIRUN, "-q", "--oversubscribe", *self.context(2, ["profiled_ends"]), ":", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "loadshare profile: rank 2 does not load the profiler (LD_PRELOAD is not set on all ranks); "
                                      "the program continues without a profile\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_missing_folder_is_reported(self):
        self.assert_unprofiled(os.path.join(self.folder, "none", "x"), "No such file or directory")

    def test_a_special_file_is_refused(self):
        self.assert_unprofiled("/dev/null", "it is not a regular file")

    def test_another_file_is_not_replaced(self):
        path = os.path.join(self.folder, "letter")
        with open(path, "w", encoding="utf-8") as letter:
            letter.write("a letter, which is no profile")
        self.assert_unprofiled(path, "it is not a profile")
        with open(path, encoding="utf-8") as letter:
            self.assertEqual(letter.read(), "a letter, which is no profile")
        self.assertEqual(os.listdir(self.folder), ["letter"])

    def test_a_limit_that_is_not_a_number_is_refused(self):
        for limit in ("1XiB", "-1"):
            done = self.run_ranks(2, "profiled_ends", LOADSHARE_PROFILE_LIMIT=limit)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(done.stderr, f"loadshare profile: LOADSHARE_PROFILE_LIMIT is {limit} (it must be a number of bytes: "
                                          "1000000, 512KiB, 64MiB, 2GiB); the program continues without a profile\n")
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_limit_on_file_sizes_drops_events(self):
        done = self.run_ranks(1, "profiled_ends", "confined", "9000")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rank, = self.profile()["ranks"]
        self.assertGreater(rank["events_dropped"], 0)
        self.assertEqual(len(rank["events"]) + rank["events_dropped"], 18000)

    def test_an_old_profile_is_replaced(self):
        self.profile_of(1, "profiled_ends", "flood", "3")
        rank, = self.profile_of(1, "profiled_ends", "flood", "4")["ranks"]
        self.assertEqual(len(rank["events"]), 8)

    def test_two_simultaneous_runs_do_not_share_a_file(self):
        one = self.context(1, ["profiled_ends", "sleep", "1500"])
        two = self.context(1, ["profiled_ends"])
        script = f"{MPIRUN} -q {' '.join(one)} & sleep 0.7; {MPIRUN} -q {' '.join(two)}; wait"
        done = call("sh", "-c", script, cwd=self.folder)
        self.assertRegex(done.stderr, "another run is writing it")
        self.assertTrue(self.profile()["is_complete"])
