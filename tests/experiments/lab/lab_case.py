"""Labs as a user makes them, on this machine. If the rights are missing, tests exit with 77: skipped."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = os.environ["LOADSHARE_TOOL"]
SKIPPED = 77
PREFIX = f"t{os.getpid()}"  # unlike labs of other users of this machine

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
    """Returns all that a lab could leave behind: entries with our labs' names, and the machine's links and namespaces."""
    return {
        "groups": mine(folders_below("/sys/fs/cgroup")),
        "files": mine(folders_below("/run/loadshare")),
        "mounts": mine(content("/proc/self/mountinfo").splitlines()),
        "links": sorted(name for _, name in socket.if_nameindex()),
        "namespaces": sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else [],
    }


def wait_until(is_so, seconds=10):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class LabCase(unittest.TestCase):
    """A test case with lab files and names, which checks that nothing is left at the end."""

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


def reason_to_skip():
    """Returns what the tool reports as missing on this machine, or None."""
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


def main():
    """Runs the tests of the module that is the program."""
    reason = reason_to_skip()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
