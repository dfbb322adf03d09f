"""`aeon knowledge`: what is known of what a user said."""
