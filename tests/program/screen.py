"""Runs a program on a terminal of its own and emulates its screen: the part of a VT100 that the progress bar uses."""

import contextlib
import os
import re
import select
import signal
import time

from at_terminal import terminal

ESCAPE = re.compile(r"\x1b(?:([78DM])|\[([0-9;]*)([A-Za-z]))")


class Screen:
    def __init__(self, rows=10, columns=60):
        self.rows, self.columns = rows, columns
        self.lines = [""] * rows
        self.scrolled_off = []
        self.row = self.column = 0
        self.saved = (0, 0)
        self.bottom = rows - 1  # last scrolling row; the first row always scrolls

    def text(self):
        """Returns all lines ever shown, from the first to the cursor's."""
        return self.scrolled_off + self.lines[:self.row + 1]

    def down(self):
        if self.row == self.bottom:
            self.scrolled_off.append(self.lines[0])
            self.lines[:self.bottom + 1] = self.lines[1:self.bottom + 1] + [""]
        elif self.row < self.rows - 1:
            self.row += 1

    def put(self, character):
        if self.column == self.columns:
            self.column = 0
            self.down()
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def control(self, plain, numbers, letter):
        first = [int(number or 0) for number in (numbers or "0").split(";")]
        if plain == "7":
            self.saved = (self.row, self.column)
        elif plain == "8":
            self.row, self.column = self.saved
        elif plain == "D":
            self.down()
        elif letter == "A":
            self.row = max(0, self.row - max(1, first[0]))
        elif letter == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif letter == "H":
            self.row = min(max(first[0], 1), self.rows) - 1
            self.column = max(first[1] if len(first) > 1 else 1, 1) - 1
        elif letter == "r":
            self.bottom = (first[1] if len(first) > 1 else self.rows) - 1
            self.row = self.column = 0
        else:
            raise AssertionError(f"the model does not know ESC {plain}[{numbers}{letter}")

    def show(self, text):
        while text:
            if escape := ESCAPE.match(text):
                self.control(*escape.groups())
                text = text[escape.end():]
                continue
            if text[0] == "\r":
                self.column = 0
            elif text[0] == "\n":
                self.down()
            else:
                self.put(text[0])
            text = text[1:]


def be_shell_above():
    """Returns in a child process in the terminal's foreground. Here, as a shell would: says when the child was stopped,
    lets it go on after an answer, and ends as it does."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    job = child or os.getpid()
    with contextlib.suppress(PermissionError):  # the child was faster: it is in its group, and has started the program
        os.setpgid(job, job)
    os.tcsetpgrp(0, job)
    if child == 0:
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        return
    while True:
        status = os.waitpid(child, os.WUNTRACED)[1]
        if not os.WIFSTOPPED(status):
            os._exit(os.waitstatus_to_exitcode(status) % 256)
        os.tcsetpgrp(0, os.getpgrp())
        os.write(1, b"stopped\r\n")
        os.read(0, 1)
        os.tcsetpgrp(0, child)
        os.kill(-child, signal.SIGCONT)


class OnTerminal:
    """Starts a program on a terminal and follows the screen until it ends."""

    def __init__(self, words, rows=10, columns=60, environment=None, below_shell=False):
        self.screen = Screen(rows, columns)
        self.bars = []  # contents of the last row while it did not scroll
        self.both_ends = contextlib.ExitStack()
        self.descriptor, program_end = self.both_ends.enter_context(terminal(rows, columns))
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.descriptor)
            os.login_tty(program_end)
            if below_shell:
                be_shell_above()
            os.execve(words[0], words, environment or os.environ)
        self.rest = ""
        self.status = None

    def step(self, wait_s=0.1):
        """Reads available output. Returns False if the program has ended."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        has_ended = self.status is not None
        if not select.select([self.descriptor], [], [], 0 if has_ended else wait_s)[0]:
            if has_ended:
                self.both_ends.close()
            return not has_ended
        self.rest += os.read(self.descriptor, 65536).decode()
        # An escape sequence may come in two parts.
        end = self.rest.rfind("\x1b")
        end = end if end >= 0 and len(self.rest) - end < 12 and not ESCAPE.match(self.rest, end) else len(self.rest)
        self.screen.show(self.rest[:end])
        self.rest = self.rest[end:]
        if self.screen.bottom < self.screen.rows - 1:
            self.bars.append(self.screen.lines[-1])
        return True

    def run(self, until=lambda: False, limit_s=60):
        end = time.monotonic() + limit_s
        while self.step():
            if until():
                return
            if time.monotonic() > end:
                os.kill(self.pid, 9)
                raise AssertionError(f"it did not end: {self.screen.text()}")
