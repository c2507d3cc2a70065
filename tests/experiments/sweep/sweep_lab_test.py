"""Sweeps in a lab: they bring it up, and take it down again, however they end. Skipped where no lab can be made."""

import json
import os
import signal
import subprocess

from lab_case import TOOL, LabCase, lab, main, wait_until

PROGRAM = """\
#!/bin/sh
while [ "$1" != --json ]; do shift; done
sleep 0.3
echo '{"makespan_s": 0.3}' > "$2"
"""


class InALab(LabCase):
    def setUp(self):
        super().setUp()
        self.name, self.lab_file = self.file({"only": (0.2, "1gbit")})
        self.out = os.path.join(self.folder.name, "out")
        self.write("program", PROGRAM)
        os.chmod(os.path.join(self.folder.name, "program"), 0o755)
        self.sweep_file = self.write("sweep.yaml", "schema: 1\ntitle: In a lab\nprogram: ./program\nrepeat: 3\n"
                                     f"launch: {{with: lab, lab: {self.name}.yaml}}\nexperiments: [{{name: e}}]\n")

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def words(self, *more):
        return [TOOL, "sweep", self.sweep_file, "--out", self.out, "--progress", "none", *more]

    def sweep(self, *more):
        done = subprocess.run(self.words(*more), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def runs(self):
        try:
            with open(os.path.join(self.out, "runs.jsonl"), encoding="utf-8") as file:
                return [json.loads(line) for line in file if line.endswith("\n")]
        except FileNotFoundError:
            return []

    def users(self):
        return [user for one in self.status(self.name) for user in one["users"]]

    def kill_after_one_run(self):
        with subprocess.Popen(self.words(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            came = wait_until(self.runs, 30)
            running.send_signal(signal.SIGKILL)
        self.assertTrue(came, "no run was made")

    def test_the_lab_starts_and_stops_with_the_sweep(self):
        self.sweep()
        self.assertEqual([run["status"] for run in self.runs()], ["ok"] * 3)
        self.assertEqual(self.users(), [])

    def test_a_lab_that_does_not_start_is_reported_once(self):
        self.file({"only": (1000, "1gbit")})
        done = subprocess.run(self.words(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"^loadshare: cannot start the lab {self.name} \(the lab '{self.name}' does not fit")

    def test_a_running_lab_stays_up(self):
        lab("up", self.lab_file)
        self.sweep()
        self.assertEqual(self.users(), [""])

    def test_a_resumed_sweep_stops_the_lab_of_the_killed_one(self):
        self.kill_after_one_run()
        self.assertEqual(self.users(), [self.out])
        self.sweep("--resume")
        self.assertEqual(sorted(run["repetition"] for run in self.runs() if run["status"] == "ok"), [0, 1, 2])
        self.assertEqual(self.users(), [])

    def test_the_lab_stops_if_no_run_is_left(self):
        self.sweep()
        lab("up", self.lab_file, "--for", self.out)  # as if it had been killed after its last run
        self.sweep("--resume")
        self.assertEqual(self.users(), [])

    def test_a_broken_lab_file_is_reported_before_any_run(self):
        self.write(f"{self.name}.yaml", f"schema: 1\nname: {self.name}\nhosts: [{{name: h, share: 0.1, lnk: 1gbit}}]\n")
        done = subprocess.run(self.words("--validate"), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"^loadshare: \S+/{self.name}\.yaml:3:31: unknown key 'lnk' \(valid: .*\); did you mean 'link'")


if __name__ == "__main__":
    main()
