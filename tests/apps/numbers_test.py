"""Every option with a number, of every program, with impossible numbers: each call ends soon, with a run or a readable error.
PROGRAMS names the programs."""

import os
import re
import resource
import subprocess
import tempfile
import unittest

PROGRAMS = {os.path.basename(path): path for path in os.environ["PROGRAMS"].split(":")}
FARM = ["--workers", "2", "--progress", "none"]
# Calls that take almost no time, so that a slow one is due to the number.
COMMANDS = {
    "matmul": [["--size", "20", *FARM]],
    "mandelbrot": [["--width", "20", "--height", "20", "--tasks", "4", "--depth", "50", *FARM]],
    "matvec": [["--size", "20", *FARM]],
    "synthetic": [["--iterations", "20", "--cost", "1us", *FARM]],
    "cannon": [["--size", "20"]],
    "bucket_sort": [["--size", "200"]],
    "floyd": [["--size", "20"]],
    "integer_sort": [["--class", "S"]],
    "loadshare": [["chunks", "gss", "--iterations", "100", "--workers", "4"],
                  ["chunks", "ss", "--iterations", "100", "--workers", "4"],
                  ["schedulers", "--compare", "--iterations", "100", "--workers", "4"],
                  ["load", "--cpu", "0", "--for", "10ms", "--constant"],
                  ["predict", "--iterations", "100", "--cost", "1ms", "--hosts", "4x1", "--scheduler", "gss", "--replicates", "2"]],
}
NUMBERS = ("0", "-1", "9223372036854775807", "9223372036854775808", "1e308", "nan", "inf")
TYPES = {"N", "P", "S", "E", "BYTES", "RANK", "COLUMN", "ROW", "TILE", "ITERATION", "SHARE", "N|all", "N|none"}
LIMIT_S = 15
MOST_BYTES = 1 << 30
MADE_TO_FAIL = {"--spoil", "--fail-at"}  # if the number is a valid one


def numeric_options(path, words):
    """An option of --help, with the unit that its values need."""
    help_text = subprocess.run([path, *words, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    for name, kind in re.findall(r"^ +(--[a-z-]+) ([^ =]+)", help_text, re.MULTILINE):
        if kind in TYPES:
            yield name, ""
        elif kind == "TIME":
            yield name, "s"


def with_option(words, name, value):
    """Returns the words with that option's value replaced."""
    if name in words:
        at = words.index(name)
        words = words[:at] + words[at + 2:]
    return [*words, f"{name}={value}"]


def run(command, folder):
    """Returns the exit code (negative: a signal; None: it did not end) and the output."""
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, cwd=folder)
        try:
            running.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            return None, ""
        said.seek(0)
        return running.returncode, said.read(4000).decode(errors="replace")


class Numbers(unittest.TestCase):
    def check(self, program):
        path = PROGRAMS[program]
        tried = 0
        with tempfile.TemporaryDirectory() as folder:
            for words in COMMANDS[program]:
                subcommand = words[:1] if program == "loadshare" else []
                for name, unit in numeric_options(path, subcommand):
                    for number in NUMBERS:
                        command = [path, *with_option(words, name, number + unit)]
                        with self.subTest(command=" ".join(command[1:]), program=program):
                            code, said = run(command, folder)
                            self.assertIn(code, (0, 1, 2) if name in MADE_TO_FAIL else (0, 2), said)
                            if code == 2:
                                self.assertRegex(said, r"\A\w+: .")
                            tried += 1
        self.assertGreater(tried, 0)
        self.assertLess(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, MOST_BYTES, "of any of these runs")


for one in COMMANDS:
    if one in PROGRAMS:
        setattr(Numbers, "test_" + one, lambda self, program=one: self.check(program))

if __name__ == "__main__":
    unittest.main()
