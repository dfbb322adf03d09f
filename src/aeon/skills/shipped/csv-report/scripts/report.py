#!/usr/bin/env python3
"""Entry point of the script report.

The code is in reporting/, standard library and Pillow only.
"""

import sys
from importlib import import_module
from pathlib import Path

sys.dont_write_bytecode = True  # the script must not write to the skill's folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    sys.exit(import_module("reporting.report").main())
