"""Labs as a user makes them, on this machine. Where the rights for that are missing, exits with 77: skipped."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = os.environ["LOADSHARE_TOOL"]
MPIRUN = os.environ["LOADSHARE_MPIRUN"]
PAPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "experiments", "tr-97-14")
SKIPPED = 77
PREFIX = f"t{os.getpid()}"  # labs of other users of this machine are none of ours

# name -> (share, link) of each host
TRIO = {"slow1": (0.1, "10mbit"), "slow2": (0.1, "100mbit"), "fast": (0.3, "100mbit")}


def tool(*words, **options):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60, **options)


def lab(*words, **options):
    return tool("lab", *words, **options)


def lab_text(name, hosts):
    lines = [f"  - {{name: {host}, share: {share}, link: {link}}}" for host, (share, link) in hosts.items()]
    return "\n".join(["schema: 1", f"name: {name}", "hosts:", *lines, ""])


def folders_below(top):
    return {path for path, _, _ in os.walk(top)}


def mine(entries):
    return sorted(entry for entry in entries if PREFIX in entry)


def content(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def traces():
    """All that a lab could leave behind: what bears our labs' names, and the machine's own links and namespaces."""
    return {
        "groups": mine(folders_below("/sys/fs/cgroup")),
        "files": mine(folders_below("/run/loadshare")),
        "mounts": mine(content("/proc/self/mountinfo").splitlines()),
        "links": sorted(name for _, name in socket.if_nameindex()),
        "namespaces": sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else [],
    }


def processes_of(word):
    """Those that have `word` in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if word in content(f"/proc/{pid}/cmdline"):
                found.append(int(pid))
    return found


def wait_until(is_so, seconds=10):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class LabTest(unittest.TestCase):
    """Gives each test a lab file and a name, and sees that nothing is left at the end."""

    def setUp(self):
        self.before = traces()
        self.folder = tempfile.TemporaryDirectory()
        self.names = set()

    def tearDown(self):
        for name in self.names:
            lab("down", "--name", name)
        self.folder.cleanup()
        self.assertEqual(traces(), self.before)

    def file(self, hosts=None, suffix="a"):
        name = f"{PREFIX}-{suffix}"
        self.names.add(name)
        path = os.path.join(self.folder.name, f"{name}.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(lab_text(name, hosts or TRIO))
        return name, path

    def up(self, hosts=None, suffix="a"):
        name, path = self.file(hosts, suffix)
        done = lab("up", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return name

    def inside(self, name, *words, on=None, code=0):
        place = ["--on", on] if on else []
        done = lab("run", "--name", name, *place, "--", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def status(self, name):
        return json.loads(lab("status", "--json", "--name", name).stdout)


class Life(LabTest):
    def test_up_status_down(self):
        name, path = self.file()
        done = lab("up", path)
        self.assertRegex(done.stdout, rf"^{name} is up: 3 hosts on 10\.\d+\.\d+\.0/24, made in \d+")
        hosts = self.status(name)[0]["hosts"]
        self.assertEqual([host["name"] for host in hosts], list(TRIO))
        self.assertEqual(os.stat("/run/loadshare").st_mode & 0o777, 0o711, "who may read it may lock it")
        self.assertRegex(lab("status", "--name", name).stdout, r"\nslow1  10\.\d+\.\d+\.1 +0\.1 +\d+ +10 Mbit/s +0\n")
        self.assertRegex(lab("down", "--name", name).stdout, rf"^{name} is down, in \d+")
        self.assertEqual(lab("status", "--name", name).stdout, f"no lab '{name}' is up\n")
        self.assertEqual(traces(), self.before)

    def test_up_twice(self):
        name, path = self.file()
        lab("up", path)
        again = lab("up", path)
        self.assertEqual((again.returncode, again.stdout), (0, f"{name} is up already\n"))
        self.file({"other": (0.5, "1gbit")})  # the same name, other hosts
        other = lab("up", path)
        self.assertEqual(other.returncode, 2)
        self.assertEqual(other.stderr,
                         f"loadshare: a lab '{name}' with other hosts is up (made from {path}) take it down first: "
                         f"loadshare lab down --name {name}\n")
        self.assertEqual(len(self.status(name)[0]["hosts"]), 3)

    def test_down_twice(self):
        name = self.up()
        self.assertEqual(lab("down", "--name", name).returncode, 0)
        again = lab("down", "--name", name)
        self.assertEqual((again.returncode, again.stdout), (0, f"no lab '{name}' is up: nothing to do\n"))

    def test_it_stays_until_nobody_needs_it(self):
        name, path = self.file()
        for user in ("a", "b", "a"):
            self.assertEqual(lab("up", path, "--for", user).returncode, 0)
        self.assertEqual(self.status(name)[0]["users"], ["a", "b"])
        self.assertRegex(lab("status", "--name", name).stdout, rf"^{name}: up, 3 hosts on \S+, for a, b\n")
        for user in ("a", "nobody", "a"):
            kept = lab("down", "--name", name, "--for", user)
            self.assertEqual((kept.returncode, kept.stdout),
                             (0, f"{name} is left as it is: no such lab is up for {user} alone\n"))
        self.assertEqual(self.status(name)[0]["users"], ["b"])
        self.assertRegex(lab("down", "--name", name, "--for", "b").stdout, rf"^{name} is down, in \d+")
        self.assertEqual(traces(), self.before)

    def test_what_a_person_has_up_stays_up_for_that_person(self):
        name, path = self.file()
        lab("up", path, "--for", "a")
        lab("up", path)
        lab("down", "--name", name, "--for", "a")
        self.assertEqual(self.status(name)[0]["users"], [""])
        self.assertRegex(lab("down", "--name", name).stdout, rf"^{name} is down, in \d+")

    def test_nine_hosts_are_up_and_down_in_time(self):
        name = f"{PREFIX}-nine"
        self.names.add(name)
        begun = time.monotonic()
        done = lab("up", os.path.join(PAPER, "paper-now.yaml"), "--name", name)
        up_s = time.monotonic() - begun
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        begun = time.monotonic()
        self.assertEqual(lab("down", "--name", name).returncode, 0)
        self.assertLess(up_s, 3)
        self.assertLess(time.monotonic() - begun, 2)

    def test_what_a_restart_took_away_is_made_again(self):
        name, path = self.file()
        lab("up", path)
        groups = self.status(name)[0]["groups"]["folder"]
        for group in sorted(folders_below(groups), reverse=True):
            os.rmdir(group)
        self.assertRegex(lab("up", path).stdout, rf"^{name} is up: ")
        self.assertEqual(self.inside(name, "hostname"), "slow1\n")

    def test_killed_while_it_is_made(self):
        name, path = self.file()
        half_made = 0
        for delay_ms in (4, 8, 14, 22, 34, 50, 80):
            with subprocess.Popen([TOOL, "lab", "up", path], stdout=subprocess.DEVNULL) as making:
                time.sleep(delay_ms / 1e3)
                making.kill()
            half_made += sum(not one["is_up"] for one in self.status(name))
            if delay_ms % 3 == 2:  # now and then `up` mends instead of `down`
                self.assertEqual(lab("up", path).returncode, 0)
                self.assertEqual(self.inside(name, "hostname"), "slow1\n")
            self.assertEqual(lab("down", "--name", name).returncode, 0)
            self.assertEqual(traces(), self.before, f"killed after {delay_ms} ms")
        self.assertGreater(half_made, 0, "every kill came too early or too late")

    def test_killed_while_it_is_taken_down(self):
        name, path = self.file()
        for delay_ms in (2, 4, 8):
            self.assertEqual(lab("up", path).returncode, 0)
            with subprocess.Popen([TOOL, "lab", "down", "--name", name], stdout=subprocess.DEVNULL) as ending:
                time.sleep(delay_ms / 1e3)
                ending.kill()
            self.assertEqual(lab("down", "--name", name).returncode, 0)
            self.assertEqual(traces(), self.before)

    def test_two_ups_at_once(self):
        name, path = self.file()
        both = [subprocess.Popen([TOOL, "lab", "up", path], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        said = sorted(one.communicate(timeout=30)[0] for one in both)
        self.assertEqual([one.returncode for one in both], [0, 0])
        self.assertEqual(said[0], f"{name} is up already\n")
        self.assertRegex(said[1], f"^{name} is up: ")

    def test_two_labs_side_by_side(self):
        one, two = self.up(suffix="a"), self.up(suffix="b")
        subnets = [self.status(name)[0]["subnet"] for name in (one, two)]
        self.assertNotEqual(*subnets)
        ambiguous = lab("run", "--", "hostname")
        self.assertEqual(ambiguous.returncode, 2)
        self.assertRegex(ambiguous.stderr, r"several labs are up \(.*\) say which with --name")
        self.assertEqual(lab("down", "--name", one).returncode, 0)
        self.assertEqual(self.inside(two, "hostname", on="fast"), "fast\n")

    def test_a_lab_that_does_not_fit(self):
        _, path = self.file({f"h{i}": (0.9, "1gbit") for i in range(os.cpu_count() + 1)})
        done = lab("up", path)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"does not fit on this machine \(its hosts cannot get their shares on \d+ proc")


class Failing(LabTest):
    def with_tc(self, script):
        """An environment where tc is this script."""
        with open(os.path.join(self.folder.name, "tc"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(file.name, 0o755)
        return {**os.environ, "PATH": self.folder.name + ":" + os.environ["PATH"]}

    def test_a_kernel_without_rates_is_named(self):
        name, path = self.file()
        done = lab("up", path, env=self.with_tc("echo 'Unknown qdisc' >&2; exit 2"))
        self.assertEqual((done.returncode, done.stderr), (
            2, "loadshare: a lab cannot be made here (missing: the kernel's token bucket filter (tbf)) take another "
               "kernel\n"))
        self.assertEqual(traces(), self.before)

    def test_what_fails_halfway_leaves_nothing(self):
        name, path = self.file()
        once = os.path.join(self.folder.name, "once")
        done = lab("up", path, env=self.with_tc(f"[ -e {once} ] && exit 0; touch {once}; echo 'No room' >&2; exit 2"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^loadshare: .*/tc -batch - failed \(it said: No room\)\n$")
        self.assertEqual(traces(), self.before)


class Inside(LabTest):
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
            2, "loadshare: unknown host 'fats' (valid: slow1, slow2, fast) did you mean 'fast'?\n"))
        done = lab("run", "--name", name, "--", "no-such-program")
        self.assertEqual((done.returncode, done.stderr), (
            2, "loadshare: cannot run 'no-such-program' (No such file or directory)\n"))
        done = lab("run", "--name", f"{PREFIX}-x", "--", "hostname")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"^loadshare: no lab '{PREFIX}-x' is up ")
        done = lab("run", "--name", name, "--", TOOL, "lab", "down", "--name", name)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"this is a process of the lab '{name}' ")

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

    def test_a_host_has_one_processor(self):
        name = self.up()
        allowed = self.inside(name, sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))", on="fast")
        self.assertEqual([int(allowed)], self.status(name)[0]["hosts"][2]["processors"])


class Ranks(LabTest):
    def test_one_a_host_in_the_files_order(self):
        hosts = {"zeta": (0.2, "100mbit"), "alpha": (0.2, "100mbit"), "mid": (0.2, "100mbit")}
        name = self.up(hosts)
        ranks = self.inside(name, MPIRUN, "sh", "-c", 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"')
        self.assertEqual(sorted(ranks.split("\n")), ["", "0 zeta", "1 alpha", "2 mid"])
        ranks = self.inside(name, MPIRUN, "--host", "mid", "-np", "1", "hostname")
        self.assertEqual(ranks, "mid\n")

    def test_stderr_has_what_went_wrong_and_no_more(self):
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
            self.assertRegex(line, rf"/loadshare-{name}/host\.{line.split()[0]}( |$)")
        self.assertEqual(len(ranks.splitlines()), 3)

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


class Rights(unittest.TestCase):
    def test_an_ordinary_user_is_told_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            path = os.path.join(folder, "lab.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(lab_text(f"{PREFIX}-n", TRIO))
            done = lab("up", path, user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^loadshare: a lab cannot be made here \(missing: the right CAP_NET_ADMIN, the right "
                                      r"CAP_SYS_ADMIN.*\) run it as root.*\n$")


def reason_to_skip():
    """What the tool itself says is missing here, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.yaml")
        name = f"{PREFIX}-probe"
        with open(path, "w", encoding="utf-8") as file:
            file.write(lab_text(name, {"h": (0.1, "1gbit")}))
        done = lab("up", path)
        lab("down", "--name", name)
    if done.returncode != 0 and "a lab cannot be made here" in done.stderr:
        return done.stderr.strip()
    return None


if __name__ == "__main__":
    reason = reason_to_skip()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
