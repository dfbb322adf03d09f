"""Language models behind one small port; adapters speak to real backends."""
