"""Engines that execute runs of Processes: in memory, in SQL, on Temporal."""
