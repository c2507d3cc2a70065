"""Reads what the measured programs print. Text in, numbers out."""

import json
import re
import statistics
import time


class Unreadable(Exception):
    """A program printed something else than it promises, or a result that was not verified."""


def last_line(text, who):
    lines = text.strip().splitlines()
    try:
        record = json.loads(lines[-1])
    except (IndexError, json.JSONDecodeError) as error:
        raise Unreadable(f"{who} printed no JSON ({error})") from None
    if record.get("verified") is not True:
        raise Unreadable(f"{who} did not verify its result")
    return record


def listening_address(read_notes, timeout_s=20):
    """Where a master says that it listens, in what `read_notes` returns sooner or later."""
    end_s = time.monotonic() + timeout_s
    while not (found := re.search(r"listening at (\S+)", read_notes())):
        if time.monotonic() > end_s:
            raise Unreadable("the master does not listen")
        time.sleep(0.01)
    return found[1]


def matmul(text):
    return last_line(text, "matmul")


def load(text):
    """What `loadshare load --json` printed."""
    try:
        measured = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"loadshare load printed no JSON ({error})") from None
    if not measured.get("cycles"):
        raise Unreadable("the load never came on")
    return measured


def gflops(record):
    """Of a matmul record."""
    return record["operations"] / record["makespan_s"] * 1e-9


def over_ideal_of_loss_s(record, all_s, fewer_s, unnoticed_s):
    """Of a run that lost a worker, which was noticed so much later: how much longer it took than ideally, when what is left
    then goes on as with one worker fewer, and than the chunk took that was lost. `all_s`, `fewer_s`: the same run with
    all of them, and without that one from the start."""
    [lost] = [event for event in record["membership"]["events"] if event["what"] == "lost"]
    lost_s = lost["at_s"] - unnoticed_s
    ideal_s = lost_s + (1 - lost_s / all_s) * fewer_s
    chunk_s = statistics.median(chunk["ended_s"] - chunk["begun_s"] for chunk in record["chunks"])
    return record["makespan_s"] - ideal_s - chunk_s


def answer_delays_ms(record):
    """How long the results of workers on other ranks than the master's waited to be taken, ascending."""
    away = {rank["worker"] for rank in record["ranks"] if rank["role"] == "worker"}
    chunks = [chunk for chunk in record["chunks"] if chunk["worker"] in away]
    return sorted((chunk["returned_s"] - chunk["ended_s"]) * 1e3 for chunk in chunks)


def median_gflops(record):
    """Of a reference's record."""
    return statistics.median(record["gflops"])


def best_specs(text):
    """{technique: its spec of the least predicted makespan}, the least first, of what `loadshare predict --json -` printed."""
    best = {}
    for one in sorted(json.loads(text)["predictions"], key=lambda one: one["makespan_s"]):
        best.setdefault(one["scheduler"].partition(":")[0], one["scheduler"])
    return best


def processor_name(cpuinfo):
    """Of the first processor of /proc/cpuinfo."""
    found = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else "a processor without a name"


def stolen_ticks(stat):
    """The time that the hypervisor has kept for others, of the first line of /proc/stat."""
    return int(stat.splitlines()[0].split()[8])


def broadcast_s(text):
    return last_line(text, "mpi_broadcast")["seconds"]


def map_ms(text):
    """Medians of the map's and of the plain loop's times."""
    record = last_line(text, "map_cost")
    return tuple(1e3 * statistics.median(record[name]) for name in ("map_s", "plain_s"))


def idle_percent(text):
    """Of the workers that had no chunk the one that burnt most; % of a core."""
    record = last_line(text, "synthetic")
    idle = [rank for rank in record["ranks"] if rank["role"] == "worker" and rank["chunks"] == 0]
    return 100 * max(rank["waiting_cpu_s"] + rank["coordinating_cpu_s"] for rank in idle) / record["makespan_s"]


def million_chunks_per_s(text):
    record = last_line(text, "the loop")
    return statistics.median(record["chunks_per_s"]) * 1e-6


def nanoseconds(text):
    """{name: time of one round} of Google Benchmark's JSON."""
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    times = {}
    for run in json.loads(text)["benchmarks"]:
        if run.get("error_occurred"):
            raise Unreadable(f"{run['name']}: {run.get('error_message', 'failed')}")
        times[run["name"]] = run["real_time"] * scale[run["time_unit"]]
    return times


def sweep_runs(text):
    """The runs of a runs.jsonl, all of which must have gone well."""
    runs = [json.loads(line) for line in text.splitlines()]
    if not runs or any(run["status"] != "ok" or run["record"]["verified"] is not True for run in runs):
        raise Unreadable("a run of the sweep failed")
    return runs


def proportional_bytes(smaps_rollup):
    """(private memory and files, shared memory): of what several processes map, each has its proportional part."""
    sizes = dict(re.findall(r"^(Pss\w*): +(\d+) kB", smaps_rollup, re.MULTILINE))
    shared = 1024 * int(sizes.get("Pss_Shmem", 0))
    return 1024 * int(sizes.get("Pss", 0)) - shared, shared


def shared_residents(smaps):
    """{file of shared memory: bytes of it that this process has in memory}."""
    residents = {}
    for path, size in re.findall(r"^\w+-\w+ .* (/dev/shm/\S+).*\n(?:(?!\w+-\w+ ).*\n)*?Rss: +(\d+) kB", smaps, re.MULTILINE):
        residents[path] = residents.get(path, 0) + 1024 * int(size)
    return residents


def memory_in_use(processes):
    """Bytes of processes given by (smaps_rollup, smaps). Their proportional parts of shared memory, read one after
    the other while they map more of it, would add up to more than there is: of each file the process counts that
    has most of it."""
    private = 0
    shared = {}
    for smaps_rollup, smaps in processes:
        private += proportional_bytes(smaps_rollup)[0]
        for path, size in shared_residents(smaps).items():
            shared[path] = max(size, shared.get(path, 0))
    return private + sum(shared.values())


def used_ticks(stat):
    """Processor time of a process in clock ticks, from its /proc/PID/stat."""
    after_name = stat[stat.rindex(")") + 2 :].split()
    return int(after_name[11]) + int(after_name[12])


def shares(observations, ticks_per_s, skip_s):
    """{pid: share of a core} from observations [(instant, {pid: ticks})], without the first and last seconds."""
    if not observations:
        return {}
    begin, end = observations[0][0] + skip_s, observations[-1][0] - skip_s
    inner = [observation for observation in observations if begin <= observation[0] <= end]
    if len(inner) < 2:
        raise Unreadable("the run was too short to see its processor use")
    (first_s, first), (last_s, last) = inner[0], inner[-1]
    return {pid: (last[pid] - first[pid]) / ticks_per_s / (last_s - first_s) for pid in last if pid in first}
