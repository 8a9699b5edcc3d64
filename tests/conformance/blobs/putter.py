"""Process that puts one blob, which a test may trace or kill: `python -m ..putter FOLDER KEY WORD [absent]`.

It says `ready` before the put, and afterwards `done` or the name of the error.
"""

import os
import sys
from pathlib import Path

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.model.errors import SparksError
from tests.conformance.blobs.content import KEYRING


def main(folder: str, key: str, word: str, *conditions: str) -> None:
    blobs = FilesystemBlobs(Path(folder), keyring=KEYRING, base_url="")
    os.write(1, b"ready\n")
    try:
        blobs.put(key, [word.encode()] * 3, content_type="image/png", if_absent="absent" in conditions)
    except SparksError as error:
        os.write(1, f"{type(error).__name__}\n".encode())
    else:
        os.write(1, b"done\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
