#!/usr/bin/env python3
"""The commit in --version: that of a checkout, changed or not, but of no other tree; written only if it has changed."""

import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmake", "write_commit.cmake")


@unittest.skipUnless(shutil.which("git"), "git is not here")
class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = os.path.join(folder.name, "source")
        self.header = os.path.join(folder.name, "generated", "commit.hpp")
        os.mkdir(self.source)

    def git(self, *words):
        command = ["git", "-C", self.source, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", *words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def commit(self, text):
        self.write(text)
        self.git("add", "file")
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "HEAD")[:10]

    def write(self, text):
        with open(os.path.join(self.source, "file"), "w", encoding="utf-8") as file:
            file.write(text)

    def written(self, source=None):
        subprocess.run(["cmake", "-D", f"source={source or self.source}", "-D", f"header={self.header}", "-P", SCRIPT], check=True)
        with open(self.header, encoding="utf-8") as header:
            text = header.read()
        self.assertRegex(text, r'\A#define LOADSHARE_COMMIT "[^"]*"\n\Z')
        return text.split('"')[1]

    def test_the_commit_of_a_checkout_is_written(self):
        self.git("init", "-q")
        first = self.commit("first")
        self.git("tag", "-a", "v1", "-m", "a name that is not asked for")
        self.assertEqual(self.written(), first)
        written = os.stat(self.header).st_mtime_ns
        self.assertEqual(self.written(), first)
        self.assertEqual(os.stat(self.header).st_mtime_ns, written, "nothing is to be compiled again")
        self.write("second")
        self.assertEqual(self.written(), f"{first} with changes")
        second = self.commit("second")
        self.assertEqual(self.written(), second)
        self.assertNotEqual(first, second)
        tree = os.path.join(os.path.dirname(self.source), "worktree")
        self.git("worktree", "add", "-q", "--detach", tree, first)
        self.assertEqual(self.written(tree), first)

    def test_no_commit_without_git_or_of_a_checkout_around_the_tree(self):
        self.assertEqual(self.written(), "")
        self.git("init", "-q")
        self.commit("another tree's")
        inside = os.path.join(self.source, "vendor")
        os.mkdir(inside)
        self.assertEqual(self.written(inside), "")

    def test_no_commit_before_the_first_one(self):
        self.git("init", "-q")
        self.assertEqual(self.written(), "")


if __name__ == "__main__":
    unittest.main()
