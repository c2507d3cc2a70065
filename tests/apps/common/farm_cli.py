"""Runs a farm application as a user does."""

from app_cli import AppCase

MESSAGES = ("--ranks-per-host", 1)  # chunks travel as between hosts
SCHEDULERS = ("send", "gss", "gss:14,min=2", "factoring", "tss:40,2", "adaptive:3,1,9")


class FarmCase(AppCase):
    def record(self, *words, **options):
        """Returns the record of a good run, after checking that every iteration was computed once."""
        record = self.told_record(*words, **options)
        self.assertEqual(sum(rank["iterations"] for rank in record["ranks"]), record["iterations"])
        return record
