"""Errors that a person reads, with the exit codes that all programs of the project share."""

import os
import textwrap

RUN_FAILED = 1
USAGE = 2


def complain(error):
    """Prints the error to stderr; if that is closed or full, only the exit code reports it."""
    text = for_terminal(f"loadshare: {error.in_lines()}") if os.isatty(2) else f"loadshare: {error}"
    try:
        os.write(2, f"{text}\n".encode(errors="replace"))
    except OSError:
        pass


def for_terminal(text):
    """Its lines, broken between words at the terminal's width."""
    asked = os.environ.get("COLUMNS", "")
    columns = int(asked) if asked.isdecimal() and int(asked) > 0 else os.get_terminal_size(2).columns or 80
    return "\n".join(textwrap.fill(line, columns, subsequent_indent="        ", break_long_words=False,
                                   break_on_hyphens=False, replace_whitespace=False) for line in text.split("\n"))


class ReportError(Exception):
    """An error as `problem (why); suggestion`, without empty parts. On a terminal each part has its own line."""

    def __init__(self, code, problem, why="", suggestion=""):
        what = f"{problem} ({why})" if why else problem
        super().__init__(f"{what}; {suggestion}" if suggestion else what)
        self.code = code
        self.parts = (problem, why and f"  why:  {why}", suggestion and f"  hint: {suggestion}")

    def in_lines(self):
        return "\n".join(part for part in self.parts if part)
