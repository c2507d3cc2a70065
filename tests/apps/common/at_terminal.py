"""What a person sees who runs a program at a terminal."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios


@contextlib.contextmanager
def terminal(rows, columns):
    """Yields both ends of a new terminal. The program's end must stay open here until all is read: when the last
    process closes it, a read that runs at that moment may fail although words are left."""
    person_end, program_end = pty.openpty()
    try:
        fcntl.ioctl(program_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        yield person_end, program_end
    finally:
        os.close(person_end)
        os.close(program_end)


def all_until_end(running, person_end):
    """Returns what a program writes to its terminal until it has ended."""
    shown, has_ended = b"", False
    while not has_ended:
        has_ended = running.poll() is not None
        while select.select([person_end], [], [], 0 if has_ended else 0.01)[0]:
            shown += os.read(person_end, 65536)
    return shown


def at_terminal(*words, columns=80, typed=b"", **options):
    """Returns the exit code, and what a terminal of so many columns shows; `options` are those of subprocess.Popen."""
    with terminal(24, columns) as (person_end, program_end):
        streams = {"stdin": program_end, "stdout": program_end, "stderr": program_end}
        with subprocess.Popen(words, **{**streams, **options}) as running:
            os.write(person_end, typed)
            shown = all_until_end(running, person_end)
        return running.returncode, shown.decode().replace("\r\n", "\n")
