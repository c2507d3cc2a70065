"""The experiments: each runs its programs and their references in turn and returns the group of figures."""

import functools
import os
import statistics
import tempfile
import time
from dataclasses import replace

from comparison import journal, lab, load, predictor, processes, profile, readings, rivals, status, tcp_farm
from comparison.figures import Aim, Figure, Group, Judged, Target
from comparison.programs import APART

# With another busy program, one suitable parameter per technique: small chunks at the end.
SCHEDULERS = ("send:128", "gss:4,32", "factoring:min=32", "tss:512,32,16", "adaptive:128,32,256")
TECHNIQUES = ("send", "gss", "factoring", "tss", "adaptive")
BLAS_KERNEL = " --kernel blas"
SIZES = (512, 1000, 1440, 3000)
RUNS_OF_A_SIZE = 3  # per round, because they are short
ANSWER_ROUNDS = 10  # at least, because nine of ten are judged
SWEEP_RUNS = 10  # per round
ONE_SHARED_CORE_OF_TWO = 0.75  # the rest of the machine if another program has half of one core


def interleave(rounds, reference, subjects):
    """Returns {name: (samples, references)}. The reference runs before every subject, so that drift affects both."""
    found = {name: ([], []) for name in subjects}
    for _ in range(rounds):
        for name, subject in subjects.items():
            found[name][1].append(reference())
            found[name][0].append(subject())
    return found


def figures_of(found, targets):
    return [
        Figure(name, tuple(samples), tuple(references), targets.get(name))
        for name, (samples, references) in found.items()
    ]


def technique_subjects(programs, settings, size=None, extra=()):
    """Returns {setting: run}. A setting is a scheduler's spec, followed by further options."""

    def gflops(spec, *more):
        return readings.gflops(programs.matmul(spec, size, extra=(*extra, *more)))

    return {setting: functools.partial(gflops, *setting.split()) for setting in settings}


@functools.cache
def parameters(programs, size, element):
    """Returns the fastest setting of each technique in one run: default parameters or those that the predictor finds
    best, as `auto` does; the packed kernel or BLAS's. If the predictor's best technique is none of the five, it follows."""
    extra = ("--type", element)
    predicted = programs.predicted(programs.matmul("gss", size, extra=extra))
    return tuple(
        fastest(technique_subjects(programs, by_both_kernels(name, predicted[name]), size, extra))
        for name in dict.fromkeys((*TECHNIQUES, next(iter(predicted))))
    )


def by_both_kernels(*specs):
    return [spec + kernel for spec in dict.fromkeys(specs) for kernel in ("", BLAS_KERNEL)]


def fastest(subjects):
    """Returns the setting that is fastest in one run."""
    rates = {setting: subject() for setting, subject in subjects.items()}
    return max(rates, key=rates.get)


def best_again(name, candidates, reference, subjects, rounds, target):
    """Runs the best of some figures again, because the runs that chose it do not count."""
    best = max(candidates, key=Figure.judged)
    found = interleave(rounds, reference, {f"{name}: {best.name}": subjects[best.name]})
    return figures_of(found, dict.fromkeys(found, target))


def compared_with_best(programs, rounds, size, element, name, target):
    """Returns the best technique compared with the best BLAS, all candidates, and the rivals' heat."""
    heat = rivals.heat(programs, size, element, rounds)
    subjects = technique_subjects(programs, parameters(programs, size, element), size, ("--type", element))
    figures = figures_of(interleave(rounds, heat.reference(), subjects), {})
    return best_again(name, figures, heat.reference(), subjects, rounds, target), figures, heat


def against(heat):
    return f"reference: {heat.named()}, 2 threads in all"


def matmul(programs, rounds):
    heat = rivals.heat(programs, programs.size, "float64", rounds)
    specs = parameters(programs, programs.size, "float64")
    subjects = technique_subjects(programs, specs)
    subjects |= {
        "send:16, prefetch 4": lambda: readings.gflops(programs.matmul("send:16", extra=("--prefetch", "4"))),
        "send:16": lambda: readings.gflops(programs.matmul("send:16")),
    }
    targets = {name: Target(0.92) for name in specs[: len(TECHNIQUES)]} | {"send:16, prefetch 4": Target(0.75)}
    figures = figures_of(interleave(rounds, heat.reference(), subjects), targets)
    title = f"product of size {programs.size}, 2 ranks, the master works; GFLOP/s; {against(heat)}"
    best = best_again("best", figures[: len(specs)], heat.reference(), subjects, rounds, Target(0.97))
    return Group("matmul", title, best + figures + heat.figures())


def float32(programs, rounds):
    best, figures, heat = compared_with_best(programs, rounds, programs.size, "float32", "best", Target(0.95))
    return Group("float32", f"the same in single precision; {against(heat)}", best + figures + heat.figures())


def sizes(programs, rounds):
    group = Group("sizes", "the same for other sizes, best technique; GFLOP/s; reference: the fastest BLAS at that size")
    for size in SIZES:
        [best], _, heat = compared_with_best(programs, RUNS_OF_A_SIZE * rounds, size, "float64", size, Target(0.90))
        group.figures.append(replace(best, name=f"{best.name} / {heat.best()}"))
    return group


def with_hog(programs, subject, cpu):
    def run():
        with programs.hog(cpu):
            return subject()

    return run


def loaded(programs, rounds):
    heat = rivals.heat(programs, programs.size, "float64", rounds)

    def all_with_hog(subjects):
        return {name: with_hog(programs, subject, cpu=1) for name, subject in subjects.items()}

    settings = [fastest(all_with_hog(technique_subjects(programs, by_both_kernels(spec)))) for spec in SCHEDULERS]
    subjects = all_with_hog(technique_subjects(programs, (*settings, "gss")) | heat.fastest_of_each())
    targets = {setting: Target(0.88) for setting in settings}

    def ideal():
        return ONE_SHARED_CORE_OF_TWO * heat.reference()()

    figures = figures_of(interleave(rounds, ideal, subjects), targets)
    title = f"the same while another program runs on core 1; reference: the ideal, 0.75 of quiet {heat.named()}"
    best = best_again("best", figures[: len(settings)], ideal, subjects, rounds, Target(0.94))
    return Group("loaded", title, best + figures)


def chunk_figures(programs, rounds, ranks, prefetch, iterations):
    setting = (ranks, prefetch, iterations)
    subjects = {f"{ranks} ranks, prefetch {prefetch}": lambda: programs.loop_chunks("empty_chunks", *setting)}
    found = interleave(rounds, lambda: programs.loop_chunks("mpi_loop", *setting), subjects)
    return figures_of(found, dict.fromkeys(found, Target(0.9 if ranks == 2 else 1.0)))


def chunks(programs, rounds):
    group = Group("chunks", "empty chunks of 1 under MPI, million per second; reference: a loop in plain MPI")
    for setting in ((2, 0, 1_000_000), (2, 4, 2_000_000), (4, 0, 150_000), (4, 4, 400_000)):
        group.figures += chunk_figures(programs, rounds, *setting)
    return group


def map_figures(programs, rounds):
    group = Group("map", "map of 10 million iterations of some ns into a new vector, ms; reference: a plain loop into a new vector")
    for workers, most in ((1, 1.2), (2, 0.6)):
        samples, references = zip(*(programs.map_ms(workers) for _ in range(rounds)))
        name = f"{workers} worker{'s' if workers > 1 else ''}"
        group.figures.append(Figure(name, samples, references, Target(most, Aim.AT_MOST)))
    return group


# The transports of Open MPI within a host, and between hosts.
WAYS = {"shared memory": (), "TCP": ("--mca", "btl", "tcp,self")}


def message_figures(programs, rounds, name, way, ranks, prefetch, iterations):
    setting = (ranks, prefetch, iterations)
    row = f"{name}: {ranks} ranks, prefetch {prefetch}"
    subjects = {row: lambda: programs.loop_chunks("empty_chunks", *setting, extra=APART, way=way)}
    found = interleave(rounds, lambda: programs.loop_chunks("mpi_loop", *setting, way=way), subjects)
    return figures_of(found, {row: Target(0.4 if ranks == 2 else 0.3)})


def messages(programs, rounds):
    """Makes every rank a host of its own, so that chunks travel as messages, over the same transport as in the plain loop."""
    group = Group("messages", "empty chunks of 1 as messages, million per second; reference: a loop in plain MPI; idle: % of a core")
    for name, way in WAYS.items():
        scale = 1 if name == "shared memory" else 10
        for ranks, prefetch, iterations in ((2, 0, 400_000), (2, 4, 800_000), (4, 0, 100_000), (4, 4, 200_000)):
            group.figures += message_figures(programs, rounds, name, way, ranks, prefetch, iterations // scale)
        idle = tuple(programs.idle_percent(way) for _ in range(rounds))
        group.figures.append(Figure(f"{name}: an idle rank", idle, (), Target(2, Aim.AT_MOST)))
    return group


def tcp_chunk_figures(programs, rounds, words, name, target):
    figures = []
    for workers in (1, 2, 3):
        setting = (workers, 4, 50_000)
        row = f"{workers} worker{'s' if workers > 1 else ''}{name}"
        subjects = {row: lambda setting=setting: programs.tcp_chunks("tcp_chunks", *setting, *words)}
        found = interleave(rounds, lambda setting=setting: programs.tcp_chunks("epoll_loop", *setting), subjects)
        figures += figures_of(found, dict.fromkeys(found, Target(target)))
    return figures


def tcp(programs, rounds):
    """Measures workers that join over loopback. References: an epoll loop written by hand, without a cipher, and MPI."""
    group = Group("tcp", "empty chunks of 1 over TCP, prefetch 4, million per second; reference: a hand-written epoll loop")
    with tempfile.TemporaryDirectory() as folder:
        secret = os.path.join(folder, "secret")
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        group.figures += tcp_chunk_figures(programs, rounds, (), "", 0.9)
        group.figures += tcp_chunk_figures(programs, rounds, ("--secret-file", secret), ", TLS", 0.6)
        for name, words in (("", ()), (", TLS", ("--secret-file", secret))):
            core, memory_mb = zip(*(programs.tcp_idle(*words) for _ in range(rounds)))
            group.figures.append(Figure(f"2,000 idle workers{name}: % of a core", core, (), Target(1, Aim.AT_MOST)))
            group.figures.append(Figure(f"2,000 idle workers{name}: MB", memory_mb, (), Target(100, Aim.AT_MOST)))
    subjects = {"product over TCP, GFLOP/s": lambda: readings.gflops(programs.tcp_matmul(2, "gss", programs.size))}
    found = interleave(rounds, lambda: readings.gflops(programs.matmul("gss")), subjects)
    group.figures += figures_of(found, dict.fromkeys(found, Target(0.9)))
    group.figures += tcp_farm.loss_figures(programs, rounds)
    return group


def decision_limit_ns(name):
    """Returns the target of decide/KIND/TECHNIQUE/WORKERS, with or without learning. Techniques that adapt, or compute
    roots and logarithms, may take longer than those of the load-sharing paper."""
    if name.startswith("assign"):
        return 100
    _, kind, technique, _ = name.split("/")
    if technique in TECHNIQUES:
        return 10
    return 50 if kind == "adaptive" or technique in ("bold", "tap") else 20


def decisions(programs, rounds):
    times = [programs.benchmark_ns("decision_bench", 0.05) for _ in range(rounds)]
    group = Group("decisions", "one decision of a technique; assigning and completing one chunk; ns")
    for name in times[0]:
        if "reissue" in name:
            continue
        target = Target(decision_limit_ns(name), Aim.AT_MOST)
        group.figures.append(Figure(name, tuple(run[name] for run in times), (), target))
    return group


def graph(programs, rounds):
    """Measures a graph of a million events. The fastest known simulator evaluates 1.6 million per second; the target is 2."""
    times = [programs.benchmark_ns("timing_graph_bench", 0.05) for _ in range(rounds)]
    group = Group("graph", "a timing graph of a million events, s; the makespan is verified with a closed form")
    for name in times[0]:
        group.figures.append(Figure(name, tuple(run[name] * 1e-9 for run in times), (), Target(0.5, Aim.AT_MOST)))
    return group


def peak_mb(programs, ranks):
    peak = 0

    def observe(mpirun):
        nonlocal peak
        places = [f"/proc/{pid}" for pid in processes.ranks_of(mpirun, "matmul")]
        texts = [(processes.read(f"{at}/smaps_rollup"), processes.read(f"{at}/smaps")) for at in places]
        peak = max(peak, readings.memory_in_use(texts))

    programs.matmul("send:64", ranks=ranks, observe=observe, every_s=0.02)
    return peak * 1e-6


def memory(programs, rounds):
    needed_mb = 3 * 8 * programs.size**2 * 1e-6
    title = f"peak of a product of size {programs.size} on one host, all ranks together, MB; reference: A + B + C"
    group = Group("memory", title)
    for ranks in (2, 4, 8):
        subjects = {f"{ranks} ranks": lambda: peak_mb(programs, ranks)}
        found = interleave(rounds, lambda: needed_mb, subjects)
        group.figures += figures_of(found, dict.fromkeys(found, Target(1.1, Aim.AT_MOST)))
    return group


def stolen_ticks():
    return readings.stolen_ticks(processes.read("/proc/stat"))


def undisturbed(wanted, run, stolen=stolen_ticks):
    """Returns (results of `wanted` runs, number of rejected runs). Runs in which the hypervisor stole time are rejected.

    Gives up after three times as many runs; the results may then be too few for a verdict."""
    kept = []
    for attempts in range(1, 3 * wanted + 1):
        before = stolen()
        result = run()
        if stolen() == before:
            kept.append(result)
        if len(kept) == wanted:
            break
    return kept, attempts - len(kept)


def answers(programs, rounds):
    """Measures the answers of a master that computes chunks of 10 ms on the core on which it dispatches."""
    wanted = max(rounds, ANSWER_ROUNDS)
    runs, left_out = undisturbed(wanted, lambda: readings.answer_delays_ms(programs.matmul("send:16")))
    title = "waiting time of a finished chunk for a master that computes too, ms; chunks of 16 columns"
    group = Group("answers", f"{title} (without {left_out} rounds with stolen time)")
    longest = tuple(run[-1] for run in runs)
    group.figures = [
        Figure("median", tuple(run[len(run) // 2] for run in runs)),
        Figure("longest, in 9 rounds of 10", longest, (), Target(1, Aim.AT_MOST), Judged.BY_NINE_OF_TEN, ANSWER_ROUNDS),
    ]
    return group


def makespan_ms(programs, wait):
    # The load-sharing paper's product: plain loops, three columns a chunk, a quarter of a second.
    return programs.matmul("send:3", size=720, extra=("--kernel", "naive", "--wait", wait))["makespan_s"] * 1e3


def idle_share_percent(programs):
    """Returns the processor use of an idle rank while the other one computes everything."""
    seen = []

    def observe(mpirun):
        pids = processes.ranks_of(mpirun, "matmul")
        if len(pids) == 2:
            stats = {pid: processes.read(f"/proc/{pid}/stat") for pid in pids}
            if all(stats.values()):
                seen.append((time.monotonic(), {pid: readings.used_ticks(stats[pid]) for pid in pids}))

    size = 1400  # some seconds of plain loops
    alone = ("--kernel", "naive", "--wait", "nap")
    programs.matmul(f"send:{size}", size=size, extra=alone, observe=observe, every_s=0.1)
    return 100 * min(readings.shares(seen, os.sysconf("SC_CLK_TCK"), skip_s=0.8).values())


def waiting(programs, rounds):
    policies = ("nap", "auto", "yield", "spin")
    subjects = {wait: with_hog(programs, lambda wait=wait: makespan_ms(programs, wait), "any") for wait in policies}
    found = interleave(rounds, lambda: makespan_ms(programs, "auto"), subjects)
    title = "the paper's product (720, plain loops), 2 ranks, with another busy program, ms; reference: without it"
    group = Group("waiting", title, figures_of(found, {}))
    idle = tuple(idle_share_percent(programs) for _ in range(rounds))
    group.figures.append(Figure("idle rank, nap, % of a core", idle, (), Target(2, Aim.AT_MOST)))
    return group


def sweep(programs, rounds):
    """Measures the overhead of a sweep: as recorded by itself, and by an external clock."""
    own_ms, external_ms = [], []
    for _ in range(rounds):
        alone_s = programs.small_products_s(SWEEP_RUNS)
        runs, took_s = programs.sweep(SWEEP_RUNS)
        own_ms.append(1e3 * statistics.median(run["overhead_s"] for run in runs))
        external_ms.append(1e3 * (took_s - alone_s) / SWEEP_RUNS)
    title = f"overhead of a sweep per run under mpirun, ms; {SWEEP_RUNS} small products"
    group = Group("sweep", title)
    group.figures.append(Figure("between two runs, as recorded", tuple(own_ms), (), Target(50, Aim.AT_MOST)))
    group.figures.append(Figure("compared with mpirun called by a shell", tuple(external_ms), (), Target(50, Aim.AT_MOST)))
    return group


RIVALS = ("blas_reference", "pdgemm_reference")
# name: (experiment, the programs it needs)
EXPERIMENTS = {
    "matmul": (matmul, ("matmul", "loadshare", *RIVALS)),
    "loaded": (loaded, ("matmul", "hog", *RIVALS)),
    "float32": (float32, ("matmul", "loadshare", *RIVALS)),
    "sizes": (sizes, ("matmul", "loadshare", *RIVALS)),
    "map": (map_figures, ("map_cost",)),
    "messages": (messages, ("empty_chunks", "mpi_loop", "synthetic")),
    "tcp": (tcp, ("tcp_chunks", "epoll_loop", "tcp_idle", "matmul", "synthetic")),
    "answers": (answers, ("matmul",)),
    "chunks": (chunks, ("mpi_loop", "empty_chunks")),
    "decisions": (decisions, ("decision_bench",)),
    "graph": (graph, ("timing_graph_bench",)),
    "predictor": (predictor.predictor, ("predictor_bench", "simgrid_farm", "loadshare")),
    "memory": (memory, ("matmul",)),
    "journal": (journal.journal, ("matmul", "synthetic")),
    "status": (status.status, ("synthetic",)),
    "load": (load.load, ("loadshare", "hog")),
    "sweep": (sweep, ("loadshare", "matmul")),
    "waiting": (waiting, ("matmul", "hog")),
    "lab": (lab.lab, ("loadshare", "loadshare_lab_agent")),
    "profile": (profile.profile, ("loadshare", "profile_overhead", "floyd", "cannon", "bucket_sort", "mandelbrot")),
    "wire": (lab.wire, ("loadshare", "loadshare_lab_agent", "matmul", "mpi_broadcast")),
}
