"""The commands of the platform: the record, what is defined in it, and stored tools."""
