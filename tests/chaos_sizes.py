"""How much chaos the tests make: one setting for all engines and stores, with a size for CI where it is not set.

`AEON_CHAOS_STOPS=50 pytest tests/adapters/engines -k "repeats_nothing" -rP` suspends processes 50 times on each engine
and prints what was counted. `AEON_CHAOS_KILLS` and `AEON_CHAOS_ROUNDS` do the same for kills and hostile scripts,
`AEON_CHAOS_TALKS` sets how many changes of conversations each killed process makes, `AEON_OPEN_RUNS` how many runs are
open at once, `AEON_WIDE_STEPS` how many steps stand beside each other, `AEON_IMPORTS` how many conversations come,
`AEON_CHAOS_AWAY` for how many seconds the record is away while an answer is made.
"""

import os
import sys


def size_of(setting: str, in_ci: int) -> int:
    return int(os.environ.get(setting, in_ci))


def print_counts(line: str) -> None:
    """For whoever reads the output with `-rP`."""
    sys.stdout.write(f"{line}\n")
