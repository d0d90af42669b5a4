"""Two card games about nesting dolls, played peer to peer with nobody in charge."""

__version__ = "0.1.0"
