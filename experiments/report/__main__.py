"""Entry point of `python3 .../report DIR...`; `loadshare report` calls it.

`python3 .../report scaling-plot FILE.svg|.png`, `calibration-plot`, `gantt-plot`, `comparison-plot` and `chunks-plot`
draw figures from JSON on stdin for `loadshare metrics`, `calibration show`, `predict`, `compare` and
`schedulers --compare`.
"""

import importlib
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the package's folder may belong to another user
sys.path[0] = str(Path(__file__).resolve().parent.parent)  # the package itself instead of its modules

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
except KeyboardInterrupt:  # the libraries may still be loading, which takes a second
    sys.exit(130)
