"""One process that starts all peers, for all tests here; and a seed from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from tests.real.peers import Zygote, zygote


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--real-seed", type=int, default=0, help="of the kills of tests/real")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--real-seed", 0))


@pytest.fixture(scope="session")
def peers() -> Iterator[Zygote]:
    if not sys.platform.startswith("linux"):
        pytest.skip("peers are started by fork and die with their parent: this needs Linux")
    with zygote() as one:
        yield one


@pytest.fixture(autouse=True)
def counted(peers: Zygote, record_property: Callable[[str, object], None]) -> Iterator[None]:
    """How many processes a test took, and how many were killed: figures for scripts/reliability."""
    before = peers.counts()
    yield
    started, killed = (after - earlier for after, earlier in zip(peers.counts(), before, strict=True))
    record_property("peer processes started", started)
    record_property("peer processes that died by SIGKILL", killed)
