"""The speed of the predictor's simulation, and its agreement with SimGrid on the same farm."""

import statistics

from comparison import readings
from comparison.figures import Aim, Figure, Group, Judged, Target

LOAD = ("--load", "on=1s,off=1s,share=0.5,phase=random")
SHORT_LOAD = ("--load", "on=50ms,off=50ms,share=0.5,phase=random")
UNEQUAL = ("--speeds", "1,1.01,1.02,1.03,1.04,1.05,3.06,3.07")
MANY_CHUNKS = ("--scheduler", "send:1", "--iterations", "100000", "--iteration", "1ms", "--workers", "8", *LOAD)

# A typical question: all candidates, with intervals.
QUESTION = ("--iterations", "1000000", "--cost", "1ms", "--hosts", "64x1", "--load", "on=1s,off=1s,phase=random")

TECHNIQUES = ("send:1", "gss:14", "factoring:40", "tss:40,2", "adaptive:3,1,9")
# The columns of a product of size 720 on a network of 100 Mbit/s: 5760 bytes each. The two simulators may order events of
# the same instant differently, which changes makespans by a chunk. So the master needs some time per message, as real ones
# do, and iterations are not a round multiple of it.
COLUMNS = ("--iterations", "720", "--input-bytes", "5760", "--result-bytes", "5760")
QUICK_MASTER = ("--master-order", "5us", "--master-report", "5us")
SLOW_MASTER = ("--master-order", "210us", "--master-report", "170us")
BOUNDS = {
    "computing, short messages": ("--iterations", "720", "--iteration", "10ms", *QUICK_MASTER),
    "computing, data in messages": (*COLUMNS, "--iteration", "50ms", *QUICK_MASTER),
    "network": (*COLUMNS, "--iteration", "2ms", *QUICK_MASTER),
    "computing, two chunks ahead": (*COLUMNS, "--iteration", "50ms", "--prefetch", "2", *QUICK_MASTER),
    "master": ("--iterations", "720", "--iteration", "2.137ms", *SLOW_MASTER),
}
WORKERS = {"equal": (), "loaded": SHORT_LOAD, "unequal and loaded": (*UNEQUAL, *SHORT_LOAD)}
# How messages share the master's links: one after the other, or as in CM02.
PORTS = {"in-turn": "in turn", "shared": "shared"}
WITHIN_PERCENT = 1
# If messages of one size share a link that is never idle, nanoseconds decide whether workers stay in step, and makespans
# differ by more than a tenth. There the mean over almost equal masters is compared.
CHAOTIC = (*COLUMNS, "--iteration", "2ms", "--scheduler", "send:1", "--master-report", "5us")
MASTERS = tuple(("--master-order", f"{5 + nudge / 100:.2f}us") for nudge in range(15))


def difference_percent(ours, theirs):
    return 100 * (ours["makespan_s"] / theirs["makespan_s"] - 1)


def pair(programs, words, port, repetitions=1):
    """Returns the results of both simulators for one farm."""
    ours = programs.simulated("predictor_bench", *words, "--port", port, "--repetitions", str(repetitions))
    return ours, programs.simulated("simgrid_farm", *words, "--port", port)


def differences(programs, words, port):
    """Returns the differences of each technique's makespan from SimGrid's, in percent."""
    pairs = [pair(programs, (*words, "--scheduler", technique), port) for technique in TECHNIQUES]
    return tuple(abs(difference_percent(*both)) for both in pairs)


def mean_difference(programs, words):
    """Returns the difference of the mean makespan over MASTERS from SimGrid's with shared links, in percent."""
    pairs = [pair(programs, (*CHAOTIC, *words, *master), "shared") for master in MASTERS]
    ours, theirs = ({"makespan_s": statistics.fmean(run["makespan_s"] for run in runs)} for runs in zip(*pairs, strict=True))
    return abs(difference_percent(ours, theirs))


def verified_pair(programs):
    """Returns million chunks per second of both simulators, whose makespans must agree.

    Our simulation takes only some 20 ms, so it is repeated until it has run about as long as SimGrid."""
    ours, theirs = pair(programs, MANY_CHUNKS, "in-turn", repetitions=50)
    off = difference_percent(ours, theirs)
    if abs(off) > WITHIN_PERCENT:
        raise readings.Unreadable(f"the predictor's makespan is {off:.1f} % from SimGrid's")
    return tuple(statistics.median(run["chunks_per_s"]) * 1e-6 for run in (ours, theirs))


def speed_figures(programs, rounds):
    ours, theirs = zip(*(verified_pair(programs) for _ in range(rounds)), strict=True)
    name = "100,000 chunks, 8 workers, loaded: million per second"
    return [Figure(name, ours, (), Target(10)), Figure("the same; reference: SimGrid", ours, theirs)]


def answer_figure(programs, rounds):
    answers = [programs.answer(*QUESTION) for _ in range(rounds)]
    name = f"`predict` over 1,000,000 iterations, 64 loaded hosts, {answers[0][1]} candidates: s"
    return Figure(name, tuple(took_s for took_s, _ in answers), (), Target(1, Aim.AT_MOST))


def agreement_figures(programs):
    target = Target(WITHIN_PERCENT, Aim.AT_MOST)
    singles = [
        Figure(f"{bound}; {workers}; port {words}: %",
               differences(programs, (*bound_words, *worker_words), port), (), target, Judged.BY_LARGEST)
        for port, words in PORTS.items()
        for bound, bound_words in BOUNDS.items()
        for workers, worker_words in WORKERS.items()
    ]
    means = tuple(mean_difference(programs, worker_words) for worker_words in WORKERS.values())
    name = f"network; {', '.join(WORKERS)}; port shared; send:1, mean of {len(MASTERS)} masters: %"
    return [*singles, Figure(name, means, (), target, Judged.BY_LARGEST)]


def predictor(programs, rounds):
    title = f"simulation of farms; reference: SimGrid's CM02; differences of makespans: {', '.join(TECHNIQUES)}"
    figures = [*speed_figures(programs, rounds), answer_figure(programs, rounds), *agreement_figures(programs)]
    return Group("predictor", title, figures)
