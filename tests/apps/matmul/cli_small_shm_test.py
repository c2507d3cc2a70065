"""Runs that share a /dev/shm which is too small for two of them: one runs, the other ends with the reason."""

import re
import subprocess
import unittest

from app_cli import TIMEOUT_S, AppCase, command
from processes import in_one_line
from small_disk import has_small_disks

SIZE = 1200  # three matrices of 11 MiB: one run fits, two do not
ROOM = "64m"
LACK = re.compile(r"error: .* needs 34 MiB in /dev/shm \([\d.]+ \w+ are free there\); wait until other runs have ended, or enlarge "
                  r"it: mount -o remount,size=1G /dev/shm, or docker run --shm-size=1g\n")
IN_SMALL_SHM = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs -o size={ROOM} tmpfs /dev/shm && exec \"$@\"", "-"]


@unittest.skipUnless(has_small_disks(), "mounting a file system needs root")
class SmallShm(AppCase):
    def in_shell(self, script):
        done = subprocess.run([*IN_SMALL_SHM, "sh", "-c", script], cwd=self.directory, capture_output=True, text=True, timeout=TIMEOUT_S)
        done.stderr = in_one_line(done.stderr)
        return done

    def run_of(self, *words, size=SIZE, ranks=2):
        return " ".join(command(["--size", size, "--progress", "none", *words], ranks))

    def read(self, name):
        with open(self.path(name)) as file:
            return in_one_line(file.read())

    def test_of_two_runs_together_one_fits(self):
        one = self.run_of()
        for _ in range(3):
            done = self.in_shell(f"({one} > a.out 2> a.err; echo $? > a.code) & ({one} > b.out 2> b.err; echo $? > b.code) & wait; "
                                 "ls /dev/shm; df --output=used /dev/shm | tail -1")
            self.assertEqual(done.stdout.split(), ["0"], "nothing stays behind")
            codes = [int(self.read(f"{run}.code")) for run in "ab"]
            self.assertIn(0, codes, self.read("a.err") + self.read("b.err"))
            for run, code in zip("ab", codes):
                if code == 0:
                    self.assertRegex(self.read(f"{run}.out"), r"\nverified +yes\n")
                else:
                    self.assertEqual(code, 2, self.read(f"{run}.err"))
                    self.assertRegex(self.read(f"{run}.err"), LACK)

    def test_room_that_another_has_reserved_is_not_free(self):
        done = self.in_shell(f"fallocate -l 40M /dev/shm/others; {self.run_of()}")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, LACK)

    def test_a_run_that_just_fits_succeeds(self):
        done = self.in_shell(f"fallocate -l 29M /dev/shm/others; {self.run_of()}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_master_need_not_be_the_first_rank_of_its_host(self):
        done = self.in_shell(f"fallocate -l 29M /dev/shm/others; {self.run_of('--master-rank', 1)}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_results_aside_do_not_fit(self):
        """They are not checked in advance, because only --reissue needs them."""
        done = self.in_shell(f"fallocate -l 20M /dev/shm/others; {self.run_of('--reissue')}")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"^error: the ranks on \S+ need 33 MiB more of /dev/shm \([\d.]+ MiB are free there\); wait until ")


if __name__ == "__main__":
    unittest.main()
