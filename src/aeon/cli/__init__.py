"""The command `aeon`: a thin face on the rooms below. Data on stdout, everything else on stderr."""

import sys


def main() -> None:
    """Run the command line of this process and end the process with its exit code."""
    try:
        from aeon.cli.boundary import run_process
    except KeyboardInterrupt:
        sys.exit(130)
    run_process(sys.argv[1:])
