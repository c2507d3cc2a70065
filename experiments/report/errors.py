"""Errors that a person reads, with the exit codes that all programs of the project share."""

RUN_FAILED = 1
USAGE = 2


class ReportError(Exception):
    """`problem (why) suggestion`; empty parts are left out."""

    def __init__(self, code, problem, why="", suggestion=""):
        super().__init__(" ".join(part for part in (problem, f"({why})" if why else "", suggestion) if part))
        self.code = code
