"""`loadshare sweep` as a user sees it: what it runs, keeps and says."""

import json
import os
import re
import resource
import signal
import subprocess
import unittest

from at_terminal import at_terminal
from sweep_case import TOOL, SweepCase, wait_until

IS_SANITIZED = "libasan" in subprocess.run(["ldd", TOOL], capture_output=True, text=True).stdout
QUICK = os.path.join(os.environ["LOADSHARE_SOURCE"], "experiments", "quick.yaml")


class Running(SweepCase):
    def test_every_run_is_kept(self):
        done = self.sweep()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^18 runs in [\d.]+ m?s: .*/out/runs\.jsonl\n\ne: All of it\n")
        self.assertEqual(self.done(), self.expected())
        self.assertEqual([run["order"] for run in self.runs()], list(range(18)))
        run = self.runs()[0]
        self.assertEqual(list(run), ["schema", "experiment", "point", "parameters", "repetition", "order", "load_seed",
                                     "load", "command", "started_at", "wall_s", "overhead_s", "exit_code", "status",
                                     "error", "record"])
        self.assertEqual(run["record"], {"makespan_s": 0.5})
        self.assertGreaterEqual(run["wall_s"], 0.02)
        self.assertLess(run["overhead_s"], 5)
        self.assertEqual(sorted(os.listdir(self.out)), ["runs.jsonl", "sweep.json", "sweep.yaml"])
        with open(os.path.join(self.out, "sweep.json"), encoding="utf-8") as manifest:
            self.assertEqual(json.load(manifest)["source"], self.file, "as given, so that one can go on with it")
        with open(os.path.join(self.out, "sweep.yaml"), encoding="utf-8") as copy, open(self.file, encoding="utf-8") as own:
            self.assertEqual(copy.read(), own.read())

    def test_the_example_of_the_readme(self):
        self.file = QUICK
        done = self.sweep("--reduced")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.runs()), 9)
        self.assertRegex(done.stdout, r"\nscheduler +mean +deviation +least +most +runs +times as long\n")
        self.assertIn("needs at least 7 repeats: set `repeat: 7` under `reduced:` and run again with --resume", " ".join(done.stdout.split()))
        self.assertTrue(all(run["record"]["verified"] for run in self.runs()))

    def test_dry_run_prints_the_commands_in_their_order(self):
        listed = self.sweep("--dry-run")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        lines = listed.stdout.splitlines()
        self.assertEqual(lines[:3], ["# A test: 18 runs of 6 points", "# e: All of it; 6 points, 3 runs each",
                                     "# repetition 0"])
        self.assertFalse(os.path.exists(self.out))
        self.sweep()
        self.assertEqual([line for line in lines if not line.startswith("#")],
                         [" ".join(run["command"]) for run in self.runs()])

    def test_failures_are_logged_reported_and_repeated(self):
        self.write(more="zip: {fail: [no, yes], mark: [x, y]}", repeat=1)
        done = self.sweep()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^\ne: e\n(.*\n)+fail yes.* +no run has a time\n")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 7)
        self.assertRegex(lines[0], r"^failed: e/fail=yes/letter=./mark=y/number=., repetition 0 \(no luck today\)$")
        self.assertEqual(lines[5], "further failures are only counted")
        self.assertEqual(lines[6], f"loadshare: 6 of 12 runs failed (their errors are in {self.runs_file}); repeat the failed runs with: "
                                   f"loadshare sweep {self.file} --out {self.out} --resume")
        failed = [run for run in self.runs() if run["status"] == "failed"]
        self.assertEqual({(run["exit_code"], run["error"], run["record"]) for run in failed}, {(4, "no luck today", None)})
        open(os.path.join(self.folder, "repaired"), "w", encoding="utf-8").close()
        again = self.sweep("--resume")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(again.stdout[:7], "6 runs ")
        self.assertEqual(len(self.done()), 12)
        self.assertEqual(len(set(self.done())), 12)

    def test_several_loops_are_noted(self):
        self.write(repeat=1)
        self.assertNotIn("note: ", self.sweep().stdout)
        with open(os.path.join(self.folder, "program"), "a", encoding="utf-8") as program:
            program.write("echo '{\"makespan_s\": 7}' >> \"$json\"\n")
        self.out += "2"
        self.assertIn("note: each run recorded 2 loops; only the first one's time is kept and compared\n", self.sweep().stdout)
        self.assertEqual({run["record"]["makespan_s"] for run in self.runs()}, {0.5})

    def test_a_run_without_a_record_failed(self):
        self.write(more="options: {fail: record}", repeat=1)
        self.assertEqual(self.sweep().returncode, 1)
        self.assertEqual({run["status"] for run in self.runs()}, {"failed"})

    def test_a_timeout_ends_the_run(self):
        self.write(more="launch: {timeout: 200ms}\n    options: {nap: 100}\n    reduced: {matrix: {letter: [a], number: [1]}}",
                   repeat=1)
        self.assertEqual(self.sweep("--reduced").returncode, 1)
        (run,) = self.runs()
        self.assertEqual((run["status"], run["error"]), ("timeout", "took longer than 200 ms"))
        self.assertLess(run["wall_s"], 10)

    def test_the_winner_is_printed_at_the_end(self):
        self.write(repeat=7, more="compare: letter\n    options: {size: 3}\n    baseline: b")
        self.sweep()
        with open(self.runs_file, encoding="utf-8") as file:
            runs = [json.loads(line) for line in file]
        with open(self.runs_file, "w", encoding="utf-8") as file:
            for run in runs:
                run["record"]["makespan_s"] = {"a": 2.0, "b": 1.0, "c": 1.0}[run["parameters"]["letter"]]
                file.write(json.dumps(run) + "\n")
        done = self.sweep("--resume")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("all runs are done already: "))
        won = "b and c are the fastest, equal within 3 %: 1.00 s, 2.0000 (2.0000 to 2.0000) times as fast as a"
        for number in (1, 2):
            self.assertRegex(done.stdout.replace("\n  ", " "),
                             rf"\nnumber {number}\n\nletter .*\nb .* 7 +1\nc .*\na .* 2\.0000 \(2\.0000 to 2\.0000\)\n"
                             + re.escape(won) + "\n")

    def test_only_some_experiments(self):
        with open(self.file, "a", encoding="utf-8") as file:
            file.write("  - name: f\n    repeat: 2\n")
        self.assertEqual(self.sweep("--only", "f").returncode, 0)
        self.assertEqual([run["point"] for run in self.runs()], ["f", "f"])
        self.assertEqual(self.sweep("--only", "e", "--resume").returncode, 0)
        self.assertEqual(len(self.runs()), 20)


class Validating(SweepCase):
    def test_too_few_repeats_for_a_winner_are_noted(self):
        self.file = QUICK
        full, reduced = self.sweep("--validate"), self.sweep("--validate", "--reduced")
        self.assertEqual((full.returncode, full.stdout), (0, f"{QUICK}: valid, 30 runs of 3 points\n"))
        self.assertEqual((reduced.returncode, reduced.stdout),
                         (0, f"{QUICK}: valid, 9 runs of 3 points\n"
                             "note: schedulers cannot name a winner (that needs at least 7 repeats, 3 are planned); "
                             "set `repeat: 7` under `reduced:`\n"))

    def test_experiments_without_a_comparison_have_no_note(self):
        self.write(repeat=1)  # two axes, none of them compared
        self.assertEqual(self.sweep("--validate").stdout, f"{self.file}: valid, 6 runs of 6 points\n")
        self.write(repeat=1, more="compare: letter")
        self.assertIn("note: e cannot name a winner (that needs at least 7 repeats, 1 is planned); set `repeat: 7`\n",
                      self.sweep("--validate").stdout)


class Keeping(SweepCase):
    @unittest.skipIf(IS_SANITIZED, "a sanitizer needs file descriptors of its own")
    def test_without_file_descriptors_the_error_has_advice(self):
        done = self.sweep(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))
        self.assertEqual((done.returncode, done.stderr),
                         (1, "loadshare: cannot start a process (too many open files: this process may have 6); "
                             "raise the limit: ulimit -n 1024\n"))

    def test_a_full_disk_loses_nothing(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        done = self.sweep(preexec_fn=limit)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot append the JSON line to {self.runs_file} (file too large; ", done.stderr)
        kept = self.count()
        self.assertGreater(kept, 0)
        self.assertEqual(len(self.runs()), kept, "whole lines only")
        self.assertEqual(self.sweep("--resume").returncode, 0)
        self.assertEqual(self.done(), self.expected())

    def test_a_folder_that_cannot_be_made(self):
        self.out = "/proc/nowhere/out"
        done = self.sweep()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^loadshare: cannot make the folder '/proc/nowhere/out' \(.*\); name another one")

    def test_runs_of_different_sweeps_do_not_mix(self):
        listed = self.sweep("--dry-run").stdout
        self.sweep()
        self.assertEqual(self.sweep("--dry-run").stdout, listed)
        done = self.sweep()
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"loadshare: '{self.out}' already contains 18 runs (a new sweep would mix with them); resume it with "
                             "--resume, or name another folder with --out\n"))
        self.write(more="options: {size: 3}")
        done = self.sweep("--resume")
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"loadshare: the runs in '{self.out}' belong to another sweep (experiment e had another "
                             "'options'); name another folder with --out\n"))
        self.assertEqual(self.count(), 18)

    def test_more_repeats_continue_a_sweep(self):
        self.sweep()
        self.write(repeat=4)
        self.assertEqual(self.sweep("--resume").returncode, 0)
        self.assertEqual(self.done(), self.expected(4))

    def test_two_sweeps_in_one_folder(self):
        self.write(more="options: {nap: 1}")
        first = self.start()
        wait_until(self.programs)
        done = self.sweep("--resume")
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"loadshare: another sweep is running in '{self.out}' (their runs would mix); wait for it, or "
                             "name another folder with --out\n"))
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)


class Telling(SweepCase):
    def test_a_bar_on_a_terminal(self):
        environment = {**os.environ, "TERM": "xterm"}
        for name in ("OMPI_COMM_WORLD_SIZE", "SLURM_JOB_ID", "SLURM_PROCID"):
            environment.pop(name, None)
        code, shown = at_terminal(*self.words(), stdout=subprocess.DEVNULL, env=environment)
        self.assertEqual(code, 0, shown)
        self.assertRegex(shown, re.compile(r"\rsweep  0/18 runs  0 %  e/letter=./number=.\x1b\[K"))
        self.assertRegex(shown, re.compile(r"\rsweep  \d+/18 runs  \d+ %  ETA 0:0\d  e/letter=./number=.\x1b\[K"))
        self.assertTrue(shown.endswith("\r\x1b[K"))

    def test_a_batch_script(self):
        done = self.sweep("--emit", "sbatch")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("#!/bin/bash\n"))
        script = os.path.join(self.folder, "job.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        ran = subprocess.run(["bash", script], capture_output=True, text=True, timeout=60, cwd="/")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.done(), self.expected())


if __name__ == "__main__":
    unittest.main()
