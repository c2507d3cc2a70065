"""A master or a member that runs out of file descriptors, as a user sees it."""

import os
import re
import resource
import unittest

from processes import wait_until
from tcp_farm import TcpCase, long_run


class FilesRunOut(TcpCase):
    LIMIT = 28
    KEPT = 7

    def limited(self, most):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))}

    def listen_with(self, most, *words):
        master = self.start("--listen", "127.0.0.1:0", "--progress", "none", "--json", self.path("runs"), *words, **self.limited(most))
        self.assertTrue(wait_until(lambda: "listening at" in master.stderr, 20), master.stderr)
        master.address = re.search(r"listening at (\S+)", master.stderr)[1]
        return master

    def test_members_are_refused_with_the_reason_and_the_others_go_on(self):
        with open(self.path("secret"), "wb") as file:
            file.write(bytes(range(32)))
        os.chmod(self.path("secret"), 0o600)
        secret = ("--secret-file", self.path("secret"))
        master = self.listen_with(self.LIMIT, *long_run(2), *secret, "--journal", self.path("journal"))
        members = [self.join(master, "--workers", 1, *secret) for _ in range(self.LIMIT)]
        codes = [member.ended() for member in members]
        record = self.good_record(master)
        refused = [member for member, code in zip(members, codes) if code == 2]
        self.assertEqual(codes.count(0) + codes.count(2), self.LIMIT, codes)
        self.assertGreater(codes.count(0), 0, master.stderr)
        self.assertGreater(len(refused), self.KEPT, "more came than there were descriptors")
        for member in refused:
            self.assertIn("error: the master has no file descriptor left for this process (it may have 28 (`ulimit -n`), of which it keeps 7 "
                          "for itself); start the master under a higher `ulimit -n`, or give other processes more --workers\n",
                          member.stderr)
        self.assertRegex(master.stderr, r" was refused: the master has no file descriptor left for this process \(it may have 28 ")
        self.assertEqual((record["verified"], record["journal"]["safe"]), (True, True))

    def test_a_member_without_files_says_so(self):
        master = self.listen(*long_run())
        for most in (5, 6, 7):
            member = self.start("--join", master.address, "--workers", 1, **self.limited(most))
            self.assertEqual(member.ended(), 1, member.stderr)
            self.assertIn(f"oo many open files: this process may have {most}, which `ulimit -n` raises", member.stderr)

    def test_a_master_without_files_says_so(self):
        for most in (6, 8):
            done = self.run_program("--size", 50, "--workers", 1, "--listen", "127.0.0.1:0", **self.limited(most))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr, f"error: cannot listen at 127.0.0.1:0 (too many open files: this process may have {most}, which "
                                          "`ulimit -n` raises)\n")


if __name__ == "__main__":
    unittest.main()
