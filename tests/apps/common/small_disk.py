"""Runs a command on a disk of a few pages with an old file, and returns what it leaves there."""

import shutil
import subprocess

SCRIPT = """
mount -t tmpfs -o size=128k tmpfs "$1" && cd "$1" && echo old > "$2" && head -c 100k /dev/zero > filler || exit 99
old=$2
shift 2
"$@" > /dev/null
code=$?
ls -A
cat "$old"
exit $code
"""


def has_small_disks():
    """Whether mounting is possible: it requires root and a mount namespace."""
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(probe, capture_output=True).returncode == 0


def on_small_disk(directory, words, old="kept", **options):
    """Runs the command there. Its stdout is the names of the remaining files, and the content of `old`."""
    return subprocess.run(["unshare", "--mount", "sh", "-c", SCRIPT, "sh", directory, old, *words], capture_output=True,
                          text=True, **options)
