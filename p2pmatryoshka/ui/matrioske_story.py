"""What happened at a Matrioske table between two moments, and the score, in sentences."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.rules.game import Over, Seat
from p2pmatryoshka.rules.matrioske import MatrioskeView
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.ui.matrioske_words import place, quoted, spot
from p2pmatryoshka.ui.screen import LOUD, TITLE, Lines
from p2pmatryoshka.ui.standing import winners
from p2pmatryoshka.ui.strings import counted, listed, say


def tell(before: MatrioskeView | None, after: MatrioskeView, names: tuple[str, ...]) -> Lines:
    """In the order in which it happened."""
    if before is None:
        lines: Lines = [Text(say("seats", names=", ".join(names)))]
        if after.starter is not None:
            lines.append(Text(say("k.story.starter", name=names[after.starter])))
        return lines
    gone = [seat for seat in before.still_in if seat not in after.still_in]
    lines = [Text(say("k.story.gone", name=names[seat]), LOUD) for seat in gone]
    if before.starter is None and after.starter is not None:
        lines.append(Text(say("k.story.starter", name=names[after.starter])))
    if before.phase is Phase.DEAL and after.phase is not Phase.DEAL:
        lines.append(Text(say("k.story.dealt")))
    if before.claim is not None and before.claim.seat not in gone:
        lines += _judged(before, after, names)
    elif before.turn is not None and before.turn not in gone and not gone:
        lines += _played(before, after, names, before.turn)
    return lines


def _judged(before: MatrioskeView, after: MatrioskeView, names: tuple[str, ...]) -> Lines:
    claim = before.claim
    if claim is None or after.claim == claim:
        return []
    if claim.card in after.shown[claim.seat]:
        card = before.deck.names[claim.card]
        return [Text(say("k.story.refused", card=card, name=names[claim.seat]))]
    return [Text(say("k.story.accepted")), *_played(before, after, names, claim.seat)]


def _played(before: MatrioskeView, after: MatrioskeView, names: tuple[str, ...], seat: Seat) -> Lines:
    name, deck = names[seat], after.deck
    if after.claim is not None and after.claim != before.claim:
        at = place(deck, after.claim.spot)
        return [Text(say("k.story.claim", name=name, card=deck.names[after.claim.card], place=at))]
    for number, (was, now) in enumerate(zip(before.piles, after.piles, strict=True)):
        if was == now:
            continue
        position = len(now) - 1
        option = ("top", number) if position == len(was) else ("between", number, position)
        at, card = place(deck, spot(before, option)), deck.names[now[-1]]
        if position == len(was):
            return [Text(say("k.story.placed", name=name, card=card, place=at))]
        won = after.won[seat] - before.won[seat]
        covered = say("k.captures.with", n=won) if won else ""
        things = quoted(deck, was[position:])
        return [Text(say("k.story.captured", name=name, card=card, place=at, things=things, covered=covered))]
    if sum(after.covered) > sum(before.covered):
        return [Text(say("k.story.covered", name=name))]
    return []


def explain(view: MatrioskeView, names: tuple[str, ...]) -> Lines:
    """What each captured, most first; at the end also the winner."""
    lines: Lines = []
    for seat in sorted(range(view.seats), key=lambda seat: -view.points[seat]):
        points = counted("points", view.points[seat])
        lines.append(Text(say("k.score.title", name=names[seat], points=points), TITLE))
        if view.captured[seat]:
            cards = listed([view.deck.names[card] for card in view.captured[seat]])
            lines.append(Text(say("k.score.cards", cards=cards)))
        if view.won[seat]:
            lines.append(Text(say("k.score.covered", n=view.won[seat])))
        if not view.points[seat]:
            lines.append(Text(say("k.score.none")))
    if isinstance(view.ask, Over):
        best = max((view.points[seat] for seat in view.ask.winners), default=0)
        lines += winners(view.ask.winners, best, names, view.seat)
    return lines
