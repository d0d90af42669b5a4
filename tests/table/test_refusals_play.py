"""A member cheats where cards are played, choices made and the result signed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import p2pmatryoshka.rules
from p2pmatryoshka.crypto import commitment, elgamal, group, shuffle, sigma
from p2pmatryoshka.crypto.elgamal import CIPHERTEXT_SIZE, Ciphertext
from p2pmatryoshka.crypto.group import POINT_SIZE, Point
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.rules.game import Cards, Choice
from p2pmatryoshka.table import dealer, messages, produce
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Sealing
from tests.table.attack import Attack, Attacks, Cheat, Making, convict, raw, settle, spoiled
from tests.table.memory import Group, Line

attacks = Attacks()
Turning = Callable[[Cheat, Context], "messages.Turn | bytes"]
NONCE = bytes(range(32))


def turns(rule: str, *, alone: bool = True) -> Callable[[Turning], Turning]:
    """The same wrong turn twice: signed openly by the active player (if alone), and committed to, then revealed."""

    def add(make: Turning) -> Turning:
        def turn(c: Cheat) -> messages.Turn | bytes:
            return make(c, c.context)

        def lay(c: Cheat) -> messages.Commit:
            got = make(c, c.context)
            c.notes["body"] = got if isinstance(got, bytes) else messages.encode(got)
            digest = commitment.commit(c.table, c.moment.number, c.member, NONCE, c.notes["body"])
            return messages.Commit(commitment=digest)

        def reveal(c: Cheat) -> messages.Open:
            return messages.Open(nonce=NONCE, body=c.notes["body"])

        turn.__name__ = reveal.__name__ = make.__name__
        if alone:
            attacks.at("turn", rule)(turn)
        attacks.at("reveal", rule, before=("commit", lay))(reveal)
        return make

    return add


def _honest(c: Cheat, context: Context | None = None) -> messages.Turn:
    choice = c.choice()
    assert choice is not None
    return produce.turn(c.layout, context or c.context, choice, c.secret, c.randomness)


def _turn(
    c: Cheat,
    order: list[int],
    cards: Cards,
    *,
    before: tuple[Ciphertext, ...] | None = None,
    key: Point | None = None,
    open_places: list[int] | None = None,
) -> messages.Turn:
    """A turn whose proofs hold for the cards at these places of the hand in this order, whatever `cards` claims."""
    hand = c.layout.hands[c.layout.seat(c.member)] if before is None else before
    mixed, mix_proof = shuffle.shuffle(c.context, key or c.key, hand, order, c.randomness)
    bases = [mixed[place].a for place in (range(len(cards)) if open_places is None else open_places)]
    shares, share_proof = sigma.prove_equal_logs(c.context, c.secret, c.key, bases, c.randomness)
    return messages.Turn(
        option=(),
        cards=cards,
        hidden=0,
        mixed=elgamal.encode(mixed),
        mix_proof=mix_proof,
        shares=b"".join(group.encode(share) for share in shares),
        share_proof=share_proof,
    )


def _places(c: Cheat) -> tuple[list[int], Cards]:
    """The places of the hand in ascending order of the cards there, and how many are to be played."""
    opened = dealer.hand(c.layout, c.layout.seat(c.member), c.secret)
    places = sorted(range(len(opened)), key=lambda place: opened[place])
    return places, tuple(opened[place] for place in places[: c.ask.ways[0].count])


@turns("turn.card")
def a_card_not_in_the_hand(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    foreign = next(card for card in c.layout.deck if card not in c.hand and card > turn.cards[-1])
    return turn.model_copy(update={"cards": (*turn.cards[:-1], foreign)})


@turns("turn.card")
def another_card_of_its_hand_than_it_opens(c: Cheat, context: Context) -> messages.Turn:
    places, cards = _places(c)
    return _turn(c, places, (*cards[:-1], c.hand[len(cards)]))


@turns("turn.card")
def the_chosen_card_stays_in_the_hand(c: Cheat, context: Context) -> messages.Turn:
    """Another card leaves the hand than is shown."""
    places, cards = _places(c)
    return _turn(c, [*places[1:], places[0]], cards)


@turns("shares.challenge")
def a_card_opened_from_the_back_of_the_list(c: Cheat, context: Context) -> messages.Turn:
    """The chosen card is shown from where it still is; the first of the list would leave the hand in its place."""
    places, cards = _places(c)
    order = [*places[1:], places[0]]
    return _turn(c, order, cards, open_places=[*range(len(cards) - 1), len(order) - 1])


@turns("shuffle.challenge")
def a_card_swapped_into_the_hand(c: Cheat, context: Context) -> messages.Turn:
    foreign = next(card for card in c.layout.deck if card not in c.hand)
    hand = c.layout.hands[c.layout.seat(c.member)]
    places, cards = _places(c)
    known = elgamal.open_encryption(elgamal.card_point(foreign), c.key)
    return _turn(c, places, cards, before=(*hand[:-1], known))


@turns("shuffle.challenge")
def a_card_doubled_in_the_hand(c: Cheat, context: Context) -> messages.Turn:
    hand = c.layout.hands[c.layout.seat(c.member)]
    places, cards = _places(c)
    return _turn(c, places, cards, before=(hand[1], *hand[1:]))


@turns("shuffle.challenge")
def the_hand_scaled(c: Cheat, context: Context) -> messages.Turn:
    hand = c.layout.hands[c.layout.seat(c.member)]
    places, cards = _places(c)
    return _turn(c, places, cards, before=tuple(Ciphertext(group.times(3, a), group.times(3, b)) for a, b in hand))


@turns("shuffle.challenge")
def the_hand_masked_under_another_key(c: Cheat, context: Context) -> messages.Turn:
    places, cards = _places(c)
    return _turn(c, places, cards, key=c.layout.keys[(c.member + 1) % 3])


@turns("shuffle.challenge")
def another_members_hand(c: Cheat, context: Context) -> messages.Turn:
    places, cards = _places(c)
    other = c.layout.hands[(c.layout.seat(c.member) + 1) % 3]
    hand = c.layout.hands[c.layout.seat(c.member)]
    return _turn(c, places, cards, before=(*other, *hand)[: len(hand)])


@turns("shuffle.challenge")
def proofs_for_another_step(c: Cheat, context: Context) -> messages.Turn:
    """In a reveal: bound to the step of the reveal, not to that of the commitment."""
    return _honest(c, c.elsewhere(step=c.moment.number + 1))


@turns("shuffle.challenge")
def proofs_for_another_member(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    hand = c.layout.hands[c.layout.seat(c.member)]
    elsewhere = c.elsewhere(member=(c.member + 1) % 3)
    mixed, proof = shuffle.shuffle(elsewhere, c.key, hand, range(len(hand)), c.randomness)
    return turn.model_copy(update={"mixed": elgamal.encode(mixed), "mix_proof": proof})


@turns("shuffle.challenge")
def proofs_for_another_table(c: Cheat, context: Context) -> messages.Turn:
    return _honest_at(c, c.elsewhere(table=bytes(32)))


def _honest_at(c: Cheat, context: Context) -> messages.Turn:
    choice = c.choice()
    assert choice is not None
    return produce.turn(c.layout, context, choice, c.secret, c.randomness)


@turns("shares.challenge")
def shares_proved_for_another_step(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    mixed = elgamal.decode(turn.mixed, len(c.hand))
    bases = [ct.a for ct in mixed[: len(turn.cards)]]
    _, proof = sigma.prove_equal_logs(c.elsewhere(step=0), c.secret, c.key, bases, c.randomness)
    return turn.model_copy(update={"share_proof": proof})


@turns("shares.challenge")
def a_wrong_share(c: Cheat, context: Context) -> messages.Turn:
    """The share that would open the claimed card: what is opened can be anything without the proof."""
    turn = _honest(c)
    mixed = elgamal.decode(turn.mixed, len(c.hand))
    foreign = next(card for card in c.layout.deck if card not in c.hand and card > turn.cards[-1])
    last = len(turn.cards) - 1
    share = group.minus(mixed[last].b, elgamal.card_point(foreign))
    shares = turn.shares[: POINT_SIZE * last] + group.encode(share)
    return turn.model_copy(update={"cards": (*turn.cards[:-1], foreign), "shares": shares})


@turns("points.length")
def one_share_too_many(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    return turn.model_copy(update={"shares": turn.shares + turn.shares[:POINT_SIZE]})


@turns("points.length")
def no_share(c: Cheat, context: Context) -> messages.Turn:
    return _honest(c).model_copy(update={"shares": b"", "share_proof": b""})


@turns("shares.length")
def no_proof_of_the_shares(c: Cheat, context: Context) -> messages.Turn:
    return _honest(c).model_copy(update={"share_proof": b""})


@turns("ciphertext.length")
def a_card_less_in_the_hand(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    return turn.model_copy(update={"mixed": turn.mixed[:-CIPHERTEXT_SIZE]})


@turns("ciphertext.length")
def a_card_more_in_the_hand(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    return turn.model_copy(update={"mixed": turn.mixed + turn.mixed[:CIPHERTEXT_SIZE]})


@turns("shuffle.length")
def no_proof_of_the_mix(c: Cheat, context: Context) -> messages.Turn:
    return _honest(c).model_copy(update={"mix_proof": b""})


@turns("shuffle.challenge")
def a_spoiled_proof_of_the_mix(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    return turn.model_copy(update={"mix_proof": spoiled(turn.mix_proof)})


@turns("rules.play.way")
def too_many_cards(c: Cheat, context: Context) -> messages.Turn:
    places, cards = _places(c)
    return _turn(c, places, c.hand[: len(cards) + 1])


@turns("rules.play.way")
def no_cards(c: Cheat, context: Context) -> messages.Turn:
    places, _ = _places(c)
    return _turn(c, places, ())


@turns("rules.play.order")
def a_card_twice(c: Cheat, context: Context) -> messages.Turn:
    places, cards = _places(c)
    return _turn(c, places, (cards[0], cards[0], *cards[2:]))


@turns("rules.play.order", alone=False)
def the_order_descending(c: Cheat, context: Context) -> messages.Turn:
    """An honest play but for the order, which would tell where the cards came from."""
    places, cards = _places(c)
    return _turn(c, [*reversed(places[: len(cards)]), *places[len(cards) :]], tuple(reversed(cards)))


@turns("turn.card", alone=False)
def the_mix_descending(c: Cheat, context: Context) -> messages.Turn:
    places, cards = _places(c)
    return _turn(c, [*reversed(places[: len(cards)]), *places[len(cards) :]], cards)


@turns("rules.play.mixed")
def cards_and_hidden_ones(c: Cheat, context: Context) -> messages.Turn:
    return _honest(c).model_copy(update={"hidden": 1})


@turns("rules.play.way")
def hidden_instead_of_open(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    hidden = len(turn.cards)
    return turn.model_copy(update={"cards": (), "hidden": hidden, "shares": b"", "share_proof": b""})


@turns("rules.play.way")
def an_option_that_was_not_given(c: Cheat, context: Context) -> messages.Turn:
    return _honest(c).model_copy(update={"option": ("top", 1)})


@turns("rules.card.play")
def a_card_of_a_colour_not_in_play(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    return turn.model_copy(update={"cards": (*turn.cards[:-1], 69)})


@turns("rules.card.play")
def a_card_that_does_not_exist(c: Cheat, context: Context) -> messages.Turn:
    turn = _honest(c)
    return turn.model_copy(update={"cards": (*turn.cards[:-1], 65535)})


@turns("body.form")
def a_negative_count_of_hidden_cards(c: Cheat, context: Context) -> bytes:
    return raw(_honest(c), hidden=-1)


@turns("body.form")
def cards_as_one_number(c: Cheat, context: Context) -> bytes:
    return raw(_honest(c), cards=7)


@turns("body.form")
def an_extra_word(c: Cheat, context: Context) -> bytes:
    return raw(_honest(c), more=b"")


@turns("body.kind")
def no_turn_at_all(c: Cheat, context: Context) -> bytes:
    return messages.encode(messages.Choose(option=()))


@turns("msgpack.truncated")
def an_empty_body(c: Cheat, context: Context) -> bytes:
    return b""


@turns("msgpack.trailing")
def something_after_the_body(c: Cheat, context: Context) -> bytes:
    return messages.encode(_honest(c)) + b"\0"


@attacks.at("turn", "body.kind")
def laid_face_down_where_it_must_be_open(c: Cheat) -> messages.Commit:
    return messages.Commit(commitment=bytes(32))


@attacks.at("commit", "body.kind")
def opened_where_it_must_be_laid_face_down(c: Cheat) -> messages.Turn:
    return _honest(c)


@attacks.at("commit", "body.form")
def a_commitment_too_short(c: Cheat) -> bytes:
    return raw(messages.Commit(commitment=bytes(32)), commitment=bytes(31))


@attacks.at("commit", "body.form")
def a_commitment_as_text(c: Cheat) -> bytes:
    return raw(messages.Commit(commitment=bytes(32)), commitment="0" * 32)


def _lay_honestly(c: Cheat) -> messages.Commit:
    """Two turns are ready; one is committed to."""
    c.notes["laid"], c.notes["other"] = messages.encode(_honest(c)), messages.encode(_honest(c))
    digest = commitment.commit(c.table, c.moment.number, c.member, NONCE, c.notes["laid"])
    return messages.Commit(commitment=digest)


def reveals(rule: str) -> Callable[[Making], Making]:
    return attacks.at("reveal", rule, before=("commit", _lay_honestly))


@reveals("commitment.mismatch")
def another_turn(c: Cheat) -> messages.Open:
    return messages.Open(nonce=NONCE, body=c.notes["other"])


@reveals("commitment.mismatch")
def another_nonce(c: Cheat) -> messages.Open:
    return messages.Open(nonce=bytes(32), body=c.notes["laid"])


@reveals("commitment.mismatch")
def a_spoiled_turn(c: Cheat) -> messages.Open:
    return messages.Open(nonce=NONCE, body=spoiled(c.notes["laid"]))


@reveals("commitment.mismatch")
def the_reveal_of_another_member(c: Cheat) -> messages.Open:
    c.rush()
    opening = c.seen()
    assert isinstance(opening, messages.Open)
    return opening


@reveals("body.kind")
def the_turn_itself(c: Cheat) -> messages.AnyBody:
    return messages.decode(c.notes["laid"])


@reveals("body.form")
def a_nonce_too_short(c: Cheat) -> bytes:
    return raw(messages.Open(nonce=NONCE, body=c.notes["laid"]), nonce=NONCE[:31])


@reveals("body.form")
def a_body_as_text(c: Cheat) -> bytes:
    return raw(messages.Open(nonce=NONCE, body=b""), body="x")


def _copy_a_commitment(c: Cheat) -> messages.Commit:
    body = c.seen()
    assert isinstance(body, messages.Commit)
    return body


@attacks.at("reveal", "commitment.mismatch", before=("commit", _copy_a_commitment))
def a_copied_commitment_echoed_with_its_opening(c: Cheat) -> messages.Open:
    c.rush()
    opening = c.seen()
    assert isinstance(opening, messages.Open)
    return opening


def _lay_for_another_step(c: Cheat) -> messages.Commit:
    c.notes["laid"] = messages.encode(_honest(c))
    digest = commitment.commit(c.table, c.moment.number + 1, c.member, NONCE, c.notes["laid"])
    return messages.Commit(commitment=digest)


@attacks.at("reveal", "commitment.mismatch", before=("commit", _lay_for_another_step))
def a_commitment_for_another_step(c: Cheat) -> messages.Open:
    return messages.Open(nonce=NONCE, body=c.notes["laid"])


def _lay_for_another_table(c: Cheat) -> messages.Commit:
    c.notes["laid"] = messages.encode(_honest(c))
    return messages.Commit(commitment=commitment.commit(bytes(32), c.moment.number, c.member, NONCE, c.notes["laid"]))


@attacks.at("reveal", "commitment.mismatch", before=("commit", _lay_for_another_table))
def a_commitment_for_another_table(c: Cheat) -> messages.Open:
    return messages.Open(nonce=NONCE, body=c.notes["laid"])


@attacks.at("choose", "rules.pick.option")
def an_offer_that_nobody_made(c: Cheat) -> messages.Choose:
    return messages.Choose(option=("take", 99))


@attacks.at("choose", "rules.pick.option")
def its_own_card(c: Cheat) -> messages.Choose:
    return messages.Choose(option=("take", c.layout.seat(c.member)))


@attacks.at("choose", "rules.pick.option")
def no_offer(c: Cheat) -> messages.Choose:
    return messages.Choose(option=())


@attacks.at("choose", "rules.pick.option")
def an_offer_spelt_otherwise(c: Cheat) -> messages.Choose:
    option = c.honest().option
    return messages.Choose(option=(option[0], str(option[1])))


@attacks.at("choose", "body.form")
def an_offer_as_a_truth_value(c: Cheat) -> bytes:
    """True equals 1 in Python, and is no seat."""
    return pack({"kind": "choose", "option": ["take", True]})


@attacks.at("choose", "body.form")
def a_negative_seat(c: Cheat) -> bytes:
    return pack({"kind": "choose", "option": ["take", -1]})


@attacks.at("choose", "body.form")
def an_option_inside_an_option(c: Cheat) -> bytes:
    return pack({"kind": "choose", "option": [["take", 1]]})


@attacks.at("choose", "body.form")
def an_option_as_text(c: Cheat) -> bytes:
    return pack({"kind": "choose", "option": "take"})


def _seal(c: Cheat) -> messages.Seal:
    assert isinstance(c.moment.stage, Sealing)
    body = c.honest()
    assert isinstance(body, messages.Seal)
    return body


@attacks.at("seal", "seal.result")
def more_points_for_itself(c: Cheat) -> messages.Seal:
    body = _seal(c)
    (seat, points), *rest = body.points
    return body.model_copy(update={"points": ((seat, points + 1), *rest)})


@attacks.at("seal", "seal.result")
def another_winner(c: Cheat) -> messages.Seal:
    body = _seal(c)
    return body.model_copy(update={"winners": tuple({0, 1, 2} - set(body.winners))})


@attacks.at("seal", "seal.result")
def points_in_another_order(c: Cheat) -> messages.Seal:
    body = _seal(c)
    return body.model_copy(update={"points": tuple(reversed(body.points))})


@attacks.at("seal", "body.form")
def a_seal_without_winners(c: Cheat) -> bytes:
    return raw(_seal(c), winners=None)


@attacks.at("seal", "body.kind")
def no_seal_at_all(c: Cheat) -> messages.Choose:
    return messages.Choose(option=())


@pytest.mark.parametrize("attack", attacks.parameters())
def test_one_member_cheats(attack: Attack) -> None:
    convict(attack, len(attack.name) % 3)


@pytest.mark.parametrize("kind", ["reveal"])
def test_the_game_goes_on_to_its_natural_end(kind: str) -> None:
    convict(next(a for a in attacks if a.at == kind), 1, whole=True)


def fits(attack: Attack, count: int) -> bool:
    """Five players have every colour in play."""
    return count < 5 or "colour_not_in_play" not in attack.name


@pytest.mark.slow
@pytest.mark.parametrize("attack", attacks.parameters())
def test_one_member_cheats_at_a_larger_table(attack: Attack) -> None:
    count = 4 + len(attack.name) % 2 if fits(attack, 5) else 4
    convict(attack, len(attack.name) % count, count)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("kind", ["commit", "reveal", "turn", "choose", "seal"])
def test_every_member_cheats(kind: str, count: int) -> None:
    """Each with another attack; one of the games is played to its natural end."""
    possible = [attack for attack in attacks if attack.at == kind and fits(attack, count)]
    for member in range(count):
        convict(possible[(member + count) % len(possible)], member, count, whole=member == count - 1)


@pytest.mark.parametrize("nth", [1, 3, 9])
def test_cheating_in_a_later_round(nth: int) -> None:
    attack = next(a for a in attacks if a.at == "reveal" and a.name.endswith("a_card_not_in_the_hand"))
    convict(replace(attack, nth=nth), 2)


DECK = (Path(p2pmatryoshka.rules.__file__).parent / "decks" / "english.toml").read_bytes()


@cache
def matrioske() -> Line:
    return Line(Group(4, game="matrioske", deck=DECK, rules={"judge": "table"}, seed=5))


def _choice(c: Cheat, face_up: bool) -> Choice:
    due = c.player.own.due(c.player.table)
    assert isinstance(due, Question)
    return next(m for m in c.player.own.moves(c.player.table, due) if m.face_up == face_up)


def _covered(c: Cheat) -> messages.Turn:
    """An honest turn that covers a card."""
    return produce.turn(c.layout, c.context, _choice(c, False), c.secret, c.randomness)


def _shown(c: Cheat, **changed: object) -> messages.Turn:
    turn = produce.turn(c.layout, c.context, _choice(c, True), c.secret, c.randomness)
    return turn.model_copy(update=changed)


def _opened_though_hidden(c: Cheat) -> messages.Turn:
    turn = _covered(c)
    mixed = elgamal.decode(turn.mixed, len(c.hand))
    shares, proof = sigma.prove_equal_logs(c.context, c.secret, c.key, [mixed[0].a], c.randomness)
    return turn.model_copy(update={"shares": group.encode(shares[0]), "share_proof": proof})


def _unlisted(c: Cheat) -> messages.Turn:
    """A card at a place that the deck does not list for it, without a claim."""
    due = c.player.own.due(c.player.table)
    assert isinstance(due, Question)
    claim = next(m for m in c.player.own.moves(c.player.table, due) if m.option[:1] == ("claim",))
    turn = produce.turn(c.layout, c.context, claim, c.secret, c.randomness)
    return turn.model_copy(update={"option": claim.option[1:]})


MATRIOSKE: dict[str, tuple[Callable[[Cheat], messages.AnyBody], str]] = {
    "two cards covered": (lambda c: _covered(c).model_copy(update={"hidden": 2}), "rules.play.way"),
    "no card covered": (lambda c: _covered(c).model_copy(update={"hidden": 0}), "rules.play.way"),
    "a covered card with a place": (
        lambda c: _covered(c).model_copy(update={"option": ("top", 0)}),
        "rules.play.way",
    ),
    "a covered card opened": (_opened_though_hidden, "points.length"),
    "a covered card with a proof": (
        lambda c: _covered(c).model_copy(update={"share_proof": bytes(64)}),
        "shares.length",
    ),
    "a place that does not exist": (lambda c: _shown(c, option=("top", 8)), "rules.play.way"),
    "no place": (lambda c: _shown(c, option=()), "rules.play.way"),
    "a card where it does not fit": (_unlisted, "rules.card.placement"),
    "a card of the table": (lambda c: _shown(c, cards=(0,)), "rules.card.play"),
    "a card beyond the deck": (lambda c: _shown(c, cards=(48,)), "rules.card.play"),
}


@pytest.mark.parametrize("name", MATRIOSKE)
def test_one_member_cheats_at_matrioske(name: str) -> None:
    make, rule = MATRIOSKE[name]
    g = matrioske().find(lambda m: m.owed.kind == "turn", len(name) % 4).branch(name)
    (member,) = g.moment.owed.members
    c = Cheat(g, g.players[member])
    settle(g, member, [c.sign(make(c))], {(member, rule)})
