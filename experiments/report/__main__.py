"""Entry point of `python3 .../report DIR...`; `loadshare report` calls it."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the package may lie where others own the folder
sys.path[0] = str(Path(__file__).resolve().parent.parent)  # the package itself, not the modules in it

from report.command_line import main  # noqa: E402 (the path had to be set first)

sys.exit(main(sys.argv[1:]))
