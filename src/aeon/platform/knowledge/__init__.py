"""The knowledge from messages: entities, and facts with their sources, on each branch of a conversation."""
