"""One member's own half: what it owes, and drafts of what it signs. Drafting changes nothing.

A draft becomes an entry only when it is stored together with its secrets; until then another draft may take its place,
afterwards none may. That order is the node's to keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.crypto import commitment, group, sigma
from p2pmatryoshka.crypto.group import Randomness
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import VERSION, SignedEntry
from p2pmatryoshka.record.strict import pack, unpack
from p2pmatryoshka.rules.game import Ask, Cards, Choice, Deal, Pick, Play, Seat, View, public
from p2pmatryoshka.table import coin, dealer, messages, motion, produce, stands, step
from p2pmatryoshka.table.coin import Coins
from p2pmatryoshka.table.layout import Laid
from p2pmatryoshka.table.sidelines import SIDE, body_of
from p2pmatryoshka.table.step import Closed, Drawing, Moment, Playing, Sealing
from p2pmatryoshka.table.table import Table

MOST_NOT_FINAL = 16
"""Steps that are looked back for open motions: a step is signed over by everybody long before so many follow it."""
MOST_SECRET_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Duty:
    """An entry is owed that needs no decision."""

    kind: str


@dataclass(frozen=True, slots=True)
class Question:
    """An entry is owed that needs a decision: a Choice for this ask."""

    kind: str
    seat: Seat
    ask: Ask


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry ready to be stored and sent, and the secrets that must be stored with it (b"" if none)."""

    sequence: int
    entry: SignedEntry
    secrets: bytes


@dataclass(frozen=True, slots=True)
class Own:
    """member: roster index. secrets: by step number, what this member must remember of the entry it signed there."""

    member: int
    identity: Ed25519PrivateKey
    secrets: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def remember(self, secrets: bytes) -> Own:
        """With the stored secrets of one more entry."""
        if not secrets:
            return self
        got = unpack(secrets, MOST_SECRET_BYTES, 2)
        if not isinstance(got, dict) or not isinstance(got.get("step"), int):
            raise Fault("stored secrets have another form")
        return replace(self, secrets={**self.secrets, int(got["step"]): got})  # type: ignore[arg-type]

    def due(self, table: Table) -> Duty | Question | None:
        """What this member owes now and has not signed yet."""
        moment = table.moment
        if self.member not in moment.still_in or not self._up_to_date(table):
            return None
        if any(ballot.must for ballot in self.ballots(table)):
            return Duty("ballot")
        if table.folded.open_forks:
            return Duty("stand") if self.member in self.missing(table) else None
        if self.member not in table.awaited or self._signed(table) or self.ballots_cast(table):
            return None
        if self.lost(table):
            return Duty("leave")
        kind = moment.owed.kind
        if isinstance(moment.stage, Playing) and kind in ("turn", "commit", "choose"):
            return Question(kind, moment.stage.layout.seat(self.member), moment.stage.ask)
        return Duty(kind)

    def _up_to_date(self, table: Table) -> bool:
        """Whether everything this member signed has been judged. Until then the table may ask for it once more."""
        return len(table.logs[self.member].chain) == table.sides.seen[self.member]

    def _signed(self, table: Table) -> bool:
        """Whether an entry of this member is held that will fill its next place."""
        log = table.logs[self.member]
        later = log.chain[table.moment.cursors[self.member] :]
        return any(not isinstance(table.memo.body(entry), SIDE) for entry in later)

    def lost(self, table: Table) -> tuple[str, ...]:
        """What this member signed and no longer has the secrets for, as after a restored backup: it can only leave."""
        missing = []
        number = 0
        stage = table.moment.stage
        chain = table.logs[self.member].chain
        if any(isinstance(table.memo.body_or_none(e), messages.Keys) for e in chain) and self._key() is None:
            missing.append("the table key")
        doing = stage.layout.doing if isinstance(stage, Playing) else None
        coins = stage.coins if isinstance(stage, Drawing) else doing if isinstance(doing, Coins) else None
        laid = doing if isinstance(doing, Laid) else None
        if coins is not None and self.member in coins.commitments:
            number = coins.number
        elif laid is not None and self.member in laid.commitments:
            number = laid.number
        if number and number not in self.secrets and self.member in table.awaited:
            missing.append(f"the opening of what was committed to in step {number}")
        return tuple(missing)

    def hand(self, table: Table) -> Cards:
        """This member's cards in ascending order; () before any were dealt."""
        stage = table.moment.stage
        if not isinstance(stage, Playing | Sealing | Closed) or self.member not in stage.layout.still_in:
            return ()
        if not any(stage.layout.hands) or self._key() is None:
            return ()
        return tuple(sorted(dealer.hand(stage.layout, stage.layout.seat(self.member), self._table_secret())))

    def view(self, table: Table) -> View | None:
        """What this member may see; None before the seats are drawn."""
        stage = table.moment.stage
        if not isinstance(stage, Playing | Sealing | Closed):
            return None
        return table.roster.game.view(stage.state, stage.layout.seat(self.member), self.hand(table))

    def moves(self, table: Table, question: Question) -> tuple[Choice, ...]:
        """Every legal choice."""
        stage = table.moment.stage
        if not isinstance(stage, Playing):
            raise Fault("no game is on")
        return tuple(table.roster.game.moves(stage.state, question.seat, self.hand(table)))

    def draft(self, table: Table, choice: Choice | None, randomness: Randomness) -> Draft:
        """The entry owed. choice: for a Question. Raises Illegal if it is not allowed, Fault if nothing is due."""
        due = self.due(table)
        if due is None:
            raise Fault("nothing is due")
        if isinstance(due, Question):
            if choice is None:
                raise Fault("a question needs a choice")
            self._allowed(table, due, choice)
        if due.kind == "ballot":
            return self.draft_ballot(table, next(b.ballot for b in self.ballots(table) if b.must))
        if due.kind == "stand":
            return self.draft_body(table, self._stand(table))
        if due.kind == "leave":
            return self.draft_body(table, messages.Leave())
        body, secrets = self._body(table.moment, due.kind, choice, randomness)
        return self.draft_body(table, body, secrets)

    def ballots(self, table: Table) -> tuple[motion.Due, ...]:
        """The ballots this member must sign now, and the Votes of others that it may join."""
        subject = self._subject(table, frozenset())
        if self.member not in subject.still_in or table.closed or not table.sides.any_ballot(subject):
            return ()
        if not self._up_to_date(table):
            return ()
        return motion.owed(table.sides.tally(subject), self.member, self.missing(table))

    def ballots_cast(self, table: Table) -> bool:
        """Whether a vote of this member is open: until it is decided it signs no step."""
        return any(table.sides.blocked(moment) for moment in self._not_final(table))

    def propose(self, table: Table, absent: Iterable[int]) -> motion.Ballot:
        """The Vote by which this member asks to put these members out. Raises Illegal if it may not now."""
        count = table.sides.tally(self._subject(table, frozenset(absent)))
        missing = self.missing(table)
        ballot = motion.Ballot("vote", motion.propose(count, absent, missing))
        motion.may_sign(count, self.member, ballot, missing)
        return ballot

    def draft_ballot(self, table: Table, ballot: motion.Ballot) -> Draft:
        """A ballot as this member's next entry. Raises Illegal if it may not be signed now."""
        if not self._up_to_date(table):
            raise Illegal("motion.pending", "what was signed last is still being judged")
        subject = self._subject(table, frozenset(ballot.motion.absent))
        motion.may_sign(table.sides.tally(subject), self.member, ballot, self.missing(table))
        return self.draft_body(table, body_of(ballot), over=subject.hash)

    def missing(self, table: Table) -> frozenset[int]:
        """Members who owe something that is not held: an entry of the step that ballots are about, or where they stand
        after a fork."""
        if table.folded.open_forks:
            return table.sides.lacking(table.moment, table.folded.open_forks, table.folded.index)
        return frozenset(table.awaited) if self._subject(table, frozenset()) is table.moment else frozenset()

    def _subject(self, table: Table, absent: frozenset[int]) -> Moment:
        """The moment that ballots are about: the open step, or one before it that is not final and has a motion still
        undecided. While a fork is open, the step that all who said where they stand have in common, those to be put out
        left aside."""
        forkers = table.folded.open_forks
        if not forkers:
            undecided = [moment for moment in self._not_final(table) if table.sides.tally(moment).pending]
            return undecided[-1] if undecided else table.moment
        agreed = table.sides.agreed(table.moment, forkers, absent | self.missing(table), table.folded.index)
        place = table.folded.index.get(agreed) if agreed is not None else None
        return table.moment if place is None else table.spine[place]

    def _not_final(self, table: Table) -> list[Moment]:
        """The moments with ballots that this member was in at and not everybody has signed over, the newest first."""
        found = []
        signed = [{entry.table_hash for entry in log.chain} for log in table.logs]
        for place in range(len(table.spine) - 1, max(-1, len(table.spine) - 1 - MOST_NOT_FINAL), -1):
            moment = table.spine[place]
            if self.member in moment.still_in and table.sides.any_ballot(moment):
                found.append(moment)
            if all(moment.hash in signed[member] for member in moment.still_in):
                break  # what comes before is final
        return found

    def draft_body(
        self,
        table: Table,
        body: messages.AnyBody,
        secrets: Mapping[str, Any] | None = None,
        *,
        over: bytes | None = None,
    ) -> Draft:
        """Any body as this member's next entry. over: the table hash it names, of the open step if not given."""
        log = table.logs[self.member]
        sequence = len(log.chain)
        entry = entries.sign(
            self.identity,
            table.roster.table,
            self.member,
            sequence,
            log.head,
            table.moment.hash if over is None else over,
            messages.encode(body),
        )
        stored = pack({"step": table.moment.number, **secrets}) if secrets else b""
        return Draft(sequence, entry, stored)

    def _stand(self, table: Table) -> messages.Stand:
        """Where this member stands after a fork: the newest table hashes, as many as a statement holds."""
        sides = table.sides
        forker = next(one for one in sorted(table.folded.open_forks) if not sides.has_stood(self.member, one))
        hashes = tuple(moment.hash for moment in table.spine[-stands.MOST_HASHES :])
        return messages.Stand(forker=forker, hashes=hashes)

    def _allowed(self, table: Table, due: Question, choice: Choice) -> None:
        stage = table.moment.stage
        if not isinstance(stage, Playing):
            raise Fault("no game is on")
        held = self.hand(table)
        if not set(choice.cards) <= set(held):
            raise Illegal("card.hand", "a card is not in the hand")
        table.roster.game.check(stage.state, due.seat, public(choice))

    def _table_secret(self) -> int:
        secret = self._key()
        if secret is None:
            raise Fault("the table key's secret is lost")
        return secret

    def _key(self) -> int | None:
        for remembered in self.secrets.values():
            if "key" in remembered:
                return group.decode_scalar(remembered["key"])
        return None

    def _remembered(self, number: int) -> messages.Open:
        secret = self.secrets.get(number)
        if secret is None:
            raise Fault(f"the opening of what was committed to in step {number} is lost")
        return messages.Open(nonce=secret["nonce"], body=secret["body"])

    def _body(
        self, moment: Moment, kind: str, choice: Choice | None, randomness: Randomness
    ) -> tuple[messages.AnyBody, dict[str, Any]]:
        stage, roster = moment.stage, moment.roster
        context = Context(VERSION, roster.table, moment.number, self.member)
        match kind, stage:
            case "sit", _:
                return messages.Sit(roster=roster.data), {}
            case "keys", _:
                return self._keys(context, randomness)
            case "coin", _:
                return self._commit(context, randomness(coin.COIN_BYTES), randomness)
            case "open", _:
                return self._remembered(_coins(stage).number), {}
            case "seal", Sealing(over=over):
                return step.seal_of(over), {}
            case _, Playing(layout=layout, ask=ask):
                match kind, ask:
                    case "choose", Pick():
                        return messages.Choose(option=choice.option if choice else ()), {}
                    case "reveal", Play():
                        if not isinstance(layout.doing, Laid):
                            raise Fault("nothing was laid face-down")
                        return self._remembered(layout.doing.number), {}
                secret = self._table_secret()
                match kind, ask:
                    case (("turn" | "commit"), Play()) if choice is not None:
                        body = produce.turn(layout, context, choice, secret, randomness)
                        if kind == "turn":
                            return body, {}
                        return self._commit(context, messages.encode(body), randomness)
                    case "share", Deal():
                        return produce.shares(layout, ask, context, secret, randomness), {}
                    case "rekey", _:
                        return produce.rekey(layout, context, secret, randomness), {}
                    case "mix", _:
                        return produce.mix(layout, context, randomness), {}
                    case "blind", _:
                        return produce.blind(layout, context, randomness), {}
                    case "tags", _:
                        return produce.tags(layout, context, secret, randomness), {}
        raise Fault(f"nothing is known to do for a step of kind {kind!r}")

    def _keys(self, context: Context, randomness: Randomness) -> tuple[messages.AnyBody, dict[str, Any]]:
        secret = group.random_scalar(randomness)
        key = group.base(secret)
        proof = sigma.prove_log(context, secret, key, randomness)
        nonce, value = randomness(32), randomness(coin.COIN_BYTES)
        digest = commitment.commit(context.table, context.step, context.member, nonce, value)
        body = messages.Keys(key=group.encode(key), proof=proof, coin=digest)
        return body, {"key": group.encode_scalar(secret), "nonce": nonce, "body": value}

    @staticmethod
    def _commit(context: Context, body: bytes, randomness: Randomness) -> tuple[messages.AnyBody, dict[str, Any]]:
        nonce = randomness(32)
        digest = commitment.commit(context.table, context.step, context.member, nonce, body)
        return messages.Commit(commitment=digest), {"nonce": nonce, "body": body}


def _coins(stage: step.Stage) -> Coins:
    match stage:
        case Drawing(coins=Coins() as coins):
            return coins
        case Playing(layout=layout) if isinstance(layout.doing, Coins):
            return layout.doing
    raise Fault("no coins to open")
