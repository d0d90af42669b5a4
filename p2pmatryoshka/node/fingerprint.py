"""Fingerprints of identity keys: as bytes, as text to copy, and as words to say aloud."""

from __future__ import annotations

import base64
import hashlib

from p2pmatryoshka.errors import UserError

# RFC 8410: what stands before the 32 bytes of a key.
_SPKI_PREFIX = bytes.fromhex("302a300506032b6570032100")
_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st", "tr")
_VOWELS = ("a", "e", "i", "o")
WORDS = 6
WORD_BITS = 12


def fingerprint(public: bytes) -> bytes:
    """32 bytes: SHA-256 of the SubjectPublicKeyInfo (RFC 5280) of an Ed25519 key given as its 32 bytes."""
    return hashlib.sha256(_SPKI_PREFIX + public).digest()


def fingerprint_text(digest: bytes) -> str:
    """A fingerprint as 52 letters and digits (base32 of RFC 4648, small letters, no padding)."""
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def read_fingerprint(text: str) -> bytes:
    """The fingerprint that `fingerprint_text` wrote; capitals, spaces and hyphens are forgiven. UserError."""
    letters = "".join(text.split()).replace("-", "").lower()
    try:
        digest = base64.b32decode(letters.upper() + "====")
    except ValueError:
        digest = b""
    if len(digest) != 32 or fingerprint_text(digest) != letters:
        raise UserError(f"{text!r} is not a fingerprint: it has 52 letters and digits, and one is wrong or missing.")
    return digest


def spoken(digest: bytes) -> str:
    """Six short words for comparing a fingerprint by voice, in any language: its first 72 bits.

    To be taken for somebody, one must make about 2^72 keys; whoever needs more compares the whole text.
    """
    number = int.from_bytes(digest[: WORDS * WORD_BITS // 8], "big")
    syllables = [
        _ONSETS[number >> shift + 2 & 15] + _VOWELS[number >> shift & 3]
        for shift in range(WORDS * WORD_BITS - 6, -1, -6)
    ]
    return " ".join(first + second for first, second in zip(syllables[::2], syllables[1::2], strict=True))
