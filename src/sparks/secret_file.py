"""File of the signing keys, readable by its owner only and replaced atomically."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from sparks.model.errors import BadSetting, Damaged

SECRET_BYTES: Final = 32
GROUP_AND_OTHERS: Final = 0o077


class SigningKey(msgspec.Struct, frozen=True):
    made: datetime
    secret: bytes


class SigningKeys(msgspec.Struct, frozen=True):
    """The current key signs; the signatures of all keys are valid."""

    current: str
    keys: dict[str, SigningKey]


class SecretFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> SigningKeys:
        """The keys. Creates the file with a first key where there is none; many processes may do so at once."""
        if not self._path.exists():
            with self._locked():
                if not self._path.exists():
                    self._write(_with_new_key({}))
        return self._read()

    def rotate(self, *, keep: timedelta | None = None) -> SigningKeys:
        """Creates a new current key. With `keep`, deletes keys that are older than that.

        The key that has signed until now always stays: its latest signatures are still in use.
        """
        self.read()
        with self._locked():
            oldest = datetime.min.replace(tzinfo=UTC) if keep is None else datetime.now(UTC) - keep
            known = self._read()
            kept = {name: key for name, key in known.keys.items() if name == known.current or key.made >= oldest}
            rotated = _with_new_key(kept)
            self._write(rotated)
        return rotated

    def _read(self) -> SigningKeys:
        try:
            with self._path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode & 0o777
                content = file.read()
        except OSError as error:
            raise BadSetting(f"the secrets file {self._path} cannot be read: {error.strerror}") from error
        if mode & GROUP_AND_OTHERS:
            raise BadSetting(f"other users may read {self._path} (its mode is {mode:o}): run chmod 600 {self._path}")
        try:
            found = msgspec.json.decode(content, type=SigningKeys)
        except msgspec.DecodeError:
            raise Damaged(
                f"{self._path} is not a secrets file: restore it from a backup"
            ) from None  # its text has secrets
        if found.current not in found.keys:
            raise Damaged(f"{self._path} lacks its current key: restore it from a backup")
        return found

    def _write(self, keys: SigningKeys) -> None:
        fresh = self._path.with_name(f"{self._path.name}.new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123  a descriptor, made with its mode
            file.write(msgspec.json.format(msgspec.json.encode(keys)))
            file.flush()
            os.fsync(descriptor)
        fresh.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Allows one writer at a time: locks the folder, and syncs it at the end."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = os.open(self._path.parent, os.O_RDONLY)
        except OSError as error:
            raise BadSetting(f"the folder {self._path.parent} cannot be used: {error.strerror}") from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
            os.fsync(folder)
        except OSError as error:
            raise BadSetting(f"the secrets file {self._path} cannot be written: {error.strerror}") from error
        finally:
            os.close(folder)


def _with_new_key(known: dict[str, SigningKey]) -> SigningKeys:
    name = secrets.token_hex(4)
    key = SigningKey(made=datetime.now(UTC), secret=secrets.token_bytes(SECRET_BYTES))
    return SigningKeys(current=name, keys={**known, name: key})
