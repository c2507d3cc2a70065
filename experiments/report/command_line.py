"""The command line: reads sweeps, writes the page and a CSV file in the same folder."""

import argparse
import json
import os
import sys
from pathlib import Path

from report.claims import judge, load_claims
from report.efficiency import studies_by_folder
from report.errors import RUN_FAILED, USAGE, ReportError, complain
from report.page import make_page
from report.points_csv import points_csv
from report.predictions import read_predictions
from report.reading import MANIFEST, RUNS, read_sweep
from report.verdicts import outcomes_by_folder
from report.wording import file_word


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ReportError(USAGE, message, "see loadshare report --help")


def main(arguments):
    """Runs the command line and returns the exit code; errors go to stderr."""
    try:
        options = _parser().parse_args(arguments)
        computed = json.load(sys.stdin) if options.computed else None
        page = report(options.folders, options.out, options.claims, options.title, computed, options.predicted)
    except ReportError as error:
        complain(error)
        return error.code
    print(page)
    return 0


def _parser():
    parser = _Parser(prog="loadshare report", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a folder that loadshare sweep wrote")
    parser.add_argument("--out", metavar="FILE.html", help="the page (default: report.html in the one DIR)")
    parser.add_argument("--claims", metavar="FILE.py", help="a list of claims that the runs are tested with")
    parser.add_argument("--computed", action="store_true",
                        help="read verdicts and efficiencies by folder as JSON from stdin (the tool passes them)")
    parser.add_argument("--predicted", metavar="FILE.json", help="the predictions that loadshare compare wrote for these folders")
    parser.add_argument("--title", metavar="TEXT", help="the page's title (default: the sweep's)")
    return parser


def report(folders, out=None, claims=None, title=None, computed=None, predicted=None):
    """Writes the page and the CSV file; returns the page's path. `computed` is the JSON that the tool passes."""
    page = _page_path(folders, out)
    _require_own_page(page, [("predictions", predicted), ("claims", claims),
                             *(("runs", Path(folder) / name) for folder in folders for name in ("runs.jsonl", "sweep.json"))])
    claims = load_claims(claims) if claims is not None else None
    sweeps = [read_sweep(folder) for folder in folders]
    judgements = judge(claims, sweeps, _law(computed)) if claims is not None else None
    predictions = read_predictions(predicted, sweeps) if predicted is not None else None
    efficiencies = studies_by_folder(computed["efficiencies"]) if computed else None
    outcomes = outcomes_by_folder(computed["verdicts"]) if computed else None
    csv_text = points_csv(sweeps, predictions, outcomes)
    _write(page, make_page(title or _title(sweeps), sweeps, judgements, csv_text, efficiencies, predictions, outcomes))
    _write(_csv_path(page), csv_text)
    return page


def _require_own_page(page, read):
    for what, path in read:
        for output in (page, _csv_path(page)):
            if path and Path(path).exists() and output.resolve() == Path(path).resolve():
                raise ReportError(USAGE, f"cannot write the page to {page}", f"that file contains the {what}", "choose a name that ends in .html")


def _law(computed):
    if not computed or not computed["signed_rank_law"]:
        raise ReportError(USAGE, "cannot judge the claims", "only the tool passes the test's distribution",
                          "make the page with loadshare report")
    return computed["signed_rank_law"]


def _title(sweeps):
    return sweeps[0].title if len(sweeps) == 1 else f"Report of {len(sweeps)} sweeps"


def _page_path(folders, out):
    if out is not None:
        return _checked(out)
    if len(folders) > 1:
        raise ReportError(USAGE, "several folders need --out", "the page could go to any of them",
                          "add --out FILE.html")
    return Path(folders[0]) / "report.html"


def _checked(out):
    page = Path(out)
    if not out:
        raise ReportError(USAGE, "cannot write the page to ''", "the name is empty",
                          "give --out FILE.html, or leave it out for report.html in the one DIR")
    if page.is_dir():
        raise ReportError(USAGE, f"cannot write the page to {page}", "it is a folder", f"give --out {file_word(page / 'report.html')}")
    if page.suffix.lower() == ".csv":
        raise ReportError(USAGE, f"cannot write the page to {page}", "its CSV file gets that name",
                          "choose a name that ends in .html")
    for output in (page, _csv_path(page)):
        if output.exists() and not output.is_file():
            raise ReportError(USAGE, f"cannot write {output}", "it is not a regular file",
                              "choose another place with --out")
    if page.name in (MANIFEST, RUNS):
        raise ReportError(USAGE, f"cannot write the page to {page}", "a sweep stores its runs under that name",
                          "choose a name that ends in .html")
    return page


def _csv_path(page):
    return page.with_name("points.csv") if page.name == "report.html" else page.with_suffix(".csv")


def _write(path, text):
    """Replaces the file as a whole. A link stays, and the file that it names is replaced."""
    target = path.resolve()
    part = target.with_name(target.name + ".part")
    try:
        part.write_text(text, encoding="utf-8", errors="replace")  # file names need not be UTF-8
        os.replace(part, target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ReportError(RUN_FAILED, f"cannot write {path}", error.strerror,
                          "choose another place with --out") from error
