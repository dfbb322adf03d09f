"""From a script and its input to what is started: interpreter, files, environment (skills 11)."""
