"""Language models behind one small port, with adapters to real backends."""
