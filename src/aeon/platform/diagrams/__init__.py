"""Pictures of Processes: their steps from above to below, and what each takes from which, as SVG."""
