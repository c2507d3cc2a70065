"""Entry point of `python3 .../report DIR...`; `loadshare report` calls it.

`python3 .../report scaling-plot FILE.svg|.png`, `calibration-plot`, `gantt-plot` and `comparison-plot` draw figures
that come on stdin; `loadshare metrics`, `calibration show`, `predict` and `compare` call them.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the package may lie where others own the folder
sys.path[0] = str(Path(__file__).resolve().parent.parent)  # the package itself, not the modules in it

try:
    if sys.argv[1:2] == ["scaling-plot"]:
        from report.scaling_plot import main
        sys.exit(main(sys.argv[2:]))
    if sys.argv[1:2] == ["calibration-plot"]:
        from report.calibration_plot import main
        sys.exit(main(sys.argv[2:]))
    if sys.argv[1:2] == ["gantt-plot"]:
        from report.gantt_plot import main
        sys.exit(main(sys.argv[2:]))
    if sys.argv[1:2] == ["comparison-plot"]:
        from report.comparison_plot import main
        sys.exit(main(sys.argv[2:]))
    from report.command_line import main
    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # also while the libraries load, which takes a second
    sys.exit(130)
