"""The documents' own commands, as a user copies them, in a folder like a clone; what the README's leave there is ignored by git."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = Path(os.environ["LOADSHARE_SOURCE"]), Path(os.environ["LOADSHARE_BUILD"])
TIMEOUT_S = 120
# Commands that are not run, and why; what stands there is said with each test.
NOT_RUN = {
    r"^\./quickstart": "it builds, as whoever runs this test has done",
    r"loadshare lab ": "a lab needs root and the machine's network; lab_life_test makes them",
}
# What is changed in a command so that it takes seconds.
SHORTER = {
    r"loadshare sweep experiments/quick\.yaml$": r"\g<0> --reduced",
    r"loadshare calibrate --out \S+": r"\g<0> --seconds 0.5 --max-bytes 1MiB",
    r"--size 4096 ": "--size 2048 ",  # of matmul
    r"\{n\}000000|n=48000000": lambda found: found[0][:-1],  # of bucket_sort, a tenth
}



def commands(markdown):
    """The lines of the shell's blocks without their comments; what goes on in the next line is one command, and so is a
    block with a loop over several lines, whose variables the lines behind it use."""
    for block in re.findall(r"^```(?:sh|text)\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL):
        if block.startswith("$ "):
            yield block.splitlines()[0][2:]
            continue
        if not re.match(r"\S*(/|mpirun|for |cmake )", block):
            continue
        lines = [re.sub(r"\s+#.*", "", line).strip() for line in block.replace("\\\n", " ").splitlines()]
        if any(len(re.findall(r"\bdo\b", line)) != len(re.findall(r"\bdone\b", line)) for line in lines):
            yield "\n".join(filter(None, lines))
        else:
            yield from filter(None, lines)


def found(table, command):
    return next((value for pattern, value in table.items() if re.search(pattern, command)), None)


class DocumentCase(unittest.TestCase):
    def clone(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = Path(scratch.name)
        (folder / "build").symlink_to(BUILD)
        for name in ("examples", "experiments"):
            (folder / name).symlink_to(SOURCE / name)
        return folder

    @staticmethod
    def run_in(folder, command):
        for pattern, shorter in SHORTER.items():
            command = re.sub(pattern, shorter, command, flags=re.MULTILINE)
        return subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})


class OwnLoop(DocumentCase):
    def test_the_commands_work(self):
        folder = self.clone()
        text = (SOURCE / "docs/tutorial/own-loop.md").read_text(encoding="utf-8")
        (folder / "collatz.yaml").write_text(re.search(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1])
        answers = {}
        for command in commands(text):
            with self.subTest(command):
                done = self.run_in(folder, command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                answers[command] = done.stdout
        self.assertEqual(answers["build-examples/collatz"], "77031 takes 350 steps\n")
        self.assertGreater(len(answers), 8)


class Readme(DocumentCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = list(commands((SOURCE / "README.md").read_text(encoding="utf-8")))

    def test_the_commands_work_and_leave_nothing_that_git_would_add(self):
        folder = self.clone()
        for command in self.commands:
            reason = found(NOT_RUN, command)
            with self.subTest(command):
                if reason:
                    print(f"not run: {command} ({reason})", flush=True)
                    continue
                done = self.run_in(folder, command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        left = [str(path.relative_to(folder)) for path in folder.rglob("*")
                if path.is_file() and path.relative_to(folder).parts[0] not in ("build", "examples", "experiments")]
        self.assertTrue({"A.npy", "C.npy", "runs.jsonl"} <= set(left), left)
        self.assert_ignored(left)

    def assert_ignored(self, files):
        if shutil.which("git") is None or not (SOURCE / ".git").exists():
            print("not looked at: what git ignores (this is no clone)")
            return
        known = subprocess.run(["git", "-C", SOURCE, "check-ignore", "--no-index", *files], capture_output=True, text=True,
                               timeout=TIMEOUT_S)
        self.assertLess(known.returncode, 128, known.stderr)
        self.assertEqual(set(files) - set(known.stdout.splitlines()), set())

    def test_every_exception_is_of_a_command_that_is_there(self):
        self.assertGreater(len(self.commands), 20)
        for pattern in (*NOT_RUN, *SHORTER):
            self.assertTrue(any(re.search(pattern, command, re.MULTILINE) for command in self.commands), pattern)

    def test_commands_are_taken_as_they_stand(self):
        text = "a\n```sh\nbuild/x --y 1   # why\nfor p in 1 2; do for c in S W; do build/y \\\n  $p; done; done\n```\n" \
               "```text\n$ mpirun z\nout\n```\n```cpp\nint x;\n```\n"
        self.assertEqual(list(commands(text)), ["build/x --y 1", "for p in 1 2; do for c in S W; do build/y    $p; done; done",
                                                "mpirun z"])


if __name__ == "__main__":
    unittest.main()
