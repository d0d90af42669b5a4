"""Arbitrary and mutated bytes into everything that reads bytes of others."""
