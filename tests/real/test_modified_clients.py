"""Modified clients as real peers over real links: whoever signs something wrong is convicted by everybody alike, and
whoever only tampers with links harms nobody but itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real import convict, undisturbed
from tests.real.peers import Zygote

LANES = 4
Note = Callable[[str, object], None]


def judged(peers: Zygote, folder: Path, names: list[str], count: int, note: Note) -> None:
    with convict.lanes(peers, folder, names, count) as verdicts:
        found = list(verdicts)
    note("cheats tried", len(found))
    note("cheats convicted by all, sealed without them", sum(not one.trouble for one in found))
    assert len(found) == len(names)
    troubled = [f"{one.name} by {one.member}: {one.trouble}" for one in found if one.trouble]
    assert not troubled, f"{len(troubled)} of {len(found)}:\n" + "\n".join(troubled)


def test_two_cheats_are_convicted(peers: Zygote, tmp_path: Path, record_property: Note) -> None:
    judged(peers, tmp_path, ["mix-doubles_a_card", "share-too_few_shares"], 1, record_property)


@pytest.mark.slow
def test_every_cheat_is_convicted(peers: Zygote, tmp_path: Path, record_property: Note) -> None:
    """Each by its own rule, at every honest member, in the record, and nobody else."""
    from tests.real import cheats

    judged(peers, tmp_path, list(cheats.attacks()), LANES, record_property)


@pytest.mark.slow
def test_whoever_tampers_with_links_accuses_nobody(peers: Zygote, tmp_path: Path, record_property: Note) -> None:
    from tests.real import frames

    troubled = [f"{name}: {why}" for name, why in undisturbed.tables(peers, tmp_path, frames.ALL) if why]
    record_property("tampering clients tried", len(frames.ALL))
    record_property("tampering clients that disturbed nobody", len(frames.ALL) - len(troubled))
    assert not troubled, f"{len(troubled)} of {len(frames.ALL)}:\n" + "\n".join(troubled)
