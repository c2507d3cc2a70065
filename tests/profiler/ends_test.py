"""However a run ends, its profile is readable and says what it lacks; and a profile that cannot be made harms nobody."""

import os

from profiled import MPIRUN, Case, call, program, told


class Ends(Case):
    def cut_short(self, ranks, *words):
        self.run_ranks(ranks, *words)
        profile = self.profile()
        self.assertFalse(profile["is_complete"])
        self.assertFalse(profile["ranks"][0]["has_finalized"])
        self.assertRegex(profile["notes"][-1], "never called MPI_Finalize")
        for rank in profile["ranks"]:
            self.assert_account_closes(rank)
        return profile

    def test_killed(self):
        profile = self.cut_short(2, "profiled_ends", "kill", "3000")
        self.assertEqual(len(told(profile["ranks"][0], call="MPI_Sendrecv")), 6000)
        self.assertFalse(profile["ranks"][0]["has_aborted"])

    def test_aborted(self):
        profile = self.cut_short(2, "profiled_ends", "abort", "30")
        self.assertEqual(len(told(profile["ranks"][0], call="MPI_Sendrecv")), 60)
        self.assertEqual(profile["notes"][0], "rank 0 called MPI_Abort: the profile ends there")

    def test_ended_by_another_while_in_mpi(self):
        one, zero = self.cut_short(2, "profiled_ends", "wait", "300")["ranks"][::-1]
        for rank in (zero, one):
            self.assertGreater(rank["outside_ns"], 0.2e9)
            taken_ns = rank["stolen_ns"] + rank["blocked_ns"]  # by others, while it computed
            self.assertLess(rank["outside_ns"] - taken_ns, 0.4e9)
        self.assertEqual((zero["has_aborted"], one["has_aborted"]), (False, True))

    def test_left_without_finalize(self):
        profile = self.cut_short(1, "profiled_ends", "exit", "30")
        self.assertEqual(len(told(profile["ranks"][0], call="MPI_Sendrecv")), 60)

    def test_beyond_the_limit_sums_go_on(self):
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

    def test_no_events_at_all(self):
        self.run_ranks(1, "profiled_ends", "flood", "100", LOADSHARE_PROFILE_LIMIT=0)
        rank, = self.profile()["ranks"]
        self.assertEqual((rank["events"], rank["events_dropped"]), ([], 200))
        self.assertEqual(rank["events_end_ns"], rank["begin_ns"])

    def test_communicators_count_against_the_limit(self):
        self.run_ranks(1, "profiled_ends", "duplicates", "5000", LOADSHARE_PROFILE_LIMIT=200000)
        self.assertLess(os.path.getsize(self.file), 500000)
        self.assertRegex(" ".join(self.profile()["notes"]), r"the members of [1-9]\d* communicators are missing")

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

    def test_a_forked_child_leaves_the_profile_alone(self):
        rank, = self.profile_of(1, "profiled_ends", "fork")["ranks"]
        self.assertEqual((len(rank["events"]), rank["calls_of_other_threads"]), (10, 0))


class Outside(Case):
    def ran(self, make, is_blocked_below):
        """What `make` gives; again, twice at most, where it was blocked for longer: a virtual machine that has to wait
        for a processor of its host's looks like that. Who counts computing as blocked does so each time."""
        for _ in range(2):
            rank = make()
            if rank["blocked_ns"] < is_blocked_below * rank["outside_ns"]:
                return rank
            os.remove(self.file)
        return make()

    def test_sleeping_is_blocked_and_computing_is_not(self):
        asleep, = self.profile_of(1, "profiled_ends", "sleep", "100")["ranks"]
        self.assertTrue(asleep["tells_stolen"])
        self.assertAlmostEqual(asleep["blocked_ns"] / 1e6, 100, delta=10)
        busy = self.ran(lambda: self.profile_of(1, "profiled_ends", "compute", "100")["ranks"][0], 0.1)
        self.assertLess(busy["blocked_ns"] / 1e6, 10)
        self.assertGreater(busy["outside_ns"] / 1e6, 99)

    def beside_a_burner(self, *words):
        """On one processor with a program that computes for as long as the run lasts, 20 s at most."""
        words = self.context(1, ["profiled_ends", *words])
        burner = "import time\nend = time.time() + 20\nwhile time.time() < end: pass"
        cpu = str(min(os.sched_getaffinity(0)))
        beside = (f"taskset -c {cpu} python3 -c '{burner}' & burner=$!; "
                  f"taskset -c {cpu} {MPIRUN} -q --bind-to none {' '.join(words)}; code=$?; kill $burner; exit $code")
        self.assertEqual(call("sh", "-c", beside, cwd=self.folder).returncode, 0)
        rank, = self.profile()["ranks"]
        self.assert_account_closes(rank)
        return rank

    def test_what_another_program_takes_is_stolen(self):
        rank = self.ran(lambda: self.beside_a_burner("compute", "400"), 0.1)
        self.assertGreater(rank["stolen_ns"] / rank["outside_ns"], 0.3)
        self.assertLess(rank["blocked_ns"] / rank["outside_ns"], 0.1)

    def test_what_it_takes_inside_mpi_is_told_apart(self):
        rank = self.beside_a_burner("move", "400")
        self.assertGreater(rank["stolen_inside_ns"] / rank["inside_ns"], 0.3)
        self.assertLess(rank["stolen_ns"], 0.25 * rank["stolen_inside_ns"])

    def test_naps_between_tests_are_blocked(self):
        rank, = self.profile_of(1, "profiled_ends", "nap", "400")["ranks"]
        away_ns = rank["blocked_ns"] + rank["stolen_ns"] + rank["stolen_inside_ns"]
        self.assertGreater(rank["blocked_ns"] / 1e6, 100)
        self.assertLess(rank["outside_ns"] + rank["inside_ns"] - away_ns, 150e6)  # what is left it ran for

    def test_a_descriptor_that_the_program_takes_is_given_up(self):
        rank, = self.profile_of(1, "profiled_ends", "snatch", "100")["ranks"]
        self.assertFalse(rank["tells_stolen"])
        self.assertEqual(rank["stolen_ns"], 0)

    def test_calls_of_which_nothing_more_is_told_are_inside(self):
        rank, = self.profile_of(1, "profiled_ends", "files", "5")["ranks"]
        names = [event["call"] for event in rank["events"]]
        self.assertEqual(names.count("MPI_File_write_at"), 5)
        self.assertEqual((names.count("MPI_File_open"), names.count("MPI_File_close")), (1, 1))
        vain, = told(rank, call="MPI_Request_get_status")
        self.assertEqual(vain["repeats"], 5)
        self.assertEqual(names.count("MPI_Buffer_detach"), 1)


class Kernels(Case):
    def contexts(self, words):
        return [*self.context(2, words, LOADSHARE_PROFILE_KERNEL="a"), ":",
                *self.context(1, words, LOADSHARE_PROFILE_KERNEL="b")]

    def test_the_parts_of_other_kernels_are_taken_in(self):
        done = call(MPIRUN, "-q", "--oversubscribe", *self.contexts(["profiled_ends", "private"]), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.listdir(self.folder), ["run.profile"])
        profile = self.profile()
        self.assertTrue(profile["is_complete"])
        self.assertEqual([rank["rank"] for rank in profile["ranks"]], [0, 1, 2])

    def test_parts_that_were_left_behind_are_found(self):
        call(MPIRUN, "-q", "--oversubscribe", *self.contexts(["profiled_ends", "kill"]), cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.profile", "run.profile.rank2"])
        self.assertEqual([len(rank["events"]) for rank in self.profile()["ranks"]], [40, 40, 40])
        os.remove(os.path.join(self.folder, "run.profile.rank2"))
        profile = self.profile()
        self.assertEqual(len(profile["ranks"]), 2)
        self.assertIn("nothing is known of rank 2", profile["notes"])

    def test_parts_that_find_no_room_are_left_behind(self):
        done = call(MPIRUN, "-q", "--oversubscribe", *self.contexts(["profiled_ends", "confined"]), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.profile", "run.profile.rank2"])
        self.assertEqual([rank["rank"] for rank in self.profile()["ranks"]], [0, 1, 2])


class NoProfile(Case):
    def assert_unprofiled(self, file, why):
        self.file = file
        done = self.run_ranks(2, "profiled_ends")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, rf"\Aloadshare profile: [^\n]*{why}[^\n]* the program runs on, unprofiled\n\Z")

    def test_a_rank_without_the_library(self):
        """It takes as long as rank 0 has patience."""
        words = ["-np", "1", program("profiled_ends")]
        done = call(MPIRUN, "-q", "--oversubscribe", *self.context(2, ["profiled_ends"]), ":", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "loadshare profile: rank 2 is not profiled (LD_PRELOAD was not given to all ranks); "
                                      "the program runs on, unprofiled\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_such_folder(self):
        self.assert_unprofiled(os.path.join(self.folder, "none", "x"), "No such file or directory")

    def test_no_regular_file(self):
        self.assert_unprofiled("/dev/null", "it is no regular file")

    def test_something_else_is_there(self):
        path = os.path.join(self.folder, "letter")
        with open(path, "w", encoding="utf-8") as letter:
            letter.write("a letter, which is no profile")
        self.assert_unprofiled(path, "it is no profile")
        with open(path, encoding="utf-8") as letter:
            self.assertEqual(letter.read(), "a letter, which is no profile")
        self.assertEqual(os.listdir(self.folder), ["letter"])

    def test_a_limit_that_is_no_number(self):
        for limit in ("1XiB", "-1"):
            done = self.run_ranks(2, "profiled_ends", LOADSHARE_PROFILE_LIMIT=limit)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(done.stderr, f"loadshare profile: LOADSHARE_PROFILE_LIMIT is {limit} (it must be a number of bytes: "
                                          "1000000, 512KiB, 64MiB, 2GiB); the program runs on, unprofiled\n")
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_limit_on_file_sizes(self):
        done = self.run_ranks(1, "profiled_ends", "confined", "9000")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rank, = self.profile()["ranks"]
        self.assertGreater(rank["events_dropped"], 0)
        self.assertEqual(len(rank["events"]) + rank["events_dropped"], 18000)

    def test_an_old_profile_is_replaced(self):
        self.profile_of(1, "profiled_ends", "flood", "3")
        rank, = self.profile_of(1, "profiled_ends", "flood", "4")["ranks"]
        self.assertEqual(len(rank["events"]), 8)

    def test_two_runs_at_once(self):
        one = self.context(1, ["profiled_ends", "sleep", "1500"])
        two = self.context(1, ["profiled_ends"])
        script = f"{MPIRUN} -q {' '.join(one)} & sleep 0.7; {MPIRUN} -q {' '.join(two)}; wait"
        done = call("sh", "-c", script, cwd=self.folder)
        self.assertRegex(done.stderr, "another run is writing it")
        self.assertTrue(self.profile()["is_complete"])
