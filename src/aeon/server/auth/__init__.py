"""Who asks: sessions of browsers, tokens of programs (platform 31)."""
