"""Signed entries in append-only logs, and who lacks which."""
