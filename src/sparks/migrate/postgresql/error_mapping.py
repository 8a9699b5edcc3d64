"""Mapping of PostgreSQL errors to Sparks errors."""

from typing import Final

import psycopg

from sparks.model.errors import BadInput, Busy, Conflict, SparksError, Unavailable

OUTBOX_NOT_EMPTY: Final = "SPK01"  # raised by the script that decides a freeze
TAKEN_OVER: Final = "SPK02"  # raised where a command of a later epoch has begun
BUSY: Final = frozenset({
    "40001",  # serialization_failure
    "40P01",  # deadlock_detected
    "55P03",  # lock_not_available
    "57014",  # query_canceled, by statement_timeout
})  # fmt: skip
NO_PRIVILEGE: Final = "42501"


def map_error(error: psycopg.Error) -> SparksError:
    text = message_of(error)
    match error.sqlstate:
        case code if code in BUSY:
            return Busy(f"the source is busy ({text}); try again later")
        case code if code in (OUTBOX_NOT_EMPTY, TAKEN_OVER):
            return Conflict(text)
        case code if code == NO_PRIVILEGE:
            return BadInput(
                f"the source refuses ({text}): connect as the owner of the tables, "
                "with the right to create a schema in the database"
            )
        case None:
            return Unavailable(f"the source cannot be reached: {text}")
        case code:
            return Unavailable(f"the source refuses: {text} (SQLSTATE {code})")


def message_of(error: psycopg.Error) -> str:
    """PostgreSQL's own sentence, without the lines that show the statement."""
    return error.diag.message_primary or " ".join(str(error).split())
