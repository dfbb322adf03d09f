"""`aeon skills`: what is there, how it is configured, and running it."""
