"""Workers: who carries out jobs, of which type, and what each is doing."""
