#!/usr/bin/env python3
"""Tells what happens next, by the model that Aeon lends. Its body stands in telling/, standard library only."""

import sys
from importlib import import_module
from pathlib import Path

sys.dont_write_bytecode = True  # the skill's folder is not ours to write
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    sys.exit(import_module("telling.narration").main())
