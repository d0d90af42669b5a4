"""Every label of the protocol. A label says what a value is for, so that no proof, hash or signature fits two
uses.

All are ASCII and hold no zero byte. Those that open something (a transcript, a hash, a signature) begin with
the protocol's name and major version; those that name a value inside a transcript are short.
"""

from __future__ import annotations

from typing import Final

_P: Final = b"p2pmatryoshka/1 "

# Points nobody knows the discrete log of: hash_to_point(label, index as 4 bytes big-endian), index from 0.
CARD: Final = _P + b"card"
GENERATOR: Final = _P + b"generator"  # h_1 ... h_N stand at indices 0 ... N-1
CHAIN_BASE: Final = _P + b"chain base"  # H, with empty data

# What a transcript is opened for.
PROOF_OF_LOG: Final = _P + b"proof of log"
PROOF_OF_EQUAL_LOGS: Final = _P + b"proof of equal logs"
PROOF_OF_REENCRYPTION: Final = _P + b"proof of re-encryption"
PROOF_OF_SHUFFLE: Final = _P + b"proof of shuffle"

# Values inside a transcript.
TRANSCRIPT: Final = b"transcript"
SQUEEZE: Final = b"squeeze"
VERSION: Final = b"version"
TABLE: Final = b"table"
STEP: Final = b"step"
MEMBER: Final = b"member"
COUNT: Final = b"count"
BASE: Final = b"base"
PUBLIC: Final = b"public"
OWN_KEY: Final = b"own key"
JOINT_KEY: Final = b"joint key"
KEY: Final = b"key"
PAIRS: Final = b"pairs"
INPUTS: Final = b"inputs"
OUTPUTS: Final = b"outputs"
PERMUTATION: Final = b"permutation"
CHAIN: Final = b"chain"
WITNESSES: Final = b"witnesses"  # the t-values
WEIGHT: Final = b"weight"
CHALLENGE: Final = b"challenge"

# Hashes.
NONCE: Final = b"nonce"
BODY: Final = b"body"
COMMITMENT: Final = _P + b"commitment"
COIN: Final = _P + b"coin"
COIN_DRAW: Final = _P + b"coin draw"
TABLE_ID: Final = _P + b"table id"
ENTRY_HASH: Final = _P + b"entry hash"
TABLE_HASH: Final = _P + b"table hash"

# Signatures by an identity key: one label for each kind of thing signed.
SIGN_ENTRY: Final = _P + b"sign entry"
SIGN_TALK: Final = _P + b"sign talk"
SIGN_ADDRESS: Final = _P + b"sign address"
SIGN_INVITE: Final = _P + b"sign invite"
SIGN_GREETING: Final = _P + b"sign greeting"
