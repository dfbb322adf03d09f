"""Expressions of Processes: references, CEL conditions and Handlebars templates (platform 6)."""
