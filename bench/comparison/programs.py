"""The command lines of the measured programs: each function runs one and returns its reading."""

import json
import os
import shlex
import tempfile
import time
from dataclasses import dataclass

from comparison import processes, readings, tcp_farm

APART = ("--ranks-per-host", 1)  # every rank is a host of its own, so chunks travel as messages
SMALL = 300  # a product of this size is shorter than mpirun's start


class Missing(Exception):
    """A program is not built."""


@dataclass(frozen=True)
class Programs:
    """The paths of the programs, and the size of the large product."""

    build: str
    size: int = 4096
    mpirun: str = "mpirun"

    def path(self, name):
        path = os.path.join(self.build, "bin", name)
        if not os.access(path, os.X_OK):
            raise Missing(f"{path} is missing (it is not built); run: cmake --preset release && ninja -C build")
        return path

    def under_mpi(self, ranks, name, *words, way=()):
        # mpirun must know if there are more ranks than cores, because then Open MPI yields while it waits.
        crowd = ["--oversubscribe"] if ranks > (os.cpu_count() or 1) else []
        return [self.mpirun, "-q", *crowd, *way, "-np", str(ranks), self.path(name), *map(str, words)]

    def matmul_words(self, scheduler, size, ranks=2, extra=()):
        return self.under_mpi(
            ranks, "matmul", "--size", size, "--scheduler", scheduler, "--progress", "none", "--json", "-", *extra
        )

    def matmul(self, scheduler, size=None, ranks=2, extra=(), **observing):
        """Returns the record of one run with a verified product."""
        words = self.matmul_words(scheduler, size or self.size, ranks, extra)
        return readings.matmul(processes.run(words, **observing))

    def blas(self, blas, size, element="float64", threads=2, repetitions=2):
        """Returns the record of one product by one call of a rivals.Blas."""
        words = [self.path("blas_reference"), *blas.words(), "--size", size, "--type", element]
        words += ["--threads", threads, "--repetitions", repetitions]
        return readings.last_line(processes.run([*map(str, words)]), "blas_reference")

    def blas_gflops(self, blas, size, element="float64"):
        return readings.median_gflops(self.blas(blas, size, element))

    def pdgemm_gflops(self, blas, asked_by, size, repetitions=2, block=128):
        """Returns the rate of ScaLAPACK's product with that BLAS. `asked_by`: the variable that selects its kernels."""
        variables = dict([asked_by.split("=")] if asked_by else [])
        if blas.library == "blis":  # its functions replace those of ScaLAPACK's own BLAS
            variables |= {"LD_PRELOAD": "libblis.so.4", "BLIS_NUM_THREADS": "1"}
        words = ["--size", size, "--block", block, "--repetitions", repetitions]
        text = processes.run(self.under_mpi(2, "pdgemm_reference", *words), variables=variables)
        return readings.median_gflops(readings.last_line(text, "pdgemm_reference"))

    def predicted(self, record):
        """Returns {technique: its spec that the predictor finds best for the loop of a record}."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.jsonl")
            with open(file, "w", encoding="utf-8") as text:
                json.dump(record, text)
            return readings.best_specs(processes.run([self.path("loadshare"), "predict", file, "--json", "-"]))

    def answer(self, *question):
        """Returns (seconds of a prediction, number of its candidates)."""
        begun_s = time.monotonic()
        text = processes.run([self.path("loadshare"), "predict", *question, "--json", "-"])
        return time.monotonic() - begun_s, len(json.loads(text)["predictions"])

    def loop_chunks(self, name, ranks, prefetch, iterations, extra=(), way=()):
        """Returns million empty chunks per second of `mpi_loop` or `empty_chunks`. `way`: mpirun's options for the transport."""
        words = ["--prefetch", prefetch, "--iterations", iterations, "--repetitions", 3, *extra]
        return readings.million_chunks_per_s(processes.run(self.under_mpi(ranks, name, *words, way=way)))

    def tcp_chunks(self, name, workers, prefetch, iterations, *words):
        """Returns million empty chunks per second over loopback of `epoll_loop` or `tcp_chunks`."""
        words = ["--workers", workers, "--prefetch", prefetch, "--iterations", iterations, "--repetitions", 3, *words]
        return readings.million_chunks_per_s(processes.run([self.path(name), *map(str, words)]))

    def tcp_idle(self, *words):
        """Returns (% of a core, MB) of a master with 2,000 idle workers."""
        record = readings.last_line(processes.run([self.path("tcp_idle"), *words]), "tcp_idle")
        return record["core_percent"], record["memory_mb"]

    def tcp_matmul(self, workers, scheduler, size):
        """Returns the record of one run of a master and workers over loopback."""
        words = ["--size", size, "--scheduler", scheduler]
        with tcp_farm.TcpFarm(self.path("matmul"), words, workers - 1, own=1) as farm:
            return farm.record()

    def map_ms(self, workers):
        """Returns the times of a map of 10 million short iterations and of the plain loop."""
        return readings.map_ms(processes.run([self.path("map_cost"), "--workers", str(workers), "--repetitions", "3"]))

    def idle_percent(self, way=()):
        """Returns the largest use of an idle rank and its message thread while another host computes; % of a core."""
        words = ["--iterations", 1, "--cost", "constant:2s", "--how", "sleep", "--scheduler", "send:1", *APART, "--json", "-"]
        return readings.idle_percent(processes.run(self.under_mpi(3, "synthetic", *words, way=way)))

    def benchmark_ns(self, name, min_time_s):
        """Returns {name: nanoseconds of a round} of a program that uses Google Benchmark."""
        words = ["--benchmark_format=json", f"--benchmark_min_time={min_time_s}"]
        return readings.nanoseconds(processes.run([self.path(name), *words], timeout_s=300))

    def simulated(self, name, *words):
        """Returns the result of `predictor_bench` or `simgrid_farm` for a farm."""
        return readings.last_line(processes.run([self.path(name), *words]), name)

    def load(self, *words, cpu=0):
        """Returns the measurements of `loadshare load`."""
        return readings.load(processes.run([self.path("loadshare"), "load", "--cpu", str(cpu), "--json", *words]))

    def sweep(self, runs):
        """Returns the runs of a sweep of small products under mpirun, and the seconds of the whole sweep."""
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
        """Returns the time of the sweep's commands when a shell calls them one after the other."""
        words = self.under_mpi(2, "matmul", "--size", SMALL, "--json", os.devnull, "--progress", "none")
        # In one shell, because python polls for the end of a child, which would count as the command's time.
        script = f"set -e; for i in $(seq {runs}); do {shlex.join(words)} > {os.devnull}; done"
        begun_s = time.monotonic()
        processes.run(["sh", "-c", script])
        return time.monotonic() - begun_s

    def hog(self, cpu="any", seconds=120):
        return processes.hog(self.path("hog"), cpu, seconds)
