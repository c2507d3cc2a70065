"""`loadshare graph` as a user sees it: what it prints, writes, draws and refuses."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import yaml

TOOL = os.environ["LOADSHARE_TOOL"]

RING = """\
name: ring
parameters: {n: 1000, p: 4}
processes:
  - ranks: all            # or 0, or 1..p-1
    steps:
      - loop: 10
        as: i
        steps:
          - compute: 2e-9 * n
          - send: {to: (rank + 1) % p, bytes: 8 * n, mode: standard}
          - receive: {from: (rank + p - 1) % p}
"""

# One of each kind of step.
EVERYTHING = """\
name: everything
parameters:
  n: 1000
  p: 4
  half: n / 2
processes:
  - ranks: 0
    steps:
      - send: {to: 1, bytes: 8 * n, tag: 3, mode: synchronous, request: out}
      - compute: 0.5
        spread: 0.1
        label: 'multiply: all'
      - wait: [out]
      - barrier: {}
      - bcast: {bytes: half, root: 1}
      - allreduce: {bytes: 8, group: {first: 0, last: p-1, stride: 1}}
  - ranks: 1..p-1
    steps:
      - if: rank == 1
        then:
          - receive: {from: 0, tag: 3, request: in}
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


def graph_of(steps, parameters="{n: 1000, p: 2}"):
    return f"name: g\nparameters: {parameters}\nprocesses:\n  - ranks: all\n    steps:\n{steps}"


class GraphCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)

    def graph(self, *words, **options):
        return subprocess.run([TOOL, "graph", *words], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              **options)

    def write(self, text, name="g.yaml"):
        (self.folder / name).write_text(text)
        return name

    def assert_refused(self, text, *words, **options):
        done = self.graph(*words, **options)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", f"loadshare: {text}\n", 2))

    def assert_file_refused(self, text, content, *words):
        self.assert_refused(text, "evaluate", self.write(content), *words)


class Show(GraphCase):
    def test_outline(self):
        done = self.graph("show", self.write(RING), "--set", "p=3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, """\
ring: n = 1000, p = 3

all ranks
  loop 10 times (i)
    compute 2e-9 * n s
    send 8 * n bytes to (rank + 1) % p
    receive from (rank + p - 1) % p

90 steps, 30 messages of 234.4 KiB in all
""")

    def test_what_is_written_is_the_same_graph(self):
        self.assertEqual(self.graph("show", self.write(EVERYTHING), "--yaml", "again.yaml").returncode, 0)
        self.assertEqual((self.folder / "again.yaml").read_text(), EVERYTHING)
        outlines = [self.graph("show", name).stdout for name in ("g.yaml", "again.yaml")]
        self.assertEqual(outlines[0], outlines[1])

    def test_other_readers_of_yaml_read_what_was_meant(self):
        steps = """\
      - loop: 'off'
        as: 'NULL'
        steps:
          - compute: 'yes + no'
            spread: 1e-05
            label: '010'
      - bcast: {bytes: 2000-01-31}
      - send: {to: rank, bytes: 1e+20 / 1e+20, request: 'True'}
      - receive: {from: rank, request: '2026-01-31'}
      - wait: ['True', '2026-01-31']
      - compute: 0.00001
        label: "two\\nlines"
"""
        text = graph_of(steps, "{p: 1, 'yes': 1e-05, 'no': 1e+20, 'off': 020}").replace("name: g", "name: 'on'")
        done = self.graph("show", self.write(text), "--yaml", "again.yaml")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        again = (self.folder / "again.yaml").read_text()
        told = yaml.safe_load(again)
        self.assertEqual((told["name"], told["parameters"]), ("on", {"p": 1, "yes": 1e-05, "no": 1e20, "off": 20}))
        self.assertEqual(told["processes"][0]["steps"], [
            {"loop": "off", "as": "NULL", "steps": [{"compute": "yes + no", "spread": 1e-05, "label": "010"}]},
            {"bcast": {"bytes": "2000-01-31"}},
            {"send": {"to": "rank", "bytes": "1e+20 / 1e+20", "request": "True"}},
            {"receive": {"from": "rank", "request": "2026-01-31"}},
            {"wait": ["True", "2026-01-31"]},
            {"compute": 1e-05, "label": "two\nlines"}])
        self.assertEqual(self.graph("show", "again.yaml", "--yaml", "third.yaml").returncode, 0)
        self.assertEqual((self.folder / "third.yaml").read_text(), again)

    def test_drawing(self):
        done = self.graph("show", self.write(EVERYTHING), "--svg", "g.svg", "--dot", "g.dot")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        dot = (self.folder / "g.dot").read_text()
        # Origins count 0 to 5 in the first process; in the second the branch is 6, its receive 7, its exchange 9.
        self.assertIn("step0 -> step7 [color=\"#cc5500\"", dot)
        self.assertIn("step9 -> step9 [color=\"#cc5500\"", dot)
        self.assertIn("{ rank=same; step3; step12 }", dot)
        svg = xml.etree.ElementTree.parse(self.folder / "g.svg")
        texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("rank 0", "ranks 1 to p-1", "if rank == 1", "multiply: all: compute 0.5 s", "barrier", "loop 2 times (i)"):
            self.assertIn(text, texts)

    def test_a_drawing_is_svg(self):
        done = self.graph("show", self.write(EVERYTHING), "--svg", "g.png")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "loadshare: --svg is 'g.png' (the ending of the name selects the kind of image); end it in .svg\n"))

    def test_a_graph_whose_messages_do_not_match_is_drawn_with_a_note(self):
        done = self.graph("show", self.write(graph_of("      - receive: {from: 0}\n")), "--dot", "g.dot")
        self.assertEqual(done.returncode, 0)
        self.assertIn("note  the messages are not known: g.yaml:6:9: a process waits for itself (process 0 receives from\n",
                      done.stdout)
        self.assertTrue((self.folder / "g.dot").exists())

    def test_so_is_one_whose_calls_do_not_meet_and_one_too_large(self):
        steps = "      - if: rank == 0\n        then:\n          - barrier: {}\n"
        loop = "      - loop: n\n        steps:\n          - compute: 1\n"
        for text, note in ((graph_of(steps), "rank 1 does not join 'barrier'"),
                           (graph_of(loop, "{n: 1e9, p: 1}"), "the program becomes longer than 2000000 steps")):
            done = self.graph("show", self.write(text), "--dot", "g.dot")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(note, " ".join(done.stdout.split()))

    def test_what_cannot_be_evaluated_is_not_drawn(self):
        sound = graph_of("      - compute: 1\n")
        for text, words in ((graph_of("      - compute: 2 * m\n"), ()), (graph_of("      - send: {to: 7, bytes: 1}\n"), ()),
                            (sound.replace("all", "0"), ()), (sound, ("--set", "m=1")), (sound, ("--set", "p=0"))):
            with self.subTest(text=text, words=words):
                refusals = [self.graph(verb, self.write(text), *words, *more)
                            for verb, more in (("evaluate", ()), ("show", ("--dot", "g.dot", "--yaml", "again.yaml")))]
                self.assertEqual([done.returncode for done in refusals], [2, 2])
                self.assertEqual(refusals[1].stderr, refusals[0].stderr)
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["g.yaml"])

    def test_outputs_are_not_inputs(self):
        self.write(RING)
        done = self.graph("show", "g.yaml", "--yaml", "g.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual((self.folder / "g.yaml").read_text(), RING)


class Evaluate(GraphCase):
    COSTS = ("--costs", "latency=1ms,bandwidth=1MB/s,eager=1MiB")

    def test_json_is_the_closed_form(self):
        done = self.graph("evaluate", self.write(RING), "--set", "n=500,p=3", *self.COSTS, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(list(told), ["schema", "graph", "set", "costs", "steps", "messages", "makespan_s", "t_exec_s",
                                      "ranks", "critical_path", "notes"])
        self.assertEqual((told["schema"], told["steps"], told["messages"], told["notes"]), (1, 90, 30, []))
        # A round: 1 us, then the message of 4000 bytes is there after 1 ms and 4 ms; its sender is busy for 4 ms.
        self.assertAlmostEqual(told["makespan_s"], 10 * (1e-6 + 5e-3), places=12)
        self.assertAlmostEqual(told["t_exec_s"], 10 * (1e-6 + 4e-3 + 5e-3), places=12)
        self.assertAlmostEqual(sum(part["seconds"] for part in told["critical_path"]), told["makespan_s"], places=12)
        for rank in told["ranks"]:
            self.assertAlmostEqual(rank["computing_s"] + rank["communicating_s"] + rank["idle_s"], rank["finish_s"])
        self.assertIn("makespan     50.0 ms", done.stderr)

    def test_text(self):
        steps = """\
      - if: rank == 0
        then:
          - compute: 2
          - send: {to: 1, bytes: 1000}
        else:
          - receive: {from: 0}
"""
        done = self.graph("evaluate", self.write(graph_of(steps)), *self.COSTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, """\
g; messages cost latency=1ms,bandwidth=1MB/s,eager=1MiB

makespan      2.00 s  messages matched: a receive waits for its send
T_exec        2.00 s  max over the processes of the sum of their parts

rank  computing  communicating    idle  finish  sum of parts
   0     2.00 s        1.00 ms     0 s  2.00 s        2.00 s
   1        0 s        2.00 ms  2.00 s  2.00 s       2.00 ms

on the critical path
step     place         on ranks     time   share
compute  g.yaml:8:13          1   2.00 s  99.9 %
receive  g.yaml:11:13         1  2.00 ms   0.1 %
""")

    def test_every_kind_of_step(self):
        done = self.graph("evaluate", self.write(EVERYTHING), "--json", "out.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["graph"], "everything")


class BadGraphs(GraphCase):
    def test_messages_without_their_other_half(self):
        self.assert_file_refused(
            "g.yaml:8:13: a send has no receive (process 0 sends to process 1 in 'send', tag 0)",
            graph_of("      - if: rank == 0\n        then:\n          - send: {to: 1, bytes: 8}\n"))
        self.assert_file_refused(
            "g.yaml:8:13: a receive has no send (process 0 receives from process 1 in 'receive', tag 4)",
            graph_of("      - if: rank == 0\n        then:\n          - receive: {from: 1, tag: 4}\n"))

    def test_a_circle(self):
        self.assert_file_refused(
            "g.yaml:6:9: processes wait for one another in a circle (process 0 receives from process 1 in 'receive' at "
            "g.yaml:6:9; process 1 receives from process 0 in 'receive' at g.yaml:6:9)",
            graph_of("      - receive: {from: 1 - rank}\n      - send: {to: 1 - rank, bytes: 8}\n"))

    def test_keys(self):
        self.assert_file_refused("g.yaml:6:9: unknown key 'sned' (valid: compute, send, receive, exchange, wait, loop, if, "
                                 "barrier, bcast, reduce, allreduce, gather, gatherv, scatter, scatterv, allgather, "
                                 "allgatherv, alltoall, alltoallv, reduce_scatter, reduce_scatter_block, scan, exscan, "
                                 "label); did you mean 'send'?", graph_of("      - sned: {to: 1}\n"))
        self.assert_file_refused("g.yaml:6:23: unknown key 'byte' (valid: to, bytes, tag, mode, request); did you mean "
                                 "'bytes'?", graph_of("      - send: {to: 0, byte: 1}\n"))
        self.assert_file_refused("g.yaml:6:15: send has no 'bytes'", graph_of("      - send: {to: 0}\n"))
        self.assert_file_refused("g.yaml:6:28: unknown key 'tga' (valid: from, tag, request); did you mean 'tag'?",
                                 graph_of("      - receive: {from: 0, tga: 1}\n"))
        self.assert_file_refused("g.yaml:4:5: unknown key 'rank' (valid: ranks, steps); did you mean 'ranks'?", graph_of("      - compute: 1\n").replace("ranks", "rank"))
        self.assert_file_refused("g.yaml:6:18: barrier is '8' (it has no bytes); write barrier: {}",
                                 graph_of("      - barrier: 8\n"))
        self.assert_file_refused("g.yaml:6:9: bcast is empty (it must say its bytes: the whole message)",
                                 graph_of("      - bcast:\n"))
        self.assert_file_refused("g.yaml:6:9: a step is both compute and send (a step does one thing); write two steps, "
                                 "each after a -", graph_of("      - compute: 1\n        send: {to: 1, bytes: 1}\n"))
        self.assert_file_refused("g.yaml:1:1: 'parameters' is missing", "name: g\n")
        self.assert_file_refused("g.yaml:6:39: unknown mode 'redy' (valid: standard, buffered, synchronous, ready); did you "
                                 "mean 'ready'?", graph_of("      - send: {to: 0, bytes: 1, mode: redy}\n"))

    def test_expressions(self):
        at = "g.yaml:6:18:"
        for expression, text in (
                ("1 / (p - 2)", "'1 / (p - 2)' divides by zero (p=2)"),
                ("2 * m", "unknown name 'm' in '2 * m' (known: n, p, rank); did you mean 'n'?"),
                ("0 - n", "compute = 0 - n is -1000 (it must not be negative; n=1000)")):
            self.assert_file_refused(f"{at} {text}", graph_of(f"      - compute: {expression}\n"))
        self.assert_file_refused("g.yaml:6:15: loop is 1.5 (it must be a whole number)",
                                 graph_of("      - loop: 1.5\n        steps: [{compute: 1}]\n"))
        self.assert_file_refused("g.yaml:6:20: to is 2 (it must be from 0 to 1)",
                                 graph_of("      - send: {to: 2, bytes: 8}\n"))
        self.assert_file_refused("g.yaml:6:30: bytes is -8 (it must not be negative)",
                                 graph_of("      - send: {to: 1, bytes: -8}\n"))

    def test_processes(self):
        self.assert_file_refused("p is 0 (a program has 1 to 1000000 processes)", RING, "--set", "p=0")
        self.assert_file_refused("g.yaml:4:5: no process of the graph 'g' is for rank 1 (ranks are 0 to 1)",
                                 graph_of("      - compute: 1\n").replace("all", "0"))
        self.assert_file_refused("g.yaml:4:12: ranks is '1..' (it must be all, a rank, or the first and the last like "
                                 "1..p-1)", graph_of("      - compute: 1\n").replace("all", "1.."))

    def test_files(self):
        self.assert_refused("cannot read none.yaml (no such file or directory)", "evaluate", "none.yaml")
        self.assert_file_refused("g.yaml:1:1: the file is empty", "")

    def test_options(self):
        self.assert_file_refused("--set has 'n' (it must be name=value, separated by commas)", RING, "--set", "n")
        self.assert_file_refused("--set has 'n' twice", RING, "--set", "n=1,n=2")
        self.assert_file_refused("unknown parameter 'm' (valid: n, p); did you mean 'n'?", RING, "--set", "m=1")
        self.assert_file_refused("--costs bandwidth is '12'; write it like bandwidth=12.5MB/s", RING, "--costs",
                                 "bandwidth=12")
        self.assert_file_refused("--costs latency is '-1us'; write it like latency=50us", RING, "--costs", "latency=-1us")
        self.assert_file_refused("--costs eager is '64'; write it like eager=64KiB", RING, "--costs", "eager=64")
        self.assert_file_refused("unknown part of --costs 'latancy' (valid: latency, bandwidth, eager); did you mean "
                                 "'latency'?", RING, "--costs", "latancy=1us")


if __name__ == "__main__":
    unittest.main()
