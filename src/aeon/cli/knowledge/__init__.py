"""`aeon knowledge`: the knowledge from a user's messages."""
