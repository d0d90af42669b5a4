"""The data folder: made private, used by one process at a time."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from types import TracebackType

from p2pmatryoshka.errors import StorageError, UserError

LOCK_FILE = "lock"


def make_folder(folder: Path) -> None:
    """`folder` and those above it, closed to other users where it is new. StorageError if it cannot be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise StorageError(f"{folder} is a file, not a folder: move it away or choose another folder.") from error
    except OSError as error:
        raise unusable(folder, error) from error


def unusable(path: Path, error: OSError) -> StorageError:
    """The sentence for a file or folder that the system refuses to give."""
    return StorageError(f"{path} cannot be used ({error.strerror}): check its permissions or choose another folder.")


class FolderLock:
    """Held from taking to release, and let go by the system however the process ends.

    Two processes with one identity could sign two entries with one sequence number, and stand convicted.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, folder: Path) -> FolderLock:
        """UserError if another process holds it; StorageError if the lock file cannot be made."""
        path = folder / LOCK_FILE
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise unusable(path, error) from error
        try:
            _lock(descriptor)
        except BlockingIOError as error:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise UserError(
                f"The folder {folder} is in use by another p2pmatryoshka{holder}: "
                "close that one, or give this one another folder."
            ) from error
        except OSError as error:
            os.close(descriptor)
            raise unusable(path, error) from error
        with contextlib.suppress(OSError):  # the number only makes the other's message kinder
            os.ftruncate(descriptor, 0)
            os.write(descriptor, b"%d\n" % os.getpid())
        return cls(descriptor)

    @property
    def held(self) -> bool:
        """Whether it was not released yet."""
        return self._descriptor is not None

    def release(self) -> None:
        """Lets the folder go; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _holder(descriptor: int) -> str:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        number = os.read(descriptor, 32).strip()
    except OSError:
        return ""
    return f" (process {number.decode()})" if number.isdigit() else ""


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from error

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
