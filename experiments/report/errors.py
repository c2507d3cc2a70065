"""Errors that a person reads, with the exit codes that all programs of the project share."""

import os

RUN_FAILED = 1
USAGE = 2


def complain(error):
    """Says it on stderr; where that is closed or full, the exit code alone tells."""
    text = error.in_lines() if os.isatty(2) else str(error)
    try:
        os.write(2, f"loadshare: {text}\n".encode(errors="replace"))
    except OSError:
        pass


class ReportError(Exception):
    """`problem (why); suggestion`; empty parts are left out. For a person each is a line of its own."""

    def __init__(self, code, problem, why="", suggestion=""):
        what = f"{problem} ({why})" if why else problem
        super().__init__(f"{what}; {suggestion}" if suggestion else what)
        self.code = code
        self.parts = (problem, why and f"  why:  {why}", suggestion and f"  hint: {suggestion}")

    def in_lines(self):
        return "\n".join(part for part in self.parts if part)
