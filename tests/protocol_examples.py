"""The worked examples of protocol/*.md, computed by the code. `python -m tests.protocol_examples` writes them anew.

In the text an example is a fenced block whose first line reads "```text example=NAME". A line is "name = value";
bytes are hexadecimal, and long ones go on in indented lines.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Iterator
from itertools import chain, count, islice
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from p2pmatryoshka.crypto import commitment, elgamal, group, labels, shuffle, sigma, signing
from p2pmatryoshka.crypto.framing import frame
from p2pmatryoshka.crypto.group import G, Point
from p2pmatryoshka.crypto.transcript import Context, Transcript
from p2pmatryoshka.node import identity, wire
from p2pmatryoshka.node.fingerprint import fingerprint, fingerprint_text, spoken
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.invite import Invite
from p2pmatryoshka.record import entry
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.rules.dolls import cards
from p2pmatryoshka.rules.scoring import explain
from p2pmatryoshka.table import coin, messages, record_file
from p2pmatryoshka.table.roster import Member, make_roster, make_setup, read_roster
from tests.table.memory import Group

SPECIFICATION = Path(__file__).parents[1] / "protocol"
BLOCK = re.compile(r"^```text example=([a-z-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTH = 110
Lines = list[tuple[str, object]]


def drawn(seed: str) -> group.Randomness:
    """The byte source of the examples: the stream SHA-512(seed | 0) | SHA-512(seed | 1) ..., numbers in 8 bytes. It
    is the same however it is cut into draws."""
    blocks = (hashlib.sha512(seed.encode() + n.to_bytes(8, "big")).digest() for n in count())
    stream = chain.from_iterable(blocks)
    return lambda size: bytes(islice(stream, size))


TABLE = bytes(range(32))
CONTEXT = Context(1, TABLE, 5, 2)
SECRET = 7
KEY = group.base(SECRET)


def hashing() -> Lines:
    data = (0).to_bytes(4, "big")
    framed = frame(labels.CARD, data)
    return [
        ("frame", framed),
        ("u | t", hashlib.sha512(framed).digest()),
        ("M_0", elgamal.card_point(0)),
        ("M_1", elgamal.card_point(1)),
        ("h_1", shuffle.generator(0)),
        ("h_2", shuffle.generator(1)),
        ("H", shuffle.H),
    ]


def transcript() -> Lines:
    opening = [
        (labels.TRANSCRIPT, labels.PROOF_OF_LOG),
        (labels.VERSION, (1).to_bytes(4, "big")),
        (labels.TABLE, TABLE),
        (labels.STEP, (5).to_bytes(8, "big")),
        (labels.MEMBER, (2).to_bytes(4, "big")),
    ]
    mine = Transcript(CONTEXT, labels.PROOF_OF_LOG)
    mine.absorb_count(2)
    scalars = mine.scalars(labels.WEIGHT, 2)
    short = mine.short_scalars(labels.CHALLENGE, 1)
    return [
        *((f"absorbed {name.decode()}", frame(name, value)) for name, value in opening),
        ("absorbed count", frame(labels.COUNT, (2).to_bytes(4, "big"))),
        ("squeezed weight, number 0", _scalar(scalars[0])),
        ("squeezed weight, number 1", _scalar(scalars[1])),
        ("then squeezed short under challenge", short[0].to_bytes(16, "big")),
    ]


def log_proof() -> Lines:
    proof = sigma.prove_log(CONTEXT, SECRET, KEY, drawn("log"))
    sigma.verify_log(CONTEXT, KEY, proof)
    e, s = _scalars(proof)
    return [
        ("x", SECRET),
        ("X", KEY),
        ("w", _scalar(group.random_scalar(drawn("log")))),
        ("t", group.minus(group.base(s), group.times_public(e, KEY))),
        ("e", _scalar(e)),
        ("s", _scalar(s)),
        ("proof", proof),
    ]


def equal_logs() -> Lines:
    bases = (elgamal.card_point(0), elgamal.card_point(1))
    shares, proof = sigma.prove_equal_logs(CONTEXT, SECRET, KEY, bases, drawn("equal logs"))
    sigma.verify_equal_logs(CONTEXT, KEY, bases, shares, proof)
    statement = Transcript(CONTEXT, labels.PROOF_OF_EQUAL_LOGS)
    statement.absorb_count(2)
    statement.absorb_points(labels.BASE, [G])
    statement.absorb_points(labels.PUBLIC, [KEY])
    statement.absorb_points(labels.PAIRS, [bases[0], shares[0], bases[1], shares[1]])
    weights = statement.scalars(labels.WEIGHT, 2)
    return [
        ("x", SECRET),
        ("A_1", bases[0]),
        ("A_2", bases[1]),
        ("d_1", shares[0]),
        ("d_2", shares[1]),
        ("w_1", _scalar(weights[0])),
        ("w_2", _scalar(weights[1])),
        ("proof", proof),
    ]


def reencryption() -> Lines:
    joint = group.base(11)
    old = elgamal.open_encryption(elgamal.card_point(0), KEY)
    (new,), proof = sigma.reencrypt(CONTEXT, SECRET, KEY, joint, [old], drawn("re-encryption"))
    sigma.verify_reencrypt(CONTEXT, KEY, joint, [old], [new], proof)
    return [
        ("x", SECRET),
        ("J", joint),
        ("A", old.a),
        ("B", old.b),
        ("A'", new.a),
        ("B'", new.b),
        ("proof", proof),
    ]


def shuffle_proof() -> Lines:
    inputs = [elgamal.open_encryption(elgamal.card_point(card), KEY) for card in (0, 1)]
    outputs, proof = shuffle.shuffle(CONTEXT, KEY, inputs, (1, 0), drawn("shuffle"))
    shuffle.verify_shuffle(CONTEXT, KEY, inputs, outputs, proof)
    points = sigma.decode_points(proof[:132], 4)
    statement = Transcript(CONTEXT, labels.PROOF_OF_SHUFFLE)
    statement.absorb_count(2)
    statement.absorb_points(labels.KEY, [KEY])
    statement.absorb_points(labels.INPUTS, [p for ct in inputs for p in ct])
    statement.absorb_points(labels.OUTPUTS, [p for ct in outputs for p in ct])
    statement.absorb_points(labels.PERMUTATION, points[:2])
    u = statement.short_scalars(labels.WEIGHT, 2)
    return [
        ("J", KEY),
        ("inputs", elgamal.encode(inputs)),
        ("order", "2, 1"),
        ("outputs", elgamal.encode(outputs)),
        ("c_1", points[0]),
        ("c_2", points[1]),
        ("u_1", u[0].to_bytes(16, "big")),
        ("u_2", u[1].to_bytes(16, "big")),
        ("k_1", points[2]),
        ("k_2", points[3]),
        ("e", proof[132:164]),
        ("proof", proof),
    ]


def committing() -> Lines:
    nonce = bytes(range(32, 64))
    return [
        ("nonce", nonce),
        ("body", b"abc"),
        ("commitment", commitment.commit(TABLE, 5, 2, nonce, b"abc")),
    ]


def joint_coin() -> Lines:
    values = {0: bytes([1]) * 32, 1: bytes([2]) * 32, 2: bytes([3]) * 32}
    joined = coin.join(TABLE, 2, values)
    return [
        ("hashed", labels.COIN + b"\0" + pack([TABLE, 2, [[m, v] for m, v in values.items()]])),
        ("coin", joined),
        ("hashed for seat 2", labels.COIN_DRAW + b"\0" + pack([joined, "seat 2"])),
        ("draw seat 2, 3 sides", coin.number_below(joined, "seat 2", 3)),
        ("draw seat 1, 2 sides", coin.number_below(joined, "seat 1", 2)),
        ("seating", ", ".join(map(str, coin.seating(joined, 3)))),
        ("draw toss, 3 sides", coin.number_below(joined, "toss", 3)),
    ]


def key(number: int) -> Ed25519PrivateKey:
    """The identity key of member `number` in the examples."""
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


def signature() -> Lines:
    data = b"abc"
    public = key(1).public_key().public_bytes_raw()
    made = signing.sign(key(1), labels.SIGN_ENTRY, data)
    signing.verify(public, labels.SIGN_ENTRY, data, made)
    return [
        ("private key", bytes([1]) * 32),
        ("public key", public),
        ("message", labels.SIGN_ENTRY + b"\0" + data),
        ("signature", made),
    ]


def roster_bytes() -> bytes:
    members = tuple(
        Member(key=key(n).public_key().public_bytes_raw(), nonce=bytes([16 * n]) * 32, name=name)
        for n, name in ((1, "Ada"), (2, "Bo"), (3, "Cem"))
    )
    return make_roster(make_setup("matryoshka", 3, {}), members)


def roster() -> Lines:
    data = roster_bytes()
    return [("roster", data), ("table id", read_roster(data).table)]


def bodies() -> Lines:
    return [
        ("leave", messages.encode(messages.Leave())),
        ("commit", messages.encode(messages.Commit(commitment=bytes([5]) * 32))),
        ("choose", messages.encode(messages.Choose(option=("take", 2)))),
        ("seal", messages.encode(messages.Seal(points=((0, 12), (1, 31), (2, 9)), winners=(1,)))),
    ]


def signed_entry() -> entry.SignedEntry:
    table = read_roster(roster_bytes())
    body = messages.encode(messages.Sit(roster=table.data))
    return entry.sign(key(1), table.table, 0, 0, table.table, table.table, body)


def first_entry() -> Lines:
    signed = signed_entry()
    return [
        ("first 83 bytes", signed.data[:83]),
        ("length", len(signed.data)),
        ("entry hash", entry.entry_hash(signed.data)),
        ("signature", signed.signature),
    ]


def table_hash() -> Lines:
    table = read_roster(roster_bytes())
    hashes = []
    for n in range(3):
        body = messages.encode(messages.Sit(roster=table.data))
        signed = entry.sign(key(n + 1), table.table, n, 0, table.table, table.table, body)
        hashes.append(entry.entry_hash(signed.data))
    packed = pack([table.table, 0, [[n, "answer", digest] for n, digest in enumerate(hashes)]])
    return [
        ("hashed", labels.TABLE_HASH + b"\0" + packed),
        ("table hash", hashlib.sha256(labels.TABLE_HASH + b"\0" + packed).digest()),
    ]


def record_bytes() -> Lines:
    nothing = record_file.write(((), (), ()))
    one = record_file.write(((entry.SignedEntry(b"data", bytes(64)),), (), ()))
    return [("three empty logs", nothing), ("one entry, not a real one", one)]


def steps() -> Iterator[str]:
    """The first steps of a game of three whose third member leaves in the first trade."""
    game = Group(3, seed=12)
    watched = game.players[0]
    game.run(until=lambda: watched.table.moment.owed.kind == "turn")
    assert (watched.table.moment.number, 2 in watched.table.moment.owed.members) == (10, False), "take another seed"
    game.leave(game.players[2])
    game.run(until=lambda: watched.table.moment.number > 32)
    for moment in watched.table.spine[:33]:
        yield f"{moment.number:>4}  {moment.owed.kind:<8}{' '.join(map(str, moment.owed.members))}"


def framed(message: wire.Message) -> bytes:
    data = wire.encode(message)
    assert wire.decode(data[4:]) == message
    return data


def frames() -> Lines:
    return [
        ("hello", framed(wire.Hello(version=1, nonce=bytes(range(16)), role="member"))),
        ("ping", framed(wire.Ping(number=1))),
        ("pong", framed(wire.Pong(number=1))),
        ("goodbye", framed(wire.Goodbye(reason="table.closed"))),
        ("refusal", framed(wire.Refusal(reason="lobby.full"))),
        ("have", framed(wire.Have(table=TABLE, heads=((0, 4, bytes([9]) * 32),)))),
        ("want", framed(wire.Want(table=TABLE, ranges=((1, 3, 5),)))),
        ("entries", framed(wire.Entries(table=TABLE, entries=((b"data", bytes(64)),)))),
        ("ready", framed(wire.Ready(table=TABLE))),
    ]


def identities() -> Lines:
    me = Identity(key(1))
    anyone = identity.anyone()
    return [
        ("anyone's private key", hashlib.sha256(b"p2pmatryoshka/1 anyone").digest()),
        ("anyone's public key", anyone.public_key().public_bytes_raw()),  # type: ignore[union-attr]
        ("SHA-256 of anyone's certificate", hashlib.sha256(anyone.public_bytes(Encoding.DER)).digest()),
        ("private key", bytes([1]) * 32),
        ("public key", me.public),
        ("fingerprint", me.fingerprint),
        ("as text", fingerprint_text(me.fingerprint)),
        ("as words", spoken(fingerprint(me.public))),
        ("serial number", f"{me.certificate.serial_number:032x}"),
        ("certificate", me.certificate.public_bytes(Encoding.DER)),
    ]


def invite() -> Lines:
    made = Invite(("192.0.2.7:4711", "[2001:db8::7]:4711"), Identity(key(1)).fingerprint, bytes(range(16)))
    assert Invite.read(str(made)) == made
    packed = pack({"at": made.addresses, "key": made.fingerprint, "token": made.token})
    return [("packed", packed), ("invite", str(made))]


def scoring() -> Lines:
    sheet = explain(cards("A2 A3 B1 B2 B5 B6 B7 C3 C4 C5 C6 C7 D4"), "extend")
    lines: Lines = [(f"column {column.size}", f"{column.letters or '-'}: {column.points}") for column in sheet.columns]
    lines += [
        (f"row {run.letter}, {run.first} to {run.last}", f"{run.points} + {run.bonus}" if run.bonus else run.points)
        for run in sheet.runs
    ]
    return [*lines, ("total", sheet.total)]


EXAMPLES = {
    "hash-to-point": hashing,
    "transcript": transcript,
    "proof-of-log": log_proof,
    "equal-logs": equal_logs,
    "re-encryption": reencryption,
    "shuffle": shuffle_proof,
    "commitment": committing,
    "coin": joint_coin,
    "signature": signature,
    "roster": roster,
    "bodies": bodies,
    "first-entry": first_entry,
    "table-hash": table_hash,
    "record-file": record_bytes,
    "frames": frames,
    "identity": identities,
    "invite": invite,
    "scoring": scoring,
}


def text(name: str) -> str:
    """The lines of one example, as they stand in the text."""
    if name == "steps":
        return "".join(line + "\n" for line in steps())
    return "".join(line + "\n" for pair in EXAMPLES[name]() for line in _lines(*pair))


def _lines(name: str, value: object) -> list[str]:
    shown = _shown(value)
    line = f"{name} = {shown}"
    if len(line) <= WIDTH:
        return [line]
    pieces = textwrap.wrap(shown, WIDTH - 4, break_on_hyphens=False)
    return [f"{name} =", *(f"    {piece}" for piece in pieces)]


def _shown(value: object) -> str:
    if isinstance(value, Point):
        return group.encode(value).hex()
    return value.hex() if isinstance(value, bytes) else str(value)


def _scalar(k: int) -> bytes:
    return group.encode_scalar(k)


def _scalars(proof: bytes) -> list[int]:
    return [group.decode_scalar(proof[i : i + 32]) for i in range(0, len(proof), 32)]


def write() -> None:
    """Put what the code computes into every example of the specification."""
    for path in sorted(SPECIFICATION.glob("*.md")):
        old = path.read_text(encoding="utf-8")
        new = BLOCK.sub(lambda match: f"```text example={match[1]}\n{text(match[1])}```", old)
        if new != old:
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    write()
