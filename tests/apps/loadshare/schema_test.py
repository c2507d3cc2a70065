"""Outputs of the programs conform to the JSON Schemas of experiments/, and docs/reference/files.md describes each field."""

import copy
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema
import yaml

TOOL = os.environ["LOADSHARE_TOOL"]
SYNTHETIC = os.environ["LOADSHARE_SYNTHETIC"]
MATMUL = os.environ["LOADSHARE_MATMUL"]
INTEGER_SORT = os.environ["LOADSHARE_INTEGER_SORT"]
MPIRUN = os.environ["LOADSHARE_MPIRUN"]
SOURCE = Path(os.environ["LOADSHARE_SOURCE"])

KINDS = ("record", "calibration", "survey", "metrics", "comparison", "graph", "figures")
QUIET = ("--progress", "none")
UNEVEN = (SYNTHETIC, "--cost", "gamma:mean=1ms,cv=0.5", "--how", "sleep", *QUIET)
SLEEPS = (*UNEVEN, "--iterations", "100", "--workers", "2")
LOAD = ("--load", "on=20ms,off=20ms,share=0.2")
# Maps whose names are an application's own, or MPI's.
OPEN = {"options", "findings", "versions", "transport", "asked_for", "parameters"}

# One of each kind of step, some of them as short as they may be.
GRAPH = """\
name: everything
parameters: {n: 1000, p: 4, half: n / 2}
processes:
  - ranks: 0
    steps:
      - send: {to: 1, bytes: 8 * n, tag: 3, mode: synchronous, request: out}
      - {compute: 0.5, spread: 1e-05, label: 7}
      - wait: [out]
      - barrier:
      - bcast: {bytes: half, root: 1}
      - allreduce: {bytes: 8, group: {first: 0, last: p-1}}
  - ranks: 1..p-1
    steps:
      - if: rank == 1
        then:
          - receive: {from: any, tag: 3, request: in}
          - wait: all
        else:
          - exchange: {to: 5 - rank, bytes: 16, tag: 1, from: 5 - rank, receive_tag: 1}
      - loop: 2
        as: i
        steps:
          - compute: i
      - barrier: {}
      - bcast: {bytes: half, root: 1}
      - allreduce: {bytes: 8, group: {first: 0, last: p-1, stride: 1}}
"""
BROKEN_STEPS = ("{compute: }", "{compute: 1, send: {to: 1, bytes: 1}}", "{label: a}", "{spread: 1}", "{compute: 1, spread: 11}",
                "{send: {to: 1}}", "{send: {to: 1, bytes: 1, mode: fast}}", "{exchange: {to: 1, bytes: 1, request: a}}",
                "{loop: 3}", "{loop: 3, steps: []}", "{if: 1, else: [{barrier: }]}", "{compute: 1, as: i}", "{barrier: 8}",
                "{allreduce: }", "{allreduce: {bytes: 8, root: 0}}", "{bcast: {root: 0}}",
                "{reduce: {bytes: 1, group: {first: 0}}}", "{alltoal: 8}", "{loop: 3, as: 2i, steps: [{compute: 1}]}")


def schema_of(kind):
    return json.loads((SOURCE / "experiments" / f"{kind}.schema.json").read_text(encoding="utf-8"))


def checker(kind):
    schema = schema_of(kind)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def no_constant(text):
    raise AssertionError(f"{text} is no JSON")


def parsed(text):
    return json.loads(text, parse_constant=no_constant)


def shortened(value, length):
    """The same with so many elements a list, so that checking it a hundred times takes no time."""
    if isinstance(value, dict):
        return {key: shortened(one, length) for key, one in value.items()}
    return [shortened(one, length) for one in value[:length]] if isinstance(value, list) else value


def spoilt_leaf(value):
    """Of another type: `12 s` where seconds should be."""
    return f"{value} s" if isinstance(value, (int, float)) and not isinstance(value, bool) else 7


def spoilt(document, leaf=spoilt_leaf, way=()):
    """Where in the document, and the document with one key misspelt or one value of another type there."""

    def with_change(change):
        changed = copy.deepcopy(document)
        place = changed
        for key in way:
            place = place[key]
        change(place)
        return changed

    here = document
    for key in way:
        here = here[key]
    for key in list(here) if isinstance(here, dict) else range(len(here)):
        if isinstance(key, str):
            yield (*way, key, "misspelt"), with_change(lambda place: place.update({key + "x": place.pop(key)}))
        if isinstance(here[key], (dict, list)) and key not in OPEN:
            yield from spoilt(document, leaf, (*way, key))
        elif here[key] is not None and key not in OPEN:
            yield (*way, key), with_change(lambda place: place.__setitem__(key, leaf(here[key])))


def setUpModule():
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    global FOLDER
    FOLDER = Path(scratch.name)
    for words in (("gss",), ("send:5",), ("auto",), ("gss", *LOAD), ("send:5", *LOAD)):
        run(*SLEEPS, "--json", "farm.jsonl", "--scheduler", *words)


def run(*words, good=(0,)):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=FOLDER)
    if done.returncode not in good:
        raise AssertionError(f"{words}: {done.stderr}")
    return done.stdout


def on_ranks(ranks, *words):
    return run(MPIRUN, "-q", "--oversubscribe", "-np", str(ranks), *words)


def profile_of_sorting(size, name):
    run(TOOL, "profile", "--out", name, "--", MPIRUN, "-q", "--oversubscribe", "-np", "2", INTEGER_SORT, "--class", size, *QUIET)


def records(name):
    return [parsed(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


class SchemaCase(unittest.TestCase):
    def assert_holds(self, kind, document):
        errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in checker(kind).iter_errors(document)]
        self.assertEqual(errors, [])

    def assert_fails_where_spoilt(self, kind, document, leaf=spoilt_leaf, length=1):
        checks, short = checker(kind), shortened(document, length)
        self.assert_holds(kind, short)
        for where, broken in spoilt(short, leaf):
            with self.subTest(where):
                self.assertFalse(checks.is_valid(broken))


class Records(SchemaCase):
    def test_a_farm_of_threads(self):
        for record in records("farm.jsonl"):
            self.assert_holds("record", record)
        self.assertEqual([record["choice"] is None for record in records("farm.jsonl")], [True, True, False, True, True])
        self.assertEqual([record["load"] is None for record in records("farm.jsonl")], [True, True, True, False, False])

    def test_threads_that_multiply(self):
        record = parsed(run(MATMUL, "--size", "100", "--workers", "2", *QUIET, "--json", "-"))
        self.assert_holds("record", record)
        self.assertGreater(record["gflops"], 0)

    def test_a_wrong_result(self):
        run(MATMUL, "--size", "50", "--spoil", "3", "--workers", "2", *QUIET, "--json", "wrong.jsonl", good=(1,))
        (record,) = records("wrong.jsonl")
        self.assert_holds("record", record)
        self.assertIs(record["verified"], False)

    def test_a_loop_without_iterations(self):
        self.assert_holds("record", parsed(run(SYNTHETIC, "--iterations", "0", "--how", "sleep", *QUIET, "--json", "-")))

    def test_ranks_under_a_load(self):
        on_ranks(2, MATMUL, "--size", "300", "--scheduler", "factoring", "--ranks-per-host", "1", "--reissue", *LOAD, *QUIET,
                 "--json", "mpi.jsonl")
        (record,) = records("mpi.jsonl")
        self.assert_holds("record", record)
        self.assertIn("working master", [rank["role"] for rank in record["ranks"]])
        self.assertEqual(len(record["load"]["ranks"]), 2)

    def test_a_program_without_a_master(self):
        on_ranks(2, INTEGER_SORT, "--class", "S", *QUIET, "--json", "peers.jsonl")
        (record,) = records("peers.jsonl")
        self.assert_holds("record", record)
        self.assertEqual((record["scheduler"], record["ranks"][0]["idle_s"]), (None, None))
        self.assertFalse(checker("record").is_valid(record | {"scheduler": "gss"}))

    def test_whatever_is_spoilt_fails(self):
        chosen, loaded = records("farm.jsonl")[2:4]
        self.assert_fails_where_spoilt("record", {**chosen, "load": loaded["load"]})


class Calibrations(SchemaCase):
    def test_of_three_ranks(self):
        on_ranks(3, TOOL, "calibrate", "--out", "pair.json", "--seconds", "0.2", "--collective-seconds", "0.2",
                 "--sizes", "0,64,4KiB", "--kernel-size", "48", *QUIET)
        calibration = parsed((FOLDER / "pair.json").read_text(encoding="utf-8"))
        self.assert_holds("calibration", calibration)
        self.assertTrue(calibration["collectives"] and calibration["chunks"])
        after = next(series for series in calibration["messages"] if series["posted"] == "after")
        self.assert_fails_where_spoilt("calibration", {**calibration, "messages": [after]}, length=2)
        checks = checker("calibration")
        for change in ({"posted": "before"}, {"mode": "ready"}, {"has_waited": [2]}, {"sender_ns": [0]}, {"sender_ns": []}):
            with self.subTest(change):
                self.assertFalse(checks.is_valid({**calibration, "messages": [{**after, **change}]}))


class Surveys(SchemaCase):
    def test_of_ranks_and_of_a_host_alone(self):
        on_ranks(2, TOOL, "survey", "--seconds", "0.1", "--out", "hosts.json")
        survey = parsed((FOLDER / "hosts.json").read_text(encoding="utf-8"))
        self.assert_holds("survey", survey)
        self.assert_holds("survey", parsed(run(TOOL, "survey", "--seconds", "0.1", "--json", "-")))
        granted = copy.deepcopy(survey)
        granted["ranks"][0]["grant"] = {"share": 0.5, "period_s": 0.1, "tick_s": 0.004}
        self.assert_fails_where_spoilt("survey", granted)
        granted["ranks"][0]["grant"]["share"] = 1.5
        self.assertFalse(checker("survey").is_valid(granted))


class Metrics(SchemaCase):
    def metrics(self, *words):
        return parsed(run(TOOL, "metrics", *words, "--json", "-"))

    def test_of_several_settings(self):
        told = self.metrics("farm.jsonl")
        self.assert_holds("metrics", told)
        self.assertEqual((len(told["settings"]), told["isoefficiency"]), (5, None))

    def test_of_several_sizes_and_numbers_of_ranks(self):
        for size in ("50", "100"):
            for workers in ("1", "2"):
                run(*UNEVEN, "--iterations", size, "--workers", workers, "--json", "scaling.jsonl")
        told = self.metrics("scaling.jsonl", "--keep", "0.5")
        self.assert_holds("metrics", told)
        self.assertEqual([len(setting["points"]) for setting in told["settings"]], [2, 2])
        self.assertTrue(told["isoefficiency"])
        self.assert_fails_where_spoilt("metrics", told)

    def test_of_one_setting_that_ran_twice(self):
        for _ in range(2):
            run(*SLEEPS, "--json", "twice.jsonl")
        told = self.metrics("twice.jsonl", "--speeds", "1,2", "--t-absolute", "0.09")
        self.assert_holds("metrics", told)
        self.assertEqual((told["runs"], told["speeds_from"], len(told["by_run"]["E"])), (2, "given", 2))
        self.assertIn("E_H", told["range"])
        checks = checker("metrics")
        for change in ({"efficiency": 1}, {"E": 1.5}, {"range": {"Ex": [0, 1]}}, {"by_run": {"G": [1]}}, {"G_word": "much"}):
            with self.subTest(change):
                self.assertFalse(checks.is_valid({**told, **change}))

    def test_of_a_profile(self):
        profile_of_sorting("S", "sort.profile")
        told = self.metrics("sort.profile")
        self.assert_holds("metrics", told)
        self.assertTrue(told["losses"])
        self.assert_fails_where_spoilt("metrics", told)


class Comparisons(SchemaCase):
    def test_of_runs_with_a_load_and_without_and_of_auto(self):
        told = parsed(run(TOOL, "compare", "farm.jsonl", "--json", "-"))
        self.assert_holds("comparison", told)
        self.assertEqual([setting["has_load"] for setting in told["settings"]], [False, True])
        self.assertIsNotNone(told["settings"][0]["auto"])
        self.assert_fails_where_spoilt("comparison", told)


class Graphs(SchemaCase):
    def evaluate(self, text):
        (FOLDER / "g.yaml").write_text(text, encoding="utf-8")
        return subprocess.run([TOOL, "graph", "evaluate", "g.yaml"], capture_output=True, text=True, timeout=60, cwd=FOLDER)

    def test_as_people_write_them(self):
        self.assertEqual(self.evaluate(GRAPH).stderr, "")
        self.assert_holds("graph", yaml.safe_load(GRAPH))
        for steps in yaml.safe_load(GRAPH)["processes"]:
            for step in steps["steps"]:
                one = {"name": "one", "parameters": {"p": 4}, "processes": [{"ranks": "all", "steps": [step]}]}
                self.assert_fails_where_spoilt("graph", one, leaf=lambda _: True, length=2)

    def test_as_they_are_written(self):
        (FOLDER / "g.yaml").write_text(GRAPH, encoding="utf-8")
        run(TOOL, "graph", "show", "g.yaml", "--yaml", "again.yaml")
        self.assert_holds("graph", yaml.safe_load((FOLDER / "again.yaml").read_text(encoding="utf-8")))

    def test_as_they_are_made_of_profiles(self):
        sources = []
        for name, keys in (("S", 65536), ("W", 1048576)):
            profile_of_sorting(name, f"{name}.profile")
            sources.append(f"n={keys}:{name}.profile")
        run(TOOL, "graph", "predict", "--from", *sources, "--yaml", "sort.yaml")
        self.assert_holds("graph", yaml.safe_load((FOLDER / "sort.yaml").read_text(encoding="utf-8")))

    def test_broken_ones_fail_in_both(self):
        checks = checker("graph")
        for step in BROKEN_STEPS:
            text = f"name: g\nparameters: {{p: 2}}\nprocesses:\n  - ranks: all\n    steps:\n      - {step}\n"
            with self.subTest(step):
                self.assertFalse(checks.is_valid(yaml.safe_load(text)))
                self.assertEqual(self.evaluate(text).returncode, 2)
        whole = yaml.safe_load(GRAPH)
        for change in ({"title": "a"}, {"parameters": {"n": 1}}, {"parameters": {"p": 1, "2n": 1}},
                       {"parameters": {"p": 1, "rank": 1}}, {"processes": []},
                       {"processes": [{"ranks": "1..", "steps": [{"barrier": None}]}]}):
            with self.subTest(change):
                self.assertFalse(checks.is_valid({**whole, **change}))
                self.assertEqual(self.evaluate(yaml.safe_dump({**whole, **change})).returncode, 2)


def fields_of(schema):
    """The names of all fields that a schema describes."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value
            yield from fields_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from fields_of(value)


class Documents(unittest.TestCase):
    def test_every_field_is_explained(self):
        page = re.sub("```.*?```", "", (SOURCE / "docs" / "reference" / "files.md").read_text(encoding="utf-8"), flags=re.DOTALL)
        for kind in KINDS:
            with self.subTest(kind):
                (section,) = [text for text in page.split("\n## ")[1:] if f"experiments/{kind}.schema.json" in text]
                words = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", section))))
                self.assertEqual(set(fields_of(schema_of(kind))) - words, set())


if __name__ == "__main__":
    unittest.main()
