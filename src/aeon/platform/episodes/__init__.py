"""Episodes: messages, notes and summaries as units of memory, and what is erased with each."""
