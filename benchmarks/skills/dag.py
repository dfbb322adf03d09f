"""Topological order beside the standard library's: `python benchmarks/skills/dag.py [--rounds N]`.

Graphs of 1,000, 10,000 and 100,000 nodes in three shapes. Every round times all of them, one system after the other,
and the table gives the median of CPU milliseconds, so that what else the machine does meets both. The last column is
the time for a node of 100,000 over that of 1,000: 1 is linear.
"""

import argparse
import random
import time
from collections import defaultdict
from graphlib import TopologicalSorter
from statistics import median

from aeon.dag.scheduling import DependencyCycles, topological_order

SIZES = (1_000, 10_000, 100_000)


def shapes(size):
    """Dependencies by position: a chain, a star, and three edges from each node to earlier ones."""
    chance = random.Random(size)
    return {
        "chain": [[n - 1] if n else [] for n in range(size)],
        "star": [[0] if n else [] for n in range(size)],
        "three edges a node": [[chance.randrange(n) for _ in range(3)] if n else [] for n in range(size)],
    }


def by_aeon(dependencies):
    order = topological_order(dependencies)
    assert not isinstance(order, DependencyCycles)
    return order


def by_graphlib(dependencies):
    return list(TopologicalSorter(dict(enumerate(dependencies))).static_order())


SYSTEMS = {"aeon.dag": by_aeon, "graphlib": by_graphlib}


def measured(rounds):
    """CPU milliseconds by shape, system and size, of every round."""
    graphs = {(shape, size): found for size in SIZES for shape, found in shapes(size).items()}
    times = defaultdict(list)
    for _ in range(rounds):
        for (shape, size), dependencies in graphs.items():
            for system, sort in SYSTEMS.items():
                began = time.process_time()
                assert len(sort(dependencies)) == size
                times[shape, system, size].append((time.process_time() - began) * 1000)
    return {key: median(found) for key, found in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    times = measured(parser.parse_args().rounds)
    print("| graph | system | " + " | ".join(f"{size:,} nodes" for size in SIZES) + " | growth per node |")
    print("|---|---|" + "---|" * (len(SIZES) + 1))
    for shape, system in dict.fromkeys((shape, system) for shape, system, _ in times):
        row = [times[shape, system, size] for size in SIZES]
        growth = (row[-1] / SIZES[-1]) / (row[0] / SIZES[0])
        print(f"| {shape} | {system} | " + " | ".join(f"{found:.2f} ms" for found in row) + f" | {growth:.1f} |")


if __name__ == "__main__":
    main()
