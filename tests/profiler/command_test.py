"""`loadshare profile` as a user sees it."""

import os

from profiled import MPIRUN, TOOL, Case, call, program

ENDS = program("profiled_ends")


class Command(Case):
    def tool(self, *words):
        return call(TOOL, "profile", *words, cwd=self.folder)

    def assert_refused(self, words, text):
        done = self.tool(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))

    def test_mpirun(self):
        done = self.tool("-o", "run.profile", "--", MPIRUN, "-q", "-np", "2", ENDS)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", "loadshare: the profile is run.profile; loadshare metrics run.profile reads it\n"))
        self.assertEqual(len(self.profile()["ranks"]), 2)

    def test_both_programs_of_one_run(self):
        done = self.tool("-o", "run.profile", "--", "env", MPIRUN, "-q", "-np", "1", ENDS, ":", "-np", "1", ENDS)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.profile()["ranks"]), 2)

    def test_beside_what_the_user_preloads(self):
        done = self.tool("-o", "run.profile", "--", MPIRUN, "-q", "-np", "1", "-x", "LD_PRELOAD=libm.so.6", ENDS)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(len(self.profile()["ranks"]), 1)

    def test_without_mpirun_and_with_a_limit(self):
        done = self.tool("--limit", "100KiB", "--", ENDS, "flood", "2000")
        self.assertEqual(done.returncode, 0)
        self.file = os.path.join(self.folder, "loadshare.profile")
        self.assertGreater(self.profile()["ranks"][0]["events_dropped"], 0)

    def test_the_exit_code_is_the_programs(self):
        self.assertEqual(self.tool("--", MPIRUN, "-q", "-np", "1", ENDS, "abort").returncode, 7)
        self.assertEqual(self.tool("--", "sh", "-c", "exit 5").returncode, 5)

    def test_a_program_without_mpi(self):
        done = self.tool("--", "true")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "loadshare: no profile was written (the ranks say why above; where they say nothing, none came "
                             "through Open MPI's MPI_Init)\n"))

    def test_the_profile_may_be_on_another_host(self):
        """A good run is no failure for that; nobody can know here whether there is one."""
        done = self.tool("-o", "run.profile", "--", MPIRUN, "-q", "--host", "localhost", "-np", "1", "true")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "loadshare: no profile is here (the ranks say why above; where they say nothing, it is on rank 0's "
                             "host, or none came through Open MPI's MPI_Init) look for "
                             f"{os.path.realpath(self.folder)}/run.profile on rank 0's host\n"))
        self.assertEqual(self.tool("--", MPIRUN, "-q", "--host", "localhost", "-np", "1", ENDS).returncode, 0)
        self.assertIn("loadshare.profile", os.listdir(self.folder))

    def test_a_profile_that_cannot_be_made(self):
        done = self.tool("-o", "/proc/x.p", "--", MPIRUN, "-q", "-np", "1", ENDS)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        said, hint = done.stderr.splitlines()
        self.assertRegex(said, "^loadshare profile: cannot write /proc/x.p .* the program runs on, unprofiled$")
        self.assertRegex(hint, "^loadshare: no profile was written .the ranks say why above;")

    def test_errors_before_the_run(self):
        self.assert_refused(["--", "no-such-program"], "cannot run 'no-such-program' (No such file or directory)")
        self.assert_refused(["-o", "/none/x", "--", "true"],
                            "cannot write the profile to '/none/x' (there is no directory /none) name another file")
        self.assert_refused(["-o", "", "--", "true"], "-o has no name (it is the file that is written) give -o FILE")
        self.assert_refused(["-o", "/dev/null", "--", "true"],
                            "cannot write /dev/null (it is no regular file) give another -o FILE")
        self.assert_refused(["-o", ENDS, "--", "true"], f"will not replace {ENDS} (it is no profile) give another -o FILE")
        self.assert_refused(["--limit", "much", "--", "true"], "--limit is 'much' (it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB)")
        self.assert_refused([], "COMMAND is required, see loadshare profile --help")
