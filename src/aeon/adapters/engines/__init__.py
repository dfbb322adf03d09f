"""Engines that carry runs of Processes out: in memory, on DBOS, on Temporal."""
