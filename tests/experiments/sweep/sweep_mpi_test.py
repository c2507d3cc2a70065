"""Sweeps whose runs are started by mpirun."""

import os
import unittest

from sweep_case import SweepCase, is_running, wait_until


class UnderMpirun(SweepCase):
    def test_under_mpirun(self):
        self.file = os.path.join(self.folder, "mpi.yaml")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("schema: 1\ntitle: Two ranks\nprogram: matmul\nrepeat: 2\n"
                       "launch: {with: mpirun, ranks: 2, arguments: [--oversubscribe], timeout: 60s}\n"
                       "options: {size: 100}\nexperiments: [{name: e, matrix: {scheduler: [gss, 'send:5']}}]\n")
        done = self.sweep("--progress", "none")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({run["record"]["transport"] for run in self.runs()}, {"mpi"})

    def test_a_killed_sweep_takes_mpirun_and_its_ranks_with_it(self):
        self.write(more="launch: {with: mpirun, ranks: 2, arguments: [--oversubscribe]}\n    options: {nap: 60}")
        child = self.start()
        wait_until(lambda: len(self.programs()) == 2)
        child.kill()
        child.wait(timeout=20)
        wait_until(lambda: not any(map(is_running, self.programs())), timeout_s=15)


if __name__ == "__main__":
    unittest.main()
