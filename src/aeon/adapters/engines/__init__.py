"""Engines that execute runs of Processes: in memory, on DBOS, on Temporal."""
