"""Running a command on a disk of a few pages, where an old file is: what it leaves there."""

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
    """Mounting takes root and a mount namespace."""
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(probe, capture_output=True).returncode == 0


def on_small_disk(directory, words, old="kept", **options):
    """Runs the words there; stdout is the names of the files left, and what is in the `old` one."""
    return subprocess.run(["unshare", "--mount", "sh", "-c", SCRIPT, "sh", directory, old, *words], capture_output=True,
                          text=True, **options)
