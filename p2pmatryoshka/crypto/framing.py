"""How values are put into a hash so that no two lists of labelled values share bytes.

frame(label, value) is
    len(label), 4 bytes big-endian | label | len(value), 8 bytes big-endian | value
and a hash over several values is a hash over their frames, one after the other.
"""

from __future__ import annotations


def frame(label: bytes, value: bytes) -> bytes:
    """len(label), 4 bytes big-endian | label | len(value), 8 bytes big-endian | value."""
    return b"%b%b%b%b" % (len(label).to_bytes(4, "big"), label, len(value).to_bytes(8, "big"), value)
