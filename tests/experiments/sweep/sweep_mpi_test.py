"""Sweeps whose runs are started by mpirun."""

import os
import unittest

from sweep_case import SweepCase, is_running, wait_until

APPS = os.path.join(os.environ["LOADSHARE_SOURCE"], "apps")
PROGRAMS = sorted(name for name in os.listdir(APPS)
                  if name != "loadshare" and os.path.exists(os.path.join(APPS, name, "main.cpp")))


class UnderMpirun(SweepCase):
    def test_under_mpirun(self):
        self.file = os.path.join(self.folder, "mpi.yaml")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("schema: 1\ntitle: Two ranks\nprogram: matmul\nrepeat: 2\n"
                       "launch: {with: mpirun, arguments: [--oversubscribe], timeout: 60s}\n"
                       "options: {size: 100}\nexperiments: [{name: e, matrix: {ranks: [1, 2]}}]\n")
        done = self.sweep("--progress", "none")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({(run["parameters"]["ranks"], len(run["record"]["ranks"]), run["record"]["transport"])
                          for run in self.runs()}, {(1, 1, "mpi"), (2, 2, "mpi")})
        self.assertRegex(done.stdout, r"ranks \d is the fastest: .* times as fast as ranks \d|no winner yet between ranks ")

    def test_a_misspelt_option_is_found_before_any_run(self):
        self.assertIn("cannon", PROGRAMS)
        for program in PROGRAMS:
            # The benchmark's numbers are the same for everybody: it has no seed.
            slip, meant = ("clas", "class") if program == "integer_sort" else ("seeed", "seed")
            with self.subTest(program):
                self.file = os.path.join(self.folder, f"{program}.yaml")
                with open(self.file, "w", encoding="utf-8") as file:
                    file.write(f"schema: 1\ntitle: A slip\nprogram: {program}\nrepeat: 1\n"
                               f"experiments: [{{name: e, matrix: {{{slip}: [1]}}}}]\n")
                done = self.sweep("--progress", "none")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{program} has no option '{slip}' (its --help lists no such option); did you mean '{meant}'?", done.stderr)

    def test_a_killed_sweep_takes_mpirun_and_its_ranks_with_it(self):
        self.write(more="launch: {with: mpirun, ranks: 2, arguments: [--oversubscribe]}\n    options: {nap: 60}")
        child = self.start()
        wait_until(lambda: len(self.programs()) == 2)
        child.kill()
        child.wait(timeout=20)
        wait_until(lambda: not any(map(is_running, self.programs())), timeout_s=15)


if __name__ == "__main__":
    unittest.main()
