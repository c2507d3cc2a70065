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
    process closes it, a read that runs at that moment may fail although there are words left."""
    own, programs = pty.openpty()
    try:
        fcntl.ioctl(programs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        yield own, programs
    finally:
        os.close(own)
        os.close(programs)


def all_until_end(running, own):
    """Returns what a program writes until it has ended."""
    shown, has_ended = b"", False
    while not has_ended:
        has_ended = running.poll() is not None
        while select.select([own], [], [], 0 if has_ended else 0.01)[0]:
            shown += os.read(own, 65536)
    return shown


def at_terminal(*words, columns=80, typed=b"", **options):
    """Returns the exit code, and what a terminal of so many columns shows; `options` are those of subprocess.Popen."""
    with terminal(24, columns) as (own, programs):
        streams = {"stdin": programs, "stdout": programs, "stderr": programs}
        with subprocess.Popen(words, **{**streams, **options}) as running:
            os.write(own, typed)
            shown = all_until_end(running, own)
        return running.returncode, shown.decode().replace("\r\n", "\n")
