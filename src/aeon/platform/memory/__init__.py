"""Working memory: what an answer is made from, computed for any alternative and never stored (platform 14, 24, 25)."""
