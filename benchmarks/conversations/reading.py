"""A process that follows answers which another one makes, and prints when the first piece of each came."""

import sys
import time

from aeon import Project


def main(folder: str) -> None:
    with Project.open(folder) as project:
        print("ready", flush=True)
        for line in sys.stdin:
            pieces = iter(project.conversations.follow(line.strip()))
            print("follows", flush=True)
            next(pieces)
            print(time.time(), flush=True)
            list(pieces)


if __name__ == "__main__":
    main(sys.argv[1])
