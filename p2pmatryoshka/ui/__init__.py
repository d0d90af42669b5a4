"""Views in, choices out."""
