"""`loadshare profile` as a user sees it."""

import itertools
import os
import re
import signal
import subprocess
import time

from profiled import MPIRUN, TOOL, Case, call, program

ENDS = program("profiled_ends")


class Command(Case):
    def tool(self, *words):
        return call(TOOL, "profile", *words, cwd=self.folder)

    def assert_refused(self, words, text):
        done = self.tool(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))

    def test_ranks_of_mpirun_are_profiled(self):
        done = self.tool("-o", "run.profile", "--", MPIRUN, "-q", "-np", "2", ENDS)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", "loadshare: the profile is run.profile; loadshare metrics run.profile reads it\n"))
        self.assertEqual(len(self.profile()["ranks"]), 2)

    def test_both_programs_of_one_run_are_profiled(self):
        done = self.tool("-o", "run.profile", "--", "env", MPIRUN, "-q", "-np", "1", ENDS, ":", "-np", "1", ENDS)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.profile()["ranks"]), 2)

    def script(self, *lines):
        path = os.path.join(self.folder, "run.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        return "sh", path

    def profiles(self):
        return sorted(name for name in os.listdir(self.folder) if "profile" in name)

    def test_each_run_of_a_script_has_a_profile(self):
        one, two = (f"{MPIRUN} -q --oversubscribe -np {ranks} {ENDS}" for ranks in (1, 2))
        done = self.tool("-o", "run.profile", "--", *self.script(one, two))
        self.assertEqual((done.returncode, done.stderr),
                         (0, "loadshare: the profiles, in the order of the runs, are run.profile, run.profile.2; "
                             "loadshare metrics run.profile run.profile.2 reads them\n"))
        self.assertEqual(len(self.profile()["ranks"]), 1)
        self.file += ".2"
        self.assertEqual(len(self.profile()["ranks"]), 2)
        self.assertEqual(call(TOOL, "metrics", "run.profile", "run.profile.2", cwd=self.folder).returncode, 0)

    def test_runs_at_the_same_time_have_a_profile_each(self):
        one = f"{MPIRUN} -q --oversubscribe -np 1 {ENDS} sleep 1000 &"
        self.assertEqual(self.tool("-o", "run.profile", "--", *self.script(one, one, one, "wait")).returncode, 0)
        self.assertEqual(self.profiles(), ["run.profile", "run.profile.2", "run.profile.3"])

    def test_the_next_command_replaces_the_profile(self):
        one = f"{MPIRUN} -q -np 1 {ENDS}"
        self.tool("-o", "run.profile", "--", *self.script(one, one))
        done = self.tool("-o", "run.profile", "--", *self.script(one))
        self.assertEqual(done.stderr, "loadshare: the profile is run.profile; loadshare metrics run.profile reads it\n")

    def test_a_file_name_may_begin_with_a_dash(self):
        done = self.tool("-o", "-l.prof", "--", MPIRUN, "-q", "-np", "1", ENDS)
        hint = re.search("; (loadshare metrics .*) reads it", done.stderr)[1]
        self.assertEqual(hint, "loadshare metrics ./-l.prof")
        done = call("sh", "-c", hint.replace("loadshare", TOOL, 1), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_signal_ends_the_program_however_early_it_arrives(self):
        """Each trial waits for the command, which a lost signal would leave running for a minute."""
        trials = 40
        for number, trial in itertools.product((signal.SIGTERM, signal.SIGINT, signal.SIGHUP), range(trials)):
            with subprocess.Popen([TOOL, "profile", "--", "sleep", "60"], cwd=self.folder, stderr=subprocess.DEVNULL) as running:
                time.sleep(0.015 * trial / trials)
                running.send_signal(number)
                self.assertIn(running.wait(timeout=30), (128 + number, -number))

    def test_the_users_preloaded_library_is_kept(self):
        done = self.tool("-o", "run.profile", "--", MPIRUN, "-q", "-np", "1", "-x", "LD_PRELOAD=libm.so.6", ENDS)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(len(self.profile()["ranks"]), 1)

    def test_a_program_without_mpirun_obeys_the_limit(self):
        done = self.tool("--limit", "100KiB", "--", ENDS, "flood", "2000")
        self.assertEqual(done.returncode, 0)
        self.file = os.path.join(self.folder, "loadshare.profile")
        self.assertGreater(self.profile()["ranks"][0]["events_dropped"], 0)

    def test_the_exit_code_is_the_programs(self):
        self.assertEqual(self.tool("--", MPIRUN, "-q", "-np", "1", ENDS, "abort").returncode, 7)
        self.assertEqual(self.tool("--", "sh", "-c", "exit 5").returncode, 5)

    def test_a_program_without_mpi_is_reported(self):
        done = self.tool("--", "true")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "loadshare: no profile was written (the messages above give the reason; without any, no rank called "
                             "Open MPI's MPI_Init, or mpirun did not start the ranks: leave out -q to see its message)\n"))

    def test_the_profile_may_be_on_another_host(self):
        """A successful run is no failure if its profile is missing, because the profile may be on another host."""
        done = self.tool("-o", "run.profile", "--", MPIRUN, "-q", "--host", "localhost", "-np", "1", "true")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "loadshare: there is no profile on this host (the ranks' messages above give the reason; without any, "
                             "it is on rank 0's host, or no rank called Open MPI's MPI_Init); look for "
                             f"{os.path.realpath(self.folder)}/run.profile on rank 0's host\n"))
        self.assertEqual(self.tool("--", MPIRUN, "-q", "--host", "localhost", "-np", "1", ENDS).returncode, 0)
        self.assertIn("loadshare.profile", os.listdir(self.folder))

    def test_an_unwritable_profile_is_reported(self):
        done = self.tool("-o", "/proc/x.p", "--", MPIRUN, "-q", "-np", "1", ENDS)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        said, hint = done.stderr.splitlines()
        self.assertRegex(said, "^loadshare profile: cannot write /proc/x.p .* the program continues without a profile$")
        self.assertRegex(hint, "^loadshare: no profile was written .the messages above give the reason;")

    def test_bad_options_are_refused_before_the_run(self):
        self.assert_refused(["--", "no-such-program"], "cannot run 'no-such-program' (no such file or directory)")
        self.assert_refused(["-o", "/none/x", "--", "true"],
                            "cannot write the profile to '/none/x' (there is no directory /none); name another file")
        self.assert_refused(["-o", "", "--", "true"], "-o has no name (it is the file that is written); give -o FILE")
        self.assert_refused(["-o", "/dev/null", "--", "true"],
                            "cannot write /dev/null (it is not a regular file); give another -o FILE")
        self.assert_refused(["-o", ENDS, "--", "true"], f"will not replace {ENDS} (it is not a profile); give another -o FILE")
        self.assert_refused(["--limit", "much", "--", "true"], "--limit is 'much' (it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB)")
        self.assert_refused([], "COMMAND is required; see loadshare profile --help")
