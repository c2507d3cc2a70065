#!/usr/bin/env python3
"""Writes docs/reference/command-line.md from the --help of the programs:

    python3 cmake/write_command_line_page.py [FOLDER_OF_PROGRAMS]    (default: build/bin)
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs/reference/command-line.md"
COMMAND = "python3 cmake/write_command_line_page.py"
FARM = ("matmul", "mandelbrot", "matvec", "synthetic")
SPMD = ("cannon", "bucket_sort", "floyd", "integer_sort")
TOOL = "loadshare"
ENTRY = re.compile(r"  (\S+(?: \S+)*)(?: {2,}(\S.*))?")
INDENT, WIDTH = 30, 80  # of descriptions, in a pipe
ANSWERS = ("-h,--help", "--version")  # which every program has
HEAD = f"""# Command line

All options of all programs, generated from their `--help`: do not edit this page, run `{COMMAND}`.

Every program also has `--help` and `--version`; `loadshare help graph predict` is `loadshare graph predict --help`. A value
follows its option, as in `--size 720` or `--size=720`; `...` means that it may be several. In the column of defaults `-`
means that there is none, and *required* that the option must be given.

Texts are broken between words to fit the terminal. If `COLUMNS` is a positive number, it is the width, also in a pipe or a
file; otherwise these get lines of at most 110 columns (help) or 100 (summaries), and tables of `loadshare` are as wide as
they need to be.
"""


class Row(NamedTuple):
    """An option, a positional argument or a subcommand."""
    name: str
    text: str  # lines of a list begin with a line end


class Help(NamedTuple):
    """The parts of a help text. The groups have rows by heading."""
    purpose: str
    usage: str
    groups: dict
    footer: str


def joined(lines):
    """The description of an entry on one line, or, if it introduces a list, on one line per item."""
    text = lines[0].strip()
    is_list = lines[0].endswith(":")
    for last, line in zip(lines, lines[1:]):
        has_room = len(last) + 1 + len(line.split()[0]) <= WIDTH  # so that the text itself has the line end
        is_list = is_list and (last is not lines[0] or has_room)
        is_item = not line.startswith(" ") and (has_room or re.match(r"\S+: ", line))
        text += ("\n" if is_list and is_item else " ") + line.strip()
    return text


def parsed(text):
    """The parts of a help text. Fails on a line that it does not understand."""
    purpose, usage, rest = re.fullmatch(r"(.*?)^Usage: (.*?)\n\n(.*)", text, re.DOTALL | re.MULTILINE).groups()
    groups, footer, heading, lines = {}, [], None, []
    for line in rest.splitlines():
        if footer or (line and heading and not line.startswith(" ") and not line.endswith(":")):
            footer.append(line)
        elif line.startswith(" " * INDENT):
            lines.append(line[INDENT:])
        elif line.startswith(" "):
            name, first = ENTRY.fullmatch(line).groups()
            lines = [first] if first else []
            groups[heading].append((name, lines))
        elif line:
            heading = line.removesuffix(":")
            groups.setdefault(heading, [])
        else:
            lines = []
    return Help(purpose.strip("\n"), " ".join(usage.split()),
                {name: [Row(entry, joined(lines or [""])) for entry, lines in rows] for name, rows in groups.items()},
                "\n".join(footer).strip())


def help_of(folder, *words):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run([folder / words[0], *words[1:], "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=True, timeout=60, env=environment)
    return parsed(done.stdout)


def code(text):
    return f"`{text}`" if text else ""


def cell(text):
    for plain, escaped in (("|", "\\|"), ("<", "&lt;"), ("*", "\\*"), ("\n", "<br>")):
        text = text.replace(plain, escaped)
    return text


def row_text(row):
    """A line of a table: name, value, default, description."""
    name, _, rest = row.name.partition(" ")
    rest, *relations = re.split(r" (?=Needs: |Excludes: )", f" {rest}")
    text = row.text
    for relation in relations:
        kind, names = relation.split(": ")
        text += {"Needs": "; only with ", "Excludes": "; not with "}[kind] + ", ".join(map(code, names.split()))
    is_required = rest.endswith(" REQUIRED")
    rest = rest.removesuffix(" REQUIRED").strip()
    repeats = rest.endswith("...") and not rest.endswith(",...")
    rest = rest.removesuffix("...").strip() if repeats else rest
    value, _, default = rest.partition("=") if rest[:1].isupper() else (rest, "", "")
    value = f"{value} ...".strip() if repeats else value
    what = "*required*" if is_required else code(default).replace("|", "\\|") or "-"
    return f"| {code(name)} | {code(value).replace('|', chr(92) + '|')} | {what} | {cell(text)} |"


def table(rows, heading="option"):
    return "\n".join([f"| {heading} | value | default | description |", "|---|---|---|---|", *map(row_text, rows)]) + "\n"


def paragraphs(text):
    """Lines with indented ones, which are commands, as blocks."""
    def block(found):
        return "\n```sh\n" + re.sub(r"(?m)^  ", "", found[0]).strip() + "\n```\n"
    return re.sub(r"(?m)(?:^  .*(?:\n|\Z))+", block, text)


def common(helps):
    """The rows that all of them have, by heading, in the order of the first."""
    found = {}
    for heading, rows in helps[0].groups.items():
        kept = [row for row in rows
                if row.name not in ANSWERS and all(row in one.groups.get(heading, []) for one in helps)]
        if kept:
            found[heading] = kept
    return found


def without(groups, *known):
    """The groups without the rows that are known, and without answers."""
    gone = [row for group in known for rows in group.values() for row in rows]
    left = {heading: [row for row in rows if row not in gone and row.name not in ANSWERS]
            for heading, rows in groups.items()}
    return {heading: rows for heading, rows in left.items() if rows}


def groups_text(groups, level):
    return "\n".join(f"{'#' * level} {heading}\n\n{table(rows)}" for heading, rows in groups.items())


def program_text(name, help_text, known):
    rows = [row for rows in without(help_text.groups, *known).values() for row in rows]
    return f"### {name}\n\n{paragraphs(help_text.purpose).strip()}\n\n{table(rows)}"


def subcommands_text(folder, *words):
    """The sections of all subcommands below these words."""
    help_text = help_of(folder, *words)
    below = help_text.groups.get("Subcommands", [])
    text = ""
    if len(words) > 1:
        text = f"### {' '.join(words)}\n\n{help_text.purpose}\n\n```text\n{help_text.usage}\n```\n\n"
        rows = help_text.groups.get("Positionals", []) + \
            [row for row in help_text.groups.get("Options", []) if row.name not in ANSWERS]
        text += table(rows, "argument or option") + "\n" if rows else ""
    if below:
        lines = [f"| [{row.name}](#{'-'.join([*words, row.name])}) | {cell(row.text)} |" for row in below]
        text += "\n".join(["| subcommand | description |", "|---|---|", *lines]) + "\n\n"
    elif help_text.footer:
        text += paragraphs(help_text.footer).strip() + "\n\n"
    return text + "".join(subcommands_text(folder, *words, row.name) for row in below)


def page(folder):
    helps = {name: help_of(folder, name) for name in FARM + SPMD}
    everywhere = common(list(helps.values()))
    farm = without(common([helps[name] for name in FARM]), everywhere)
    spmd = without(common([helps[name] for name in SPMD]), everywhere)
    sections = [
        HEAD,
        "## All programs but `loadshare`\n",
        groups_text(everywhere, 3),
        f"## Programs with a master\n\n{', '.join(map(code, FARM))} and programs of your own have these options as well.\n",
        groups_text(farm, 3),
        *(program_text(name, helps[name], (everywhere, farm)) for name in FARM),
        f"## MPI programs without a master\n\n{', '.join(map(code, SPMD))} have these options as well.\n",
        groups_text(spmd, 3),
        *(program_text(name, helps[name], (everywhere, spmd)) for name in SPMD),
        f"## {TOOL}\n\n{help_of(folder, TOOL).purpose}\n",
        subcommands_text(folder, TOOL),
    ]
    return "\n".join(sections).rstrip() + "\n"


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build/bin").resolve()
    PAGE.write_text(page(folder), encoding="utf-8")


if __name__ == "__main__":
    main()
