"""One process that starts all peers, for every test of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.real.peers import Zygote, zygote


@pytest.fixture(scope="module")
def peers() -> Iterator[Zygote]:
    if not sys.platform.startswith("linux"):
        pytest.skip("peers are started by fork and die with their parent: this needs Linux")
    with zygote() as one:
        yield one
