"""Entries spread over every topology, survive links that come and go, and cross no more links than they must."""

from __future__ import annotations

import hashlib
import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import combinations

import pytest

from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.log import Log
from p2pmatryoshka.record.neighbour import TELL_AFTER, TELL_LATE_AFTER
from p2pmatryoshka.record.sync import (
    ASK_AGAIN_AFTER,
    BATCH_BYTES,
    MOST_RANGES,
    WATCHER_BYTES,
    Announce,
    Ask,
    Pass,
    Says,
    Sync,
)

TABLE = hashlib.sha256(b"table").digest()


def entry(author: int, sequence: int, previous: bytes, branch: str = "", size: int = 0) -> Entry:
    data = f"{author}/{sequence}/{branch}/".encode() + previous + bytes(size)
    signed = SignedEntry(data, bytes(64))
    return Entry(signed, author, sequence, previous, b"", b"", hashlib.sha256(data).digest())


def chain(author: int, length: int, size: int = 0) -> list[Entry]:
    entries: list[Entry] = []
    for sequence in range(length):
        entries.append(entry(author, sequence, entries[-1].hash if entries else TABLE, size=size))
    return entries


def log_of(entries: Iterable[Entry]) -> Log:
    log = Log(TABLE)
    for one in entries:
        log = log.add(one)
    return log


class Peer:
    def __init__(self, name: int, members: int) -> None:
        self.name = name
        self.logs = [Log(TABLE) for _ in range(members)]
        self.sync: Sync[int] = Sync()
        self.links: set[int] = set()


class World:
    """Peers, links with seeded delays that keep order, and one clock."""

    def __init__(
        self,
        seed: int,
        members: int,
        delays: tuple[float, float] = (0.01, 0.1),
        watchers: int = 0,
        hears: bool = True,
    ) -> None:
        self.random = random.Random(seed)
        self.delays = delays
        self.members = members
        self.hears = hears  # whether peers tell whom they are linked to
        self.peers = [Peer(name, members) for name in range(members + watchers)]
        self.now = 0.0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.count = 0
        self.life: Counter[frozenset[int]] = Counter()
        self.last: dict[tuple[int, int], float] = {}
        self.known: dict[bytes, Entry] = {}
        self.crossings: Counter[tuple[frozenset[int], bytes]] = Counter()
        self.messages: Counter[str] = Counter()

    def at(self, time: float, event: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.events, (time, self.count, event))

    def run(self, until: float = 1e9) -> None:
        while self.events and self.events[0][0] <= until:
            self.now, _, event = heapq.heappop(self.events)
            event()
            assert self.count < 200_000, "the exchange does not come to rest"
        self.now = max(self.now, until) if until < 1e9 else self.now

    def link(self, one: int, other: int) -> None:
        if other in self.peers[one].links:
            return
        self.life[frozenset((one, other))] += 1
        for here, there in ((one, other), (other, one)):
            self.peers[here].links.add(there)
            self.last[here, there] = self.now
            peer = self.peers[here]
            watcher = there >= self.members
            member = None if watcher or not self.hears else there
            self.carry(here, peer.sync.joined(there, peer.logs, self.now, member=member, watcher=watcher))

    def cut(self, one: int, other: int) -> None:
        if other not in self.peers[one].links:
            return
        self.life[frozenset((one, other))] += 1
        for here, there in ((one, other), (other, one)):
            peer = self.peers[here]
            peer.links.discard(there)
            self.carry(here, peer.sync.left(there, peer.logs, self.now))

    def carry(self, here: int, says: Says[int]) -> None:
        for there, say in says:
            pair = frozenset((here, there))
            life = self.life[pair]
            when = max(self.last[here, there], self.now + self.random.uniform(*self.delays))
            self.last[here, there] = when
            self.messages[type(say).__name__] += 1
            if isinstance(say, Pass):
                for signed in say.entries:
                    self.crossings[pair, signed.data] += 1

            def deliver(there: int = there, say: object = say, pair: frozenset[int] = pair, life: int = life) -> None:
                if self.life[pair] == life:
                    self.take(here, there, say)

            self.at(when, deliver)
        due = self.peers[here].sync.next_due()
        if due is not None:
            self.at(max(due, self.now), lambda: self.wake(here))

    def wake(self, here: int) -> None:
        peer = self.peers[here]
        due = peer.sync.next_due()
        if due is not None and due <= self.now:
            self.carry(here, peer.sync.due(peer.logs, self.now))

    def take(self, source: int, here: int, say: object) -> None:
        peer = self.peers[here]
        match say:
            case Announce(heads, linked):
                hears = linked if self.hears else None
                self.carry(here, peer.sync.have(source, heads, peer.logs, self.now, hears=hears))
            case Ask(ranges):
                assert 0 < len(ranges) <= MOST_RANGES
                self.carry(here, peer.sync.want(source, ranges, peer.logs, self.now))
            case Pass(entries):
                parsed = [self.known[signed.data] for signed in entries]
                for one in parsed:
                    peer.logs[one.author] = peer.logs[one.author].add(one)
                self.carry(here, peer.sync.received(source, parsed, peer.logs, self.now))

    def give(self, here: int, one: Entry) -> None:
        """Something in a log from before, as after a start."""
        self.known[one.signed.data] = one
        peer = self.peers[here]
        peer.logs[one.author] = peer.logs[one.author].add(one)

    def author(self, here: int, size: int = 0) -> Entry:
        peer = self.peers[here]
        log = peer.logs[here]
        one = entry(here, len(log.chain), log.head, size=size)
        self.give(here, one)
        self.carry(here, peer.sync.authored(one, peer.logs, self.now))
        return one

    def sign(self, here: int) -> None:
        self.author(here)

    def assert_all_have_all(self) -> None:
        for author in range(self.members):
            for peer in self.peers:
                assert peer.logs[author].chain == self.peers[author].logs[author].chain, (peer.name, author)
                assert not peer.logs[author].early


def mesh(count: int) -> list[tuple[int, int]]:
    return list(combinations(range(count), 2))


def line(count: int) -> list[tuple[int, int]]:
    return [(n, n + 1) for n in range(count - 1)]


def star(count: int) -> list[tuple[int, int]]:
    return [(0, n) for n in range(1, count)]


def ring(count: int) -> list[tuple[int, int]]:
    return [*line(count), (0, count - 1)]


def random_tree(count: int, seed: int) -> list[tuple[int, int]]:
    chance = random.Random(seed)
    return [(chance.randrange(n), n) for n in range(1, count)]


def connected(world: World, links: Iterable[tuple[int, int]]) -> World:
    for one, other in links:
        world.link(one, other)
    return world


def talk(world: World, seconds: float, entries: int, silent: int | None = None) -> None:
    """Everyone but the silent one signs that many entries at random moments."""
    for author in range(world.members):
        if author == silent:
            continue
        for _ in range(entries):
            when = world.now + world.random.uniform(0, seconds)
            world.at(when, partial(world.sign, author))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("hears", [True, False])
@pytest.mark.parametrize("shape", [line, star, ring, mesh], ids=lambda shape: shape.__name__)
def test_everyone_gets_everything(shape: Callable[[int], list[tuple[int, int]]], hears: bool, seed: int) -> None:
    world = connected(World(seed, 5, hears=hears), shape(5))
    talk(world, 10, 6)
    world.run()
    world.assert_all_have_all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("hears", [True, False])
def test_in_a_full_mesh_each_entry_crosses_its_authors_links_once_and_no_other(hears: bool, seed: int) -> None:
    world = connected(World(seed, 5, hears=hears), mesh(5))
    world.run()
    talk(world, 10, 8)
    world.run()
    world.assert_all_have_all()
    assert len(world.crossings) == 5 * 8 * 4
    for (pair, data), times in world.crossings.items():
        assert times == 1
        assert world.known[data].author in pair


def test_in_a_full_mesh_that_knows_itself_there_is_less_talk_than_entries() -> None:
    said = {}
    for hears in (True, False):
        world = connected(World(1, 5, hears=hears), mesh(5))
        world.run()
        began = world.messages["Announce"]
        talk(world, 3, 20)
        world.run()
        said[hears] = world.messages["Announce"] - began
    assert said[True] <= 20 * 4  # one a second each way
    assert said[True] < said[False] / 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("hears", [True, False])
def test_in_a_star_each_entry_crosses_each_link_once(hears: bool, seed: int) -> None:
    world = connected(World(seed, 6, hears=hears), star(6))
    world.run()
    talk(world, 10, 5)
    world.run()
    world.assert_all_have_all()
    assert set(world.crossings.values()) == {1}
    assert len(world.crossings) == 6 * 5 * 5


@pytest.mark.parametrize("seed", range(5))
def test_slow_uneven_links_cost_few_second_copies(seed: int) -> None:
    world = connected(World(seed, 5, delays=(0.01, 0.6)), mesh(5))
    talk(world, 30, 10)
    world.run()
    world.assert_all_have_all()
    needed = 5 * 10 * 4
    assert needed <= sum(world.crossings.values()) <= 1.2 * needed


@pytest.mark.parametrize("hears", [True, False])
def test_through_a_hub_an_entry_takes_four_crossings_and_no_moment_more(hears: bool) -> None:
    world = connected(World(1, 3, delays=(0.05, 0.05), hears=hears), star(3))
    world.run()
    began = world.now
    world.author(1)
    world.run(until=began + 4 * 0.05 + 0.001 + (0 if hears else TELL_AFTER))
    assert len(world.peers[2].logs[1].chain) == 1


def test_an_entry_withheld_from_some_reaches_them_within_a_second() -> None:
    world = connected(World(1, 5, delays=(0.05, 0.05)), mesh(5))
    world.run()
    began = world.now
    one = entry(0, 0, TABLE)
    world.give(0, one)
    world.carry(0, [(1, Pass((one.signed,)))])
    world.run(until=began + TELL_LATE_AFTER + 4 * 0.05 + 0.001)
    assert all(peer.logs[0].chain == (one,) for peer in world.peers)


def test_an_idle_exchange_says_nothing() -> None:
    world = connected(World(1, 5), mesh(5))
    talk(world, 5, 3)
    world.run()
    assert all(peer.sync.next_due() is None for peer in world.peers)
    assert world.messages["Announce"] > 0


@pytest.mark.parametrize("seed", range(12))
def test_links_that_come_and_go_lose_nothing(seed: int) -> None:
    world = World(seed, 5, delays=(0.01, 0.4))
    links = random_tree(5, seed) + world.random.sample(mesh(5), 3)
    connected(world, links)
    talk(world, 30, 6)
    for _ in range(40):
        one, other = world.random.choice(mesh(5))
        change = world.random.choice((world.link, world.cut))
        world.at(world.random.uniform(0, 30), lambda f=change, a=one, b=other: f(a, b))  # type: ignore[misc]
    world.run()
    connected(world, line(5))
    world.run()
    world.assert_all_have_all()


@pytest.mark.parametrize("seed", range(5))
def test_a_partition_that_heals_costs_each_entry_one_copy_for_each_receiver(seed: int) -> None:
    world = connected(World(seed, 5), [(0, 1), (2, 3), (2, 4), (3, 4)])
    talk(world, 10, 20)
    world.run()
    assert len(world.peers[0].logs[2].chain) == 0
    before = sum(world.crossings.values())
    connected(world, [(a, b) for a in (0, 1) for b in (2, 3, 4)])
    world.run()
    world.assert_all_have_all()
    needed = 2 * 3 * 20 + 3 * 2 * 20  # two receivers lack three logs, three lack two
    assert sum(world.crossings.values()) - before == needed


@pytest.mark.parametrize("seed", range(5))
def test_someone_who_comes_back_gets_all_of_it_once(seed: int) -> None:
    world = connected(World(seed, 5), mesh(4))
    talk(world, 10, 20)
    world.run()
    before = sum(world.crossings.values())
    connected(world, [(n, 4) for n in range(4)])
    world.run()
    world.assert_all_have_all()
    assert sum(world.crossings.values()) - before == 4 * 20 + 20 * 4


def test_a_lost_question_is_put_to_another_at_once() -> None:
    world = connected(World(1, 3), [(0, 1)])
    world.author(0)
    world.run()
    world.link(2, 0)
    world.run(until=world.now + 0.001)
    world.link(2, 1)
    # 2 asks whoever announces first; that one goes before it can answer.
    asked: list[int] = []
    carry = world.carry

    def watching(here: int, says: Says[int]) -> None:
        carry(here, says)
        for there, say in says:
            if here == 2 and isinstance(say, Ask):
                asked.append(there)
                if len(asked) == 1:
                    world.at(world.now, partial(world.cut, 2, there))

    world.carry = watching  # type: ignore[method-assign]
    world.run()
    world.assert_all_have_all()
    assert len(asked) == 2
    assert asked[0] != asked[1]


# --- one peer, step by step


def test_the_first_thing_said_is_what_is_held() -> None:
    logs = [log_of(chain(0, 3)), Log(TABLE)]
    assert Sync[str]().joined("b", logs, 0.0) == [("b", Announce(((0, 2, logs[0].head),)))]
    assert Sync[str]().joined("b", [Log(TABLE)], 0.0) == [("b", Announce(()))]


def test_batches_are_bounded_and_asked_for_until_all_is_there() -> None:
    world = World(1, 2)
    for one in chain(0, 40, size=40_000):
        world.give(0, one)
    world.link(0, 1)
    world.run()
    world.assert_all_have_all()
    assert world.messages["Ask"] == world.messages["Pass"] == -(-40 // (BATCH_BYTES // 40_200))


def test_an_entry_larger_than_a_batch_goes_alone() -> None:
    big = chain(0, 2, size=BATCH_BYTES)
    logs = [log_of(big)]
    sync = Sync[str]()
    sync.joined("b", logs, 0.0)
    assert sync.want("b", ((0, 0, 1),), logs, 0.0) == [("b", Pass((big[0].signed,)))]
    assert sync.want("b", ((0, 1, 1),), logs, 0.0) == [("b", Pass((big[1].signed,)))]


def test_what_is_not_here_is_answered_with_nothing() -> None:
    logs = [Log(TABLE)]
    sync = Sync[str]()
    sync.joined("b", logs, 0.0)
    assert sync.want("b", ((0, 0, 5), (7, 0, 1)), logs, 0.0) == [("b", Pass(()))]
    assert sync.want("stranger", ((0, 0, 5),), logs, 0.0) == []


def test_a_boast_is_asked_about_once() -> None:
    logs = [Log(TABLE)]
    sync = Sync[str]()
    sync.joined("liar", logs, 0.0)
    says = sync.have("liar", ((0, 2**32 - 1, bytes(32)),), logs, 0.0)
    assert [type(say) for _, say in says] == [Ask]
    assert sync.received("liar", [], logs, 0.1) == []
    assert sync.next_due() is None


def test_entries_that_bring_nothing_do_not_go_round_in_circles() -> None:
    entries = chain(0, 3)
    logs = [Log(TABLE)]
    sync = Sync[str]()
    sync.joined("b", logs, 0.0)
    assert sync.have("b", ((0, 2, entries[2].hash),), logs, 0.0) == [("b", Ask(((0, 0, 2),)))]
    # The caller took none of them into its logs.
    assert sync.received("b", entries, logs, 0.1) == []


def test_a_question_without_answer_goes_to_the_next_after_two_seconds() -> None:
    entries = chain(0, 3)
    logs = [Log(TABLE)]
    sync = Sync[str]()
    head = ((0, 2, entries[2].hash),)
    for neighbour in "bc":
        sync.joined(neighbour, logs, 0.0)
    assert sync.have("b", head, logs, 0.0) == [("b", Ask(((0, 0, 2),)))]
    assert sync.have("c", head, logs, 0.1) == []
    assert sync.next_due() == ASK_AGAIN_AFTER
    assert sync.due(logs, 1.9) == []
    assert sync.due(logs, 2.0) == [("c", Ask(((0, 0, 2),)))]


def test_an_early_entry_makes_the_gap_be_asked_for() -> None:
    entries = chain(0, 4)
    logs = [log_of([entries[0], entries[3]])]
    sync = Sync[str]()
    sync.joined("b", logs, 0.0)
    assert sync.received("b", [entries[3]], logs, 0.0) == [("b", Ask(((0, 1, 2),)))]


def test_who_is_known_to_hold_it_is_not_told() -> None:
    entries = chain(0, 2)
    sync = Sync[str]()
    for neighbour in "bcd":
        sync.joined(neighbour, [Log(TABLE)], 0.0)
    logs = [log_of(entries)]
    assert sync.received("b", entries, logs, 1.0) == []
    head = ((0, 1, entries[1].hash),)
    assert sync.have("c", head, logs, 1.1) == []
    assert sync.due(logs, 1.0 + TELL_AFTER) == [("d", Announce(head))]
    assert sync.next_due() is None


def test_an_entry_is_told_no_sooner_than_its_author_had_time_to_send_it() -> None:
    mine, theirs = chain(0, 2), chain(1, 1)
    sync = Sync[str]()
    for neighbour in "bc":
        sync.joined(neighbour, [Log(TABLE)] * 2, 0.0)
    assert sync.received("b", mine[:1], [log_of(mine[:1]), Log(TABLE)], 1.0) == []
    logs = [log_of(mine), log_of(theirs)]
    assert sync.received("b", [mine[1], *theirs], logs, 1.2) == []
    assert sync.next_due() == 1.25
    assert sync.due(logs, 1.25) == [("c", Announce(((0, 0, mine[0].hash),)))]
    assert sync.due(logs, 1.45) == [("c", Announce(((1, 0, theirs[0].hash),)))]
    assert sync.due(logs, 1.50) == [("c", Announce(((0, 1, mine[1].hash),)))]
    assert sync.next_due() is None


# --- watchers


def test_watchers_get_all_but_only_by_asking() -> None:
    world = World(3, 3, watchers=2)
    connected(world, [*mesh(3), (0, 3), (1, 3), (2, 4)])
    talk(world, 10, 10)
    world.run()
    world.assert_all_have_all()


def test_watchers_are_sent_nothing_unasked_and_believed_nothing() -> None:
    entries = chain(0, 2)
    sync = Sync[str]()
    sync.joined("w", [Log(TABLE)], 0.0, watcher=True)
    logs = [log_of(entries)]
    assert sync.authored(entries[1], logs, 1.0) == []
    assert sync.have("w", ((0, 9, bytes(32)),), logs, 1.0) == []
    assert sync.due(logs, 1.25) == [("w", Announce(((0, 1, entries[1].hash),)))]


def test_a_watcher_may_take_so_much_and_no_more() -> None:
    logs = [log_of(chain(0, 5, size=200_000))]
    sync = Sync[str]()
    sync.joined("w", logs, 0.0, watcher=True)
    taken = 0
    for _ in range(10_000):
        ((_, say),) = sync.want("w", ((0, 0, 0),), logs, 0.0)
        assert isinstance(say, Pass)
        taken += sum(len(signed.data) + 64 for signed in say.entries)
        if not say.entries:
            break
    assert WATCHER_BYTES - 201_000 < taken <= WATCHER_BYTES


# --- forks


def assert_both_are_held(peer: Peer, parts: tuple[list[Entry], list[Entry]]) -> None:
    """As far as the shorter branch goes: what lies beyond contradicts nothing yet."""
    log = peer.logs[0]
    held = {one.hash for one in (*log.chain, *log.early, *log.branch)}
    for pair in zip(*parts, strict=False):
        for one in pair:
            assert one.hash in held, (peer.name, one.signed.data[:6])


def branches(common: int, one: int, other: int) -> tuple[list[Entry], list[Entry]]:
    """Two logs of member 0 that part after `common` entries."""
    stem = chain(0, common)
    found = []
    for name, length in (("a", one), ("b", other)):
        entries = list(stem)
        for sequence in range(common, common + length):
            entries.append(entry(0, sequence, entries[-1].hash if entries else TABLE, branch=name))
        found.append(entries)
    return found[0], found[1]


@pytest.mark.parametrize("shape", [line, star, ring, mesh], ids=lambda shape: shape.__name__)
@pytest.mark.parametrize(("common", "one", "other"), [(0, 1, 1), (3, 1, 1), (3, 4, 2), (0, 3, 3), (5, 10, 12)])
@pytest.mark.parametrize("holders", [(1, 4), (2, 3)])
def test_both_branches_reach_everyone_and_where_they_part(
    shape: Callable[[int], list[tuple[int, int]]], common: int, one: int, other: int, holders: tuple[int, int]
) -> None:
    world = World(common, 5)
    parts = branches(common, one, other)
    for holder, entries in zip(holders, parts, strict=True):
        for each in entries:
            world.give(holder, each)
    connected(world, shape(5))
    talk(world, 5, 3, silent=0)
    world.run()
    for peer in world.peers[1:]:
        fork = peer.logs[0].fork
        assert fork is not None, peer.name
        assert fork.sequence == common, peer.name
        assert_both_are_held(peer, parts)
        for author in range(1, 5):
            assert peer.logs[author].chain == world.peers[author].logs[author].chain


@pytest.mark.parametrize("seed", range(5))
def test_a_fork_sent_to_different_neighbours_reaches_all(seed: int) -> None:
    world = connected(World(seed, 5), mesh(5))
    talk(world, 5, 4)
    world.run()
    head = world.peers[0].logs[0].head
    at = len(world.peers[0].logs[0].chain)
    first, second = entry(0, at, head, "a"), entry(0, at, head, "b")
    for each in (first, second):
        world.known[each.signed.data] = each
    for neighbour in range(1, 5):
        world.carry(0, [(neighbour, Pass(((first, second)[neighbour % 2].signed,)))])
    talk(world, 5, 4, silent=0)
    world.run()
    for peer in world.peers[1:]:
        fork = peer.logs[0].fork
        assert fork is not None
        assert fork.sequence == at
        for author in range(1, 5):
            assert peer.logs[author].chain == world.peers[author].logs[author].chain


def test_a_fork_known_before_reaches_who_comes_later() -> None:
    one, other = branches(2, 1, 1)
    world = World(1, 3)
    for each in (*one, other[-1]):
        world.give(1, each)
    for each in one:
        world.give(2, each)
    world.link(1, 2)
    world.run()
    assert world.peers[2].logs[0].fork is not None
    assert world.messages["Pass"] == 1


# --- anything at all


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 600), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_worlds_of_any_kind_come_to_rest_with_everything_everywhere(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)
        members = chance.randint(2, 6)
        world = World(
            seed,
            members,
            delays=(0.005, chance.choice((0.05, 0.3, 1.0))),
            watchers=chance.randint(0, 1),
            hears=chance.random() < 0.7,
        )
        forked = members > 2 and chance.random() < 0.4
        common = chance.randint(0, 5)
        if forked:
            parts = branches(common, chance.randint(1, 12), chance.randint(1, 12))
            for holder, entries in zip(chance.sample(range(1, members), 2), parts, strict=True):
                for each in entries:
                    world.give(holder, each)
        connected(world, random_tree(members, seed))
        talk(world, 10, 5, silent=0 if forked else None)
        for _ in range(chance.randint(0, 20)):
            one, other = chance.choice(mesh(members))
            change = chance.choice((world.link, world.cut))
            world.at(chance.uniform(0, 12), partial(change, one, other))
        for watcher in range(members, len(world.peers)):
            world.link(chance.randrange(members), watcher)
        world.run()
        connected(world, random_tree(members, seed + 1))
        world.run()
        for peer in world.peers:
            assert peer.sync.next_due() is None, (seed, peer.name)
            fork = peer.logs[0].fork
            assert (fork.sequence if fork else None) == (common if forked else None), (seed, peer.name)
            if forked:
                assert_both_are_held(peer, parts)
            for author in range(forked, members):
                assert peer.logs[author].chain == world.peers[author].logs[author].chain, (seed, peer.name)
