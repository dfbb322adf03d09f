"""`python -m aeon` is the command `aeon`."""

from aeon.cli import main

if __name__ == "__main__":
    main()
