"""Players that see exactly what a person at that seat sees."""
