"""The face of every game."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.game import View
from p2pmatryoshka.table.step import Closed, Moment, Playing, Sealing
from p2pmatryoshka.ui.face import Face
from p2pmatryoshka.ui.matrioske_face import MatrioskeFace
from p2pmatryoshka.ui.matryoshka_face import MatryoshkaFace

FACES: Mapping[str, Face] = MappingProxyType({"matryoshka": MatryoshkaFace(), "matrioske": MatrioskeFace()})


def face(game: str) -> Face:
    """Raises Fault for a game that this screen cannot show."""
    if game not in FACES:
        raise Fault(f"no screen for the game {game!r}")
    return FACES[game]


def public_view(moment: Moment, me: int | None) -> View | None:
    """What everybody could see at that moment, from a member's side of the table; None before seats are drawn."""
    stage = moment.stage
    if not isinstance(stage, Playing | Sealing | Closed):
        return None
    seat = None if me is None else stage.layout.seat(me)
    view: View = moment.roster.game.view(stage.state, seat, ())
    return view
