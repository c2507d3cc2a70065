"""Reads the output of the measured programs. Text in, numbers out."""

import json
import re
import statistics
import time


class Unreadable(Exception):
    """A program's output is not as expected, or its result was not verified."""


def last_line(text, program):
    lines = text.strip().splitlines()
    try:
        record = json.loads(lines[-1])
    except (IndexError, json.JSONDecodeError) as error:
        raise Unreadable(f"{program} printed no JSON ({error})") from None
    if record.get("verified") is not True:
        raise Unreadable(f"{program} did not verify its result")
    return record


def listening_address(read_notes, timeout_s=20):
    """Waits until the master's notes contain its address, and returns it."""
    end_s = time.monotonic() + timeout_s
    while not (found := re.search(r"listening at (\S+)", read_notes())):
        if time.monotonic() > end_s:
            raise Unreadable("the master does not listen")
        time.sleep(0.01)
    return found[1]


def matmul(text):
    return last_line(text, "matmul")


def load(text):
    """Reads the output of `loadshare load --json`."""
    try:
        measured = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"loadshare load printed no JSON ({error})") from None
    if not measured.get("cycles"):
        raise Unreadable("the load was never on")
    return measured


def gflops(record):
    """Returns the rate of a matmul record."""
    return record["operations"] / record["makespan_s"] * 1e-9


def over_ideal_of_loss_s(record, all_s, fewer_s, unnoticed_s):
    """Returns by how much a run that lost a worker exceeds the ideal and the time of the lost chunk.

    Ideally the rest runs as with one worker fewer. `unnoticed_s`: time until the loss was noticed. `all_s`, `fewer_s`: the
    same run with all workers, and without that one from the start."""
    [lost] = [event for event in record["membership"]["events"] if event["what"] == "lost"]
    lost_s = lost["at_s"] - unnoticed_s
    ideal_s = lost_s + (1 - lost_s / all_s) * fewer_s
    chunk_s = statistics.median(chunk["ended_s"] - chunk["begun_s"] for chunk in record["chunks"])
    return record["makespan_s"] - ideal_s - chunk_s


def answer_delays_ms(record):
    """Returns how long results of workers on other ranks waited for the master, ascending."""
    away = {rank["worker"] for rank in record["ranks"] if rank["role"] == "worker"}
    chunks = [chunk for chunk in record["chunks"] if chunk["worker"] in away]
    return sorted((chunk["returned_s"] - chunk["ended_s"]) * 1e3 for chunk in chunks)


def median_gflops(record):
    """Returns the median rate of a reference's record."""
    return statistics.median(record["gflops"])


def best_specs(text):
    """Returns {technique: its spec with the least predicted makespan}, the least first, from `loadshare predict --json -`."""
    best = {}
    for one in sorted(json.loads(text)["predictions"], key=lambda one: one["makespan_s"]):
        best.setdefault(one["scheduler"].partition(":")[0], one["scheduler"])
    return best


def processor_name(cpuinfo):
    """Returns the name of the first processor in /proc/cpuinfo."""
    found = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else "a processor without a name"


def stolen_ticks(stat):
    """Returns the time that the hypervisor stole, from the first line of /proc/stat."""
    return int(stat.splitlines()[0].split()[8])


def broadcast_s(text):
    return last_line(text, "mpi_broadcast")["seconds"]


def map_ms(text):
    """Returns the medians of the times of map and plain loop."""
    record = last_line(text, "map_cost")
    return tuple(1e3 * statistics.median(record[name]) for name in ("map_s", "plain_s"))


def idle_percent(text):
    """Returns the largest processor use of a worker without a chunk; % of a core."""
    record = last_line(text, "synthetic")
    idle = [rank for rank in record["ranks"] if rank["role"] == "worker" and rank["chunks"] == 0]
    return 100 * max(rank["waiting_cpu_s"] + rank["coordinating_cpu_s"] for rank in idle) / record["makespan_s"]


def million_chunks_per_s(text):
    record = last_line(text, "the loop")
    return statistics.median(record["chunks_per_s"]) * 1e-6


def nanoseconds(text):
    """Returns {name: time of one round} from Google Benchmark's JSON."""
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    times = {}
    for run in json.loads(text)["benchmarks"]:
        if run.get("error_occurred"):
            raise Unreadable(f"{run['name']}: {run.get('error_message', 'failed')}")
        times[run["name"]] = run["real_time"] * scale[run["time_unit"]]
    return times


def sweep_runs(text):
    """Returns the runs of a runs.jsonl, all of which must have succeeded."""
    runs = [json.loads(line) for line in text.splitlines()]
    if not runs or any(run["status"] != "ok" or run["record"]["verified"] is not True for run in runs):
        raise Unreadable("a run of the sweep failed")
    return runs


def proportional_bytes(smaps_rollup):
    """Returns (private memory and files, shared memory); memory of several processes counts proportionally."""
    sizes = dict(re.findall(r"^(Pss\w*): +(\d+) kB", smaps_rollup, re.MULTILINE))
    shared = 1024 * int(sizes.get("Pss_Shmem", 0))
    return 1024 * int(sizes.get("Pss", 0)) - shared, shared


def shared_residents(smaps):
    """Returns {file of shared memory: its bytes that this process has in memory}."""
    residents = {}
    for path, size in re.findall(r"^\w+-\w+ .* (/dev/shm/\S+).*\n(?:(?!\w+-\w+ ).*\n)*?Rss: +(\d+) kB", smaps, re.MULTILINE):
        residents[path] = residents.get(path, 0) + 1024 * int(size)
    return residents


def memory_in_use(processes):
    """Returns the memory of processes given by (smaps_rollup, smaps).

    Proportional parts of shared memory, read one after the other while it grows, would add up to too much. So each shared
    file counts with the largest part that one process has of it."""
    private = 0
    shared = {}
    for smaps_rollup, smaps in processes:
        private += proportional_bytes(smaps_rollup)[0]
        for path, size in shared_residents(smaps).items():
            shared[path] = max(size, shared.get(path, 0))
    return private + sum(shared.values())


def used_ticks(stat):
    """Returns the processor time of a process in clock ticks from its /proc/PID/stat."""
    after_name = stat[stat.rindex(")") + 2 :].split()
    return int(after_name[11]) + int(after_name[12])


def shares(observations, ticks_per_s, skip_s):
    """Returns {pid: share of a core} from observations [(instant, {pid: ticks})], without the first and last seconds."""
    if not observations:
        return {}
    begin, end = observations[0][0] + skip_s, observations[-1][0] - skip_s
    inner = [observation for observation in observations if begin <= observation[0] <= end]
    if len(inner) < 2:
        raise Unreadable("the run was too short to see its processor use")
    (first_s, first), (last_s, last) = inner[0], inner[-1]
    return {pid: (last[pid] - first[pid]) / ticks_per_s / (last_s - first_s) for pid in last if pid in first}
