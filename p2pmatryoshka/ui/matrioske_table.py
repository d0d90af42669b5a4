"""The Matrioske table as lines of text: every card of every pile in its order, and where mine can go."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.rules.game import Seat
from p2pmatryoshka.rules.matrioske import MatrioskeView
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.ui.around import awaited, away
from p2pmatryoshka.ui.matrioske_words import captures, place, quoted, spot
from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import QUIET, TITLE, Lines
from p2pmatryoshka.ui.strings import listed, say


def draw(view: MatrioskeView, scene: Scene, width: int) -> Lines:
    """Whose turn, the piles, what everybody captured and covered, the claim, my hand."""
    turn = "" if view.turn is None else scene.names[view.turn]
    phase = say(f"k.phase.{view.phase}", name=turn)
    lines: Lines = [Text("-" * width, QUIET), Text(say("k.title", phase=phase), TITLE)]
    lines += [Text(say("k.deck", title=view.deck.title), QUIET), *away(scene), Text(), Text(say("k.piles"))]
    lines += [_pile(view, number) for number in range(len(view.piles))]
    lines += [Text(), *[Text(_counts(view, scene, seat)) for seat in scene.seats_from_me()]]
    lines += [*_middle(view), *_known(view, scene), Text(), *hand(view), *awaited(scene)]
    return lines


def _pile(view: MatrioskeView, number: int) -> Text:
    names = [view.deck.names[card] for card in view.piles[number]]
    top = Text(names[-1], TITLE)
    under = "".join(name + say("k.inside") for name in names[:-1])
    return Text(say("k.pile", n=number + 1, things=under)) + top


def _counts(view: MatrioskeView, scene: Scene, seat: Seat) -> str:
    key = "k.captured.with" if view.won[seat] else "k.captured"
    captured = say(key, captured=view.points[seat], won=view.won[seat])
    name = scene.names[seat] if seat in view.still_in else f"{scene.names[seat]} ({say('gone.mark')})"
    return say("k.counts", name=name, hand=view.hands[seat], captured=captured, covered=view.covered[seat])


def _middle(view: MatrioskeView) -> Lines:
    lines: Lines = []
    covered = sum(view.covered)
    if covered:
        lines.append(Text(say("k.stake", n=covered, stake=view.at_stake)))
    if view.left:
        lines.append(Text(say("k.left", cards=quoted(view.deck, view.left)), QUIET))
    return lines


def _known(view: MatrioskeView, scene: Scene) -> Lines:
    lines: Lines = []
    for seat, cards in enumerate(view.shown):
        if cards and seat != view.seat:
            lines.append(Text(say("k.shown", name=scene.names[seat], cards=quoted(view.deck, cards)), QUIET))
    if view.claim is not None:
        at = place(view.deck, view.claim.spot)
        card = view.deck.names[view.claim.card]
        lines.append(Text(say("k.claim", name=scene.names[view.claim.seat], card=card, place=at), TITLE))
    return lines


def hand(view: MatrioskeView) -> Lines:
    """My cards, numbered, and for each the numbered places that the deck lists; nothing for a watcher."""
    if view.seat is None:
        return []
    if not view.hand:
        return [Text(say("k.hand.none"))]
    mine_now = view.phase is Phase.TURN and view.turn == view.seat
    if not mine_now:
        return [Text(say("k.hand"), TITLE), Text("  " + listed([view.deck.names[card] for card in view.hand]))]
    lines: Lines = [Text(say("k.hand"), TITLE)]
    for number, (card, options) in enumerate(view.places, start=1):
        lines.append(Text(say("k.card", n=number, name=view.deck.names[card]), TITLE))
        for at, option in enumerate(options, start=1):
            where = spot(view, option)
            lines.append(Text(say("k.place", n=at, place=place(view.deck, where)) + captures(view, where)))
        if not options:
            lines.append(Text(say("k.nowhere"), QUIET))
    return lines
