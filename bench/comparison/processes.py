"""Child processes that are bounded in time and never left behind."""

import contextlib
import ctypes
import os
import signal
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class Failed(Exception):
    """A measured program failed."""


def end_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def killed_with_parent():
    """Makes the kernel kill this process with its parent, even while it is stopped."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def read(path):
    """Returns the text of a file of /proc; empty if its process has just ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def descendants(pid):
    children = [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]
    return children + [below for child in children for below in descendants(child)]


def ranks_of(pid, program):
    """Returns the processes below mpirun that run `program`."""
    return [below for below in descendants(pid) if read(f"/proc/{below}/comm").strip() == program[:15]]


def end(child):
    """Ends a child and all its descendants; mpirun ends its ranks on SIGTERM."""
    below = descendants(child.pid)
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    for pid in below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def await_end(child, timeout_s, observe, every_s):
    deadline_s = time.monotonic() + timeout_s
    while child.poll() is None:
        if time.monotonic() > deadline_s:
            raise Failed(f"took more than {timeout_s} s")
        observe(child.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=every_s)


def start(words, **options):
    try:
        return subprocess.Popen(words, preexec_fn=end_with_parent, **options)
    except OSError as error:
        raise Failed(f"{words[0]} does not start ({error.strerror})") from None


# Variables that change a BLAS.
BLAS_VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_ARCH_TYPE", "BLIS_NUM_THREADS")


def environment_with(variables):
    own = {name: value for name, value in os.environ.items() if name not in BLAS_VARIABLES}
    return {**own, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **variables}


def run(words, timeout_s=120, observe=lambda pid: None, every_s=0.5, variables=None):
    """Runs a program to its end and returns its output.

    Calls `observe(pid)` every `every_s`. Adds `variables` to the environment and removes the user's BLAS variables."""
    environment = environment_with(variables or {})
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        child = start(words, stdout=out, stderr=errors, stdin=subprocess.DEVNULL, env=environment)
        try:
            await_end(child, timeout_s, observe, every_s)
        except Failed as failure:
            raise Failed(f"{' '.join(words)}: {failure}") from None
        finally:
            if child.returncode is None:
                end(child)
        out.seek(0), errors.seek(0)
        if child.returncode != 0:
            raise Failed(f"{' '.join(words)}: exit code {child.returncode}\n{errors.read().strip()}")
        return out.read()


@contextlib.contextmanager
def hog(program, cpu="any", seconds=120):
    """Runs another busy program on the machine while the block runs."""
    child = start([program, "--seconds", str(seconds), "--cpu", str(cpu)])
    try:
        time.sleep(0.1)
        yield
        if child.poll() is not None:
            raise Failed(f"the busy program ended too early, with {child.returncode}")
    finally:
        child.kill()
        child.wait()
