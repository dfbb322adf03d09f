"""`aeon skill`: commands that list, configure, trust, make and run skills."""
