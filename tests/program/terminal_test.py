"""A program that prints in its bodies, on a terminal that shows its progress as well."""

import os
import signal
import subprocess
import unittest

from screen import OnTerminal, Screen

PROGRAM = os.environ["PROGRAM"]
ITERATIONS = 40
HOLDS_SIGNALS = "libtsan" in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout


class Terminal(unittest.TestCase):
    def start(self, *words, terminal="xterm", **more):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMPI_COMM_WORLD", "SLURM_"))} | {"TERM": terminal}
        return OnTerminal([PROGRAM, "--iterations", str(ITERATIONS), "--pause", "0.05", "--workers", "1", "--scheduler", "ss",
                           *words], environment=environment, **more)

    def printed(self, run):
        return [line.rstrip() for line in run.screen.text()]

    def expect_all_lines_whole(self, run, printed=None):
        expected = [line for i in range(ITERATIONS) for line in (f"iteration {i}", f"of {ITERATIONS} is computed")]
        printed = printed or self.printed(run)
        begin = printed.index("iteration 0")
        self.assertEqual(printed[begin:begin + len(expected)], expected)

    def expect_screen_given_back(self, run):
        self.assertEqual(run.screen.bottom, run.screen.rows - 1, "the last row does not scroll")
        self.assertNotIn("[#", "\n".join(run.screen.lines))
        self.assertNotIn("ETA", "\n".join(run.screen.lines))

    def test_output_of_a_body_is_not_mixed_into_the_bar(self):
        for rows in (4, 10, 200):
            with self.subTest(rows=rows):
                run = self.start("--say", rows=rows)
                run.run()
                self.assertEqual(run.status, 0)
                self.assertTrue(any("/40 iterations" in bar for bar in run.bars), run.bars)
                self.expect_all_lines_whole(run)
                self.expect_screen_given_back(run)
                self.assertRegex("\n".join(self.printed(run)), r"makespan +\d")

    def test_output_of_a_child_process_is_not_mixed_into_the_bar(self):
        run = self.start("--command", "echo 'from a child process, a line that is longer than'; echo short")
        run.run()
        self.assertEqual(run.status, 0)
        self.assertTrue(any("/40 iterations" in bar for bar in run.bars), run.bars)
        printed = self.printed(run)
        self.assertEqual(printed.count("from a child process, a line that is longer than"), ITERATIONS)
        self.assertEqual(printed.count("short"), ITERATIONS)
        self.expect_screen_given_back(run)

    def test_ctrl_c_gives_the_screen_back(self):
        run = self.start("--say")
        run.run(until=lambda: run.bars)
        os.write(run.descriptor, b"\x03")
        run.run()
        self.assertEqual(run.status, 130)
        self.expect_screen_given_back(run)
        self.assertRegex("\n".join(self.printed(run)), r"error: interrupted")

    def test_a_program_that_crashes_gives_the_screen_back(self):
        run = self.start("--say", "--crash")
        run.run()
        self.assertEqual(run.status, -signal.SIGABRT)
        self.assertTrue(run.bars)
        self.expect_screen_given_back(run)

    @unittest.skipIf(HOLDS_SIGNALS, "the thread sanitizer runs handlers later, so the program cannot stop in one")
    def test_a_program_that_is_stopped_gives_the_screen_back_meanwhile(self):
        run = self.start("--say", below_shell=True)
        run.run(until=lambda: run.bars)
        os.write(run.descriptor, b"\x1a")
        run.run(until=lambda: any("stopped" in line for line in run.screen.lines))
        self.assertIsNone(run.status)
        self.expect_screen_given_back(run)
        run.bars = []
        os.write(run.descriptor, b"\n")
        run.run()
        self.assertEqual(run.status, 0)
        self.assertTrue(any("/40 iterations" in bar for bar in run.bars), run.bars)
        self.expect_screen_given_back(run)

    def test_a_terminal_of_unknown_kind_keeps_all_its_rows(self):
        for words in ((), ("--progress", "bar")):
            with self.subTest(words=words):
                run = self.start("--say", *words, terminal="dumb")
                run.run()
                self.assertEqual(run.status, 0)
                self.assertFalse(run.bars)

    def test_a_terminal_without_a_size_gets_whole_lines(self):
        run = self.start("--say", rows=0)
        run.screen = Screen()
        run.run()
        self.assertEqual(run.status, 0)
        self.assertFalse(run.bars)
        self.expect_all_lines_whole(run, [line for line in self.printed(run) if not line.startswith("bodies  ")])


if __name__ == "__main__":
    unittest.main()
