"""The audit of records: whole, cut off, and changed in any place."""

from __future__ import annotations

from functools import cache
from random import Random

import msgpack
import pytest

from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.table import messages, record_file
from p2pmatryoshka.table.audit import Report, audit
from p2pmatryoshka.table.record_file import Logs, export, load, write
from p2pmatryoshka.table.step import Closed
from tests.table.attack import body_of, open_step, sign, whole_game
from tests.table.memory import Group, checks_shared


@cache
def sealed() -> bytes:
    """A whole honest game."""
    return export(whole_game(3).find(lambda m: m.owed.kind == "").players[0].table)


@cache
def short() -> bytes:
    """A sealed record with a cheat and a leaver in it, soon over."""
    group = open_step("commit", 1)
    group.silent.add(1)
    group.post(sign(group.players[1], messages.Choose(option=("x",))), 1)
    group.run(lambda: all(p.table.moment.number > 8 for p in group.present) and not group.flight)
    group.send(group.players[2], sign(group.players[2], messages.Leave()))
    group.run()
    assert isinstance(group.players[0].table.moment.stage, Closed)
    return export(group.players[0].table)


def audited(data: bytes) -> Report:
    """An audit that shares what was accepted before."""
    with checks_shared():
        return audit(data)


def test_a_whole_game_without_anything_shared() -> None:
    report = audit(sealed())
    game = whole_game(3).find(lambda m: m.owed.kind == "")
    stage = game.moment.stage
    assert isinstance(stage, Closed)
    assert report.finding is None
    assert report.over == stage.over
    assert report.reason == ""
    assert report.accusations == ()
    assert report.table == game.moment.roster.table
    assert report.entries == len(game.sent)
    assert report.steps == game.moment.number
    assert [report.member_at(seat) for seat in range(3)] == list(stage.layout.seating)
    assert report.roster is not None
    assert [m.name for m in report.roster.members] == ["Player 0", "Player 1", "Player 2"]


def test_a_record_with_a_cheat_is_whole_and_names_it() -> None:
    report = audit(short())
    assert report.finding is None
    assert [(a.member, a.rule) for a in report.accusations] == [(1, "body.kind")]
    assert report.accusations[0].evidence


def test_a_record_is_read_as_it_was_written() -> None:
    assert write(load(sealed())) == sealed()


def logs() -> Logs:
    return load(sealed())


def cut(lengths: tuple[int, ...]) -> bytes:
    return write(tuple(log[:length] for log, length in zip(logs(), lengths, strict=True)))


@pytest.mark.parametrize("seed", range(6))
def test_a_record_cut_off_anywhere_is_unfinished_and_accuses_nobody(seed: int) -> None:
    random = Random(seed)
    lengths = tuple(random.randrange(len(log)) for log in logs())
    report = audited(cut(lengths))
    assert report.finding is not None
    assert report.finding.rule == "record.unfinished", (seed, lengths, report.finding)
    assert report.finding.member is None
    assert not report.accusations


@pytest.mark.slow
@pytest.mark.parametrize("member", range(3))
def test_every_prefix_of_a_record_is_unfinished_and_accuses_nobody(member: int) -> None:
    """As the game went, and with one member's entries lagging behind."""
    sent = whole_game(3).find(lambda m: m.owed.kind == "").sent
    everything = logs()
    counts = [0, 0, 0]
    for signed in sent[:-1]:
        author = next(m for m in range(3) if signed in everything[m])
        counts[author] += 1
        lagging = [count - (2 if m == member else 0) for m, count in enumerate(counts)]
        for lengths in (counts, [max(0, n) for n in lagging]):
            report = audited(cut(tuple(lengths)))
            assert report.finding is not None
            if any(lengths):
                assert report.finding.rule == "record.unfinished"
            assert report.finding.member is None
            assert not report.accusations


@pytest.mark.parametrize("member", range(3))
def test_a_record_without_one_seal_is_unfinished(member: int) -> None:
    lengths = tuple(len(log) - (1 if m == member else 0) for m, log in enumerate(logs()))
    report = audited(cut(lengths))
    assert report.finding is not None
    assert report.finding.rule == "record.unfinished"
    assert f"Player {member}" in report.finding.detail


def test_a_record_with_nothing_in_it() -> None:
    for record in (write(((), (), ())), write(())):
        report = audit(record)
        assert report.finding is not None
        assert report.finding.member is None
        assert report.over is None


@pytest.mark.parametrize("seed", range(40))
def test_a_record_cut_off_in_its_bytes_is_refused(seed: int) -> None:
    data = sealed()
    length = Random(seed).randrange(len(data))
    with pytest.raises(Refused):
        audit(data[:length])


def noticed(data: bytes) -> bool:
    """Whether an audit refuses the bytes or reports a finding."""
    try:
        report = audited(data)
    except Refused:
        return True
    return report.finding is not None


@pytest.mark.parametrize("seed", range(25))
def test_any_byte_that_is_changed_is_noticed(seed: int) -> None:
    random = Random(seed)
    data = bytearray(short())
    place = random.randrange(len(data))
    data[place] ^= random.randrange(1, 256)
    assert noticed(bytes(data)), (seed, place)


@pytest.mark.slow
def test_many_bytes_changed() -> None:
    data = short()
    random = Random(1)
    for place in [*range(200), *(random.randrange(len(data)) for _ in range(3000)), *range(len(data) - 70, len(data))]:
        changed = data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]
        assert noticed(changed), place


FIELDS = ["version", "table", "author", "sequence", "previous", "table hash", "body"]


@pytest.mark.parametrize("field", range(len(FIELDS)), ids=FIELDS)
def test_a_field_of_an_entry_changed(field: int) -> None:
    """The member whose entry it is stands in the finding; it is not called a cheat."""
    everything = load(short())
    for member, log in enumerate(everything):
        for place in {0, len(log) // 2, len(log) - 1}:
            values = msgpack.unpackb(log[place].data)
            value = values[field]
            values[field] = value ^ 1 if isinstance(value, int) else value[:-1] + bytes([value[-1] ^ 1])
            report = audited(write(_with(everything, member, place, SignedEntry(pack(values), log[place].signature))))
            assert report.finding is not None
            assert report.finding.rule in (
                "entry.signature",
                "entry.author",
                "entry.version",
                "entry.table",
                "sit.roster",
                "record.author",
            )


def test_every_field_of_every_kind_of_body_changed() -> None:
    everything = logs()
    seen = set()
    for member, log in enumerate(everything):
        for place, signed in enumerate(log):
            values = msgpack.unpackb(signed.data)
            body = msgpack.unpackb(body_of(signed), use_list=False)
            for key, value in body.items():
                if (body["kind"], key) in seen or key == "kind" or not value:
                    continue
                seen.add((body["kind"], key))
                values[6] = pack({**body, key: _other(value)})
                changed = _with(everything, member, place, SignedEntry(pack(values), signed.signature))
                report = audited(write(changed))
                assert report.finding is not None, (body["kind"], key)
                assert not report.accusations, (body["kind"], key)
    assert {kind for kind, _ in seen} >= {"sit", "keys", "open", "mix", "share", "commit", "turn", "choose", "seal"}


def _other(value: object) -> object:
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    if isinstance(value, tuple):
        return value[:-1]
    return value


def _with(everything: Logs, member: int, place: int, signed: SignedEntry) -> Logs:
    log = (*everything[member][:place], signed, *everything[member][place + 1 :])
    return (*everything[:member], log, *everything[member + 1 :])


@pytest.mark.parametrize("place", [0, 3, -1])
def test_a_signature_changed_or_exchanged(place: int) -> None:
    everything = load(short())
    log = everything[1]
    at = place % len(log)
    spoiled = bytes([log[at].signature[0] ^ 1]) + log[at].signature[1:]
    for signature in (spoiled, log[at - 1].signature, b"", bytes(64), everything[0][at % 3].signature):
        report = audited(write(_with(everything, 1, at, SignedEntry(log[at].data, signature))))
        assert report.finding is not None
        assert (report.finding.member, report.finding.entry, report.finding.rule) == (1, at, "entry.signature")
        assert not report.accusations


def test_entries_exchanged_left_out_doubled_or_moved() -> None:
    a, b, c = load(short())
    for changed in (
        (b, a, c),
        (a, b, (*c[:2], c[3], c[2], *c[4:])),
        ((*a[:3], *a[4:]), b, c),
        (a[1:], b, c),
        (a, b[:-1], c),
        ((*a, a[-1]), b, c),
        ((a[0], *a), b, c),
        (a, (*b, *c), c),
        (a, b, ()),
        (a, b),
        (a, b, c, ()),
        ((), b, c),
    ):
        assert noticed(write(changed)), [len(log) for log in changed]


def test_an_entry_that_the_seals_do_not_reach_is_surplus() -> None:
    game: Group = whole_game(3).find(lambda m: m.owed.kind == "")
    late = sign(game.players[1], messages.Leave())
    a, b, c = logs()
    report = audited(write((a, (*b, late), c)))
    assert report.finding is not None
    assert (report.finding.member, report.finding.entry, report.finding.rule) == (1, len(b), "record.surplus")
    assert not report.accusations


CONTAINERS = {
    "nothing": b"",
    "text": pack("p2pmatryoshka record"),
    "a map": pack({"format": 1}),
    "no logs": pack([record_file.FORMAT, 1]),
    "another name": pack(["record", 1, []]),
    "another version": pack([record_file.FORMAT, 2, []]),
    "a version that is true": pack([record_file.FORMAT, True, [[], [], []]]),
    "logs as a map": pack([record_file.FORMAT, 1, {}]),
    "a log as bytes": pack([record_file.FORMAT, 1, [b""]]),
    "an entry as bytes": pack([record_file.FORMAT, 1, [[b""]]]),
    "an entry of three": pack([record_file.FORMAT, 1, [[[b"", b"", b""]]]]),
    "an entry of text": pack([record_file.FORMAT, 1, [[["", ""]]]]),
    "deep nesting": b"\x91" * 10_000,
    "a lie about a length": b"\xdd\xff\xff\xff\xff",
    "a longer form": b"\xdc\x00\x03" + pack(record_file.FORMAT) + b"\x01\x90",
    "something after it": pack([record_file.FORMAT, 1, []]) + b"\0",
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_what_is_no_record_is_refused(name: str) -> None:
    with pytest.raises(Refused) as caught:
        audit(CONTAINERS[name])
    assert caught.value.rule.startswith(("record.", "msgpack."))


@pytest.mark.parametrize(
    "entry", [SignedEntry(b"", b""), SignedEntry(b"\xc1", bytes(64)), SignedEntry(b"\x97" + b"\x01" * 7, bytes(64))]
)
def test_entries_of_garbage_are_findings(entry: SignedEntry) -> None:
    report = audit(write(((entry,), (), ())))
    assert report.finding is not None
    assert not report.accusations


@pytest.mark.parametrize("seed", range(20))
def test_arbitrary_bytes_are_refused(seed: int) -> None:
    random = Random(seed)
    with pytest.raises(Refused):
        audit(random.randbytes(random.randrange(400)))
