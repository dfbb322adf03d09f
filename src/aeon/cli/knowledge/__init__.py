"""The commands of `aeon knowledge`."""
