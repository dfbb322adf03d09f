"""The commands of the platform: the record, the items in it, runs, schedules and workers."""
