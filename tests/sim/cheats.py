"""Members with a modified client. Until it cheats it plays as anybody does; then it does one of these things."""

from __future__ import annotations

from typing import Any

from p2pmatryoshka.errors import Fault, Illegal, Refused
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.record.sync import Announce, Pass, Say
from p2pmatryoshka.table import messages, motion
from p2pmatryoshka.table.layout import Making
from p2pmatryoshka.table.own import Draft, Question
from p2pmatryoshka.table.sidelines import body_of
from p2pmatryoshka.table.step import Moment, Playing
from tests.sim.node import Node
from tests.table import test_refusals_dealing, test_refusals_play, test_refusals_setup
from tests.table.attack import Attack, Cheat, raw, spoiled

ATTACKS: list[Attack] = [
    attack
    for attacks in (test_refusals_dealing.attacks, test_refusals_play.attacks, test_refusals_setup.attacks)
    for attack in attacks
    if attack.before is None
]


class Cheater(Node):
    """A node whose client was changed: `trick` says how."""

    honest = False
    trick = ""
    cheated = False
    left_to_sign = 100
    mute = False  # signs nothing any more
    only: frozenset[int] | None = None  # whom it tells of its own entries

    def sign(self, draft: Draft) -> Any:
        if self.mute:
            return None
        if self.cheated:
            # Whoever has cheated may owe ballots that count for nothing, and sign them for ever.
            self.left_to_sign -= 1
            self.mute = self.left_to_sign < 0
            return super().sign(draft)
        self.cheated = True
        self.world.count["cheats"] += 1
        return getattr(self, "_" + self.trick.replace(" ", "_"))(draft)

    def decide(self) -> None:
        if self.mute:
            self.deciding = False
            return
        super().decide()

    def look(self) -> None:
        """It takes no part in votes against others."""

    def may_say(self, other: int, say: Say) -> bool:
        if self.only is None or other in self.only:
            return True
        if isinstance(say, Pass):
            return all(self.table.parse(signed).author != self.member for signed in say.entries)
        return not isinstance(say, Announce) or all(head[0] != self.member for head in say.heads)

    # --- one entry

    def _entry(self, draft: Draft, body: bytes, **changed: Any) -> Draft:
        fields = entries.fields(draft.entry)._replace(body=body)
        fields = fields._replace(**changed)
        signed = entries.sign(self.key, *fields[1:])
        return Draft(fields.sequence, signed, draft.secrets)

    def _put(self, draft: Draft) -> Any:
        self.world.say(f"{self.id} CHEATS: {self.trick}")
        return super().sign(draft)

    def _wrong_body(self, draft: Draft) -> Any:
        """One of the attacks of the table's tests where there is one for this step."""
        kind = self.table.moment.owed.kind
        wanted = "remix" if kind == "mix" and _cards_in_hands(self.table.moment) else kind
        fitting = [attack for attack in ATTACKS if attack.at == wanted]
        self.random.shuffle(fitting)
        for attack in fitting[:4]:
            try:
                body = attack.make(Cheat(_Alone(), self))  # type: ignore[arg-type]
            except (
                _NotHere,
                Fault,
                Illegal,
                Refused,
                AssertionError,
                LookupError,
                AttributeError,
                ValueError,
                TypeError,
            ):
                continue
            self.world.say(f"{self.id} attacks: {attack.name}")
            return self._put(self._entry(draft, body if isinstance(body, bytes) else messages.encode(body)))
        return self._spoiled_body(draft)

    def _spoiled_body(self, draft: Draft) -> Any:
        body = messages.decode(entries.fields(draft.entry).body)
        fields = [name for name, value in body if isinstance(value, bytes) and value]
        if not fields:
            return self._garbage(draft)
        name = self.random.choice(fields)
        value = getattr(body, name)
        return self._put(self._entry(draft, raw(body, **{name: spoiled(value, self.random.randrange(len(value)))})))

    def _garbage(self, draft: Draft) -> Any:
        made = self.random.choice((b"", b"\xc0", bytes(100), self.randomness(50), raw(messages.Leave(), more=1)))
        return self._put(self._entry(draft, made))

    def _other_kind(self, draft: Draft) -> Any:
        bodies = (
            messages.Commit(commitment=bytes(32)),
            messages.Choose(option=("x",)),
            messages.Seal(points=(), winners=()),
        )
        return self._put(self._entry(draft, messages.encode(self.random.choice(bodies))))

    def _wrong_header(self, draft: Draft) -> Any:
        spine = self.table.spine
        old = self.random.choice(spine[:-1] or spine).hash
        changed = self.random.choice(
            (
                {"previous": bytes(32)},
                {"table_hash": bytes(32)},
                {"table_hash": old},
                {"previous": b""},
                {"table_hash": b""},
            )
        )
        return self._put(self._entry(draft, entries.fields(draft.entry).body, **changed))

    # --- silence

    def _withhold(self, draft: Draft) -> Any:
        self.mute = True

    def _tell_one(self, draft: Draft) -> Any:
        """From now on only one neighbour gets its entries from itself."""
        others = [node for node in self.world.network.nodes if node != self.id]
        self.only = frozenset([self.random.choice(others)])
        return self._put(draft)

    def _gap(self, draft: Draft) -> Any:
        """Entries whose predecessor nobody gets."""
        self.mute = True
        body = entries.fields(draft.entry).body
        for ahead in range(1, self.random.choice((2, 40))):
            self._pass(self._entry(draft, body, sequence=draft.sequence + ahead, previous=self.randomness(32)).entry)

    def _flood(self, draft: Draft) -> Any:
        """More than any table asks for."""
        self.mute = True
        log = self.table.logs[self.member]
        previous = log.head
        hash_ = self.random.choice((bytes(32), self.table.moment.hash))
        body = self.random.choice((messages.encode(messages.Leave()), b"", bytes(30_000)))
        for ahead in range(self.random.choice((20, 300))):
            made = self._entry(draft, body, sequence=draft.sequence + ahead, previous=previous, table_hash=hash_)
            previous = entries.entry_hash(made.entry.data)
            self._pass(made.entry)

    # --- two versions

    def _two_versions(self, draft: Draft) -> Any:
        """One entry for some, another for the others."""
        other = self._another(draft)
        nodes = list(self.epochs)
        self.random.shuffle(nodes)
        some = nodes[: self.random.randrange(0, len(nodes) + 1)]
        for node in nodes:
            if node not in some:
                self._pass(other.entry, node)
        for node in some:
            self._pass(draft.entry, node)
        self.mute = self.random.random() < 0.5
        return self._put(draft)

    def _old_version(self, draft: Draft) -> Any:
        """Another version of something long signed, shown to somebody."""
        chain = self.table.logs[self.member].chain
        if not chain:
            return self._put(draft)
        at = self.random.randrange(len(chain))
        old = Draft(at, chain[at].signed, b"")
        body = self.random.choice((messages.encode(messages.Leave()), b"", entries.fields(old.entry).body))
        made = self._entry(
            old, body, table_hash=self.random.choice((chain[at].table_hash, self.table.moment.hash, bytes(32)))
        )
        self._pass(made.entry, self.random.choice([*self.epochs] or [self.id]))
        return super().sign(draft)

    def _twins(self, draft: Draft) -> Any:
        """From now on two clients with one identity, each talking to some of the others."""
        world = self.world
        others = [node.id for node in world.nodes if node.id != self.id]
        self.random.shuffle(others)
        cut = self.random.randrange(0, len(others) + 1)
        twin = Cheater(
            world, max(world.network.nodes) + 1, self.member, self.key, self.folder.parent / f"twin {self.id}"
        )
        twin.cheated = True
        mine, its = frozenset(others[:cut]), frozenset(others[cut:])
        self.folder_copy(twin)
        self.side = mine
        world.network.add(twin)
        twin.side = its
        for other in its:
            world.network.drop(self.id, other)
        twin.wait_for_returns = self.wait_for_returns = False
        twin.start()
        self.world.say(f"{self.id} CHEATS: twins, {self.id} with {sorted(mine)}, {twin.id} with {sorted(its)}")
        return super().sign(draft)

    def folder_copy(self, twin: Node) -> None:
        self.save()
        self.copy_file()
        twin.folder.mkdir()
        twin.backup = self.backup
        twin.restore_file()

    def _another(self, draft: Draft) -> Draft:
        """Something else in the place of this entry."""
        kind = self.random.randrange(4)
        if kind == 0:
            return self._entry(draft, messages.encode(messages.Leave()))
        if kind == 1:
            return self._entry(draft, b"\xc0")
        due = self.own.due(self.table)
        choice = self.choose(due) if isinstance(due, Question) else None
        try:
            other = self.own.draft(self.table, choice, self.randomness)
        except (Fault, Illegal):
            return self._entry(draft, messages.encode(messages.Leave()))
        self.world.learn(other.secrets)
        return other

    # --- beside the table

    def _false_vote(self, draft: Draft) -> Any:
        """Ballots that no honest client signs."""
        moment = self.table.moment
        others = [member for member in moment.still_in if member != self.member]
        absent = tuple(sorted(self.random.sample(others, self.random.randrange(1, max(2, len(others) // 2 + 1)))))
        one = motion.Motion(self.random.choice((0, 1, 1, 1, 7)), absent)
        kinds: tuple[motion.Kind, ...] = ("vote", "withdraw", "confirm")
        for _ in range(self.random.randrange(1, 4)):
            ballot = motion.Ballot(self.random.choice(kinds), one)
            super().sign(self.own.draft_body(self.table, body_of(ballot)))
        self.mute = self.random.random() < 0.5

    def _false_stand(self, draft: Draft) -> Any:
        """Statements about a fork that nobody asked for."""
        spine = self.table.spine
        hashes = [moment.hash for moment in spine[-self.random.randrange(1, 10) :]]
        if self.random.random() < 0.3:
            hashes.append(bytes(32))
        forker = self.random.choice([node.member for node in self.world.nodes])
        for _ in range(self.random.randrange(1, 3)):
            super().sign(self.own.draft_body(self.table, messages.Stand(forker=forker, hashes=tuple(hashes))))

    def _after_leaving(self, draft: Draft) -> Any:
        """It leaves, and goes on signing."""
        super().sign(self.own.draft_body(self.table, messages.Leave()))
        again = self._entry(
            draft,
            entries.fields(draft.entry).body,
            sequence=draft.sequence + 1,
            previous=self.table.logs[self.member].head,
        )
        super().sign(again)
        self.mute = True

    def _pass(self, signed: SignedEntry, to: int | None = None) -> None:
        """Send an entry that its own table does not hold."""
        for other, epoch in self.epochs.items():
            if to is None or other == to:
                self.world.network.send(self.id, other, epoch, Pass((signed,)))


KINDS = (
    "wrong body", "wrong body", "wrong body", "spoiled body", "garbage", "other kind", "wrong header",
    "withhold", "tell one",
    "gap", "flood", "two versions", "two versions", "two versions", "old version", "twins", "twins", "twins",
    "false vote", "false stand", "after leaving",
)  # fmt: skip


def turn(node: Node, trick: str) -> None:
    """Give this member a modified client, which cheats at its next signature."""
    node.__class__ = Cheater
    assert isinstance(node, Cheater)
    node.trick = trick


class _NotHere(Exception):
    """An attack that needs more than the sim gives it."""


class _Alone:
    """Stands for the group of an attack: of the others nothing but their entries is known."""

    @property
    def present(self) -> Any:
        raise _NotHere


def _cards_in_hands(moment: Moment) -> bool:
    """Whether the stock being mixed is made anew while there are cards in hands."""
    stage = moment.stage
    return isinstance(stage, Playing) and isinstance(stage.layout.doing, Making) and bool(stage.layout.doing.hands)
