"""Files that an editor has begun with a byte order mark are read as those without one."""

import codecs
import os
import pathlib

from predict_case import FREE, Case, calibration, lines, run

SOURCE = pathlib.Path(os.environ["LOADSHARE_SOURCE"])
GRAPH = """\
name: two
parameters: {n: 1000, p: 2}
processes:
  - ranks: all
    steps:
      - compute: 2e-9 * n
"""
FILES = {"runs.jsonl": lines(run(50), run(20)), "pair.json": calibration(["n1", "n2"], [1e8]), "graph.yaml": GRAPH,
         "bad-graph.yaml": GRAPH.replace("compute", "compuet"), "sizes.csv": "bytes,time_s\n1,0.001\n2,0.002\n3,0.003\n",
         "hosts.yaml": (SOURCE / "experiments/tr-97-14/paper-now.yaml").read_text(),
         "sweep.yaml": (SOURCE / "experiments/quick.yaml").read_text().replace("program: matmul", "program: /bin/true"),
         "bad-sweep.yaml": (SOURCE / "tests/data/sweeps/scheduler.yaml").read_text()}


class ByteOrderMark(Case):
    def told(self, *words):
        done = self.tool(*words)
        return done.returncode, done.stdout, done.stderr

    def test_it_is_no_part_of_a_file(self):
        for name, text in FILES.items():
            (self.folder / name).write_text(text)
        self.assertEqual(self.told("model", "fit", "sizes.csv", "--fit", "least-squares", "--out", "model.json")[0], 0)
        commands = {("metrics", "runs.jsonl"): 0,
                    ("predict", "runs.jsonl", "--hosts", "hosts.yaml", "--costs", FREE, "--scheduler", "send:5"): 0,
                    ("calibration", "show", "pair.json"): 0,
                    ("graph", "show", "graph.yaml"): 0,
                    ("graph", "show", "bad-graph.yaml"): 2,
                    ("model", "fit", "sizes.csv", "--fit", "least-squares"): 0,
                    ("model", "predict", "model.json", "--at", "4"): 0,
                    ("sweep", "--dry-run", "sweep.yaml"): 0,
                    ("sweep", "--dry-run", "bad-sweep.yaml"): 2}
        without = {words: self.told(*words) for words in commands}
        self.assertEqual({words: said[0] for words, said in without.items()}, commands, without)
        for path in self.folder.iterdir():
            path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
        for words, said in without.items():
            with self.subTest(words=words):
                self.assertEqual(self.told(*words), said)
