"""The process that starts and ends every script.

Standard library only, so that it starts quickly.
"""
