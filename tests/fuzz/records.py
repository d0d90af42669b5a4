"""Records of real games, changed in every way: the loader and the audit refuse or find what is wrong, and whatever an
audit says, it accuses nobody but authors of entries that no honest client signed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import LinkFault, Refused
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import SignedEntry, entry_hash
from p2pmatryoshka.table.audit import audit
from p2pmatryoshka.table.record_file import Logs, load, write
from tests.fuzz.bounds import Bounds
from tests.fuzz.games import CAST, MADE, SMALL, game
from tests.fuzz.mutate import mutated_bytes, mutated_packed, parsed, written
from tests.fuzz.target import Target, refused, shown
from tests.table.memory import checks_shared

PUBLIC = [key.public_key().public_bytes_raw() for key in CAST]


def record(data: bytes) -> str:
    """Load it, audit it, and hold what is said against what is known to be honest."""
    try:
        logs = load(data)
    except Refused as error:
        rule = refused(error)
        assert rule.split(".")[0] in ("record", "msgpack")
        return rule
    assert write(logs) == data
    with checks_shared():
        report = audit(data)
    for accusation in report.accusations:
        shown(accusation.detail)
        assert accusation.evidence
        assert accusation.member in guilty(logs, report.table), f"{accusation.member} {accusation.rule}: innocent"
    if report.finding is None:
        assert report.over is not None
        return "sealed" if not report.accusations else "sealed with " + report.accusations[0].rule
    shown(report.finding.detail)
    assert report.finding.rule
    return report.finding.rule


def guilty(logs: Logs, table: bytes) -> set[int]:
    """Members that cheated at this table, or signed something in these logs that no honest client did."""
    names = [name for name in MADE if game(name).table == table]
    honest = frozenset[bytes]().union(*(game(name).honest for name in names))
    members = set[int]().union(*(game(name).cheats for name in names))
    for log in logs:
        for signed in log:
            if signed.data not in honest:
                try:
                    members.add(entries.parse(signed, table, PUBLIC).author)
                except LinkFault:
                    continue  # proves nothing
    return members


# --- changing records


def mutated_record(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """In its bytes, in its structure, in the places of its entries, or in entries that are then signed anew."""
    if random.random() < 0.15:
        return mutated_bytes(random, data, others)
    try:
        logs = [list(log) for log in load(data)]
    except Refused:
        return mutated_packed(random, data, others)
    if random.random() < 0.15 or not any(logs):
        return mutated_packed(random, data, others)
    for _ in range(random.choice((1, 1, 2, 3))):
        random.choice(CHANGES)(random, logs, others)
    return write(tuple(tuple(log) for log in logs))


Draft = list[list[SignedEntry]]


def _some(random: Random, logs: Draft) -> tuple[int, int]:
    member = random.choice([m for m, log in enumerate(logs) if log] or [0])
    return member, random.randrange(max(1, len(logs[member]) if logs else 1))


def _cut(random: Random, logs: Draft, _: Sequence[bytes]) -> None:
    for log in logs if random.random() < 0.5 else [random.choice(logs)]:
        del log[random.randrange(len(log) + 1) :]


def _leave_out(random: Random, logs: Draft, _: Sequence[bytes]) -> None:
    member, at = _some(random, logs)
    del logs[member][at : at + 1]


def _exchange(random: Random, logs: Draft, _: Sequence[bytes]) -> None:
    (one, i), (other, j) = _some(random, logs), _some(random, logs)
    if logs[one] and logs[other]:
        logs[one][i], logs[other][j] = logs[other][j], logs[one][i]


def _double(random: Random, logs: Draft, _: Sequence[bytes]) -> None:
    member, at = _some(random, logs)
    if logs[member]:
        logs[random.choice((member, random.randrange(len(logs))))].append(logs[member][at])
    if random.random() < 0.3:
        logs[member].extend(logs[member] * 20)


def _from_another_table(random: Random, logs: Draft, others: Sequence[bytes]) -> None:
    foreign = load(random.choice(others))
    log = random.choice([log for log in foreign if log])
    member, at = _some(random, logs)
    if random.random() < 0.5:
        logs[member][at:at] = [random.choice(log)]
    else:
        logs[member] = list(log)


def _logs_moved(random: Random, logs: Draft, _: Sequence[bytes]) -> None:
    match random.randrange(3):
        case 0:
            random.shuffle(logs)
        case 1:
            logs.append(list(random.choice(logs)))
        case 2:
            logs[random.randrange(len(logs))] = []


def _spoil(random: Random, logs: Draft, _: Sequence[bytes]) -> None:
    member, at = _some(random, logs)
    if logs[member]:
        data, signature = logs[member][at]
        if random.random() < 0.5:
            logs[member][at] = SignedEntry(mutated_bytes(random, data), signature)
        else:
            logs[member][at] = SignedEntry(data, mutated_bytes(random, signature))


def _sign_anew(random: Random, logs: Draft, others: Sequence[bytes]) -> None:
    """Another version of an entry, in the place of the old one or beside it; what follows goes on from it or not."""
    member, at = _some(random, logs)
    if not logs[member] or member >= len(CAST):
        return
    version = signed(member, changed_entry(random, logs[member][at].data, others))
    if random.random() < 0.3:
        logs[member].insert(at + random.randrange(2), version)
        return
    logs[member][at] = version
    if random.random() < 0.5:
        _chain_again(logs[member], member, at + 1)


def _chain_again(log: list[SignedEntry], member: int, start: int) -> None:
    """Sign the rest of a log anew so that each entry names the one before."""
    for at in range(start, len(log)):
        try:
            values = list(parsed(log[at].data))
            values[4] = entry_hash(log[at - 1].data)
        except (ValueError, TypeError, LookupError):
            return
        log[at] = signed(member, written(Random(0), tuple(values)))


def signed(member: int, data: bytes) -> SignedEntry:
    return SignedEntry(data, signing.sign(CAST[member], labels.SIGN_ENTRY, data))


def changed_entry(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """An entry with its body changed, or now and then one of its other fields or its form."""
    if random.random() < 0.2:
        return mutated_packed(random, data)
    try:
        values = list(parsed(data))
        if random.random() < 0.2:
            values[6] = parsed(_any_entry(random, others))[6]
        else:
            values[6] = mutated_packed(random, values[6])
        if random.random() < 0.1:
            values[random.choice((3, 5))] = parsed(_any_entry(random, others))[random.choice((3, 5))]
    except (ValueError, TypeError, LookupError):
        return mutated_packed(random, data)
    return written(random, tuple(values))


def _any_entry(random: Random, records: Sequence[bytes]) -> bytes:
    logs = load(random.choice(records))
    return random.choice(random.choice([log for log in logs if log])).data


CHANGES: tuple[Callable[[Random, Draft, Sequence[bytes]], None], ...] = (
    _cut, _leave_out, _exchange, _double, _from_another_table, _logs_moved, _spoil, *[_sign_anew] * 8,
)  # fmt: skip


def _small() -> list[bytes]:
    every = {name: game(name).record for name in MADE}  # all of them are made before anything is timed
    return [every[name] for name in SMALL]


def _all() -> list[bytes]:
    return [game(name).record for name in MADE]


RECORDS = (
    Target("record", record, _small, mutated_record, 70, Bounds(5.0, 400, 4 << 20)),
    Target("whole record", record, _all, mutated_record, 8, Bounds(10.0), traced=False),
)
