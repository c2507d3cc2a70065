"""mandelbrot as a user runs it, with threads and under mpirun."""

import json
import os
import tempfile
import unittest

import numpy as np
from matplotlib.image import imread

from app_cli import PROGRAM
from farm_cli import MESSAGES, SCHEDULERS, FarmCase
from small_disk import has_small_disks

SMALL = ("--width", 120, "--height", 90, "--tasks", 12, "--depth", 500)


def escape_counts(width, height, depth, bounds):
    """Returns the counts computed by numpy, row by row."""
    x0, x1, y0, y1 = bounds
    re = x0 + (np.arange(width) + 0.5) * ((x1 - x0) / width)
    im = y1 - (np.arange(height) + 0.5) * ((y1 - y0) / height)
    c_re, c_im = np.broadcast_to(re, (height, width)), np.broadcast_to(im[:, None], (height, width))
    x, y = np.zeros((height, width)), np.zeros((height, width))
    counts, inside = np.zeros((height, width), int), np.ones((height, width), bool)
    with np.errstate(all="ignore"):
        for _ in range(depth):
            inside &= x * x + y * y <= 4
            counts += inside
            x, y = x * x - y * y + c_re, 2 * x * y + c_im
    return counts


class Runs(FarmCase):
    def test_every_scheduler(self):
        for scheduler in SCHEDULERS:
            with self.subTest(scheduler=scheduler):
                record = self.record(*SMALL, "--scheduler", scheduler, "--workers", 3, "--verify", "full")
                self.assertEqual((record["verified"], record["iterations"]), (True, 12))

    def test_every_size(self):
        for words in (("--width", 1, "--height", 1, "--tasks", 1), ("--width", 97, "--height", 31, "--tasks", 7),
                      ("--width", 3, "--height", 2, "--tasks", 6, "--workers", 9), ("--tasks", 1, "--workers", 4),
                      ("--width", 40, "--height", 40, "--tasks", 1600, "--scheduler", "gss"), ("--depth", 1)):
            with self.subTest(words=words):
                rest = SMALL if words[0] in ("--tasks", "--depth") else ("--depth", 100)
                given = {**dict(zip(rest[::2], rest[1::2])), **dict(zip(words[::2], words[1::2]))}
                flat = [word for pair in given.items() for word in pair]
                self.assertIs(self.record(*flat, "--verify", "full")["verified"], True)

    def test_mpi(self):
        for ranks, words in ((1, ()), (2, ("--scheduler", "send:1")), (4, ("--scheduler", "factoring")),
                             (4, (*MESSAGES, "--prefetch", 2)), (3, (*MESSAGES, "--master", "coordinates", "--reissue"))):
            with self.subTest(ranks=ranks, words=words):
                record = self.record(*SMALL, "--verify", "full", *words, ranks=ranks)
                self.assertEqual((record["verified"], record["transport"], len(record["ranks"])), (True, "mpi", ranks))

    def test_ranks_with_other_words_are_refused(self):
        other = [7 if word == 12 else word for word in SMALL]
        self.assert_refused((*SMALL, ":", "-np", 1, PROGRAM, *other), "ranks have different options (--tasks is 12 on rank 0, "
                            "7 on rank 1); give every rank the same options", ranks=1)

    def test_ranks_of_another_program_are_refused(self):
        other = os.path.join(os.path.dirname(PROGRAM), "matvec")
        done = self.run_program(*SMALL, ":", "-np", 1, other, ranks=1)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertRegex(done.stderr, r"\Aerror: ranks run different programs \(mandelbrot .* on rank 0, matvec .* on rank 1\); "
                         r"start one program with one mpirun\n\Z")

    def test_the_record(self):
        record = self.record(*SMALL, "--region", "-0.8,-0.7,0.05,0.15", "--seed", 7)
        options = record["options"]
        self.assertEqual([options[name] for name in ("width", "height", "tasks", "depth", "region", "verify")],
                         [120, 90, 12, 500, "-0.8,-0.7,0.05,0.15", "sample"])
        self.assertEqual((record["seed"], record["iteration_name"]), (7, "tiles"))
        counts = escape_counts(120, 90, 500, (-0.8, -0.7, 0.05, 0.15))
        self.assertEqual(options["escape_iterations"], counts.sum())
        self.assertEqual(record["operations"], 8.0 * counts.sum())
        self.assertEqual(self.record(*SMALL, "--region", "part")["options"]["escape_iterations"], counts.sum())

    def test_unverified(self):
        self.assertIsNone(self.record(*SMALL, "--verify", "none")["verified"])

    def test_help_and_version(self):
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ("--width N=1000 ", "--height N=1000 ", "--tasks N=100 ", "--region REGION=whole ", "--depth N=10000 ",
                     "--verify HOW=sample ", "--scheduler SPEC=gss ", "whole: ", "part: "):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)
        self.assertRegex(self.run_program("--version", ranks=2).stdout, r"\A\d+\.\d+\.\d+ \(.+, \w+\)\n\Z")
        self.assertRegex(self.run_program("--scheduler", "help").stdout, r"(?m)^gss:divisor")


class Image(FarmCase):
    def image(self, *words, **options):
        path = self.path("set.png")
        self.record(*words, "--image", path, **options)
        return np.asarray(imread(path))[:, :, :3]

    def test_the_image_shows_the_counts(self):
        """Black is the set, and each count has one colour."""
        for ranks, words in ((None, ()), (4, MESSAGES)):
            with self.subTest(ranks=ranks):
                image = self.image(*SMALL, *words, ranks=ranks)
                counts = escape_counts(120, 90, 500, (-2, 1, -1.5, 1.5))
                self.assertEqual(image.shape, (90, 120, 3))
                np.testing.assert_array_equal((image == 0).all(axis=2), counts == 500)
                for count in np.unique(counts):
                    self.assertEqual(len(np.unique(image[counts == count], axis=0)), 1, count)
                self.assertGreater(len(np.unique(image.reshape(-1, 3), axis=0)), 20)

    def test_the_top_is_above(self):
        image = self.image(*SMALL, "--region", "-0.5,0.5,0,2")  # the set reaches up to i
        self.assertTrue((image[-1] == 0).all(axis=1).any())
        self.assertFalse((image[0] == 0).all(axis=1).any())

    def test_an_image_that_cannot_be_written(self):
        self.assert_refused([*SMALL, "--image", self.path("no/set.png")],
                            f"cannot write the image to '{self.path('no/set.png')}' (there is no directory "
                            f"{self.path('no')}); name another file", ranks=2)
        self.assert_refused([*SMALL, "--image", "/dev/full"],
                            "cannot write the image to '/dev/full' (no space left on device); name another file")
        path = self.path("a.png")
        self.assert_refused([*SMALL, "--image", path, "--json", path],
                            f"--image and --json are the same file ({path}); name another file")

    @unittest.skipUnless(has_small_disks(), "a disk of a few pages takes root and unshare")
    def test_a_full_disk_keeps_the_old_image(self):
        with tempfile.NamedTemporaryFile() as elsewhere:
            done = self.run_on_small_disk("--region", "part", "--depth", 400, "--image", "kept.png", "--json", elsewhere.name,
                                          "--progress", "none", old="kept.png")
            self.assertIs(json.load(elsewhere)["verified"], True)
        self.assertEqual((done.returncode, done.stdout), (1, "filler\nkept.png\nold\n"), done.stderr)
        self.assertRegex(done.stderr, r"\Aerror: cannot write \S*kept\S* \(no space left on device\)\n\Z")


class Failures(FarmCase):
    def test_a_spoilt_tile(self):
        for check in ("sample", "full"):
            for ranks in (None, 2):
                with self.subTest(check=check, ranks=ranks):
                    path = self.path("set.png")
                    done = self.run_program(*SMALL, "--spoil", 5, "--verify", check, "--image", path, "--json", "-", ranks=ranks)
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(done.stderr.count(f"error: the image is wrong in tile 5 (1 of 12) ({path} was not "
                                                       "written)\n"), 1, done.stderr)
                    self.assertIs(json.loads(done.stdout)["verified"], False)
                    self.assertRaises(FileNotFoundError, open, path)

    def test_words(self):
        grid = "an image of 10 x 10 cannot be cut into a grid of that many tiles with a pixel each"
        bounds = "write it as X0,X1,Y0,Y1: -2,1,-1.5,1.5"
        ten = ["--width", 10, "--height", 10]
        for words, text in (
            ([*ten, "--tasks", 11], f"--tasks is 11 ({grid}); use 10 or 12"),
            ([*ten, "--tasks", 101], f"--tasks is 101 ({grid}); use 100"),
            (["--tasks", 0], "--tasks is 0 (at least 1)"),
            (["--width", 0], "--width is 0 (at least 1)"),
            (["--height", 0], "--height is 0 (at least 1)"),
            (["--depth", 0], "--depth is 0 (at least 1)"),
            (["--depth", 2**31], "--depth is 2147483648 (at most 2147483647)"),
            (["--region", "hole"], "unknown --region 'hole' (valid: whole, part); did you mean 'whole'?"),
            (["--region", "1,2,3"], f"--region is '1,2,3' (it has 3 numbers, not 4); {bounds}"),
            (["--region", "1,2,x,3"], f"--region is '1,2,x,3' ('x' is not a number); {bounds}"),
            (["--region", "1,2,3,3"], f"--region is '1,2,3,3' (a region must begin before it ends); {bounds}"),
            (["--region", "nan,2,3,4"], f"--region is 'nan,2,3,4' ('nan' is not a number); {bounds}"),
            (["--region", "1,1.0000000000001,0,1"], "--region is '1,1.0000000000001,0,1' (its 1000 x 1000 pixels are too "
             "near each other for double precision); use a larger region or fewer pixels"),
            (["--verify", "ful"], "unknown --verify 'ful' (valid: sample, full, none); did you mean 'full'?"),
            (["--spoil", 100], "--spoil is 100 (the image has 100 tiles, from 0)"),
            (["--task", 9], "unknown option '--task'; did you mean '--tasks'?"),
            (["--image", "set.jpg"], "--image is 'set.jpg' (the image is written as PNG); give a name that ends in .png"),
            (["--tasks", 1, "--spoil", 1], "--spoil is 1 (the image has 1 tile, from 0)"),
            (["--width", 2000000, "--height", 1, "--image", "x.png"], "an image of 2000000 x 1 pixels cannot be a PNG (it has at "
             "most 1000000 a side and 2147483648 in all); leave out --image, or compute fewer"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_one_rank_reports_an_error_once(self):
        done = self.run_program("--width", 2**24, "--height", 2**24, ranks=3)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aerror: an image of 16777216 x 16777216 pixels needs 1 PiB of memory \(.*\); use a "
                                      r"smaller one\n\Z")


if __name__ == "__main__":
    unittest.main()
