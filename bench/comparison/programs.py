"""The command lines of the measured programs: each function runs one and returns its reading."""

import json
import os
import shlex
import tempfile
import time
from dataclasses import dataclass

from comparison import processes, readings, tcp_farm

APART = ("--ranks-per-host", 1)  # every rank a host of its own: chunks travel as messages
SMALL = 300  # a product of this size takes less than mpirun's start


class Missing(Exception):
    """A program that has to be built first."""


@dataclass(frozen=True)
class Programs:
    """Where the programs are, and how large the large product is."""

    build: str
    size: int = 4096
    mpirun: str = "mpirun"

    def path(self, name):
        path = os.path.join(self.build, "bin", name)
        if not os.access(path, os.X_OK):
            raise Missing(f"{path} is missing (it is not built); run: cmake --preset release && ninja -C build")
        return path

    def under_mpi(self, ranks, name, *words, way=()):
        # Where there are more ranks than cores mpirun has to know it: Open MPI then yields while it waits.
        crowd = ["--oversubscribe"] if ranks > (os.cpu_count() or 1) else []
        return [self.mpirun, "-q", *crowd, *way, "-np", str(ranks), self.path(name), *map(str, words)]

    def matmul_words(self, scheduler, size, ranks=2, extra=()):
        return self.under_mpi(
            ranks, "matmul", "--size", size, "--scheduler", scheduler, "--progress", "none", "--json", "-", *extra
        )

    def matmul(self, scheduler, size=None, ranks=2, extra=(), **observing):
        """The record of one run, whose product was verified."""
        words = self.matmul_words(scheduler, size or self.size, ranks, extra)
        return readings.matmul(processes.run(words, **observing))

    def blas(self, blas, size, element="float64", threads=2, repetitions=2):
        """The record of one product by one call of a rivals.Blas."""
        words = [self.path("blas_reference"), *blas.words(), "--size", size, "--type", element]
        words += ["--threads", threads, "--repetitions", repetitions]
        return readings.last_line(processes.run([*map(str, words)]), "blas_reference")

    def blas_gflops(self, blas, size, element="float64"):
        return readings.median_gflops(self.blas(blas, size, element))

    def pdgemm_gflops(self, blas, asked_by, size, repetitions=2, block=128):
        """ScaLAPACK's product with that BLAS; `asked_by`: how the environment asks for its kernels."""
        variables = dict([asked_by.split("=")] if asked_by else [])
        if blas.library == "blis":  # its functions go before those of the BLAS that ScaLAPACK comes with
            variables |= {"LD_PRELOAD": "libblis.so.4", "BLIS_NUM_THREADS": "1"}
        words = ["--size", size, "--block", block, "--repetitions", repetitions]
        text = processes.run(self.under_mpi(2, "pdgemm_reference", *words), variables=variables)
        return readings.median_gflops(readings.last_line(text, "pdgemm_reference"))

    def predicted(self, record):
        """{technique: its spec that the predictor finds best for the loop of a record}"""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.jsonl")
            with open(file, "w", encoding="utf-8") as text:
                json.dump(record, text)
            return readings.best_specs(processes.run([self.path("loadshare"), "predict", file, "--json", "-"]))

    def answer(self, *question):
        """(seconds that a prediction took, how many candidates it told)"""
        begun_s = time.monotonic()
        text = processes.run([self.path("loadshare"), "predict", *question, "--json", "-"])
        return time.monotonic() - begun_s, len(json.loads(text)["predictions"])

    def loop_chunks(self, name, ranks, prefetch, iterations, extra=(), way=()):
        """Million empty chunks a second of `mpi_loop` or `empty_chunks`; `way`: mpirun's words for how they travel."""
        words = ["--prefetch", prefetch, "--iterations", iterations, "--repetitions", 3, *extra]
        return readings.million_chunks_per_s(processes.run(self.under_mpi(ranks, name, *words, way=way)))

    def tcp_chunks(self, name, workers, prefetch, iterations, *words):
        """Million empty chunks a second over loopback of `epoll_loop` or `tcp_chunks`."""
        words = ["--workers", workers, "--prefetch", prefetch, "--iterations", iterations, "--repetitions", 3, *words]
        return readings.million_chunks_per_s(processes.run([self.path(name), *map(str, words)]))

    def tcp_idle(self, *words):
        """(% of a core, MB) of a master with 2,000 idle workers."""
        record = readings.last_line(processes.run([self.path("tcp_idle"), *words]), "tcp_idle")
        return record["core_percent"], record["memory_mb"]

    def tcp_matmul(self, workers, scheduler, size):
        """The record of one run whose master and workers are processes that talk over loopback."""
        words = ["--size", size, "--scheduler", scheduler]
        with tcp_farm.TcpFarm(self.path("matmul"), words, workers - 1, own=1) as farm:
            return farm.record()

    def map_ms(self, workers):
        """Of a map of 10 million short iterations, and of the plain loop beside it."""
        return readings.map_ms(processes.run([self.path("map_cost"), "--workers", str(workers), "--repetitions", "3"]))

    def idle_percent(self, way=()):
        """The most that a rank burns, its message thread too, while another host's computes one chunk; % of a core."""
        words = ["--iterations", 1, "--cost", "constant:2s", "--how", "sleep", "--scheduler", "send:1", *APART, "--json", "-"]
        return readings.idle_percent(processes.run(self.under_mpi(3, "synthetic", *words, way=way)))

    def benchmark_ns(self, name, min_time_s):
        """{name: nanoseconds of a round} of a program that Google Benchmark drives."""
        words = ["--benchmark_format=json", f"--benchmark_min_time={min_time_s}"]
        return readings.nanoseconds(processes.run([self.path(name), *words], timeout_s=300))

    def simulated(self, name, *words):
        """What `predictor_bench` or `simgrid_farm` says of a farm."""
        return readings.last_line(processes.run([self.path(name), *words]), name)

    def load(self, *words, cpu=0):
        """What a load by hand measured of itself."""
        return readings.load(processes.run([self.path("loadshare"), "load", "--cpu", str(cpu), "--json", *words]))

    def sweep(self, runs):
        """The runs of a sweep of small products under mpirun, and the seconds that all of it took."""
        sweep = (
            f"schema: 1\ntitle: Small products\nprogram: matmul\nrepeat: {runs}\n"
            f"launch: {{with: mpirun, ranks: 2}}\noptions: {{size: {SMALL}}}\nexperiments: [{{name: e}}]\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            file, out = os.path.join(folder, "sweep.yaml"), os.path.join(folder, "out")
            with open(file, "w", encoding="utf-8") as text:
                text.write(sweep)
            begun_s = time.monotonic()
            processes.run([self.path("loadshare"), "sweep", file, "--out", out, "--progress", "none"])
            took_s = time.monotonic() - begun_s
            return readings.sweep_runs(processes.read(os.path.join(out, "runs.jsonl"))), took_s

    def small_products_s(self, runs):
        """How long the sweep's commands take when a shell calls them, one after the other."""
        words = self.under_mpi(2, "matmul", "--size", SMALL, "--json", os.devnull, "--progress", "none")
        # In one shell: python looks for the end of a child at intervals, which would be taken for the command's time.
        script = f"set -e; for i in $(seq {runs}); do {shlex.join(words)} > {os.devnull}; done"
        begun_s = time.monotonic()
        processes.run(["sh", "-c", script])
        return time.monotonic() - begun_s

    def hog(self, cpu="any", seconds=120):
        return processes.hog(self.path("hog"), cpu, seconds)
