"""MPI programs in a lab: their ranks' places, their ends."""

import contextlib
import os
import signal
import subprocess

from lab_case import TOOL, LabCase, content, lab, main, wait_until

MPIRUN = os.environ["LOADSHARE_MPIRUN"]


def processes_of(word):
    """Those that have `word` in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if word in content(f"/proc/{pid}/cmdline"):
                found.append(int(pid))
    return found


class Ranks(LabCase):
    def test_ranks_are_one_per_host_in_the_files_order(self):
        hosts = {"zeta": (0.2, "100mbit"), "alpha": (0.2, "100mbit"), "mid": (0.2, "100mbit")}
        name = self.up(hosts)
        ranks = self.inside(name, MPIRUN, "sh", "-c", 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"')
        self.assertEqual(sorted(ranks.split("\n")), ["", "0 zeta", "1 alpha", "2 mid"])
        ranks = self.inside(name, MPIRUN, "--host", "mid", "-np", "1", "hostname")
        self.assertEqual(ranks, "mid\n")

    def test_stderr_contains_errors_only(self):
        name = self.up()
        for _ in range(5):
            done = lab("run", "--name", name, "--", MPIRUN, "true")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = lab("run", "--name", name, "--", MPIRUN, "no-such-program")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("unable to find the specified executable", done.stderr)
        done = lab("run", "--name", name, "--", MPIRUN, "-np", "1", "sh", "-c", "echo 'setpgid('; echo on >&2")
        self.assertEqual((done.stdout, done.stderr), ("setpgid(\n", "on\n"))

    def test_ranks_are_within_their_hosts_share(self):
        name = self.up()
        ranks = self.inside(name, MPIRUN, "sh", "-c", 'echo "$(hostname) $(cat /proc/self/cgroup | tr "\\n" " ")"')
        for line in ranks.splitlines():
            self.assertRegex(line, rf"/loadshare-{name}/host\.{line.split()[0]}/ranks( |$)")
        self.assertEqual(len(ranks.splitlines()), 3)

    def test_ranks_of_hosts_without_a_share_are_together(self):
        name = self.up({"one": ("free", "100mbit"), "two": ("free", "10mbit"), "slow": (0.1, "10mbit")})
        words = "sh", "-c", 'echo "$(hostname) $(cat /proc/self/cgroup | tr "\\n" " ")"'
        ranks = dict(line.split(maxsplit=1) for line in self.inside(name, MPIRUN, *words).splitlines())
        for host in "one", "two":
            self.assertRegex(ranks[host], rf"/loadshare-{name}/free( |$)")
        self.assertRegex(ranks["slow"], rf"/loadshare-{name}/host\.slow/ranks( |$)")

    def test_exit_codes_pass(self):
        name = self.up()
        self.inside(name, MPIRUN, "-q", "sh", "-c", "exit 7", code=7)

    def test_an_interrupt_ends_the_ranks(self):
        name = self.up()
        running = self.sleepers(name)
        os.kill(running.pid, signal.SIGINT)
        self.assertNotEqual(running.wait(timeout=15), 0)
        self.assertTrue(wait_until(lambda: self.inside_count(name) == 0))

    def test_a_killed_run_is_gone_with_its_lab(self):
        name = self.up()
        running = self.sleepers(name)
        running.kill()
        running.wait()
        self.assertEqual(lab("down", "--name", name).returncode, 0)
        self.assertEqual(processes_of(self.mark()), [])
        self.assertEqual(processes_of(name), [])

    def mark(self):
        return f"60{os.getpid()}"

    def inside_count(self, name):
        return sum(host["processes"] for host in self.status(name)[0]["hosts"])

    def sleepers(self, name):
        words = [TOOL, "lab", "run", "--name", name, "--", MPIRUN, "-q", "sleep", self.mark()]
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: self.inside_count(name) == 3), "the ranks did not start")
        return running


if __name__ == "__main__":
    main()
