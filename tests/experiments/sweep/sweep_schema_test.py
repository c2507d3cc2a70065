"""The JSON Schemas that editors use agree with what the programs accept."""

import glob
import json
import os
import subprocess
import unittest

import jsonschema
import yaml

TOOL = os.environ["LOADSHARE_TOOL"]
SOURCE = os.environ["LOADSHARE_SOURCE"]
EXPERIMENTS = os.path.join(SOURCE, "experiments")
BROKEN = os.path.join(SOURCE, "tests", "data", "sweeps")

LAB = {"schema": 1, "name": "now", "hosts": [{"name": "slow", "count": 6, "share": 0.1, "link": "100mbit"}]}
BROKEN_HOSTS = [
    {"name": "slow", "share": 0.1},
    {"name": "slow", "share": "10%", "link": "100mbit"},
    {"name": "slow", "share": 0, "link": "100mbit"},
    {"name": "slow", "share": 0.1, "link": "100mb"},
    {"name": "slow", "share": 0.1, "link": 100},
    {"name": "slow", "share": 0.1, "link": "100mbit", "speed": 3},
    {"name": "slow host", "share": 0.1, "link": "100mbit"},
    {"name": "slow", "count": 0, "share": 0.1, "link": "100mbit"},
]


def checker(name):
    with open(os.path.join(EXPERIMENTS, name), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def content(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def yaml_files():
    return sorted(glob.glob(os.path.join(EXPERIMENTS, "**", "*.yaml"), recursive=True))


def is_lab(path):
    return "hosts" in content(path)


def validate(path):
    return subprocess.run([TOOL, "sweep", path, "--validate"], capture_output=True, text=True, timeout=60)


class Sweeps(unittest.TestCase):
    def test_examples_pass_in_both(self):
        checks = checker("sweep.schema.json")
        sweeps = [path for path in yaml_files() if not is_lab(path)]
        self.assertTrue(sweeps)
        for path in sweeps:
            with self.subTest(path):
                self.assertEqual([error.message for error in checks.iter_errors(content(path))], [])
                self.assertEqual(validate(path).stderr, "")

    def test_the_granularity_sweeps_run_on_labs_that_are_there(self):
        sweeps = [path for path in yaml_files() if os.path.dirname(path).endswith("granularity") and not is_lab(path)]
        self.assertEqual(len(sweeps), 5)
        for path in sweeps:
            with self.subTest(path):
                self.assertEqual(validate(path).returncode, 0)
                sweep = content(path)
                launches = [sweep["launch"], *(one["launch"] for one in sweep["experiments"] if "launch" in one)]
                labs = {os.path.join(os.path.dirname(path), launch["lab"]) for launch in launches}
                self.assertEqual([len(content(lab)["hosts"]) > 0 for lab in sorted(labs)], [True, True])

    def test_broken_shapes_fail_in_both(self):
        checks = checker("sweep.schema.json")
        broken = sorted(glob.glob(os.path.join(BROKEN, "shape_*.yaml")))
        self.assertGreater(len(broken), 10)
        for path in broken:
            with self.subTest(path):
                self.assertFalse(checks.is_valid(content(path)))
                self.assertEqual(validate(path).returncode, 2)

    def test_errors_that_only_the_program_finds_pass_the_schema(self):
        checks = checker("sweep.schema.json")
        for name in ("scheduler", "baseline", "compare", "zip_lengths", "exclude_axis", "name_twice"):
            with self.subTest(name):
                self.assertTrue(checks.is_valid(content(os.path.join(BROKEN, f"{name}.yaml"))))


class Labs(unittest.TestCase):
    def test_examples_pass(self):
        checks = checker("lab.schema.json")
        for lab in [LAB] + [content(path) for path in yaml_files() if is_lab(path)]:
            with self.subTest(lab["name"]):
                self.assertEqual([error.message for error in checks.iter_errors(lab)], [])

    def test_broken_sweeps_fail(self):
        checks = checker("lab.schema.json")
        for host in BROKEN_HOSTS:
            with self.subTest(host):
                self.assertFalse(checks.is_valid({**LAB, "hosts": [host]}))
        for change in ({"schema": 2}, {"name": "1st"}, {"hosts": []}, {"period": 10}, {"wires": 3}):
            with self.subTest(change):
                self.assertFalse(checks.is_valid({**LAB, **change}))


if __name__ == "__main__":
    unittest.main()
