"""What can go wrong, drawn from a seed: the network, the machines, the people, and at most a few cheats."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from tests.sim import cheats
from tests.sim.network import pair
from tests.sim.plan import Fault

if TYPE_CHECKING:
    from tests.sim.node import Node
    from tests.sim.world import World

Act = Callable[["World"], bool]


def draw(random: Random, members: int, entries: int) -> tuple[Fault, ...]:
    """Faults in any order, and sometimes a network in which not everybody reaches everybody."""
    found: list[Fault] = []
    lost = 0  # members that may be lost to the others for good, or cheat
    # One that goes at a time when one cheats: what the others can do against two is told in protocol/motions.md.
    most_lost = 1 if members == 3 or random.random() < 0.6 else 2
    if random.random() < 0.2:
        found.append(_topology(random, members))
    for _ in range(random.choice((1, 1, 2, 2, 3, 4, 6))):
        after = random.randrange(1, entries) if random.random() < 0.9 else random.randrange(0, 2 * members)
        kinds = [flap, part, stall, crash, crash, restore, restore, duplicate, corrupt, leave]
        if lost < most_lost:
            kinds += [gone, gone, cheat, cheat, cheat]
        kind = random.choice(kinds)
        if kind in (gone, cheat):
            lost += 1
        for fault in kind(random, members):
            found.append(
                replace(fault, after=max(0, after + fault.after), delay=random.choice((0, 0.01, 0.5)) * random.random())
            )
        if random.random() < 0.25:  # several at nearly the same time
            extra = random.choice((flap, part, crash, leave, stall))
            for fault in extra(random, members):
                found.append(replace(fault, after=after + random.randrange(0, 4)))
    return tuple(found)


def _fault(kind: str, act: Act, detail: str = "", after: int = 0) -> Fault:
    return Fault(kind, after, 0.0, act, detail)


def _node(world: World, member: int) -> Node | None:
    """The member's process, if it runs."""
    node = world.network.nodes[member]
    return node if node.alive else None


# --- the network


def _topology(random: Random, members: int) -> Fault:
    """A star or a line: members reachable only through another."""
    order = random.sample(range(members), members)
    links = (
        {pair(order[0], other) for other in order[1:]}
        if random.random() < 0.5
        else {pair(one, other) for one, other in itertools.pairwise(order)}
    )

    def act(world: World) -> bool:
        world.network.never = {p for p in world.network.lines if p not in links and max(p) < members}
        for one, other in world.network.never:
            world.network.drop(one, other, quick=True)
        return True

    return Fault("sparse links", 0, 0.0, act, f"only {sorted(links)}")


def flap(random: Random, members: int) -> list[Fault]:
    one, other = random.sample(range(members), 2)

    def act(world: World) -> bool:
        if not world.network.connected(one, other):
            return False
        world.network.drop(one, other)
        return True

    return [
        _fault("link lost", act, f"{one}-{other}", random.randrange(0, 12)) for _ in range(random.choice((1, 1, 3)))
    ]


def part(random: Random, members: int) -> list[Fault]:
    sides = {member: random.randrange(2) for member in range(members)}
    seconds = random.choice((1, 20, 120)) * random.random()

    def act(world: World) -> bool:
        if len(set(sides.values())) < 2:
            return False
        world.network.part(dict(sides), seconds)
        return True

    return [_fault("partition", act, f"{sides} for {seconds:.1f}")]


def stall(random: Random, members: int) -> list[Fault]:
    one, other = random.sample(range(members), 2)
    seconds = random.choice((1, 14, 60)) * random.random()

    def act(world: World) -> bool:
        if not world.network.connected(one, other):
            return False
        world.network.stall(one, other, seconds)
        return True

    return [_fault("one-way cut", act, f"{one}->{other} for {seconds:.1f}")]


def duplicate(random: Random, members: int) -> list[Fault]:
    """Old entries, of anybody, come once more over some link."""
    one, other = random.sample(range(members), 2)
    share = random.random()

    def act(world: World) -> bool:
        sender = _node(world, one)
        return sender is not None and sender.repeat(other, share)

    return [_fault("duplicates", act, f"{one}->{other}")]


def corrupt(random: Random, members: int) -> list[Fault]:
    """A relay spoils a signature."""
    one, other = random.sample(range(members), 2)

    def act(world: World) -> bool:
        sender = _node(world, one)
        return sender is not None and sender.spoil(other)

    return [_fault("spoiled entry", act, f"{one}->{other}")]


# --- machines


def crash(random: Random, members: int) -> list[Fault]:
    member = random.randrange(members)
    where = random.choice(("now", "now", "drafted", "stored", "stored", "held", "sent", "half sent"))

    def act(world: World) -> bool:
        node = _node(world, member)
        if node is None or node.crash_at is not None:
            return False
        if where == "now":
            world.crashed(node)
        else:
            node.crash_at = where
        return True

    return [_fault("crash", act, f"{member} {where}")]


def restore(random: Random, members: int, who: int | None = None) -> list[Fault]:
    """A copy of the file is made; later the machine dies, and the copy is put in its place."""
    member = random.randrange(members) if who is None else who
    later = random.choice((1, 3, 10, 40))

    def copy(world: World) -> bool:
        node = _node(world, member)
        if node is None:
            return False
        node.copy_file()
        return True

    def die(world: World) -> bool:
        node = _node(world, member)
        if node is None or node.backup is None:
            return False
        world.crashed(node, restore=True)
        return True

    return [_fault("backup", copy, str(member)), _fault("restore", die, str(member), later)]


# --- people


def leave(random: Random, members: int) -> list[Fault]:
    member = random.randrange(members)
    off = random.choice((None, 0.0, 0.2, 5.0))

    def act(world: World) -> bool:
        node = _node(world, member)
        if node is None or node.leaving or member in world.cheats or not node.may_leave:
            return False
        node.leaving, node.off_after_leaving = True, off
        node.decide_soon()
        return True

    return [_fault("leaver", act, f"{member}, off after {off}")]


def gone(random: Random, members: int) -> list[Fault]:
    """Somebody's machine dies for good."""
    member = random.randrange(members)
    new_ways = random.random() < 0.7  # the others find to each other without it

    def act(world: World) -> bool:
        node = _node(world, member)
        if node is None or world.gone or (world.cheats and members == 3):
            return False
        world.gone.add(node.id)
        world.say(f"{node.id} is gone for good")
        node.stop()
        if new_ways:
            world.network.never.clear()
            world.network.dial_all()
        return True

    return [_fault("gone for good", act, str(member))]


def cheat(random: Random, members: int) -> list[Fault]:
    member = random.randrange(members)
    kind = random.choice(cheats.KINDS)

    def act(world: World) -> bool:
        node = _node(world, member)
        if node is None or member in world.cheats or (world.gone and members == 3) or node.leaving:
            return False
        world.cheats.add(member)
        cheats.turn(node, kind)
        return True

    return [_fault(f"cheat: {kind}", act, str(member))]
