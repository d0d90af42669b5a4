"""Files that people name: read whole, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from p2pmatryoshka.errors import StorageError, UserError
from p2pmatryoshka.ui.strings import say


def read_file(path: Path, most: int) -> bytes:
    """At most `most` + 1 bytes: one too many tells that there are more. Raises UserError."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise UserError(say("error.read", file=path, reason=error.strerror)) from error


def write_file(path: Path, data: bytes, *, new: bool = False) -> None:
    """Nobody ever sees half of it. new: UserError if the file is there. Raises StorageError."""
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if new:
            os.link(temporary, path)
        else:
            os.replace(temporary, path)
            temporary = None
    except FileExistsError as error:
        raise UserError(say("error.exists", file=path)) from error
    except OSError as error:
        raise StorageError(say("error.write", file=path, reason=error.strerror)) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
