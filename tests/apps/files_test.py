"""Files that a command line names: files without an end are refused, and no output overwrites a file that is read. PROGRAMS
names the programs."""

import os
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAMS = {os.path.basename(path): path for path in os.environ["PROGRAMS"].split(":")}
LIMIT_S = 20
FARM = ["--workers", "2", "--progress", "none"]
# FILE stands for the file that is read.
READERS = {
    "matmul": [["--size", "20", *FARM, "--load", "trace=FILE"],
               ["--size", "20", *FARM, "--auto-from", "FILE", "--scheduler", "auto"],
               ["--size", "20", *FARM, "--listen", "127.0.0.1:0", "--start-on", "FILE"],
               ["--size", "20", *FARM, "--listen", "127.0.0.1:0", "--secret-file", "FILE"],
               ["--a", "FILE", "--b", "FILE", *FARM]],
    "synthetic": [["--cost", "file:FILE", *FARM]],
    "cannon": [["--a", "FILE", "--b", "FILE"]],
    "loadshare": [["metrics", "FILE"], ["predict", "FILE"], ["compare", "FILE"], ["sweep", "FILE"], ["lab", "up", "FILE"],
                  ["graph", "evaluate", "FILE"], ["graph", "show", "FILE"], ["model", "fit", "FILE"],
                  ["calibration", "show", "FILE"],
                  ["predict", "--iterations", "9", "--cost", "1ms", "--hosts", "FILE"],
                  ["predict", "--iterations", "9", "--cost", "1ms", "--hosts", "2x1", "--calibration", "FILE"],
                  ["predict", "--iterations", "9", "--cost", "1ms", "--hosts", "2x1", "--changes", "FILE"],
                  ["predict", "--iterations", "9", "--cost", "1ms", "--hosts", "2x1", "--load", "trace=FILE"],
                  ["load", "--cpu", "0", "--for", "10ms", "--trace", "FILE"]],
}


def run(program, words, **options):
    return subprocess.run([PROGRAMS[program], *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT_S, **options)


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)


class WithoutAnEnd(FolderCase):
    def check(self, program):
        for words in READERS[program]:
            for file in ("/dev/zero", self.folder):
                if (words[0] in ("metrics", "predict", "compare", "lab") and file == self.folder):
                    continue  # these read folders of sweeps
                command = [word.replace("FILE", file) for word in words]
                with self.subTest(program=program, command=" ".join(command)):
                    done = run(program, command)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, r"(?s)\A\w+: .*(not a file|regular file|directory|may read or write it)")


class WrittenOver(FolderCase):
    """Returns names of one file: its own, another path, and links of both kinds."""

    def names_of(self, path):
        os.symlink(path, self.path("symbolic"))
        os.link(path, self.path("hard"))
        return path, os.path.join(self.folder, ".", os.path.basename(path)), self.path("symbolic"), self.path("hard")

    def assert_refused(self, program, words, options, path):
        with open(path, "rb") as file:
            before = file.read()
        done = run(program, words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, rf"\A\w+: {options} are the same file ")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def matrices(self):
        a, b = self.path("A.npy"), self.path("B.npy")
        np.save(a, np.eye(16))
        np.save(b, np.eye(16))
        return a, b

    @unittest.skipUnless("matmul" in PROGRAMS, "it is not built")
    def test_factors_of_a_product(self):
        a, b = self.matrices()
        for name in self.names_of(a):
            with self.subTest(name=name):
                self.assert_refused("matmul", ["--a", a, "--b", b, "--c", name, *FARM], "--a and --c", a)
                self.assert_refused("matmul", ["--a", b, "--b", a, "--c", name, *FARM], "--b and --c", a)

    @unittest.skipUnless("cannon" in PROGRAMS, "it is not built")
    def test_factors_of_cannons(self):
        a, b = self.matrices()
        self.assert_refused("cannon", ["--a", a, "--b", b, "--c", a], "--a and --c", a)

    @unittest.skipUnless("mandelbrot" in PROGRAMS, "it is not built")
    def test_files_that_a_farm_reads(self):
        trace = self.write("steps.png", "1 0.5\n")
        words = ["--width", "20", "--height", "20", "--depth", "9", *FARM, "--load", f"trace={trace},share=0.5"]
        for option in ("--image", "--json", "--trace"):
            with self.subTest(option=option):
                self.assert_refused("mandelbrot", [*words, option, trace], f"--load and {option}", trace)
        hosts = self.write("hosts", "node1\n")
        self.assert_refused("mandelbrot", ["--listen", "127.0.0.1:0", "--start-on", hosts, "--json", hosts],
                            "--start-on and --json", hosts)

    @unittest.skipUnless("loadshare" in PROGRAMS, "it is not built")
    def test_files_that_the_tool_reads(self):
        file = self.write("file.svg", "something\n")
        by_hand = ["predict", "--iterations", "9", "--cost", "1ms"]
        for words, option in (([*by_hand, "--hosts", file], "--hosts"),
                              ([*by_hand, "--hosts", "2x1", "--calibration", file], "--calibration"),
                              ([*by_hand, "--hosts", "2x1", "--changes", file], "--changes"),
                              ([*by_hand, "--hosts", "2x1", "--load", f"trace={file}"], "--load"),
                              (["compare", self.folder, "--from", file], "--from"),
                              (["compare", self.folder, "--hosts", file], "--hosts"),
                              (["metrics", file], "FILE")):
            for output in ("--json", "--plot"):
                with self.subTest(words=words, output=output):
                    self.assert_refused("loadshare", [*words, output, file], f"{option} and {output}", file)
        self.assert_refused("loadshare", ["hosts", "127.0.0.1:1", "--secret-file", file, "--json", file],
                            "--secret-file and --json", file)
        runs = self.write("runs.jsonl", "{}\n")
        self.assert_refused("loadshare", ["compare", self.folder, "--json", runs], "FILE and --json", runs)
        self.assert_refused("loadshare", ["compare", "others", "--from", self.folder, "--json", runs], "--from and --json", runs)


for one in READERS:
    if one in PROGRAMS:
        setattr(WithoutAnEnd, "test_" + one, lambda self, program=one: self.check(program))

if __name__ == "__main__":
    unittest.main()
