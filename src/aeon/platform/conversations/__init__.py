"""Conversations: a tree of turns with alternatives, of which nothing is ever lost."""
