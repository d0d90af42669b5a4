"""What must hold in every run, and how a run may end."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from p2pmatryoshka.node.storage import DATABASE
from p2pmatryoshka.table.audit import audit
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.step import Abandoned, Closed
from tests.sim.cards import check_cards

if TYPE_CHECKING:
    from tests.sim.node import Node
    from tests.sim.world import World


FORK = "entry.fork"


class Violation(Exception):
    """Something that must hold does not."""


def check_final(world: World, node: Node) -> None:
    """Nobody honest ever stands elsewhere in a step that everybody still in has signed over."""
    table = node.table
    index = table.folded.index
    spine = table.spine
    named = [max((index.get(e.table_hash, -1) for e in log.chain[-8:]), default=-1) for log in table.logs]
    while node.final < len(spine) - 1:
        moment = spine[node.final + 1]
        if any(named[member] <= node.final for member in moment.still_in):
            break
        node.final += 1
        if world.final.setdefault(moment.number, moment.hash) != moment.hash:
            raise Violation(f"step {moment.number - 1} is final in two ways, one of them at member {node.member}")
    for moment in spine[max(0, node.final - 1) : node.final + 1]:
        known = world.final.get(moment.number)
        if known is not None and known != moment.hash:
            raise Violation(f"member {node.member} has left what was final in step {moment.number}")


def check_store(node: Node) -> None:
    """No file ever holds two own entries with one sequence number."""
    database = sqlite3.connect(f"file:{node.folder / DATABASE}?mode=ro", uri=True)
    try:
        rows = database.execute(
            "SELECT sequence, count(*) FROM entries WHERE author = ? GROUP BY sequence HAVING count(*) > 1",
            (node.member,),
        ).fetchall()
    finally:
        database.close()
    if rows and node.honest:
        raise Violation(f"the file of {node.member} holds own entries twice: {rows}")


def stored(node: Node) -> list[bytes]:
    """The signed bytes of every entry in its file."""
    database = sqlite3.connect(f"file:{node.folder / DATABASE}?mode=ro", uri=True)
    try:
        return [data for (data,) in database.execute("SELECT data FROM entries")]
    finally:
        database.close()


def check_end(world: World) -> tuple[str, str]:
    """The outcome and a word about it."""
    for node in world.nodes:
        if node.honest and (node.folder / DATABASE).exists():
            check_store(node)
    here = [node for node in world.honest if node.alive]
    if not here:
        return "nobody left", ""
    best = max(here, key=lambda node: (node.table.closed, len(node.table.spine)))
    check_cards(best.table, world.secrets)
    open_ones = [node for node in here if not node.table.closed]
    if open_ones:
        return check_waiting(world, open_ones)
    spine = [moment.hash for moment in best.table.spine]
    record = export(best.table)
    for node in here:
        if [moment.hash for moment in node.table.spine] != spine:
            raise Violation(f"members {best.member} and {node.member} ended in different ways")
        if export(node.table) != record:
            raise Violation(f"members {best.member} and {node.member} export different records")
        if convicted(node) != convicted(best):
            raise Violation(f"{best.member} accuses {best.accusations}, {node.member} {node.accusations}")
    stage = best.table.moment.stage
    if isinstance(stage, Abandoned):
        return "abandoned", ""
    if not isinstance(stage, Closed):
        raise Violation("closed without an end")
    report = audit(record)
    if report.finding is not None:
        raise Violation(f"the audit of the sealed record finds {report.finding}")
    if stage.reason and not world.cheats:
        raise Violation(f"the game ended early: {stage.reason}")
    for closing in best.table.folded.closings:
        for filling in closing.values():
            if filling.fill != "answer":
                world.count[f"places {filling.fill}"] += 1
    return "sealed", ""


def convicted(node: Node) -> set[tuple[int, str]]:
    """What all must agree on. One version of a forked log may break rules that the other does not, and whoever met only
    the latter never saw that."""
    forkers = {member for member, rule in node.accusations if rule == FORK}
    return {(member, rule) for member, rule in node.accusations if rule == FORK or member not in forkers}


def check_waiting(world: World, nodes: list[Node]) -> tuple[str, str]:
    """A table may only wait for somebody who is gone or cheats, and whom those who remain are too few to put out. Those
    whose only way to each other was through such a one count apart."""
    groups = groups_of(world)
    for group in groups:
        node = max(group, key=lambda one: len(one.table.spine))
        still_in = node.own._subject(node.table, frozenset()).still_in
        able = {
            one.member for one in group if one.member in still_in and one.may_sign() and not one.own.lost(one.table)
        }
        moment = node.table.moment
        where = f"{moment.owed.kind} {moment.number}, in: {still_in}, able: {able}, owing: {set(node.debtors())}"
        for one in group:
            if one.table.moment.number != moment.number:
                raise Violation(f"{one.member} and {node.member} stand at different steps; {where}")
            if one.table.moment.hash != moment.hash and not moment_is_open(one, node):
                raise Violation(f"{one.member} and {node.member} stand on different records; {where}")
        for one in group:
            chain = one.table.logs[one.member].chain
            known = node.table.folded.index
            if one.member in able and chain[-1].table_hash not in known and not moment_is_open(one, node):
                raise Violation(f"a split: {one.member} signed over another end of a step than {node.member}; {where}")
        if not node.table.closed and 2 * len(able) > len(still_in):
            raise Violation(f"stuck without a reason; {where}")
    return "waits", f"{len(groups)} apart; {where}"


def moment_is_open(*nodes: Node) -> bool:
    """Whether a fork is open to any of them: until it is settled they may stand in different places."""
    return any(node.table.folded.open_forks for node in nodes)


def groups_of(world: World) -> list[list[Node]]:
    """The honest, by who can reach whom without the help of a cheat."""
    left = [node for node in world.honest if node.alive]
    groups = []
    while left:
        group = [left.pop()]
        for node in group:
            near = [one for one in left if world.network.connected(node.id, one.id)]
            left = [one for one in left if one not in near]
            group.extend(near)
        groups.append(group)
    return groups
