"""Programs in a lab: where they are, what they are granted, and who may make one."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from lab_case import PREFIX, TOOL, TRIO, LabCase, lab, lab_text, main


class Inside(LabCase):
    def test_hostname_exit_code_and_words(self):
        name = self.up()
        self.assertEqual(self.inside(name, "hostname"), "slow1\n")
        self.assertEqual(self.inside(name, "hostname", on="fast"), "fast\n")
        self.assertEqual(self.inside(name, "printf", "%s|", "-np", "[a,b]", "a b", "--", "--name"),
                         "-np|[a,b]|a b|--|--name|")
        self.inside(name, "sh", "-c", "exit 17", code=17)
        self.assertNotEqual(socket.gethostname(), "fast")

    def test_errors(self):
        name = self.up()
        done = lab("run", "--name", name, "--on", "fats", "--", "hostname")
        self.assertEqual((done.returncode, done.stderr), (
            2, "loadshare: unknown host 'fats' (valid: slow1, slow2, fast); did you mean 'fast'?\n"))
        done = lab("run", "--name", name, "--", "no-such-program")
        self.assertEqual((done.returncode, done.stderr), (
            2, "loadshare: cannot run 'no-such-program' (no such file or directory)\n"))
        done = lab("run", "--name", f"{PREFIX}-x", "--", "hostname")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"^loadshare: no lab '{PREFIX}-x' is running ")
        done = lab("run", "--name", name, "--", TOOL, "lab", "down", "--name", name)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"cannot take down the lab '{name}' from inside ")

    def test_signals_reach_the_command(self):
        name = self.up()
        words = [TOOL, "lab", "run", "--name", name, "--", "sh", "-c", "trap 'exit 5' TERM; echo on; sleep 20 & wait"]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
            self.assertEqual(running.stdout.readline(), b"on\n")
            running.terminate()
            self.assertEqual(running.wait(timeout=10), 5)

    def test_links_keep_their_rate(self):
        name = self.up()
        addresses = {host["name"]: host["address"] for host in self.status(name)[0]["hosts"]}
        seconds = {host: min(self.transfer_s(name, host, addresses[host], 1_500_000) for _ in range(2))
                   for host in ("slow1", "slow2")}
        self.assertGreater(seconds["slow1"], 0.8 * 1.2, "10 Mbit/s: 1.2 s for 1.5 MB")
        self.assertLess(seconds["slow1"], 3 * 1.2)
        self.assertGreater(seconds["slow2"], 0.8 * 0.12, "100 Mbit/s")
        self.assertGreater(seconds["slow1"] / seconds["slow2"], 4)
        self.assertLess(seconds["slow1"] / seconds["slow2"], 16)

    def transfer_s(self, name, receiver, address, size):
        """How long the host `fast` takes to send that many bytes, as the receiver sees it."""
        receive = ("import socket,time\ns=socket.create_server(('', 5000))\nprint('on', flush=True)\nc=s.accept()[0]\n"
                   "b=time.monotonic()\nn=0\nwhile d:=c.recv(65536): n+=len(d)\n"
                   "print(n, time.monotonic()-b)\n")
        send = f"import socket\nsocket.create_connection(('{address}', 5000)).sendall(bytes({size}))\n"
        words = [TOOL, "lab", "run", "--name", name, "--on", receiver, "--", sys.executable, "-c", receive]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as receiving:
            self.assertEqual(receiving.stdout.readline(), "on\n")
            self.inside(name, sys.executable, "-c", send, on="fast")
            received, seconds = receiving.stdout.readline().split()
        self.assertEqual(int(received), size)
        return float(seconds)

    def test_shares_are_one_to_three(self):
        name = self.up()
        spin = ("import time\nb=time.monotonic()\np=time.process_time()\nwhile time.monotonic()-b < 1.5: pass\n"
                "print(time.process_time()-p)\n")
        words = [TOOL, "lab", "run", "--name", name, "--on"]
        running = {host: subprocess.Popen([*words, host, "--", sys.executable, "-c", spin], stdout=subprocess.PIPE)
                   for host in ("slow1", "fast")}
        used = {host: float(one.communicate(timeout=30)[0]) for host, one in running.items()}
        self.assertLess(used["slow1"], 0.1 * 1.5 * 1.35)
        self.assertLess(used["fast"], 0.3 * 1.5 * 1.35)
        self.assertGreater(used["fast"] / used["slow1"], 1.8)
        self.assertLess(used["fast"] / used["slow1"], 4.5)

    def test_a_host_is_stopped_when_its_share_is_used_up(self):
        # A tenth of 10 ms is 1 ms; the kernel by itself would let it run for 4 ms, up to its tick.
        name = self.up()
        spin = ("import time\nbegun=last=time.monotonic()\nrun=begun\nruns=[]\nwhile last-begun < 2:\n now=time.monotonic()\n"
                " if now-last > 5e-4: runs.append(last-run); run=now\n last=now\nprint(sorted(runs)[len(runs)//2])\n")
        self.assertLess(float(self.inside(name, sys.executable, "-c", spin)), 2e-3)

    def test_a_host_has_one_processor(self):
        name = self.up()
        allowed = self.inside(name, sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))", on="fast")
        self.assertEqual([int(allowed)], self.status(name)[0]["hosts"][2]["processors"])


class Rights(unittest.TestCase):
    def test_an_ordinary_user_learns_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            path = os.path.join(folder, "lab.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(lab_text(f"{PREFIX}-n", TRIO))
            reachable = shutil.copy(TOOL, folder)  # a clone in root's home is not
            done = subprocess.run([reachable, "lab", "up", path], user=65534, group=65534, extra_groups=[],
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^loadshare: a lab cannot be made here \(missing: the right CAP_NET_ADMIN, the right "
                                      r"CAP_SYS_ADMIN.*\); run it as root.*\n$")


if __name__ == "__main__":
    main()
