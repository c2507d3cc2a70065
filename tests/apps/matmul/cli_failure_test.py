"""matmul with errors in the middle of a run: messages, exit codes and remaining files."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from app_cli import PROGRAM, TIMEOUT_S
from matmul_cli import MatmulCase
from small_disk import has_small_disks, on_small_disk

LONG_RUN = ("--size", 1600, "--kernel", "naive", "--scheduler", "send:4", "--progress", "none")


class WrongProduct(MatmulCase):
    def test_a_wrong_product_names_the_column_and_is_not_stored(self):
        for check in ("freivalds", "full"):
            with self.subTest(check=check):
                done = self.run_program("--size", 60, "--spoil", 17, "--verify", check, "--c", self.path("C.npy"), "--json", "-")
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.endswith(
                    f"error: the product is wrong in column 17 (1 of 60), according to the {check} check "
                    f"({self.path('C.npy')} was not written)\n"), done.stderr)
                self.assertIn("verified    NO, the result is wrong\n", done.stderr)
                self.assertIs(json.loads(done.stdout)["verified"], False)
                self.assertEqual(self.files(), [])

    def test_a_nan_hides_no_error(self):
        for special in (np.nan, np.inf):
            for row, check in ((0, "freivalds"), (40, "freivalds"), (40, "full")):
                with self.subTest(special=special, row=row, check=check):
                    a = np.random.default_rng(1).random((60, 30))
                    a[row, 7] = special
                    np.save(self.path("A.npy"), a)
                    np.save(self.path("B.npy"), np.random.default_rng(2).random((30, 50)))
                    words = ("--a", self.path("A.npy"), "--b", self.path("B.npy"), "--verify", check)
                    self.assert_good(self.run_program(*words))
                    done = self.run_program(*words, "--spoil", 3)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(f"error: the product is wrong in column 3 (1 of 50), according to the {check} check\n", done.stderr)

    def test_an_unverified_wrong_product_passes(self):
        self.assert_good(self.run_program("--size", 20, "--spoil", 17, "--verify", "none"))


class FailingWorker(MatmulCase):
    def test_the_run_ends_with_its_message_and_chunk(self):
        for words in ([], ["--prefetch", 4], ["--reissue"], ["--workers", 1], ["--workers", 9]):
            with self.subTest(words=words):
                done = self.run_program("--size", 60, "--scheduler", "send:7", "--fail-at", 30, "--c", self.path("C.npy"), *words)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, r"\Aerror: rank \d+ on \S+ failed on columns 28-34 \(column 30 was to fail; \d+ of \d+ columns were in finished chunks\); "
                                 r"--on-failure retry:3 tries it again, --on-failure skip:1 leaves it out\n\Z")
                self.assertEqual(self.files(), [])


INTERRUPTED = (r"\Amatmul: interrupted: iterations being computed finish first; a second Ctrl-C or signal ends the run immediately\n"
               r"error: interrupted \(\d+ of \d+ columns were in finished chunks(, and \d+ more in chunks that had not ended|; unfinished chunks contain \d+ more)?\)\n\Z")


class Interrupted(MatmulCase):
    WORKERS = 6

    def start_long_run(self, *words, **options):
        running = self.start_program(*LONG_RUN, "--workers", self.WORKERS, *words, **options)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.kill)
        deadline_s = time.monotonic() + 30
        while len(os.listdir(f"/proc/{running.pid}/task")) <= self.WORKERS and time.monotonic() < deadline_s:
            time.sleep(0.02)
        return running

    def test_a_run_that_is_interrupted_leaves_nothing_behind(self):
        with open(self.path("C.npy"), "w") as file:
            file.write("old")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                running = self.start_long_run("--c", self.path("C.npy"), "--json", self.path("runs"), "--trace", self.path("t"))
                running.send_signal(number)
                begun_s = time.monotonic()
                output, errors = running.communicate(timeout=TIMEOUT_S)
                self.assertLess(time.monotonic() - begun_s, 5)
                self.assertEqual((running.returncode, output), (130, ""))
                self.assertRegex(errors, INTERRUPTED)
                self.assertEqual(self.files(), ["C.npy"])
                with open(self.path("C.npy")) as file:
                    self.assertEqual(file.read(), "old")

    def test_a_run_that_is_to_outlive_its_terminal_does(self):
        """Starts it like nohup."""
        running = self.start_long_run(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        running.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            running.wait(timeout=1)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=TIMEOUT_S)
        self.assertEqual(running.returncode, 130)

    def test_a_killed_run_leaves_nothing_behind(self):
        running = self.start_long_run("--c", self.path("C.npy"))
        running.kill()
        running.wait(timeout=TIMEOUT_S)
        self.assertEqual(self.files(), [])


class Streams(MatmulCase):
    FULL = "no space left on device"

    def run_with(self, stream, *words):
        """Runs it in a shell that redirects stdout to `stream`."""
        script = f'exec "$0" "$@" {stream}'
        return subprocess.run(["sh", "-c", script, PROGRAM, *map(str, words)], stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, stdout=subprocess.PIPE)

    def test_a_full_stdout(self):
        for words, what in (([], "print the summary"), (["--json", "-"], "append the JSON line to stdout"),
                            (["--help"], "print the help"), (["--version"], "print the version"),
                            (["--scheduler", "help"], "print the schedulers")):
            with self.subTest(words=words):
                done = self.run_with(">/dev/full", *(words or ["--size", 9]))
                self.assertEqual(done.returncode, 1)
                kept = "; no part of it was kept" if "--json" in words else ""
                self.assertIn(f"error: cannot {what} ({self.FULL}{kept})", done.stderr)

    def test_a_closed_stdout_costs_the_summary_and_nothing_else(self):
        done = self.run_with(">&-", "--size", 9, "--c", self.path("C.npy"), "--json", self.path("runs"))
        self.assertEqual((done.returncode, done.stderr), (1, "error: cannot print the summary (bad file descriptor)\n"))
        self.assertEqual(np.load(self.path("C.npy")).shape, (9, 9))
        with open(self.path("runs")) as file:
            json.load(file)

    def test_a_reader_that_leaves_is_no_error(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([PROGRAM, "--size", "9", "--json", self.path("runs")], stdout=writing, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_S)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.files(), ["runs"])

    def test_special_files(self):
        for option, what in (("--json", "the JSON line"), ("--trace", "the trace")):
            self.assert_refused(["--size", 9, option, "/dev/full"],
                                f"cannot write {what} to '/dev/full' ({self.FULL}); name another file")
        self.assert_refused(["--size", 9, "--c", "/dev/full"],
                            "cannot write /dev/full (it is not a regular file); write to a file and copy it from there")


@unittest.skipUnless(has_small_disks(), "a disk of a few pages takes root and unshare")
class FullDisk(MatmulCase):
    def assert_kept(self, done, code, text):
        self.assertEqual((done.returncode, done.stdout), (code, "filler\nkept\nold\n"), done.stderr)
        self.assertRegex(done.stderr, text)

    def test_the_product(self):
        done = self.run_on_small_disk("--size", 100, "--c", "kept")
        self.assert_kept(done, 2, r"\Aerror: cannot write kept \(no space left on device: it needs 78\.\d KiB, \S+ KiB are free\)\n\Z")

    def test_without_a_free_block_nothing_is_begun(self):
        fill = ("sh", "-c", 'head -c 1M /dev/zero > more 2> /dev/null; exec "$0" "$@"')
        for option, name in (("--json", "kept"), ("--json", "new"), ("--trace", "kept"), ("--trace", "new")):
            with self.subTest(option=option, name=name):
                done = on_small_disk(self.directory, (*fill, PROGRAM, "--size", "9", option, name), timeout=TIMEOUT_S)
                self.assertEqual((done.returncode, done.stdout), (2, "filler\nkept\nmore\nold\n"), done.stderr)
                self.assertIn(f" to '{name}' (no space left on device); name another file\n", done.stderr)

    def test_the_record_and_the_trace(self):
        long = ["--rows", 300, "--inner", 300, "--cols", 600, "--scheduler", "send:1", "--kernel", "naive"]
        done = self.run_on_small_disk(*long, "--json", "kept")
        self.assert_kept(done, 1, r"error: cannot append the JSON line to kept \(no space left on device; "
                         r"no part of it was kept\); make room there, or name another file\n\Z")
        done = self.run_on_small_disk(*long, "--trace", "kept")
        self.assert_kept(done, 1, r"error: cannot write \S*kept\S* \(no space left on device\)\n\Z")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "changing the user takes root and setpriv")
class OtherPeoplesFiles(MatmulCase):
    def test_files_without_permission(self):
        os.chmod(self.directory, 0o755)
        target = self.path("C.npy")
        as_other_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for option, text in (("--c", f"cannot write {target} (permission denied"),
                             ("--json", f"cannot write the JSON line to '{target}' (no file can be made in {self.directory}: "),
                             ("--trace", f"cannot write the trace to '{target}' (no file can be made in {self.directory}: ")):
            done = subprocess.run([*as_other_user, PROGRAM, "--size", "9", option, target], capture_output=True, text=True,
                                  timeout=TIMEOUT_S)
            if "failed to execute" in done.stderr:
                self.skipTest("the program lies where only root may go")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith(f"error: {text}"), done.stderr)


if __name__ == "__main__":
    unittest.main()
