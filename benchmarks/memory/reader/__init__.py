"""A model reads what a memory recalls, and answers short questions: the parts of `read.py`."""
