"""Programs that have chosen their user's locale, in which fractions have a comma: ours have a point everywhere."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from app_cli import MPIRUN, PROGRAM, TIMEOUT_S, AppCase

GERMAN = "de_DE.UTF-8"
SOURCES = ("/usr/share/i18n/locales/de_DE", "/usr/share/i18n/charmaps/UTF-8.gz")


@unittest.skipUnless(shutil.which("localedef") and all(map(os.path.exists, SOURCES)), "the package `locales` is missing")
class LocalesCase(AppCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", "--no-archive", os.path.join(folder.name, GERMAN)],
                       check=True, timeout=TIMEOUT_S, capture_output=True)
        cls.environment = dict(os.environ, LOCPATH=folder.name, LC_ALL=GERMAN,
                               LSAN_OPTIONS="detect_leaks=0")  # the C library loses some bytes for LOCPATH

    def record_of(self, *words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("runs")) as file:
            return json.loads(next(file))

    def words(self, *more):
        return (PROGRAM, "sums", "--numbers", "100", "--pause", "0.002", "--json", self.path("runs"), *more)


class Threads(LocalesCase):
    def test_options_have_a_point(self):
        record = self.record_of(*self.words("--workers", "2", "--scheduler", "fsc:overhead=0.001,sigma=0.001", "--patience", "1.5s"))
        self.assertGreater(record["makespan_s"], 0.1)

    def test_an_option_that_cannot_be_read_is_named(self):
        for option, value, problem in (("--pause", "0,002", "--pause is '0,002'"), ("--patience", "1,5s", "--patience is '1,5s'"),
                                       ("--load", "on=1;5s,off=1s", "load: on is '1;5s'"),
                                       ("--scheduler", "fsc:overhead=0;5", "scheduler fsc: overhead is '0;5'")):
            with self.subTest(option=option):
                done = self.run_program("sums", "--workers", 1, option, value, env=self.environment)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr.startswith(f"error: {problem} ("), done.stderr)


class Ranks(LocalesCase):
    def test_a_load_begins_at_the_same_time_on_ranks_of_different_locales(self):
        for locales in ((GERMAN, "C"), ("C", GERMAN)):
            with self.subTest(locales=locales):
                first, second = (["-np", "1", "-x", f"LC_ALL={locale}", *self.words("--load", "on=20ms,off=20ms")]
                                 for locale in locales)
                load = self.record_of(MPIRUN, "-q", "--oversubscribe", *first, ":", *second)["load"]
                os.remove(self.path("runs"))
                on_s = [rank["on_s"] for rank in load["ranks"]]
                self.assertEqual(len(on_s), 2)
                self.assertGreater(min(on_s), 0)
                self.assertLess(abs(on_s[0] - on_s[1]), 0.2)


del LocalesCase
