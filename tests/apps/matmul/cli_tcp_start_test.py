"""Workers that a master starts on other hosts, by the user's command and by ssh, as a user sees it."""

import getpass
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

from app_cli import PROGRAM
from processes import is_alive, read, wait_until
from tcp_farm import Relay, TcpCase, long_run

SSHD = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
SECRET = "a secret that only this test knows"

# Starts a host's program here; some hosts have faults.
STARTER = """#!/bin/sh
host=$1
shift
case $host in
  broken*) echo "starter: a first line" >&2; echo "starter: no way to $host" >&2; exit 7 ;;
  away) while [ "$1" != --join ]; do shift; done; echo "matmul: error: no master at $2 (connection refused)" >&2; exit 1 ;;
  slow) exec sh -c 'while :; do sleep 1; done' "$@" ;;
  aside) (exec "$@" <"$0.secret" &) ; exit 0 ;;
esac
exec "$@"
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class StartCase(TcpCase):
    def setUp(self):
        super().setUp()
        self.start_by = self.write("starter", STARTER, 0o700) + " {host}"
        self.secret = self.write("secret", SECRET)
        self.write("starter.secret", SECRET)
        self.addresses = []
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in self.started()])

    def write(self, name, text, mode=0o600):
        path = self.path(name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode), "w") as file:
            file.write(text)
        return path

    def start_words(self, hosts, port=0):
        return ("--listen", f"127.0.0.1:{port}", "--start-on", self.write("hosts", "".join(host + "\n" for host in hosts)),
                "--start-by", self.start_by, "--secret-file", self.secret)

    def start_on(self, hosts, *words, port=0):
        """Starts a master that starts workers on these hosts, and only coordinates them."""
        master = self.start("--progress", "none", "--json", self.path("runs"), *self.start_words(hosts, port), *(words or long_run()))
        self.assertTrue(wait_until(lambda: "listening at" in master.stderr, 20), master.stderr)
        master.address = re.search(r"listening at (\S+)", master.stderr)[1]
        self.addresses.append(master.address)
        return master

    def started(self):
        """Returns the running processes that these masters have started: their numbers and words."""
        lines = {int(path.split("/")[2]): read(path) for path in glob.glob("/proc/[0-9]*/cmdline")}
        return {pid: line for pid, line in lines.items()
                if "--started-as" in line and any(address in line for address in self.addresses)}

    def assert_gone(self, within_s):
        self.assertTrue(wait_until(lambda: not self.started(), within_s), self.started())

    def assert_hosts_refused(self, hosts, text):
        self.assert_refused(("--size", 50, *self.start_words(hosts)), text)

    def failures(self, record):
        return sorted(note for note in record["notes"] if note.startswith("no workers came up on "))


class ByACommandOfOnesOwn(StartCase):
    def test_the_loop_waits_for_all_hosts_and_they_are_gone_after_it(self):
        master = self.start_on(["node1 workers=1", "# not now: node3", "node2 workers=2"])
        record = self.good_record(master)
        self.assertEqual((record["verified"], record["workers"], self.failures(record)), (True, 3, []))
        self.assertEqual({event["at_s"] < 0.5 for event in self.events(record, "joined")}, {True})
        self.assertEqual(self.events(record, "lost"), [])
        self.assertNotIn("ended", master.stderr)
        self.assert_gone(0)

    def test_a_worker_that_does_not_come_up_is_named_with_its_message(self):
        master = self.start_on(["broken1", "node1 workers=1", "broken2"])
        record = self.good_record(master)
        notes = [f"no workers came up on {host}: starter: a first line; starter: no way to {host}" for host in ("broken1", "broken2")]
        self.assertEqual((record["workers"], self.failures(record)), (1, notes))
        for note in notes:
            self.assertEqual(master.stderr.count(f"matmul: {note}\n"), 1, master.stderr)
            self.assertIn(note, " ".join(master.stdout.split()))

    def test_a_run_without_any_worker_does_not_wait(self):
        master = self.start_on(["broken1", "broken2"], "--size", 50, "--master", "coordinates")
        self.assertEqual(master.ended(10), 3)
        self.assertIn(f"error: none of the 2 hosts in {self.path('hosts')} came up (no workers came up on broken1: starter: a first "
                      f"line; starter: no way to broken1); try it by hand: {self.path('starter')} broken1 true\n", master.stderr)

    def test_the_master_works_without_those_that_do_not_come_up(self):
        master = self.start_on(["broken1"], "--size", 50, "--workers", 1)
        self.assertEqual(self.good_record(master)["workers"], 1)

    def test_a_starter_that_ends_after_starting_a_worker_has_not_failed(self):
        master = self.start_on(["aside workers=1"])
        record = self.good_record(master)
        self.assertEqual((record["workers"], self.failures(record)), (1, []))
        self.assert_gone(5)

    def test_a_worker_that_looks_on_another_host_learns_where_it_listens(self):
        master = self.start_on(["away", "node1 workers=1"])
        record = self.good_record(master)
        [note] = self.failures(record)
        self.assertEqual(note, f"no workers came up on away: matmul: error: no master at {master.address} (connection refused); 127.0.0.1 "
                         "is an address that only the master's host can reach: give --listen an address of the hosts' network")
        self.assertIn(note, master.stderr)

    def test_the_secret_appears_in_no_argument_list(self):
        master = self.start_on(["node1 workers=1", "slow"], *long_run(20))
        self.await_joined(master, 1)
        started = self.started()
        self.assertEqual(len(started), 2, started)
        for pid, line in started.items():
            self.assertIn("\0--secret-file\0-\0", line)
            for text in (line, read(f"/proc/{pid}/environ")):
                self.assertNotIn(SECRET, text)

    def test_a_killed_master_takes_all_with_it(self):
        master = self.start_on(["node1 workers=1", "node2 workers=1", "slow"], *long_run(20))
        self.await_joined(master, 2)
        self.assertEqual(len(self.started()), 3, self.started())
        master.kill()
        self.assert_gone(5)

    def test_a_worker_that_has_lost_its_master_does_not_join_the_next(self):
        port = free_port()
        first = self.start_on(["aside workers=1"], *long_run(20), port=port)  # the kernel does not end this process
        self.await_joined(first, 1)
        [worker] = self.started()
        os.kill(worker, signal.SIGSTOP)
        first.kill()
        first.end()
        second = self.start_on(["node2 workers=1"], *long_run(20), port=port)
        self.await_joined(second, 1)
        os.kill(worker, signal.SIGCONT)
        # The process replaces its program and has no words for a moment, so `started` may miss it.
        self.assertTrue(wait_until(lambda: not is_alive(worker), 10), second.stderr)
        self.assertEqual(second.stderr.count(" joined"), 1, second.stderr)
        self.assertEqual(len(self.started()), 1)

    def test_a_worker_that_ends_early_is_named(self):
        master = self.start_on(["node1 workers=1", "node2 workers=1"])
        self.await_joined(master, 2)
        os.kill(next(iter(self.started())), signal.SIGKILL)
        self.assertIs(self.good_record(master)["verified"], True)
        self.assertRegex(master.stderr, r"matmul: the workers on node[12] ended: exit code 137, no output\n")

    def test_a_worker_that_was_cut_off_has_the_secret_of_stdin_still(self):
        master = self.start_on(["broken1"], *long_run(2), "--expect", 1)
        relay = Relay(master)
        with open(self.secret) as secret:
            worker = self.start("--join", relay.address, "--workers", 1, "--secret-file", "-", stdin=secret)
        self.await_joined(master, 1)
        # The master notes a worker before the worker has received its answer: cut off earlier, it would join as another.
        self.assertTrue(wait_until(lambda: "joined the master at" in worker.stderr, 20), worker.stderr)
        relay.cut()
        self.assertTrue(wait_until(lambda: " joined again with " in master.stderr, 20), master.stderr + worker.stderr)
        self.assertEqual((self.good_record(master)["verified"], worker.ended()), (True, 0), worker.stderr)

    def test_errors_are_reported_before_anything_is_started(self):
        file = self.path("hosts")
        self.assert_hosts_refused(["node1", "node2 worker=4"], f"{file}:2:7: a host has no setting 'worker' (a line is a host and its "
                            "number of workers); did you mean 'workers'?")
        self.start_by = "ssh node1"
        self.assert_hosts_refused(["node1"], "--start-by is 'ssh node1' (it lacks {host}, the place of the host's name); "
                            "write it as in 'ssh {host}'")
        self.start_by = "ssh -o 'ProxyCommand none' {host}"
        self.assert_hosts_refused(["node1"], f"--start-by is '{self.start_by}' (it is split at blanks, and cannot contain quotes); put the "
                            "command into a script, and give the script")
        self.start_by = "./none {host}"
        self.assert_hosts_refused(["node1"], "cannot run './none' (no such file or directory)")
        for words, text in ((("--start-on", file), "--start-on without --listen (workers need an address at which they find the "
                             "master); give --listen HOST:0 with an address of this host that they can reach"),
                            (("--start-by", "rsh {host}"), "--start-by without --start-on (there is nothing to start); give "
                             "--start-on FILE with the hosts")):
            self.assert_refused(("--size", 50, *words), text)


@unittest.skipUnless(SSHD, "no sshd here: install openssh-server")
class BySsh(StartCase):
    """This host's sshd, with keys and a port of its own."""

    def setUp(self):
        super().setUp()
        self.port = free_port()
        for key in ("host_key", "own_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)], check=True)
        self.server = self.start_command(SSHD, "-D", "-e", "-f", self.write("sshd_config", self.server_settings()))
        self.start_by = f"ssh -F {self.write('ssh_config', self.client_settings())} {{host}}"
        self.assertTrue(wait_until(lambda: "Server listening" in self.server.stderr, 20), self.server.stderr)

    def server_settings(self):
        if os.getuid() == 0:
            os.makedirs("/run/sshd", 0o755, exist_ok=True)  # as its service does; it does not start without it
        return f"""
            ListenAddress 127.0.0.1:{self.port}
            HostKey {self.path("host_key")}
            AuthorizedKeysFile {self.path("own_key.pub")}
            AuthenticationMethods publickey
            PermitRootLogin yes
            StrictModes no
            UsePAM no
            PidFile none
            """

    def client_settings(self):
        with open(self.path("host_key.pub")) as file:
            self.write("known_hosts", f"[127.0.0.1]:{self.port} {file.read()}")
        return f"""
            Host nobody
              Port {free_port()}
            Host stranger
              PubkeyAuthentication no
            Host *
              HostName 127.0.0.1
              Port {self.port}
              User {getpass.getuser()}
              IdentityFile {self.path("own_key")}
              IdentitiesOnly yes
              UserKnownHostsFile {self.path("known_hosts")}
              BatchMode yes
            """

    def test_workers_come_up_and_those_that_do_not_are_named_as_ssh_says(self):
        master = self.start_on(["node1 workers=1", "nobody", "node2 workers=2", "stranger"])
        record = self.good_record(master)
        self.assertEqual((record["verified"], record["workers"]), (True, 3), master.stderr)
        nobody, stranger = self.failures(record)
        self.assertRegex(nobody, r"^no workers came up on nobody: ssh: connect to host 127\.0\.0\.1 port \d+: Connection refused$")
        self.assertRegex(stranger, r"^no workers came up on stranger: .*Permission denied \(publickey\)\.$")
        self.assert_gone(2)

    def test_a_killed_master_takes_all_with_it(self):
        master = self.start_on(["node1 workers=1", "node2 workers=1"], *long_run(20))
        self.await_joined(master, 2)
        self.assertGreaterEqual(len(self.started()), 4, "a worker and an ssh each")
        for line in self.started().values():
            self.assertNotIn(SECRET, line)
        master.kill()
        self.assert_gone(5)

    def test_a_missing_program_is_reported_as_the_host_says(self):
        master = self.start_command("/nowhere/matmul", "--size", 50, "--master", "coordinates", *self.start_words(["node1"]),
                                    executable=PROGRAM)
        self.assertEqual(master.ended(20), 3, master.stderr)
        self.assertRegex(master.stderr, r"no workers came up on node1: .*/nowhere/matmul: .*(not found|No such file)")

    def test_a_path_with_a_blank_is_one_word_there(self):
        folder = self.path("a folder, 'so'")
        os.mkdir(folder)
        program = os.path.join(folder, "matmul")
        os.symlink(PROGRAM, program)
        master = self.start_command(program, "--json", self.path("runs"), *self.start_words(["node1 workers=1"]), *long_run())
        self.assertEqual(self.good_record(master)["workers"], 1, master.stderr)


if __name__ == "__main__":
    unittest.main()
