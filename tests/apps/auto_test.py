"""`--scheduler auto` in every farm application and a user's own program: by threads, by ranks and by
messages, first without and then with the first run's cache. PROGRAMS names them."""

import json
import os
import subprocess
import tempfile
import unittest

MPIRUN = os.environ["MPIRUN"]
PROGRAMS = {os.path.basename(path): path for path in os.environ["PROGRAMS"].split(":")}
WORDS = {
    "matmul": ["--size", "300", "--kernel", "naive"],
    "mandelbrot": ["--width", "200", "--height", "150"],
    "matvec": ["--size", "600", "--repeat", "20"],
    "synthetic": ["--iterations", "400", "--cost", "gamma:mean=200us,cv=0.5"],
    "own_sums": ["name", "--numbers", "3000"],
}
WAYS = {
    "threads": (["--workers", "2"], None, "threads"),
    "ranks": ([], 3, "mpi"),
    "messages": (["--ranks-per-host", "1"], 3, "mpi"),
    "coordinating": (["--ranks-per-host", "1", "--master", "coordinates", "--prefetch", "1"], 3, "mpi"),
}


class Auto(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.cache = os.path.join(self.directory, "cache")

    def records(self, app, way, *more, cache=None):
        words, ranks, _ = WAYS[way]
        path = os.path.join(self.directory, "runs.jsonl")
        launcher = [] if ranks is None else [MPIRUN, "-q", "--oversubscribe", "-np", str(ranks)]
        done = subprocess.run(
            [*launcher, PROGRAMS[app], *WORDS[app], *words, "--scheduler", "auto", "--json", path, *more],
            capture_output=True, text=True, timeout=60, env={**os.environ, "XDG_CACHE_HOME": cache or self.cache})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        os.remove(path)
        return records

    def assert_whole(self, record, transport):
        self.assertEqual((record["scheduler"], record["transport"]), ("auto", transport))
        self.assertIn(record["verified"], (True, None))
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), record["iterations"])
        choice = record["choice"]
        self.assertIn(choice["scheduler"], choice["level"])
        self.assertLessEqual(choice["tried"], choice["candidates"])

    def auto_notes(self, record):
        return [note for note in record["notes"] if note.startswith("auto")]

    def files(self):
        folder = os.path.join(self.cache, "loadshare", "auto")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def test_every_program_every_way_cold_and_warm(self):
        for app in PROGRAMS:
            for way, (_, _, transport) in WAYS.items():
                with self.subTest(app=app, way=way):
                    before = self.files()
                    for known in (False, True):
                        for record in self.records(app, way):
                            self.assert_whole(record, transport)
                            self.assertEqual(record["choice"]["known_from"] is not None, known)
                    new = set(self.files()) - set(before)
                    self.assertTrue(new)  # a file for this transport, in addition to others'
                    self.assertTrue(all(name.startswith(app) for name in new))

    def test_other_parameters_are_another_loop(self):
        self.records("synthetic", "threads")
        for more in (["--seed", "7"], ["--prefetch", "1"], ["--iterations", "401"]):
            words = WORDS["synthetic"]
            if more[0] in words:
                at = words.index(more[0])
                self.addCleanup(words.__setitem__, at + 1, words[at + 1])
                words[at + 1], more = more[1], []
            self.assertIsNone(self.records("synthetic", "threads", *more)[0]["choice"]["known_from"])

    def test_none_neither_reads_nor_writes_the_cache(self):
        self.records("synthetic", "threads", "--auto-from", "none")
        self.assertEqual(self.files(), [])
        self.records("synthetic", "threads")
        record, = self.records("synthetic", "threads", "--auto-from", "none")
        self.assertIsNone(record["choice"]["known_from"])

    def test_a_cache_that_cannot_be_written_is_not_used(self):
        for _ in range(2):
            record, = self.records("synthetic", "threads", cache="/dev/null")
            self.assertIsNone(record["choice"]["known_from"])
            self.assertEqual(self.auto_notes(record), [])

    def test_a_damaged_cache_is_measured_again_with_a_note(self):
        self.records("synthetic", "threads")
        name, = self.files()
        path = os.path.join(self.cache, "loadshare", "auto", name)
        with open(path, "r+", encoding="utf-8") as file:
            file.truncate(1000)
        record, = self.records("synthetic", "threads")
        self.assertIsNone(record["choice"]["known_from"])
        self.assertEqual([note[:50] for note in self.auto_notes(record)], ["auto measures again, because its cache is damaged:"])
        record, = self.records("synthetic", "threads")
        self.assertEqual((record["choice"]["known_from"], self.auto_notes(record)), (path, []))

    def test_a_record_of_any_technique_is_known_before(self):
        path = os.path.join(self.directory, "gss.jsonl")
        words = [PROGRAMS["synthetic"], *WORDS["synthetic"], "--workers", "2"]
        subprocess.run([*words, "--scheduler", "gss", "--json", path], check=True, capture_output=True, timeout=60)
        record, = self.records("synthetic", "threads", "--auto-from", path)
        self.assertEqual(record["choice"]["known_from"], path)
        done = subprocess.run([*words[:-1], "3", "--scheduler", "auto", "--auto-from", path],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no run of these hosts", done.stderr)

    def test_techniques_that_need_iteration_times_get_them_from_an_earlier_run(self):
        path = os.path.join(self.directory, "gss.jsonl")
        words = [PROGRAMS["synthetic"], *WORDS["synthetic"], "--workers", "2", "--scheduler"]

        def run(*more):
            return subprocess.run([*words, *more], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "XDG_CACHE_HOME": self.cache})

        unknown = run("fac")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("mu is missing (no earlier run of this loop has measured it)", unknown.stderr)
        self.assertEqual(run("gss", "--json", path).returncode, 0)
        for scheduler in ("fac", "fsc", "tap", "bold"):
            done = run(scheduler, "--auto-from", path)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.records("synthetic", "threads")  # a run of auto, which leaves its results in the cache
        self.assertEqual(run("fac").returncode, 0)
        self.assertEqual(run("fac", "--auto-from", "none").returncode, 2)


if __name__ == "__main__":
    unittest.main()
