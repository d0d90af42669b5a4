"""Fuzzing by hand: python -m tests.fuzz [--seconds N] [--seed S] [--keep] [TARGET ...]; see scripts/fuzz."""

from __future__ import annotations

import argparse
import hashlib
import sys
import traceback
from pathlib import Path
from random import SystemRandom

from tests.fuzz import campaign
from tests.fuzz.all import TARGETS
from tests.fuzz.target import Target

BROKEN = Path("build/fuzz")
LARGEST_KEPT = 8 * 1024


def main() -> int:
    names = [target.name for target in TARGETS]
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description="Feeds what reads bytes of others with garbage.")
    parser.add_argument("--seconds", type=float, default=10.0, help="processor seconds for each target (default 10)")
    parser.add_argument("--seed", type=int, default=None, help="to see the same again (default: by chance)")
    parser.add_argument("--keep", action="store_true", help="add inputs that bring out something new to the corpus")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"some of: {', '.join(names)} (default: all)")
    given = parser.parse_args()
    unknown = set(given.targets) - set(names)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    seed = SystemRandom().randrange(1 << 32) if given.seed is None else given.seed
    print(f"seed {seed}")
    broken = [target for target in campaign.every(given.targets, TARGETS) if not _fuzz(target, seed, given)]
    return 1 if broken else 0


def _fuzz(target: Target, seed: int, given: argparse.Namespace) -> bool:
    """Whether all was well."""
    new: dict[str, bytes] = {}
    try:
        known = set(campaign.replay(target))
        said = campaign.for_seconds(target, seed, given.seconds, found=new.setdefault)
    except campaign.Broken as error:
        BROKEN.mkdir(parents=True, exist_ok=True)
        path = BROKEN / f"{target.name.replace(' ', '-')}-{_digest(error.data)}"
        path.write_bytes(error.data)
        print(f"{target.name}: BROKEN. The input is in {path}\n{error}", file=sys.stderr)
        traceback.print_exception(error.__cause__, limit=-8)
        return False
    print(f"{target.name}: {sum(said.values())} inputs; " + ", ".join(f"{n} {what}" for what, n in said.most_common()))
    if given.keep:
        for what, data in new.items():
            if what not in known:
                _keep(target, what, data)
    return True


def _keep(target: Target, what: str, data: bytes) -> None:
    data = campaign.smaller(target, data, what)
    if len(data) > LARGEST_KEPT:
        return
    folder = campaign.CORPUS / target.name
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() else "-" for c in what)[:40]
    (folder / f"{name}-{_digest(data)}").write_bytes(data)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]


if __name__ == "__main__":
    sys.exit(main())
