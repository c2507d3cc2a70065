"""The commands of README, tutorials and other pages, as a user types them, in a folder like a clone. Git ignores what they leave there."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = Path(os.environ["LOADSHARE_SOURCE"]), Path(os.environ["LOADSHARE_BUILD"])
TIMEOUT_S = 300  # builds the examples too
# In the order in which a reader comes to them: later pages use what earlier ones have built.
PAGES = ("README.md", "docs/tutorial/own-loop.md", "docs/reference/cpp.md", "docs/tutorial/predict.md",
         "docs/tutorial/profile.md", "docs/how-to/run-under-mpi.md", "docs/how-to/compare-techniques.md")
# Commands that are not run, and why.
NOT_RUN = {
    r"^\./quickstart": "it builds, as has happened before this test",
    r"loadshare lab ": "a lab needs root and the machine's network; lab_life_test makes labs",
}
# What is changed in a command so that it takes seconds.
SHORTER = {
    r"loadshare sweep experiments/quick\.yaml$": r"\g<0> --reduced",
    r"loadshare calibrate --out \S+": r"\g<0> --seconds 0.5 --max-bytes 1MiB",
    r"--size 4096 ": "--size 2048 ",  # of matmul
    r"\{n\}000000|n=48000000": lambda found: found[0][:-1],  # of bucket_sort, a tenth
}


def commands(markdown):
    """The lines of shell blocks without their comments, and the first line of a text block if that is a command. A
    continued line is one command, and so is a block with a loop over several lines, because later lines use its variables."""
    for kind, block in re.findall(r"^```(sh|text)\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL):
        if kind == "text":
            if block.startswith("$ "):
                yield block.splitlines()[0][2:]
            continue
        lines = [re.sub(r"\s+#.*", "", line).strip() for line in block.replace("\\\n", " ").splitlines()]
        if any(len(re.findall(r"\bdo\b", line)) != len(re.findall(r"\bdone\b", line)) for line in lines):
            yield "\n".join(filter(None, lines))
        else:
            yield from filter(None, lines)


def found(table, command):
    return next((value for pattern, value in table.items() if re.search(pattern, command)), None)


def files_of(markdown):
    """The files that a page shows as blocks and has the reader write: (name, text) by the name before the block."""
    return re.findall(r"`([\w./]+)`:\n\n```(?:yaml|c|cpp|cmake)\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {page: (SOURCE / page).read_text(encoding="utf-8") for page in PAGES}
        cls.commands = [command for text in cls.texts.values() for command in commands(text)]

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home, self.clone = Path(scratch.name, "home"), Path(scratch.name, "clone")
        self.home.mkdir()
        self.clone.mkdir()
        (self.clone / "build").symlink_to(BUILD)
        for name in ("examples", "experiments"):
            (self.clone / name).symlink_to(SOURCE / name)

    def run_here(self, command):
        for pattern, shorter in SHORTER.items():
            command = re.sub(pattern, shorter, command, flags=re.MULTILINE)
        return subprocess.run(["bash", "-ec", command], cwd=self.clone, capture_output=True, text=True,
                              timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, env={**os.environ, "HOME": str(self.home)})

    def test_the_commands_work_and_leave_nothing_that_git_would_add(self):
        answers, written = {}, set()
        for page, text in self.texts.items():
            shutil.rmtree(self.clone / "results", ignore_errors=True)  # pages may run the same sweep
            for name, content in files_of(text):
                written.add(name)
                (self.clone / name).parent.mkdir(exist_ok=True)
                (self.clone / name).write_text(re.sub(r"^repeat: 10$", "repeat: 2", content, flags=re.MULTILINE))
            for command in commands(text):
                with self.subTest(page=page, command=command):
                    if reason := found(NOT_RUN, command):
                        print(f"not run: {command} ({reason})", flush=True)
                        continue
                    done = self.run_here(command)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    answers[command] = done.stdout
        self.assertEqual(answers["build-examples/collatz"], "3732423 takes 596 steps\n")
        left = {str(path.relative_to(self.clone)) for path in self.clone.rglob("*")
                if path.is_file() and path.relative_to(self.clone).parts[0] not in ("build", "examples", "experiments")}
        self.assertTrue({"A.npy", "C.npy", "runs.jsonl", "loadshare.profile", "pair.json", *written} <= left, left)
        self.assert_ignored(left - written)

    def assert_ignored(self, files):
        if shutil.which("git") is None or not (SOURCE / ".git").exists():
            print("not checked: what git ignores (this is no clone)")
            return
        known = subprocess.run(["git", "-C", SOURCE, "check-ignore", "--no-index", *files], capture_output=True, text=True,
                               timeout=TIMEOUT_S)
        self.assertLess(known.returncode, 128, known.stderr)
        self.assertEqual(files - set(known.stdout.splitlines()), set())

    def test_every_exception_belongs_to_a_command(self):
        self.assertGreater(len(self.commands), 40)
        for pattern in (*NOT_RUN, *SHORTER):
            self.assertTrue(any(re.search(pattern, command, re.MULTILINE) for command in self.commands), pattern)

    def test_readme_is_short(self):
        lines = self.texts["README.md"].splitlines()
        self.assertLessEqual(len(lines), 120)
        self.assertEqual([line for line in lines if len(line) > 120], [])

    def test_commands_are_taken_as_they_stand(self):
        text = "a\n```sh\nbuild/x --y 1   # why\nfor p in 1 2; do for c in S W; do build/y \\\n  $p; done; done\n```\n" \
               "```text\n$ mpirun z\nout\n```\n```cpp\nint x;\n```\n"
        self.assertEqual(list(commands(text)), ["build/x --y 1", "for p in 1 2; do for c in S W; do build/y    $p; done; done",
                                                "mpirun z"])


if __name__ == "__main__":
    unittest.main()
