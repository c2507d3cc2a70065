"""The life of labs: up, down, twice, simultaneously, killed in between, and failing; nothing is left."""

import os
import resource
import shutil
import signal
import subprocess
import time

from lab_case import PREFIX, TOOL, TRIO, LabCase, content, folders_below, lab, main, mine, traces, wait_until

PAPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "experiments", "tr-97-14")


def removed(group):
    try:
        os.rmdir(group)
    except OSError:  # a process that has just ended keeps its group busy for a moment
        return False
    return True


def has_ended(pid):
    """A process that has ended keeps its number until its parent has noticed."""
    try:
        return content(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


class Life(LabCase):
    def test_up_status_down(self):
        name, path = self.file()
        done = lab("up", path)
        self.assertRegex(done.stdout, rf"^{name} is up: 3 hosts on 10\.\d+\.\d+\.0/24, made in \d+")
        hosts = self.status(name)[0]["hosts"]
        self.assertEqual([host["name"] for host in hosts], list(TRIO))
        self.assertEqual(os.stat("/run/loadshare").st_mode & 0o777, 0o711, "a user who may read it may lock it")
        self.assertRegex(lab("status", "--name", name).stdout, r"\nslow1  10\.\d+\.\d+\.1 +0\.1 +\d+ +10 Mbit/s +0\n")
        self.assertRegex(lab("down", "--name", name).stdout, rf"^{name} is down after \d+")
        self.assertEqual(lab("status", "--name", name).stdout, f"No lab '{name}' is running; start it: loadshare lab up FILE --name {name}\n")
        self.assertEqual(traces(), self.before)

    def test_signals_do_not_end_the_beats(self):
        name = self.up()
        beats = [int(pid) for group in mine(folders_below("/sys/fs/cgroup")) if group.endswith("/beat")
                 for pid in content(os.path.join(group, "cgroup.procs")).split()]
        self.assertEqual(len(beats), len(TRIO))
        for pid in beats:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(pid, number)
        time.sleep(0.2)  # only their wrong end could come later
        self.assertTrue(all(content(f"/proc/{pid}/comm") == "loadshare-beat\n" for pid in beats))
        self.assertEqual(lab("down", "--name", name).returncode, 0)
        self.assertTrue(wait_until(lambda: all(map(has_ended, beats))))

    def test_without_file_descriptors_the_error_has_advice(self):
        _, path = self.file()
        done = lab("up", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))
        self.assertEqual((done.returncode, done.stderr),
                         (1, "loadshare: cannot start a process (too many open files: this process may have 6); "
                             "raise the limit: ulimit -n 1024\n"))

    def test_up_twice(self):
        name, path = self.file()
        lab("up", path)
        again = lab("up", path)
        self.assertEqual((again.returncode, again.stdout), (0, f"{name} is up already\n"))
        self.file({"other": (0.5, "1gbit")})  # the same name, other hosts
        other = lab("up", path)
        self.assertEqual(other.returncode, 2)
        self.assertEqual(other.stderr,
                         f"loadshare: a lab '{name}' with other hosts is up (it was made from {path}); take it down first: "
                         f"loadshare lab down --name {name}\n")
        self.assertEqual(len(self.status(name)[0]["hosts"]), 3)

    def test_down_twice(self):
        name = self.up()
        self.assertEqual(lab("down", "--name", name).returncode, 0)
        again = lab("down", "--name", name)
        self.assertEqual((again.returncode, again.stdout), (0, f"No lab '{name}' is running: nothing to do\n"))

    def test_a_lab_stays_until_its_last_user_releases_it(self):
        name, path = self.file()
        for user in ("a", "b", "a"):
            self.assertEqual(lab("up", path, "--for", user).returncode, 0)
        self.assertEqual(self.status(name)[0]["users"], ["a", "b"])
        self.assertRegex(lab("status", "--name", name).stdout, rf"^{name}: up, 3 hosts on \S+, for a, b\n")
        for user in ("a", "unknown", "a"):
            kept = lab("down", "--name", name, "--for", user)
            self.assertEqual((kept.returncode, kept.stdout),
                             (0, f"{name} is left as it is: it is not running, or not for {user} alone\n"))
        self.assertEqual(self.status(name)[0]["users"], ["b"])
        self.assertRegex(lab("down", "--name", name, "--for", "b").stdout, rf"^{name} is down after \d+")
        self.assertEqual(traces(), self.before)

    def test_a_persons_lab_stays_up(self):
        name, path = self.file()
        lab("up", path, "--for", "a")
        lab("up", path)
        lab("down", "--name", name, "--for", "a")
        self.assertEqual(self.status(name)[0]["users"], [""])
        self.assertRegex(lab("down", "--name", name).stdout, rf"^{name} is down after \d+")

    def wrapping(self, script='exec {real} "$@"'):
        """An environment where `ip` and `tc` write down that they were called, in the file `called`, and do this."""
        self.called = os.path.join(self.folder.name, "called")
        for name in ("ip", "tc"):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho {name} >> {self.called}\n" +
                           script.replace("{real}", shutil.which(name)).replace("{called}", self.called) + "\n")
            os.chmod(file.name, 0o755)
        return {**os.environ, "PATH": self.folder.name + ":" + os.environ["PATH"]}

    def up_and_down(self, name, *words):
        """How long each took, in seconds, and which programs were called meanwhile."""
        env = self.wrapping()
        times_s = []
        for word in (("up", *words), ("down", "--name", name)):
            begun = time.monotonic()
            done = lab(*word, env=env)
            times_s.append(time.monotonic() - begun)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.called, encoding="utf-8") as file:
            calls = file.read().split()
        os.remove(self.called)
        return times_s, calls

    def test_nine_hosts_are_up_and_down_as_three_are(self):
        """With one `ip` and one `tc` more a host, in less than twice the time a host, and soon: the best of three tries."""
        name, path = self.file()
        many = f"{PREFIX}-nine"
        self.names.add(many)
        tries = [(self.up_and_down(name, path), self.up_and_down(many, os.path.join(PAPER, "paper-now.yaml"), "--name", many))
                 for _ in range(3)]
        (_, calls_of_three), (_, calls_of_nine) = tries[0]
        for program in ("ip", "tc"):
            self.assertEqual(calls_of_nine.count(program) - calls_of_three.count(program), 9 - 3, calls_of_nine)
        for kind, most_s in enumerate((3, 2)):
            three_s, nine_s = (min(one[which][0][kind] for one in tries) for which in range(2))
            self.assertLess(nine_s / 9, 2 * three_s / 3)
            self.assertLess(nine_s, most_s)

    def test_a_lab_is_made_again_after_a_restart(self):
        name, path = self.file()
        lab("up", path)
        groups = self.status(name)[0]["groups"]["folder"]
        for group in sorted(folders_below(groups), reverse=True):
            for process in content(os.path.join(group, "cgroup.procs")).split():  # a restart ends the beats, too
                os.kill(int(process), signal.SIGKILL)
            self.assertTrue(wait_until(lambda group=group: removed(group)))
        self.assertRegex(lab("up", path).stdout, rf"^{name} is up: ")
        self.assertEqual(self.inside(name, "hostname"), "slow1\n")

    def killing_at(self, number, what_first):
        """An environment where the so many-th call of `ip` or `tc` kills who called it, once that is done or before."""
        return self.wrapping(f'[ $(wc -l < {{called}}) -eq {number} ] || exec {{real}} "$@"\n' +
                             ('{real} "$@"\n' if what_first else "") + "kill -9 $PPID")

    def test_killed_while_it_is_made(self):
        name, path = self.file()
        _, calls = self.up_and_down(name, path)
        half_made = 0
        for number in range(1, len(calls) + 1):
            for what_first in (False, True) if number in (len(calls) // 2, len(calls)) else (number % 2 == 0,):
                done = lab("up", path, env=self.killing_at(number, what_first))
                self.assertEqual(done.returncode, -signal.SIGKILL)
                os.remove(self.called)
                half_made += sum(not one["is_up"] for one in self.status(name))
                if number % 3 == 2:  # now and then `up` mends instead of `down`
                    self.assertEqual(lab("up", path).returncode, 0)
                    self.assertEqual(self.inside(name, "hostname"), "slow1\n")
                self.assertEqual(lab("down", "--name", name).returncode, 0)
                self.assertEqual(traces(), self.before, f"killed in call {number}, after it: {what_first}")
        self.assertGreater(half_made, len(calls) // 2)

    def test_killed_while_it_is_taken_down(self):
        name, path = self.file()
        for delay_ms in (2, 4, 8):
            self.assertEqual(lab("up", path).returncode, 0)
            with subprocess.Popen([TOOL, "lab", "down", "--name", name], stdout=subprocess.DEVNULL) as ending:
                time.sleep(delay_ms / 1e3)
                ending.kill()
            self.assertEqual(lab("down", "--name", name).returncode, 0)
            self.assertEqual(traces(), self.before)

    def test_two_simultaneous_ups_make_one_lab(self):
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
        self.assertRegex(ambiguous.stderr, r"several labs are running \(.*\); choose one with --name")
        self.assertEqual(lab("down", "--name", one).returncode, 0)
        self.assertEqual(self.inside(two, "hostname", on="fast"), "fast\n")

    def test_a_lab_that_does_not_fit(self):
        _, path = self.file({f"h{i}": (0.9, "1gbit") for i in range(os.cpu_count() + 1)})
        done = lab("up", path)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"does not fit on this machine \(its hosts cannot get their shares on \d+ proc")


class Failing(LabCase):
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
            2, "loadshare: a lab cannot be made here (missing: the kernel's token bucket filter (tbf)); load the kernel "
               "module, or use another kernel\n"))
        self.assertEqual(traces(), self.before)

    def test_a_failed_up_leaves_nothing(self):
        name, path = self.file()
        once = os.path.join(self.folder.name, "once")
        done = lab("up", path, env=self.with_tc(f"[ -e {once} ] && exit 0; touch {once}; echo 'No room' >&2; exit 2"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^loadshare: tc -batch - failed \(its output: No room\)\n$")
        self.assertEqual(traces(), self.before)


if __name__ == "__main__":
    main()
