"""How a picture looks, by light and in the dark; the colours of statuses always stand beside their word."""

from typing import Final

from aeon.platform.processes.running.state import RunStepStatus

STATUSES: Final[tuple[RunStepStatus, ...]] = (
    "waiting",
    "running",
    "retrying",
    "stopping",
    "completed",
    "failed",
    "skipped",
    "stopped",
)

CSS: Final = """
.aeon-process text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.aeon-process .name{font-size:16px;font-weight:700}
.aeon-process .id{font-size:13px;font-weight:700}
.aeon-process .target,.aeon-process .state,.aeon-process .key{font-size:11px}
.aeon-process .note{font-size:9px}
.aeon-process .target,.aeon-process .note{fill:#57606a}
.aeon-process .ground{fill:#ffffff}
.aeon-process .box{fill:#f6f8fa;stroke:#57606a;stroke-width:1.5}
.aeon-process .inner{fill:none;stroke:#57606a}
.aeon-process .frame{fill:none;stroke:#8c959f;stroke-dasharray:2 3}
.aeon-process .line{fill:none;stroke:#57606a;stroke-width:1.25}
.aeon-process .wait{fill:none;stroke:#8c959f;stroke-width:1.25;stroke-dasharray:5 4}
.aeon-process .dot,.aeon-process .head{fill:#57606a}
.aeon-process .wait-head{fill:#8c959f}
.aeon-process .mark{fill:#fff8c5;stroke:#57606a;stroke-width:1.25}
.aeon-process .person{fill:#57606a}
.aeon-process .running .box{fill:#ddf4ff;stroke:#0969da}
.aeon-process .retrying .box,.aeon-process .stopping .box{fill:#fff1e5;stroke:#bc4c00}
.aeon-process .completed .box{fill:#dafbe1;stroke:#1a7f37}
.aeon-process .failed .box{fill:#ffebe9;stroke:#cf222e;stroke-width:2.5}
.aeon-process .skipped .box,.aeon-process .stopped .box{fill:#ffffff;stroke:#8c959f;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){
.aeon-process text{fill:#e6edf3}
.aeon-process .target,.aeon-process .note{fill:#9da7b3}
.aeon-process .ground{fill:#0d1117}
.aeon-process .box{fill:#161b22;stroke:#9da7b3}
.aeon-process .inner{stroke:#9da7b3}
.aeon-process .line{stroke:#9da7b3}
.aeon-process .wait,.aeon-process .frame{stroke:#6e7681}
.aeon-process .dot,.aeon-process .head,.aeon-process .person{fill:#9da7b3}
.aeon-process .wait-head{fill:#6e7681}
.aeon-process .mark{fill:#4b3d0b;stroke:#9da7b3}
.aeon-process .running .box{fill:#0c2d4d;stroke:#58a6ff}
.aeon-process .retrying .box,.aeon-process .stopping .box{fill:#3d2107;stroke:#f0883e}
.aeon-process .completed .box{fill:#0f2d1a;stroke:#3fb950}
.aeon-process .failed .box{fill:#3c1618;stroke:#f85149}
.aeon-process .skipped .box,.aeon-process .stopped .box{fill:#0d1117;stroke:#6e7681}
}
"""
