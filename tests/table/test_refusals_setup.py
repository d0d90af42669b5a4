"""A member cheats before the first card is dealt: roster, table keys, coins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2pmatryoshka.crypto import commitment, group, sigma
from p2pmatryoshka.crypto.group import q
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.audit import audit
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.step import Closed, Drawing
from tests.table.attack import Attack, Attacks, Cheat, convict, open_step, raw, settle, sign
from tests.table.memory import Player, identities, roster_for

attacks = Attacks()


@attacks.at("sit", "sit.roster")
def another_roster(c: Cheat) -> messages.Sit:
    return messages.Sit(roster=roster_for(identities(3, 77)))


@attacks.at("sit", "sit.roster")
def roster_of_garbage(c: Cheat) -> messages.Sit:
    return messages.Sit(roster=c.moment.roster.data + b"\0")


@attacks.at("keys", "log.challenge")
def rogue_key(c: Cheat) -> messages.Keys:
    """Its own key minus another's: the sum of both would be its alone."""
    c.rush()
    secret = group.random_scalar(c.randomness)
    key = group.minus(group.base(secret), group.decode(c.seen().key))
    proof = sigma.prove_log(c.context, secret, key, c.randomness)
    return c.honest().model_copy(update={"key": group.encode(key), "proof": proof})


@attacks.at("keys", "log.challenge")
def copied_key(c: Cheat) -> messages.Keys:
    c.rush()
    return c.honest().model_copy(update={"key": c.seen().key, "proof": c.seen().proof})


@attacks.at("keys", "log.challenge")
def copied_everything(c: Cheat) -> messages.Keys:
    c.rush()
    return c.seen()


def _proof_from(c: Cheat, **elsewhere: object) -> messages.Keys:
    secret = group.random_scalar(c.randomness)
    key = group.base(secret)
    proof = sigma.prove_log(c.elsewhere(**elsewhere), secret, key, c.randomness)
    return c.honest().model_copy(update={"key": group.encode(key), "proof": proof})


@attacks.at("keys", "log.challenge")
def proof_from_another_table(c: Cheat) -> messages.Keys:
    return _proof_from(c, table=bytes(32))


@attacks.at("keys", "log.challenge")
def proof_from_another_member(c: Cheat) -> messages.Keys:
    return _proof_from(c, member=(c.member + 1) % 3)


@attacks.at("keys", "log.challenge")
def proof_from_another_step(c: Cheat) -> messages.Keys:
    return _proof_from(c, step=c.moment.number + 1)


@attacks.at("keys", "log.challenge")
def proof_from_another_version(c: Cheat) -> messages.Keys:
    return _proof_from(c, version=c.context.version + 1)


@attacks.at("keys", "log.length")
def no_proof(c: Cheat) -> messages.Keys:
    return c.honest().model_copy(update={"proof": b""})


@attacks.at("keys", "log.length")
def proof_extended(c: Cheat) -> messages.Keys:
    body = c.honest()
    return body.model_copy(update={"proof": body.proof + b"\0"})


@attacks.at("keys", "scalar.range")
def scalar_out_of_range(c: Cheat) -> messages.Keys:
    body = c.honest()
    return body.model_copy(update={"proof": body.proof[:32] + q.to_bytes(32, "big")})


@attacks.at("keys", "point.encoding")
def key_at_infinity(c: Cheat) -> messages.Keys:
    return c.honest().model_copy(update={"key": bytes(33)})


@attacks.at("keys", "point.encoding")
def key_of_a_hybrid_form(c: Cheat) -> messages.Keys:
    body = c.honest()
    return body.model_copy(update={"key": b"\x06" + body.key[1:]})


@attacks.at("keys", "point.encoding")
def key_off_the_curve(c: Cheat) -> messages.Keys:
    return c.honest().model_copy(update={"key": b"\x02" + (5).to_bytes(32, "big")})


@attacks.at("keys", "body.form")
def key_of_65_bytes(c: Cheat) -> bytes:
    return raw(c.honest(), key=b"\x04" + bytes(64))


@attacks.at("keys", "body.form")
def coin_commitment_too_long(c: Cheat) -> bytes:
    return raw(c.honest(), coin=bytes(33))


@attacks.at("open", "commitment.mismatch")
def another_coin(c: Cheat) -> messages.Open:
    return c.honest().model_copy(update={"body": bytes(32)})


@attacks.at("open", "commitment.mismatch")
def another_nonce(c: Cheat) -> messages.Open:
    return c.honest().model_copy(update={"nonce": bytes(32)})


@attacks.at("open", "body.form")
def nonce_too_short(c: Cheat) -> bytes:
    return raw(c.honest(), nonce=bytes(31))


def _keys_with_anothers_coin(c: Cheat) -> messages.Keys:
    honest = c.player.own.draft(c.player.table, None, c.randomness)
    c.player.own = c.player.own.remember(honest.secrets)
    return c.honest().model_copy(update={"coin": c.seen().coin})


@attacks.at("open", "commitment.mismatch", before=("keys", _keys_with_anothers_coin))
def copied_commitment_echoed_with_its_opening(c: Cheat) -> messages.Open:
    c.rush()
    opening = c.seen()
    assert isinstance(opening, messages.Open)
    return opening


def _keys_with_a_coin_of_31_bytes(c: Cheat) -> messages.Keys:
    c.notes["opening"] = messages.Open(nonce=bytes(32), body=bytes(31))
    digest = commitment.commit(c.table, c.moment.number, c.member, bytes(32), bytes(31))
    return c.honest().model_copy(update={"coin": digest})


@attacks.at("open", "coin.length", before=("keys", _keys_with_a_coin_of_31_bytes))
def coin_of_31_bytes(c: Cheat) -> messages.Open:
    return c.notes["opening"]


def _keys_for_the_next_step(c: Cheat) -> messages.Keys:
    c.notes["opening"] = messages.Open(nonce=bytes(32), body=bytes(32))
    digest = commitment.commit(c.table, c.moment.number + 1, c.member, bytes(32), bytes(32))
    return c.honest().model_copy(update={"coin": digest})


@attacks.at("open", "commitment.mismatch", before=("keys", _keys_for_the_next_step))
def commitment_bound_to_the_step_of_its_opening(c: Cheat) -> messages.Open:
    return c.notes["opening"]


@attacks.at("coin", "body.kind")
def old_coin_opened_instead_of_a_new_commitment(c: Cheat) -> messages.Open:
    return c.player.own._remembered(1)


@attacks.at("coin", "body.form")
def new_commitment_too_short(c: Cheat) -> bytes:
    return raw(c.honest(), commitment=bytes(31))


def _first_commitment_again(c: Cheat) -> messages.Commit:
    first = messages.decode(c.player.table.logs[c.member].chain[1].body)
    assert isinstance(first, messages.Keys)
    return messages.Commit(commitment=first.coin)


@attacks.at("open", "commitment.mismatch", before=("coin", _first_commitment_again))
def first_commitment_opened_in_the_second_toss(c: Cheat) -> messages.Open:
    """Whoever saw the others' first coins must not get to play its own again."""
    stage = c.moment.stage
    assert isinstance(stage, Drawing) and stage.coins is not None
    return c.player.own._remembered(1)


def _new_commitment(c: Cheat) -> messages.Commit:
    return messages.Commit(commitment=commitment.commit(c.table, c.moment.number, c.member, bytes(32), bytes(32)))


@attacks.at("open", "commitment.mismatch", before=("coin", _new_commitment))
def first_coin_opened_in_the_second_toss(c: Cheat) -> messages.Open:
    return c.player.own._remembered(1)


@pytest.mark.parametrize("attack", attacks.parameters())
def test_one_member_cheats(attack: Attack) -> None:
    convict(attack, len(attack.name) % 3)


@pytest.mark.parametrize("kind", ["keys"])
def test_the_game_goes_on_to_its_natural_end(kind: str) -> None:
    attack = next(a for a in attacks if a.at == kind and a.before is None)
    convict(attack, 1, whole=True)


@pytest.mark.slow
@pytest.mark.parametrize("attack", attacks.parameters())
def test_one_member_cheats_at_a_larger_table(attack: Attack) -> None:
    count = 4 + len(attack.name) % 2
    convict(attack, len(attack.name) % count, count)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("kind", ["sit", "keys", "open", "coin"])
def test_every_member_cheats(kind: str, count: int) -> None:
    """Each with another attack; one of the games is played to its natural end."""
    possible = [attack for attack in attacks if attack.at == kind]
    for member in range(count):
        convict(possible[(member + count) % len(possible)], member, count, whole=member == count - 1)


def _keys_from(player: Player, secret: int) -> messages.Keys:
    c = Cheat(None, player)  # type: ignore[arg-type]
    key = group.base(secret)
    proof = sigma.prove_log(c.context, secret, key, player.randomness)
    nonce, value = player.randomness(32), player.randomness(32)
    digest = commitment.commit(c.table, c.moment.number, c.member, nonce, value)
    stored = {1: {"key": group.encode_scalar(secret % q), "nonce": nonce, "body": value}}
    player.own = replace(player.own, secrets=stored)
    return messages.Keys(key=group.encode(key), proof=proof, coin=digest)


@pytest.mark.parametrize(("first", "second", "factor"), [(0, 1, 1), (1, 3, 1), (0, 3, 1), (0, 1, -1)])
def test_two_members_share_a_secret(first: int, second: int, factor: int) -> None:
    """Equal keys, or opposite ones whose sum is infinity: the later of the two is out."""
    group_ = open_step("keys", first, 4)
    group_.send(group_.players[first], sign(group_.players[first], _keys_from(group_.players[first], 4711)))
    body = _keys_from(group_.players[second], factor * 4711)
    settle(group_, second, [sign(group_.players[second], body)], {(second, "keys.shared")})


def test_two_members_with_opposite_keys_remain_alone() -> None:
    """Their joint key is infinity when all others have left: whatever follows, nobody's program may crash on it."""
    group_ = open_step("keys", 0, 3)
    for member, factor in ((0, 1), (2, -1)):
        player = group_.players[member]
        group_.send(player, sign(player, _keys_from(player, factor * 4711)))
    group_.run(lambda: group_.players[0].table.moment.owed.kind == "turn" and not group_.flight)
    group_.leave(group_.players[1])
    group_.run()
    stages = [p.table.moment.stage for p in group_.present]
    assert all(isinstance(stage, Closed) for stage in stages)
    assert audit(export(group_.players[0].table)).accusations == group_.players[0].table.accusations
