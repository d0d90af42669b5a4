"""An invite: one short line that says where a table is, whose it is, and that its bearer may sit down."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from p2pmatryoshka.errors import Refused, UserError
from p2pmatryoshka.record.strict import pack, unpack

PREFIX = "p2pm1-"
TOKEN_BYTES = 16
_MOST_TEXT = 2048


class _Fields(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    at: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=128)], ...], FailFast(), Field(min_length=1, max_length=16)
    ]
    key: Annotated[bytes, Field(min_length=32, max_length=32)]
    token: Annotated[bytes, Field(min_length=TOKEN_BYTES, max_length=TOKEN_BYTES)]


@dataclass(frozen=True, slots=True)
class Invite:
    """addresses: "host:port", the likeliest first. fingerprint: of the host's key. token: 16 secret bytes."""

    addresses: tuple[str, ...]
    fingerprint: bytes
    token: bytes

    def __str__(self) -> str:
        data = pack({"at": self.addresses, "key": self.fingerprint, "token": self.token})
        return PREFIX + base64.urlsafe_b64encode(data).decode().rstrip("=")

    @classmethod
    def read(cls, text: str) -> Invite:
        """Raises UserError if the text is no whole invite."""
        text = "".join(text.split())
        if not text.startswith(PREFIX) or len(text) > _MOST_TEXT:
            raise UserError(f"That is no invite: an invite is one line that begins with {PREFIX}")
        body = text.removeprefix(PREFIX)
        try:
            data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
            got = _Fields.model_validate(unpack(data, _MOST_TEXT, 2))
        except (binascii.Error, ValueError, Refused, ValidationError) as error:
            raise UserError("That invite is damaged: copy the whole line again.") from error
        for address in got.at:
            split_address(address)
        return cls(got.at, got.key, got.token)


def split_address(address: str) -> tuple[str, int]:
    """Host and port of "host:port" or "[v6]:port". Raises UserError."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 1 << 16:
        raise UserError(f"{address!r} is no address: it should be HOST:PORT.")
    return host, int(port)


def join_address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
