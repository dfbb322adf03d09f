"""Every benchmark of the skills floor, one after another: `python benchmarks/skills/run.py`. Each prints its tables.

What they came to on the machine of the developers stands in RESULTS.md and RESULTS-discovery.md beside this file.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("dag.py", "ndjson.py", "processes.py", "planner.py", "discovery.py")


def main() -> int:
    """The highest exit code: a part that finds its own work wrong fails."""
    codes: list[int] = []
    for part in PARTS:
        print(f"\n## {part}\n", flush=True)
        codes.append(subprocess.run([sys.executable, str(HERE / part)], check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
