"""Entry point of `python3 .../report DIR...`; `loadshare report` calls it.

`python3 .../report scaling-plot FILE.svg|.png`, `calibration-plot`, `gantt-plot`, `comparison-plot` and `chunks-plot`
draw figures that come on stdin; `loadshare metrics`, `calibration show`, `predict`, `compare` and `schedulers --compare`
call them.
"""

import importlib
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the package may lie where others own the folder
sys.path[0] = str(Path(__file__).resolve().parent.parent)  # the package itself, not the modules in it

PLOTS = {"scaling-plot": "scaling_plot", "calibration-plot": "calibration_plot", "gantt-plot": "gantt_plot",
         "comparison-plot": "comparison_plot", "chunks-plot": "chunks_plot"}

from report.errors import ReportError, complain  # noqa: E402

try:
    if sys.argv[1:2] and sys.argv[1] in PLOTS:
        from report.plot_file import run
        sys.exit(run(sys.argv[2:], importlib.import_module(f"report.{PLOTS[sys.argv[1]]}").draw))
    from report.command_line import main
    sys.exit(main(sys.argv[1:]))
except ReportError as error:  # while the libraries load
    complain(error)
    sys.exit(error.code)
except KeyboardInterrupt:  # also while the libraries load, which takes a second
    sys.exit(130)
