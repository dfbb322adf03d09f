"""`aeon chat` and `aeon conversation`: dialogues on a terminal and in scripts."""
