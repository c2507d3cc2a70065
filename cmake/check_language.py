#!/usr/bin/env python3
"""Checks that words and sentence openings which were written out of a room do not come back.

Prints `file:line: problem (why) suggestion` for each that did, and exits 1 then. Arguments:
the folder of the tree; none: the one above this script. A room is added to DONE when it has been rewritten.
"""

import os
import re
import subprocess
import sys

DONE = (
    "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CMakeLists.txt", "quickstart", ".ci/", "docs/",
    "base/", "schedulers/", "program/", "apps/", "experiments/", "bench/", "profiler/", "examples/", "cmake/",
    "runtime/host/", "runtime/load/", "runtime/records/", "runtime/journal/",
)
NOT_YET = ("apps/loadshare/",)  # within the above
KINDS = (".cpp", ".hpp", ".h", ".c", ".py", ".md", ".txt", ".cmake", ".yaml", ".json", ".js", ".css", ".html", "quickstart", "run")

# A word, alone or as a part of an identifier, and what to write.
WORDS = {
    "told|tells": "write recorded, reported, sent, given, or distinguished",
    "untold": "write not reported",
    "heard": "write received, or last seen",
    "nobody|somebody|anybody": "name the subject: no worker, a worker, any worker",
    "whoever|whomever": "name the subject",
    "dear|dearer|dearest|dearness": "write expensive, or extra cost",
    "surroundings": "write environment, or neighbours",
    "foretell|foretells|foretold": "write predict, or forecast",
    "comes? and goe?s?": "write join and leave",
}
# A sentence that opens so has no subject. What a comment or a text says after a bullet or a quotation mark opens one, too.
OPENINGS = {
    "Who|Whose|Whom": "name the subject, as in 'A worker that ...'",
    "What (?:is|was|are|were|has|have|who|a|an|the|this|that|they|it)": "name the subject, as in 'The figures that ...'",
    "Else": "write otherwise",
    "Where (?:nothing|nobody|no|that|this|it|they|one|some|all|none)": "write if",
}
# Names that files on users' disks contain, and the program's output with them.
KEPT = re.compile(r"\b(?:auto_foretold|foretold_s|foretold|tells_idle|cost_dearest_s|not told|narrow_dear|heard(?=[\"` ]))\b")
WORD = {re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE): advice for words, advice in WORDS.items()}
OPENING = {re.compile(rf"(?:^|[.:;!] |//[/!]?<? |^ *# |\"+|\* )(?:{words})\b[^?|]*$"): advice for words, advice in OPENINGS.items()}


def is_checked(name):
    return (name.startswith(DONE) and name.endswith(KINDS) and not name.startswith(NOT_YET)
            and name != "cmake/check_language.py")


def checked_files(root):
    """Names of tracked files, or in a tree without git of all files."""
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() if listed.returncode == 0 else (
        os.path.relpath(os.path.join(folder, file), root) for folder, _, files in os.walk(root) for file in files)
    return sorted(filter(is_checked, names))


def problems_of(name, text):
    is_page = name.endswith(".md")
    for number, line in enumerate(text.splitlines(), 1):
        if is_page and line.startswith("#"):  # headings may be noun clauses
            continue
        line = KEPT.sub("", line)
        for table, kind in ((WORD, "word"), (OPENING, "opening")):
            for pattern, advice in table.items():
                if found := pattern.search(line):
                    yield f"{name}:{number}: '{found[0].strip()[:40]}' (this {kind} is not plain English); {advice}"


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    problems = []
    for name in checked_files(root):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            problems += problems_of(name, file.read())
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
