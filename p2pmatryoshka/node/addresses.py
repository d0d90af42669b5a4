"""Where this machine can be reached, as far as it can tell itself."""

from __future__ import annotations

import ipaddress
import socket

_ELSEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses reserved for documentation (RFC 5737, RFC 3849): asking for a route to them sends nothing."""


def local_addresses() -> tuple[str, ...]:
    """The addresses of this machine, those that lead elsewhere first, loopback last."""
    found: dict[str, None] = {}
    for family, target in _ELSEWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                found[probe.getsockname()[0]] = None
        except OSError:
            continue
    try:
        for entry in socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM):
            found[str(entry[4][0])] = None
    except OSError:
        pass
    usable = [text for text in found if _leads_here(text)]
    return (*usable, "127.0.0.1")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _leads_here(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or address.is_multicast or address.is_link_local)
