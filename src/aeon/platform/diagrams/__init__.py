"""Diagrams of Processes as SVG: steps from top to bottom, and their dependencies."""
