"""A network of hosts on one machine: each a network namespace with one TAP device, all plugged into a switch that runs
here, in a thread, and delays, loses, doubles or cuts frames from a seed. Linux, root and /dev/net/tun are needed.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x2, 0x1000
LARGEST_FRAME = 2048
SUBNET = "10.77.0"


def missing() -> str:
    """What keeps this machine from having such a network; "" if nothing does."""
    if not sys.platform.startswith("linux"):
        return "network namespaces need Linux"
    if os.geteuid() != 0:
        return "network namespaces and TAP devices need root"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "/dev/net/tun is missing"
    tried = subprocess.run(["ip", "netns", "list"], check=False, capture_output=True)
    return "" if tried.returncode == 0 else "ip (iproute2) cannot list network namespaces"


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


@dataclass(slots=True)
class Weather:
    """How frames fare. Seconds, and shares of one."""

    delay: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    doubled: float = 0.0


@dataclass(slots=True)
class Counts:
    """What happened to frames."""

    frames: int = 0
    lost: int = 0
    doubled: int = 0
    cut: int = 0


@dataclass
class Lan:
    """count hosts, numbered from 0. weather and cut may be changed at any time; cut holds (from, to)."""

    count: int
    seed: int = 0
    weather: Weather = field(default_factory=Weather)
    cut: frozenset[tuple[int, int]] = frozenset()
    counts: Counts = field(default_factory=Counts)

    def __enter__(self) -> Lan:
        self._random = random.Random(self.seed)
        self._ports: list[int] = []
        self._made: list[str] = []
        self._over = threading.Event()
        try:
            for host in range(self.count):
                self._plug_in(host)
        except BaseException:
            self._tidy()
            raise
        self._thread = threading.Thread(target=self._switch, name="switch")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._tidy()

    def namespace(self, host: int) -> str:
        return f"p2pm-{os.getpid()}-{host}"

    def address(self, host: int) -> str:
        return f"{SUBNET}.{host + 1}"

    def readdress(self, host: int, last: int) -> str:
        """Give a host another address; the old one is gone."""
        name = self.namespace(host)
        _ip("-n", name, "addr", "flush", "dev", "eth0")
        _ip("-n", name, "addr", "add", f"{SUBNET}.{last}/24", "dev", "eth0")
        _ip("-n", name, "route", "replace", "default", "dev", "eth0")
        return f"{SUBNET}.{last}"

    def fair(self) -> None:
        """Everything works again."""
        self.weather, self.cut = Weather(), frozenset()

    def partition(self, *groups: Iterable[int]) -> None:
        """Hosts of different groups do not reach each other."""
        group_of = {host: number for number, group in enumerate(groups) for host in group}
        self.cut = frozenset((a, b) for a in group_of for b in group_of if group_of[a] != group_of[b])

    def part(self, one: int, other: int) -> None:
        """These two do not reach each other."""
        self.cut = frozenset({(one, other), (other, one)})

    def _plug_in(self, host: int) -> None:
        name, device = self.namespace(host), f"p2pm{os.getpid() % 100000}n{host}"
        _ip("netns", "add", name)
        self._made.append(name)
        port = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        self._ports.append(port)
        fcntl.ioctl(port, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP | IFF_NO_PI))
        hardware = ":".join(f"{byte:02x}" for byte in _hardware(host))
        _ip("link", "set", device, "netns", name, "name", "eth0", "address", hardware)
        for arguments in (
            ("link", "set", "lo", "up"),
            ("addr", "add", f"{self.address(host)}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
            ("route", "add", "default", "dev", "eth0"),
        ):
            _ip("-n", name, *arguments)

    def _tidy(self) -> None:
        for port in self._ports:
            os.close(port)
        for name in self._made:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)

    def _switch(self) -> None:
        late: list[tuple[float, int, int, bytes]] = []
        number = 0
        while not self._over.is_set():
            pause = min(0.2, max(0.0, late[0][0] - time.monotonic())) if late else 0.2
            readable, _, _ = select.select(self._ports, [], [], pause)
            for port in readable:
                frame = _read(port)
                for to in self._receivers(self._ports.index(port), frame):
                    for due in self._times(self._ports.index(port), to):
                        number += 1
                        heapq.heappush(late, (due, number, to, frame))
            while late and late[0][0] <= time.monotonic():
                _, _, to, frame = heapq.heappop(late)
                _write(self._ports[to], frame)

    def _receivers(self, sender: int, frame: bytes) -> Sequence[int]:
        if not frame:
            return ()
        for host in range(self.count):
            if frame[:6] == _hardware(host):
                return (host,)
        return tuple(host for host in range(self.count) if host != sender)

    def _times(self, sender: int, to: int) -> Sequence[float]:
        """When a frame arrives: never, once or twice."""
        weather, counts = self.weather, self.counts
        counts.frames += 1
        if (sender, to) in self.cut:
            counts.cut += 1
            return ()
        if self._random.random() < weather.loss:
            counts.lost += 1
            return ()
        copies = 2 if self._random.random() < weather.doubled else 1
        counts.doubled += copies - 1
        now = time.monotonic()
        return [now + weather.delay + self._random.uniform(0, weather.jitter) for _ in range(copies)]


def _hardware(host: int) -> bytes:
    return bytes([2, 0x70, 0x32, 0x70, 0, host + 1])


def _read(port: int) -> bytes:
    try:
        return os.read(port, LARGEST_FRAME)
    except OSError:  # nothing there, or the device is being changed
        return b""


def _write(port: int, frame: bytes) -> None:
    try:
        os.write(port, frame)
    except OSError:
        return  # as if it had been lost
