"""Every card is somewhere exactly once, as somebody sees it who knows all secrets."""

from __future__ import annotations

from collections.abc import Mapping

from p2pmatryoshka.crypto import elgamal, group
from p2pmatryoshka.crypto.elgamal import Ciphertext
from p2pmatryoshka.crypto.group import Point
from p2pmatryoshka.table.layout import Layout
from p2pmatryoshka.table.step import Closed, Playing, Sealing
from p2pmatryoshka.table.table import Table


class CardsLost(Exception):
    """A card lies in two places or in none."""


class _Seer:
    def __init__(self, layout: Layout, secrets: Mapping[Point, int]) -> None:
        self.secrets = {member: secrets[key] for member, key in layout.keys.items()}
        self.cards = {elgamal.card_point(card): card for card in layout.deck}
        self.known: dict[tuple[Ciphertext, tuple[int, ...]], int] = {}

    def card(self, ct: Ciphertext, members: tuple[int, ...]) -> int:
        if (ct, members) not in self.known:
            secret = sum(self.secrets[member] for member in members) % group.q
            point = elgamal.decrypt(secret, ct)
            if point not in self.cards:
                raise CardsLost("a ciphertext holds no card")
            self.known[ct, members] = self.cards[point]
        return self.known[ct, members]


def check_cards(table: Table, secrets: Mapping[Point, int]) -> None:
    """At every moment of a table since its first deal. Raises CardsLost."""
    seer: _Seer | None = None
    out_of_game: set[int] = set()  # hands and covered cards of those who left since the stock was made
    held: dict[int, set[int]] = {}
    holders: tuple[int, ...] = ()
    for moment in table.spine:
        stage = moment.stage
        if not isinstance(stage, Playing | Sealing | Closed) or not stage.layout.holders:
            continue
        layout = stage.layout
        if seer is None:
            seer = _Seer(layout, secrets)
        for member in set(held) - set(layout.still_in):
            out_of_game |= held.pop(member)
        if layout.holders != holders:
            holders, out_of_game = layout.holders, set()
        held = {
            member: {
                seer.card(ct, (member,))
                for ct in (*layout.hands[layout.seat(member)], *layout.covered[layout.seat(member)])
            }
            for member in layout.still_in
        }
        counted = sum(len(layout.hands[seat]) + len(layout.covered[seat]) for seat in range(len(layout.seating)))
        stock = [seer.card(ct, layout.holders) for ct in layout.stock]
        places = [*stock, *layout.lying, *out_of_game, *(card for cards in held.values() for card in cards)]
        if counted != sum(map(len, held.values())) or sorted(places) != sorted(layout.deck):
            raise CardsLost(f"at step {moment.number} the cards are {sorted(places)}")
