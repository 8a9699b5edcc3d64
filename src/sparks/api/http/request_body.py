"""Request bodies as files: read chunk by chunk, so that a slow client holds neither a thread nor memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from sparks.blobs.local_file import scratch_file

BATCH_BYTES: Final = 256 * 1024  # for each upload, of which there may be hundreds


@asynccontextmanager
async def body_as_file(request: Request) -> AsyncIterator[int]:
    """The descriptor of a temporary file without a name that holds the body; it is closed at the end of the block."""
    with scratch_file() as file:
        async for batch in merge_chunks(request.stream()):
            await run_in_threadpool(file.write, batch)
        await run_in_threadpool(file.flush)
        yield file.fileno()


async def merge_chunks(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks in fewer and larger batches, since each write costs a trip to another thread."""
    held: list[bytes] = []
    size = 0
    async for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= BATCH_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)
