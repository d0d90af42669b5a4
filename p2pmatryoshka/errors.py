"""Whose doing it was: ours, the peer's, or the player's. Each has its own type, so that none is taken for another."""


class MatryoshkaError(Exception):
    """The root of every error this package raises on purpose."""


class Fault(MatryoshkaError):
    """Ours: an invariant of this program is broken. Nobody else is to blame; please report it."""


class Illegal(MatryoshkaError):
    """The player's: an action, house rule or deck the rules of the game do not allow. Nothing has changed.

    `code` is stable and meant for programs ("card.placement"); `detail` is for people. A peer that signs such
    an action is judged by the table, which turns this into a Refused.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail


class Refused(MatryoshkaError):
    """A peer's: bytes, an entry or a proof that breaks the protocol.

    `rule` is stable and names the one check that refused ("shuffle.chain"); `detail` is for people. It names no
    culprit: only the table knows who had to answer for the bytes.
    """

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(f"{rule}: {detail}" if detail else rule)
        self.rule = rule
        self.detail = detail


class LinkFault(MatryoshkaError):
    """A neighbour's: bytes that no honest peer passes on. Blame the link they came by, never a named author."""

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(f"{rule}: {detail}" if detail else rule)
        self.rule = rule
        self.detail = detail


class UserError(MatryoshkaError):
    """The person's at the keyboard: one sentence that says what is wrong and what to do. Exit status 2."""


class StorageError(MatryoshkaError):
    """The machine's: a disk, folder or database that cannot be used. The sentence says which and what to do."""
