"""Imports of conversations: reads the forms of other products and Aeon's own, and writes whole trees."""
