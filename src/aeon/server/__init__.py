"""How others reach Aeon: each room speaks one protocol, and knows nothing of the others."""
